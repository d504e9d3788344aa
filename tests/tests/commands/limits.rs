//! Limits that a change of the world hits: numbers of rows, tables and ids, capacity of sets, reservations.
//!
//! Each change is made to panic at each place where it could hit a limit. Afterwards the world is consistent and usable, and
//! each value was either dropped once or is still in place.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use ecs_core::__private::fail;
use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::staging::{EdgeTarget, Staged, StagedEdge, StagedEdges, StagedRows};
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace};
use ecs_core::world::{CommandQueue, ErasedColumn};
use ecs_tests::{Held, Kept, Ledger, Loose, Plain, Text, Token};

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    /// The target of the relation that `Tied` requires.
    static ANCHOR: RefCell<Option<Entity>> = const { RefCell::new(None) };
}

fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

fn kept() -> Kept {
    Kept(token())
}

fn held() -> Held {
    Held(token())
}

#[derive(Component, Debug)]
#[component(track)]
struct Tracked(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", track)]
struct Trail(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", immediate)]
struct Lit(#[expect(dead_code, reason = "held for its drop")] Token);

/// A component that requires one in a table, one in a sparse set, and an immediate one.
#[derive(Component, Debug)]
#[component(require(Kept = kept(), Held = held(), Lit = Lit(token()), Text = Text("required".into())))]
struct Needy(#[expect(dead_code, reason = "held for its drop")] Token);

/// A component that requires a relation.
#[derive(Component, Debug)]
#[component(require(Target<ChildOf> = tied()))]
struct Tied(#[expect(dead_code, reason = "held for its drop")] Token);

fn tied() -> Target<ChildOf> {
    let anchor = ANCHOR.take().expect("the anchor is spawned");
    ANCHOR.set(Some(anchor));
    ChildOf(token()).to(anchor)
}

#[derive(Relation)]
#[relation(tree)]
struct ChildOf(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Relation)]
#[relation(sources = "despawn")]
struct PartOf;

#[derive(Relation)]
#[relation(many)]
struct Likes(#[expect(dead_code, reason = "held for its drop")] Token);

fn child_of(target: Entity) -> Target<ChildOf> {
    ChildOf(token()).to(target)
}

fn likes<const N: usize>(targets: [Entity; N]) -> Targets<Likes> {
    let mut all = targets.into_iter();
    let first = all.next().expect("a target");
    all.fold(Likes(token()).to(first), |likes, target| {
        likes.and(Likes(token()), target)
    })
}

/// The entities of the tests.
struct Cast {
    /// Has components with drop glue in tables and sparse sets.
    rich: Entity,
    /// Has [`Plain`] only.
    plain: Entity,
    /// A node of a tree, with a parent, and a child that is despawned with it.
    node: Entity,
    root: Entity,
    leaf: Entity,
    /// Likes `root` and `plain`.
    fan: Entity,
    /// Reserved ids, without a row.
    reserved: [Entity; 3],
    dead: Entity,
    /// Have [`Plain`] and [`Text`], in consecutive rows.
    crowd: Vec<Entity>,
}

fn world(is_observed: bool) -> (World, Cast) {
    LEDGER.set(Ledger::default());
    let mut world = World::builder().group::<(Held, Loose)>().build();
    world.register::<Lit>();
    if is_observed {
        macro_rules! observe {
            ($($event:ident<$of:ty>),* $(,)?) => {$(
                world.observe(|_: $event<$of>, _: DeferredWorld<'_>| ());
            )*};
        }
        observe!(
            OnInsert<Kept>,
            OnReplace<Kept>,
            OnRemove<Kept>,
            OnAdd<Held>,
            OnRemove<Held>,
            OnDespawn<Plain>,
            OnRemove<Target<ChildOf>>,
            OnReplace<Target<ChildOf>>,
            OnInsert<Targets<Likes>>,
            OnRemove<Targets<Likes>>,
            OnRemove<Sources<ChildOf>>,
            OnInsert<Needy>,
            OnReplace<Lit>,
        );
    }
    let rich = world.spawn((
        Plain(1),
        kept(),
        held(),
        Loose(1),
        Tracked(token()),
        Trail(token()),
    ));
    let plain = world.spawn(Plain(2));
    let root = world.spawn((kept(), Loose(2)));
    let node = world.spawn((child_of(root), kept()));
    let leaf = world.spawn((child_of(node), held(), Lit(token())));
    world.spawn((PartOf.to(node), kept()));
    let fan = world.spawn((likes([root, plain]), held()));
    let dead = world.spawn(Plain(3));
    world.despawn(dead).unwrap();
    let crowd = world
        .spawn_batch((0..10).map(|i| (Plain(i), Text(i.to_string()))))
        .to_vec();
    let reserved = [(); 3].map(|()| world.reserve_entity());
    ANCHOR.set(Some(reserved[2]));
    let cast = Cast {
        rich,
        plain,
        node,
        root,
        leaf,
        fan,
        reserved,
        dead,
        crowd,
    };
    (world, cast)
}

/// Checks the invariants of the world, and that it contains each value that was not dropped.
fn check(world: &World) {
    world.check_invariants();
    let mut tokens = 0;
    macro_rules! count {
        ($($component:ty),*) => { $(tokens += world.view::<$component>().len();)* };
    }
    count!(
        Kept,
        Held,
        Tracked,
        Trail,
        Lit,
        Needy,
        Tied,
        Target<ChildOf>
    );
    tokens += world
        .view::<Targets<Likes>>()
        .iter()
        .map(Targets::len)
        .sum::<usize>();
    assert_eq!(
        LEDGER.with_borrow(Ledger::alive).len(),
        tokens,
        "nothing leaks, nothing is dropped twice"
    );
}

/// Uses a world after a change of it panicked, to check that it still works.
fn use_it(world: &mut World, reserved: [Entity; 3]) {
    world.flush();
    let placed: Vec<Entity> = world.query::<Entity>().iter().collect();
    for entity in reserved {
        assert!(placed.contains(&entity) || !world.contains(entity));
    }
    let reserved = reserved.map(|_| world.reserve_entity());
    check(world);
    let parent = world.spawn((kept(), Plain(9)));
    let child = world.spawn((child_of(parent), held(), Loose(7)));
    for entity in [parent, child, reserved[0]] {
        let targets = [reserved[1], parent, child];
        let targets = targets.map(|other| if other == entity { reserved[2] } else { other });
        world
            .insert(entity, (Needy(token()), kept(), likes(targets)))
            .unwrap();
        check(world);
        world.remove::<(Kept, Held, Plain)>(entity).unwrap();
        check(world);
    }
    world.despawn(parent).unwrap();
    check(world);
    world.despawn_all::<With<Lit>>();
    check(world);
    world.clear();
    check(world);
}

/// Prints the position of a failing test.
struct Context(&'static Location<'static>, bool, u32);

impl Drop for Context {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(change, is_observed, place) = self;
            eprintln!("the change at {change}, observed: {is_observed}, limit number {place}");
        }
    }
}

/// Makes the change panic at each place where it can hit a limit.
#[track_caller]
fn survives(change: impl Fn(&mut World, &Cast)) {
    let mut places = 0;
    for is_observed in [true, false] {
        if cfg!(miri) && !is_observed {
            continue;
        }
        // Under Miri every fourth place is enough: it checks pointers, and nearby places use the same ones.
        for place in (0..).step_by(if cfg!(miri) { 4 } else { 1 }) {
            let _context = Context(Location::caller(), is_observed, place);
            let (mut world, cast) = world(is_observed);
            fail::arm(place);
            let outcome = catch_unwind(AssertUnwindSafe(|| change(&mut world, &cast)));
            let is_hit = fail::disarm();
            check(&world);
            if is_hit {
                for &entity in &cast.reserved {
                    assert!(world.contains(entity), "reserved ids stay valid");
                }
                places += 1;
                let panic = outcome.expect_err("the limit was hit");
                assert_eq!(panic.downcast_ref(), Some(&fail::MESSAGE));
                let again = catch_unwind(AssertUnwindSafe(|| change(&mut world, &cast)));
                assert!(again.is_ok(), "the change succeeds without a limit");
                check(&world);
            } else {
                outcome.expect("no limit was hit");
            }
            use_it(&mut world, cast.reserved);
            drop(world);
            assert!(LEDGER.with_borrow(Ledger::alive).is_empty());
            if !is_hit {
                break;
            }
        }
    }
    assert!(places > 0, "the change can hit a limit");
}

#[test]
fn spawning_survives_a_limit() {
    survives(|world, _| _ = world.spawn(()));
    survives(|world, _| _ = world.spawn((kept(), Plain(1))));
    survives(|world, _| _ = world.spawn((Text("new".into()), Tracked(token()), kept())));
    survives(|world, _| _ = world.spawn(held()));
    survives(|world, _| _ = world.spawn((held(), kept(), Loose(3), Trail(token()), Lit(token()))));
    survives(|world, _| _ = world.spawn((Needy(token()), Trail(token()))));
}

#[test]
fn spawning_the_source_of_a_relation_survives_a_limit() {
    survives(|world, cast| _ = world.spawn(child_of(cast.plain)));
    survives(|world, cast| _ = world.spawn((kept(), child_of(cast.reserved[1]), held())));
    survives(|world, cast| _ = world.spawn((kept(), child_of(cast.dead))));
    survives(|world, cast| {
        let [a, b, c] = cast.reserved;
        world.spawn((
            likes([cast.plain, a, cast.root, b, cast.dead, cast.leaf, c]),
            PartOf.to(b),
            kept(),
        ));
    });
    survives(|world, _| _ = world.spawn((Tied(token()), Plain(3))));
}

#[test]
fn spawning_many_survives_a_limit() {
    survives(|world, _| _ = world.spawn_batch((0..40).map(|i| (kept(), Plain(i)))));
    survives(|world, _| {
        // An iterator of unknown length.
        let mut left = 40;
        let bundles = std::iter::from_fn(|| {
            left -= 1;
            (left > 0).then(|| (Text("new".into()), kept(), Tracked(token())))
        });
        world.spawn_batch(bundles);
    });
    survives(|world, cast| {
        let target = cast.reserved[1];
        world.spawn_batch((0..9).map(|_| (held(), child_of(target), Needy(token()))));
    });
}

/// Inserts a value without its type.
fn insert_erased<T: Component>(world: &mut World, entity: Entity, value: T) {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    assert!(column.push(value).is_ok());
    world.insert_erased(entity, &mut column).unwrap();
}

#[test]
fn inserting_and_removing_without_types_survives_a_limit() {
    survives(|world, cast| insert_erased(world, cast.plain, kept()));
    survives(|world, cast| insert_erased(world, cast.plain, held()));
    survives(|world, cast| insert_erased(world, cast.reserved[0], Lit(token())));
    survives(|world, cast| insert_erased(world, cast.plain, Needy(token())));
    survives(|world, cast| insert_erased(world, cast.plain, Tied(token())));
    survives(|world, cast| insert_erased(world, cast.leaf, child_of(cast.reserved[1])));
    survives(|world, cast| insert_erased(world, cast.fan, likes([cast.leaf, cast.reserved[2]])));
    survives(|world, cast| {
        let removed = world.remove_erased(cast.rich, ComponentId::of::<Kept>());
        assert_eq!(removed, Ok(true));
    });
}

fn column<T: Component>(values: impl IntoIterator<Item = T>) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    for value in values {
        assert!(column.push(value).is_ok());
    }
    column
}

fn edges<R: Relation>(list: &[(u32, EdgeTarget)], value: impl Fn() -> R) -> StagedEdges {
    let outgoing = ComponentId::of::<R::Outgoing>();
    let mut values = ErasedColumn::of_edges(outgoing).unwrap();
    let edges = list.iter().map(|&(source, target)| {
        assert!(values.push(value()).is_ok());
        StagedEdge { source, target }
    });
    StagedEdges {
        outgoing,
        edges: edges.collect(),
        order: Vec::new(),
        values,
    }
}

fn commit(world: &mut World, staged: Staged) {
    let ids = world.next_ids(staged.entities() as usize).unwrap();
    world.commit(staged, &ids).unwrap();
    world.announce(&ids);
}

#[test]
fn committing_staged_entities_survives_a_limit() {
    survives(|world, _| {
        let mut staged = Staged::new(20);
        let columns = vec![column((0..20).map(Plain)), column((0..20).map(|_| kept()))];
        staged.add_table(StagedRows::Range(0..20), columns);
        commit(world, staged);
    });
    survives(|world, _| {
        let mut staged = Staged::new(3);
        let columns = vec![column([Tracked(token())]), column([Needy(token())])];
        staged.add_table(StagedRows::List(vec![1]), columns);
        staged.add_set(vec![2, 0], column([held(), held()]));
        staged.add_set(vec![0, 1], column([Loose(1), Loose(2)]));
        staged.add_set(vec![0], column([Trail(token())]));
        staged.add_set(vec![1], column([Lit(token())]));
        commit(world, staged);
    });
    survives(|world, cast| {
        let living = EdgeTarget::Living;
        let [a, b, _] = cast.reserved;
        let mut staged = Staged::new(4);
        staged.add_table(StagedRows::Range(3..4), vec![column([Tied(token())])]);
        let list = [
            (0, EdgeTarget::New(1)),
            (2, living(cast.plain)),
            (1, living(a)),
        ];
        staged.add_edges(edges(&list, || ChildOf(token())));
        let list = [
            (0, living(b)),
            (0, living(cast.root)),
            (2, EdgeTarget::New(0)),
        ];
        staged.add_edges(edges(&list, || Likes(token())));
        commit(world, staged);
    });
}

#[test]
fn inserting_survives_a_limit() {
    survives(|world, cast| {
        world
            .insert(cast.plain, (kept(), Text("new".into())))
            .unwrap();
    });
    survives(|world, cast| world.insert(cast.rich, (kept(), Tracked(token()))).unwrap());
    survives(|world, cast| world.insert(cast.rich, held()).unwrap());
    survives(|world, cast| world.insert(cast.plain, held()).unwrap());
    survives(|world, cast| world.insert(cast.plain, Lit(token())).unwrap());
    survives(|world, cast| world.insert(cast.reserved[0], (kept(), held())).unwrap());
    survives(|world, cast| {
        let bundle = (
            held(),
            Text("new".into()),
            kept(),
            Trail(token()),
            Loose(4),
            Tracked(token()),
        );
        world.insert(cast.rich, bundle).unwrap();
    });
    survives(|world, cast| world.insert(cast.rich, (Needy(token()), kept())).unwrap());
    survives(|world, cast| {
        world
            .insert(cast.plain, (Needy(token()), Trail(token())))
            .unwrap();
    });
}

#[test]
fn relating_survives_a_limit() {
    survives(|world, cast| world.insert(cast.plain, child_of(cast.rich)).unwrap());
    survives(|world, cast| world.insert(cast.node, child_of(cast.rich)).unwrap());
    survives(|world, cast| {
        world
            .insert(cast.leaf, (child_of(cast.reserved[0]), held(), kept()))
            .unwrap();
    });
    survives(|world, cast| {
        world
            .insert(cast.leaf, (kept(), child_of(cast.dead)))
            .unwrap();
    });
    survives(|world, cast| {
        world
            .insert(cast.reserved[0], (kept(), child_of(cast.reserved[1])))
            .unwrap();
    });
    survives(|world, cast| {
        world
            .insert(cast.node, (Tied(token()), kept(), Text("new".into())))
            .unwrap();
    });
    survives(|world, cast| world.insert(cast.plain, (Tied(token()), held())).unwrap());
    survives(|world, cast| {
        let [a, b, _] = cast.reserved;
        let likes = likes([cast.root, b, cast.leaf, a, cast.dead, cast.node]);
        world
            .insert(cast.fan, (Text("new".into()), likes, held()))
            .unwrap();
    });
    survives(|world, cast| {
        world
            .relate(cast.leaf, ChildOf(token()), cast.reserved[0])
            .unwrap();
    });
    survives(|world, cast| {
        world
            .relate(cast.fan, Likes(token()), cast.reserved[0])
            .unwrap();
    });
    survives(|world, cast| world.relate(cast.fan, Likes(token()), cast.leaf).unwrap());
    survives(|world, cast| world.relate(cast.plain, Likes(token()), cast.leaf).unwrap());
    survives(|world, cast| {
        world
            .replace(cast.node, child_of(cast.reserved[1]))
            .unwrap();
    });
    survives(|world, cast| {
        world
            .replace(cast.fan, likes([cast.leaf, cast.reserved[1], cast.node]))
            .unwrap();
    });
}

#[test]
fn removing_survives_a_limit() {
    survives(|world, cast| world.remove::<(Kept, Held)>(cast.rich).unwrap());
    survives(|world, cast| world.remove::<(Plain, Tracked, Trail)>(cast.rich).unwrap());
    survives(|world, cast| {
        world
            .remove::<(Kept, Target<ChildOf>, Sources<ChildOf>)>(cast.node)
            .unwrap();
    });
    survives(|world, cast| {
        world
            .remove::<(Targets<Likes>, Kept)>(cast.reserved[0])
            .unwrap();
    });
    survives(|world, cast| _ = world.take::<(Kept, Held)>(cast.rich));
    survives(|world, cast| _ = world.take::<(Target<ChildOf>, Kept)>(cast.node));
    survives(|world, cast| _ = world.replace(cast.plain, kept()));
}

#[test]
fn despawning_survives_a_limit() {
    survives(|world, cast| world.despawn(cast.reserved[0]).unwrap());
}

#[test]
fn changes_of_many_survive_a_limit() {
    survives(|world, _| world.remove_all::<(Plain, Kept), With<Plain>>());
    survives(|world, _| world.remove_all::<(Target<ChildOf>, Kept), ()>());
    survives(|world, _| world.remove_all::<(Kept, Held), With<Held>>());
    survives(|world, _| world.insert_all_with::<With<Text>, _>(|_| (kept(), Tracked(token()))));
    survives(|world, _| world.insert_all_with::<With<Plain>, _>(|_| (kept(), held())));
    survives(|world, _| world.insert_all_with::<Without<Text>, _>(|_| Needy(token())));
    survives(|world, _| world.insert_all_with::<With<Lit>, _>(|_| Tied(token())));
    survives(|world, _| world.despawn_all::<With<Plain>>());
    survives(|world, _| world.clear());
    survives(|world, _| world.flush());
}

#[test]
fn commands_survive_a_limit() {
    fn commands(world: &mut World, give: impl FnOnce(&mut Commands<'_>)) {
        let mut queue = CommandQueue::new();
        give(&mut Commands::new(&mut queue, world.entities()));
        queue.apply(world);
    }

    survives(|world, _| {
        commands(world, |commands| {
            for n in 0..9 {
                commands.spawn((Plain(n), Text("new".into()), kept()));
            }
        });
    });
    survives(|world, _| {
        commands(world, |commands| {
            let parent = commands.spawn(held()).id();
            for _ in 0..3 {
                commands.spawn((child_of(parent), Needy(token())));
            }
        });
    });
    survives(|world, cast| {
        commands(world, |commands| {
            for &entity in &cast.crowd {
                commands.insert(entity, (Loose(1), kept()));
            }
            for &entity in &cast.crowd {
                commands.insert(entity, Tracked(token()));
            }
            for &entity in &cast.crowd[1..] {
                commands.insert(entity, kept());
            }
            for &entity in &cast.crowd[2..] {
                commands.remove::<Text>(entity);
            }
            for &entity in &cast.crowd {
                commands.despawn(entity);
            }
            commands.insert(cast.reserved[0], (child_of(cast.reserved[1]), kept()));
        });
    });
}

#[test]
fn a_view_that_inserts_survives_a_limit() {
    survives(|world, cast| {
        let mut lit = world.view_mut::<Lit>();
        for &entity in &cast.crowd {
            drop(
                lit.insert(entity, Lit(token()))
                    .expect("the entity is alive"),
            );
        }
    });
}

#[test]
fn reserving_survives_a_limit() {
    survives(|world, _| _ = world.reserve_entity());
}
