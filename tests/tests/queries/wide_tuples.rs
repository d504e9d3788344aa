//! Tuples of nine to sixteen elements behave like shorter ones, and appear flat.

use ecs_core::prelude::*;

macro_rules! components {
    ($($name:ident $storage:literal)*) => {
        $(
            #[derive(Component, Clone, Copy, PartialEq, Debug)]
            #[component(storage = $storage)]
            struct $name(u32);
        )*
    };
}

components! {
    A "table" B "table" C "table" D "table" E "table" F "table" G "table" H "table"
    I "table" J "table" K "table" L "table" M "table" N "table" O "table" P "table"
    Sa "sparse" Sb "sparse" Sc "sparse" Sd "sparse" Se "sparse" Sf "sparse" Sg "sparse" Sh "sparse" Si "sparse"
}

#[derive(Component)]
#[component(track)]
struct Tracked;

type Nine = (A, B, C, D, E, F, G, H, I);

fn nine(n: u32) -> Nine {
    (
        A(n),
        B(n + 1),
        C(n + 2),
        D(n + 3),
        E(n + 4),
        F(n + 5),
        G(n + 6),
        H(n + 7),
        I(n + 8),
    )
}

fn seven(n: u32) -> (J, K, L, M, N, O, P) {
    (
        J(n + 9),
        K(n + 10),
        L(n + 11),
        M(n + 12),
        N(n + 13),
        O(n + 14),
        P(n + 15),
    )
}

/// Twenty entities with nine components; every second one has sixteen.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let entities = (0..20)
        .map(|n| {
            let entity = world.spawn(nine(100 * n));
            if n % 2 == 0 {
                world.insert(entity, seven(100 * n)).unwrap();
            }
            entity
        })
        .collect();
    (world, entities)
}

#[test]
fn sixteen_members_come_in_their_order() {
    let (world, entities) = world();
    let mut query = world.query::<(
        &A,
        &B,
        &C,
        &D,
        &E,
        &F,
        &G,
        &H,
        &I,
        &J,
        &K,
        &L,
        &M,
        &N,
        &O,
        Entity,
    )>();
    let mut seen = 0;
    query.for_each(|(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, entity)| {
        let start = a.0;
        let all = [
            a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0, i.0, j.0, k.0, l.0, m.0, n.0, o.0,
        ];
        assert_eq!(all, core::array::from_fn(|at| start + at as u32));
        assert_eq!(entity, entities[start as usize / 100]);
        seen += 1;
    });
    assert_eq!(seen, 10);
    let (.., o, entity) = query.get(entities[4]).unwrap();
    assert_eq!((o.0, entity), (414, entities[4]));
    assert!(query.get(entities[5]).is_none());
    assert_eq!(query.iter().count(), 10);
}

#[test]
fn ten_members_are_written_and_optional_ones_may_be_missing() {
    let (world, entities) = world();
    let mut query = world.query::<(&mut A, &B, &C, &D, &E, &F, &G, &H, &mut I, Option<&mut J>)>();
    query.for_each(|(a, .., i, j)| {
        a.0 += 1;
        i.0 += 2;
        if let Some(j) = j {
            j.0 += 3;
        }
    });
    drop(query);
    assert_eq!(world.get::<A>(entities[3]).unwrap().0, 301);
    assert_eq!(world.get::<I>(entities[3]).unwrap().0, 310);
    assert_eq!(world.get::<J>(entities[4]).unwrap().0, 412);
}

#[test]
fn a_tuple_of_views_is_joined_through_a_reference() {
    let mut world = World::new();
    world.spawn((A(1), B(2)));
    let (a, b) = (world.view::<A>(), world.view::<B>());
    let views = (&a, &b);
    let by_reference = &views;
    let mut sum = 0;
    by_reference.for_each(|(a, b)| sum += a.0 + b.0);
    for (a, b) in by_reference.iter() {
        sum += a.0 * b.0;
    }
    for views in [&views, by_reference] {
        views.for_each(|(a, b)| sum += 10 * (a.0 + b.0));
    }
    assert_eq!(sum, 65);
}

#[test]
fn nine_views_are_joined_cut_and_split() {
    let (world, entities) = world();
    let mut a = world.view_mut::<A>();
    let (b, c, d, e) = (
        world.view::<B>(),
        world.view::<C>(),
        world.view::<D>(),
        world.view::<E>(),
    );
    let (f, g, h, i) = (
        world.view::<F>(),
        world.view::<G>(),
        world.view::<H>(),
        world.view::<I>(),
    );
    macro_rules! join {
        () => {
            (&mut a, &b, &c, &d, &e, &f, &g, &h, &i)
        };
    }
    join!().for_each(|(a, .., i)| assert_eq!(a.0 + 8, i.0));
    let mut rows = 0;
    for (a, b, .., i) in join!().chunks() {
        assert_eq!((a.len(), a.len()), (b.len(), i.len()));
        rows += a.len();
    }
    assert_eq!(rows, 20);
    let ((first, ..), mut others) = join!().split(entities[0]).unwrap();
    for (other, ..) in &mut others {
        first.0 += other.0;
    }
    assert_eq!(
        a.get(entities[0]).unwrap().0,
        (0..20).map(|n| 100 * n).sum::<u32>()
    );
    join!().for_each_from_old(|(a, .., i), _| a.0 + i.0, |(a, ..), new| a.0 = new);
    assert_eq!(a.get(entities[1]).unwrap().0, 208);
    let mut pairs = 0;
    join!().for_each_pair(|(a, ..), (b, ..)| {
        assert!(a.0 != b.0);
        pairs += 1;
    });
    assert_eq!(pairs, 190);
    let j = world.view::<J>();
    assert_eq!(
        join!()
            .exclude((&j, &j, &j, &j, &j, &j, &j, &j, &j))
            .iter()
            .count(),
        10
    );
    let all = (&b, &c, &d, &e, &f, &g, &h, &i, &j);
    assert_eq!((&mut a).include(all).entities().count(), 10);
}

#[test]
fn nine_filters_must_all_match() {
    let (world, _) = world();
    let all = world.query_filtered::<&A, (
        With<B>,
        With<C>,
        With<D>,
        With<E>,
        With<F>,
        With<G>,
        With<H>,
        With<I>,
        Without<J>,
    )>();
    assert_eq!(
        all.iter().map(|a| a.0 / 100 % 2).collect::<Vec<_>>(),
        [1; 10]
    );
}

#[test]
fn one_of_nine_alternatives_is_enough() {
    let mut world = World::new();
    let sparse = world.spawn((A(1), Si(1)));
    let table = world.spawn((A(2), P(1)));
    world.spawn((A(3), B(1)));
    let tracked = world.spawn((A(4), Tracked));
    type Any = Or<(
        With<Sa>,
        With<Sb>,
        With<Sc>,
        With<Sd>,
        With<Se>,
        With<Sf>,
        With<Sg>,
        Changed<Tracked>,
        With<Si>,
        With<P>,
    )>;
    #[system]
    fn found(query: Query<(Entity, &A), Any>) -> Vec<Entity> {
        query.iter().map(|(entity, _)| entity).collect()
    }
    let mut now = found(&world);
    now.sort();
    assert_eq!(now, [sparse, table, tracked]);
}

#[test]
fn nine_sparse_members_lie_side_by_side_or_are_looked_up() {
    let mut world = World::new();
    for n in 0..40 {
        let entity = world.spawn((Sa(n), Sb(n), Sc(n), Sd(n), Se(n), Sf(n), Sg(n), Sh(n)));
        if n % 4 == 0 {
            world.insert(entity, Si(n)).unwrap();
        }
    }
    let mut query = world.query::<(&Sa, &Sb, &Sc, &Sd, &Se, &Sf, &Sg, &Sh, &mut Si)>();
    query.for_each(|(a, .., i)| i.0 += a.0);
    let found: Vec<u32> = query.iter().map(|(.., i)| i.0).collect();
    assert_eq!(found, (0..40).step_by(4).map(|n| 2 * n).collect::<Vec<_>>());
}

#[test]
fn nine_members_are_visited_by_several_threads() {
    let mut world = World::new();
    world.spawn_batch((0..20_000).map(nine));
    let mut query = world.query::<(&mut A, &B, &C, &D, &E, &F, &G, &H, &I)>();
    query.par_for_each(|(a, .., i)| a.0 = i.0 - a.0);
    assert!(query.iter().all(|(a, ..)| a.0 == 8));
}
