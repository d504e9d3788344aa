//! Applying a difference to a world puts it exactly in the second state.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use ecs_core::data::{Diff, Differ, Undo};
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace};
use serde::{Deserialize, Serialize};

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "exact.likes", many)]
struct Likes(u32);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "exact.owns", many, sources = "despawn")]
struct Owns;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "exact.child_of", tree, sources = "despawn")]
struct ChildOf(u32);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "exact.follows")]
struct Follows(u32);

#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(data = "exact.gold", track)]
struct Gold(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "exact.total")]
struct Total(u32);

/// Returns the hash, and the order of sources, which the hash does not show directly.
fn state(world: &World) -> (String, Vec<String>) {
    let mut orders = Vec::new();
    for entity in &world.query::<Entity>() {
        orders.push(format!(
            "{entity} {:?} {:?} {:?} {:?}",
            world.get::<Sources<Likes>>(entity).as_deref(),
            world.get::<Sources<Owns>>(entity).as_deref(),
            world.get::<Sources<ChildOf>>(entity).as_deref(),
            world.get::<Sources<Follows>>(entity).as_deref(),
        ));
    }
    orders.sort();
    (format!("{:?}", world.hash().unwrap()), orders)
}

/// Makes a change, and applies its difference, there and back, to the world and to an earlier copy.
#[track_caller]
fn leads_there_and_back(world: &mut World, change: impl FnOnce(&mut World)) -> Diff {
    let mut copy = world.try_clone().unwrap();
    let before = world.try_clone().unwrap();
    change(world);
    let after = state(world);
    let diff = before.diff(world).unwrap();
    assert!(!diff.is_empty());
    for _ in 0..2 {
        diff.apply(&mut copy).unwrap();
        copy.check_invariants();
        assert_eq!(state(&copy), after, "{diff}");
        assert!(copy.diff(world).unwrap().is_empty());
        diff.reversed().apply(&mut copy).unwrap();
        copy.check_invariants();
        assert_eq!(state(&copy), state(&before), "{diff}");
    }
    diff.reversed().apply(world).unwrap();
    world.check_invariants();
    assert_eq!(state(world), state(&before), "{diff}");
    diff.apply(world).unwrap();
    assert_eq!(state(world), after, "{diff}");
    diff
}

#[test]
fn edges_that_stay_keep_their_places_among_the_sources() {
    let mut world = World::new();
    let [a, b, c, d, e] = [(); 5].map(|()| world.spawn(()));
    for (source, target) in [(a, c), (a, b), (d, c), (e, c), (d, b)] {
        world.relate(source, Likes(1), target).unwrap();
        world.relate(source, Owns, target).unwrap();
    }
    for source in [a, b, d] {
        world.relate(source, Follows(1), c).unwrap();
        world.relate(source, ChildOf(1), e).unwrap();
    }
    // One more target, another value, and one fewer.
    leads_there_and_back(&mut world, |world| {
        world.relate(a, Likes(1), d).unwrap();
        world.relate(a, Owns, e).unwrap();
    });
    assert_eq!(**world.get::<Sources<Likes>>(c).unwrap(), [a, d, e]);
    leads_there_and_back(&mut world, |world| {
        world.relate(a, Likes(7), c).unwrap();
        world.relate(d, Likes(9), c).unwrap();
    });
    assert_eq!(**world.get::<Sources<Likes>>(c).unwrap(), [a, d, e]);
    leads_there_and_back(&mut world, |world| {
        _ = world.unrelate::<Likes>(a, b).unwrap();
        _ = world.unrelate::<Owns>(d, c).unwrap();
    });
    // Relations to one target: another value, and another target.
    leads_there_and_back(&mut world, |world| {
        world.relate(a, Follows(5), c).unwrap();
        world.relate(b, ChildOf(6), e).unwrap();
        for (target, first) in [(c, a), (c, b)] {
            world
                .sources_mut::<Follows>(target)
                .unwrap()
                .move_to(first, 9);
        }
        world.sources_mut::<ChildOf>(e).unwrap().move_to(b, 1);
    });
    assert_eq!(**world.get::<Sources<Follows>>(c).unwrap(), [d, a, b]);
    leads_there_and_back(&mut world, |world| {
        world.relate(a, Follows(2), b).unwrap();
        world.relate(b, ChildOf(2), a).unwrap();
    });
    // Other targets in another order, all at once, with a new entity between them and one that disappears.
    leads_there_and_back(&mut world, |world| {
        let new = world.spawn(());
        world.insert(a, Likes(3).to(new)).unwrap();
        world.relate(a, Likes(4), c).unwrap();
        world.relate(new, Likes(4), c).unwrap();
        world.relate(new, Owns, e).unwrap();
        world.despawn(d).unwrap();
        world.insert_sources_at(c, 0, Likes(8), &[new]).unwrap();
    });
    leads_there_and_back(&mut world, |world| {
        world.despawn(c).unwrap();
    });
}

#[test]
fn a_replica_has_the_order_of_sources() {
    use ecs_core::data::{Protocol, Replica, Replicator};

    let protocol = || {
        Protocol::new()
            .with::<Gold>()
            .with_relation::<Likes>()
            .with_relation::<Follows>()
    };
    let mut world = World::new();
    let all = [1, 2, 3, 4].map(|n| world.spawn(Gold(n)));
    let [a, b, c, d] = all;
    for (source, target) in [(a, c), (a, b), (d, c)] {
        world.relate(source, Likes(1), target).unwrap();
        world.relate(source, Follows(1), target).unwrap();
    }
    let mut server = Replicator::new(protocol());
    let client = server.connect();
    let (mut here, mut replica) = (World::new(), Replica::new(protocol()));
    here.spawn(());
    let changes: [&dyn Fn(&mut World); 4] = [
        &|_| {},
        &|world| world.relate(a, Likes(1), d).unwrap(),
        &|world| world.relate(a, Likes(7), c).unwrap(),
        &|world| world.relate(a, Follows(7), b).unwrap(),
    ];
    for change in changes {
        change(&mut world);
        server.update(&world).unwrap();
        let packet = server.packet(client, |_| true).unwrap();
        replica.apply(&mut here, &packet).unwrap();
        server.acknowledge(client, replica.applied()).unwrap();
        let known: std::collections::HashMap<_, _> = replica
            .entities()
            .map(|(server, here)| (here, server))
            .collect();
        for (here_id, server_id) in &known {
            let sources = here.get::<Sources<Likes>>(*here_id);
            let sources = sources.map(|it| it.iter().map(|id| known[&id]).collect::<Vec<_>>());
            let expected = world
                .get::<Sources<Likes>>(*server_id)
                .map(|it| it.to_vec());
            assert_eq!(sources, expected);
        }
    }
}

#[test]
fn another_order_of_sources_alone_is_a_difference() {
    let mut world = World::new();
    let [root, list] = [(); 2].map(|()| world.spawn(()));
    let children = [1, 2, 3, 4].map(|n| world.spawn(ChildOf(n).to(root)));
    for (n, child) in (0..).zip(children) {
        world.relate(child, Likes(n), list).unwrap();
    }
    let [a, b, c, d] = children;
    let diff = leads_there_and_back(&mut world, |world| {
        world
            .insert_sources_at(root, 1, ChildOf(0), &[d, a])
            .unwrap();
        assert!(world.sources_mut::<Likes>(list).unwrap().move_to(a, 2));
    });
    assert!(diff.entities().is_empty() && !diff.is_empty());
    assert_eq!(**world.get::<Sources<ChildOf>>(root).unwrap(), [b, d, a, c]);
    assert_eq!(**world.get::<Sources<Likes>>(list).unwrap(), [b, c, a, d]);
    // In an edge list with a gap, and together with a change of the values of all edges.
    leads_there_and_back(&mut world, |world| {
        world.unrelate::<Likes>(c, list).unwrap();
        for child in [a, b, d] {
            world.relate(child, Likes(70), list).unwrap();
        }
        assert!(world.sources_mut::<Likes>(list).unwrap().move_to(d, 0));
    });
}

#[test]
fn a_source_that_changes_sides_is_not_despawned_with_its_old_target() {
    let mut world = World::new();
    let [old, new, other] = [(); 3].map(|()| world.spawn(()));
    let child = world.spawn((Gold(1), ChildOf(1).to(old)));
    world.relate(child, Owns, old).unwrap();
    world.relate(child, Owns, other).unwrap();
    leads_there_and_back(&mut world, |world| {
        world.relate(child, ChildOf(2), new).unwrap();
        world.unrelate::<Owns>(child, old).unwrap();
        world.relate(child, Owns, new).unwrap();
        world.despawn(old).unwrap();
    });
    assert!(world.contains(child));
}

#[test]
fn observers_that_count_do_not_count_again() {
    let mut world = World::new();
    world.register_data_resource::<Total>();
    world.insert_resource(Total(0));
    world.insert_resource(0_u32);
    world.observe(|_: OnAdd<Gold>, mut total: ResMut<Total>| total.0 += 1);
    world.observe(|_: OnRemove<Gold>, mut total: ResMut<Total>| total.0 += 10);
    world.observe(|_: OnInsert<Gold>, mut total: ResMut<Total>| total.0 += 100);
    world.observe(|_: OnReplace<Gold>, mut total: ResMut<Total>| total.0 += 1000);
    world.observe(|_: OnDespawn<Gold>, mut total: ResMut<Total>| total.0 += 10_000);
    // A component that is not data cannot be restored, and does not get in the way.
    world.observe(|_: OnInsert<Gold>, mut calls: ResMut<u32>| *calls += 1);
    let mut undo = Undo::new(20);
    let mut totals = vec![0];
    let mut step = |world: &mut World, undo: &mut Undo, change: fn(&mut World)| {
        undo.record(world, change).unwrap();
        totals.push(world.resource::<Total>().0);
    };
    step(&mut world, &mut undo, |world| _ = world.spawn(Gold(3)));
    step(&mut world, &mut undo, |world| {
        let one = world.query::<Entity>().iter().next().unwrap();
        world.insert(one, Gold(4)).unwrap();
    });
    step(&mut world, &mut undo, |world| _ = world.spawn(Gold(5)));
    step(&mut world, &mut undo, |world| {
        let one = world.query::<Entity>().iter().next().unwrap();
        world.despawn(one).unwrap();
    });
    step(&mut world, &mut undo, |world| {
        let one = world.query::<Entity>().iter().next().unwrap();
        world.remove::<Gold>(one).unwrap();
    });
    let calls = *world.resource::<u32>();
    for _ in 0..2 {
        for total in totals.iter().rev().skip(1) {
            assert!(undo.undo(&mut world).unwrap());
            assert_eq!(world.resource::<Total>().0, *total);
        }
        assert!(!undo.undo(&mut world).unwrap());
        for total in &totals[1..] {
            assert!(undo.redo(&mut world).unwrap());
            assert_eq!(world.resource::<Total>().0, *total);
        }
        assert!(!undo.redo(&mut world).unwrap());
    }
    assert_eq!(*world.resource::<u32>(), calls);
    world.check_invariants();
    // On request they are called, even by later changes.
    let mut undo = undo.with_hooks();
    undo.undo(&mut world).unwrap();
    assert_eq!(*world.resource::<u32>(), calls + 1);
    let entity = world.spawn(Gold(7));
    assert_eq!(*world.resource::<u32>(), calls + 2);
    assert!(world.contains(entity));
}

#[test]
fn hooks_of_components_are_silent_too() {
    static CALLS: AtomicU32 = AtomicU32::new(0);

    fn call(mut world: DeferredWorld, entity: Entity) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        world.commands().insert(entity, Gold(99));
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "exact.hooked", on_add = call, on_insert = call, on_remove = call)]
    struct Hooked(u32);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "exact.hooked_sparse", storage = "sparse", on_insert = call, on_replace = call)]
    struct Sparse(u32);

    let mut world = World::new();
    let entity = world.spawn(Gold(1));
    leads_there_and_back(&mut world, |world| {
        world.insert(entity, (Hooked(1), Sparse(1))).unwrap();
        world.spawn((Hooked(2), Sparse(2)));
    });
    let calls = CALLS.load(Ordering::Relaxed);
    leads_there_and_back(&mut world, |world| {
        world.get_mut::<Hooked>(entity).unwrap().0 = 3;
        world.get_mut::<Sparse>(entity).unwrap().0 = 3;
    });
    assert_eq!(CALLS.load(Ordering::Relaxed), calls);
}

#[test]
fn what_follows_changes_sees_what_is_applied() {
    let mut world = World::new();
    let [a, b, c] = [1, 2, 3].map(|n| world.spawn(Gold(n)));
    let mut followers = Schedule::new();
    followers.add(
        |changed: Query<Entity, Changed<Gold>>,
         added: Query<Entity, Added<Gold>>,
         mut removed: Removed<Gold>,
         mut log: ResMut<Vec<String>>| {
            let [mut changed, mut added, mut removed] = [
                Vec::from_iter(&changed),
                Vec::from_iter(&added),
                removed.read().collect::<Vec<_>>(),
            ];
            for list in [&mut changed, &mut added, &mut removed] {
                list.sort();
            }
            log.push(format!("{changed:?} {added:?} {removed:?}"));
        },
    );
    world.insert_resource(Vec::<String>::new());
    followers.run(&mut world).unwrap();
    let before = world.try_clone().unwrap();
    let mut after = world.try_clone().unwrap();
    after.insert(a, Gold(9)).unwrap();
    after.remove::<Gold>(b).unwrap();
    after.despawn(c).unwrap();
    let d = after.spawn(Gold(9));
    let diff = before.diff(&after).unwrap();
    diff.apply(&mut world).unwrap();
    followers.run(&mut world).unwrap();
    diff.reversed().apply(&mut world).unwrap();
    followers.run(&mut world).unwrap();
    let log = world.resource::<Vec<String>>();
    assert_eq!(
        log[1..],
        [
            format!("{:?} {:?} {:?}", [a, d], [d], [b, c]),
            format!("{:?} {:?} {:?}", [a, b, c], [b, c], [d]),
        ]
    );
}

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "exact.speed")]
struct Speed(u32);

/// Not data.
#[derive(Component, Debug, Default, PartialEq)]
struct Sprite;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "exact.car", require(Speed, Sprite))]
struct Car(u32);

#[test]
fn required_components_are_there_as_they_were() {
    let mut world = World::new();
    let [whole, bare, plain] = [
        world.spawn(Car(1)),
        world.spawn(Car(2)),
        world.spawn(Gold(1)),
    ];
    world.remove::<Speed>(bare).unwrap();
    let differ = Differ::new().only_data();
    let cloner = ecs_core::data::Cloner::new().only_data();
    let copy = cloner.world(&world).unwrap();
    assert!(copy.has::<Speed>(whole) && !copy.has::<Speed>(bare));
    assert!(copy.has::<Sprite>(bare), "what was not copied is made");
    assert!(differ.between(&world, &copy).unwrap().is_empty());

    let mut empty = cloner.world(&world).unwrap();
    for entity in [whole, bare] {
        empty.despawn(entity).unwrap();
    }
    let diff = differ.between(&empty, &world).unwrap();
    diff.apply(&mut empty).unwrap();
    empty.check_invariants();
    assert!(empty.has::<Speed>(whole) && !empty.has::<Speed>(bare));
    assert!(empty.has::<Sprite>(whole) && empty.has::<Sprite>(bare));
    // Clones of entities, in the same world and in another one.
    let copies = cloner.entities(&mut empty, [bare, whole]).unwrap();
    assert!(!empty.has::<Speed>(copies.pairs[0].1) && empty.has::<Speed>(copies.pairs[1].1));
    assert!(empty.has::<Sprite>(copies.pairs[0].1));
    let copies = cloner.entities_into(&world, [bare], &mut empty).unwrap();
    assert!(!empty.has::<Speed>(copies.root()) && empty.has::<Sprite>(copies.root()));
    // An entity that stays, too.
    let before = cloner.world(&world).unwrap();
    world.insert(plain, Car(3)).unwrap();
    world.remove::<Speed>(plain).unwrap();
    let diff = differ.between(&before, &world).unwrap();
    world.remove::<Sprite>(plain).unwrap();
    diff.reversed().apply(&mut world).unwrap();
    diff.apply(&mut world).unwrap();
    world.check_invariants();
    assert!(!world.has::<Speed>(plain) && world.has::<Sprite>(plain));
}

/// Panics on request.
mod fragile {
    use std::cell::Cell;

    use serde::de::Error;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum At {
        Drop,
        Read,
    }

    thread_local! {
        static PANICS: Cell<Option<At>> = const { Cell::new(None) };
        static ALIVE: Cell<i32> = const { Cell::new(0) };
    }

    pub(super) fn panics(at: Option<At>) {
        PANICS.set(at);
    }

    pub(super) fn alive() -> i32 {
        ALIVE.get()
    }

    #[derive(Component, Debug, Serialize)]
    #[component(data = "exact.fragile")]
    pub(super) struct Fragile(pub(super) u32);

    impl Fragile {
        pub(super) fn new(n: u32) -> Self {
            ALIVE.set(ALIVE.get() + 1);
            Self(n)
        }
    }

    impl Clone for Fragile {
        fn clone(&self) -> Self {
            Self::new(self.0)
        }
    }

    impl<'de> Deserialize<'de> for Fragile {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let n = u32::deserialize(deserializer)?;
            assert!(PANICS.get() != Some(At::Read) || n != 13, "cannot be read");
            if n == 99 {
                return Err(D::Error::custom("too many"));
            }
            Ok(Self::new(n))
        }
    }

    impl Drop for Fragile {
        fn drop(&mut self) {
            ALIVE.set(ALIVE.get() - 1);
            if PANICS.get() == Some(At::Drop) && !std::thread::panicking() {
                panic!("cannot be dropped");
            }
        }
    }
}

#[test]
fn a_difference_is_applied_whole_or_not_at_all_if_a_value_panics() {
    use fragile::{At, Fragile, alive, panics};

    let mut world = World::new();
    let [a, b, c, d] = [1, 2, 3, 4].map(|n| world.spawn((Fragile::new(n), Gold(n))));
    world.relate(a, Likes(1), b).unwrap();
    let mut undo = Undo::new(10);
    let before = state(&world);
    undo.record(&mut world, |world| {
        world.get_mut::<Fragile>(a).unwrap().0 = 13;
        world.remove::<Fragile>(b).unwrap();
        world.despawn_batch([c, d]);
        // In the place of an entity that is removed.
        world.spawn((Fragile::new(13), Likes(1).to(a)));
        world.insert(a, Gold(5)).unwrap();
    })
    .unwrap();
    let after = state(&world);
    undo.undo(&mut world).unwrap();
    assert_eq!(state(&world), before);
    let living = alive();

    panics(Some(At::Read));
    assert!(catch_unwind(AssertUnwindSafe(|| undo.redo(&mut world))).is_err());
    panics(None);
    assert_eq!((state(&world), alive()), (before.clone(), living));
    world.check_invariants();

    panics(Some(At::Drop));
    assert!(catch_unwind(AssertUnwindSafe(|| undo.redo(&mut world))).is_err());
    panics(None);
    world.check_invariants();
    assert_eq!(state(&world), after);
    assert_eq!(alive(), world.query::<&Fragile>().count() as i32);
    assert_eq!(
        (undo.done().len(), undo.undone().len()),
        (1, 0),
        "the step is done"
    );

    panics(Some(At::Drop));
    assert!(catch_unwind(AssertUnwindSafe(|| undo.undo(&mut world))).is_err());
    panics(None);
    assert_eq!(state(&world), before);
    assert_eq!((undo.done().len(), undo.undone().len()), (0, 1));
    drop(world);
    assert_eq!(alive(), 0);
}

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "exact.hit")]
struct Hit(u32);

#[test]
fn events_are_a_difference_and_no_part_of_a_step() {
    let mut world = World::new();
    world.register_data_event::<Hit>();
    let entity = world.spawn(Gold(1));
    let before = world.try_clone().unwrap();
    world.send_event(Hit(1));
    let diff = before.diff(&world).unwrap();
    assert_eq!(diff.to_string(), "exact.hit.unread: [] -> [1]\n");
    assert_ne!(before.hash().unwrap(), world.hash().unwrap());
    let none = Differ::new().without_events().between(&before, &world);
    assert!(none.unwrap().is_empty());
    let mut copy = before;
    diff.apply(&mut copy).unwrap();
    assert_eq!(copy.hash().unwrap(), world.hash().unwrap());

    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| {
        world.insert(entity, Gold(2)).unwrap();
        world.send_event(Hit(2));
    })
    .unwrap();
    // It was read since, which causes no conflict.
    let mut cursor = EventCursor::default();
    let hits = world.resource::<ecs_core::Events<Hit>>();
    assert_eq!(cursor.on(&hits).read().count(), 2);
    drop(hits);
    undo.undo(&mut world).unwrap();
    assert_eq!(world.get::<Gold>(entity).unwrap().0, 1);
    undo.redo(&mut world).unwrap();
    let hits = world.resource::<ecs_core::Events<Hit>>();
    assert_eq!(cursor.on(&hits).read().count(), 0, "it is not sent again");
}

#[test]
fn a_merged_step_forgets_what_was_undone() {
    let mut world = World::new();
    let entity = world.spawn(Gold(0));
    let set = |world: &mut World, n| {
        let before = world.try_clone().unwrap();
        world.insert(entity, Gold(n)).unwrap();
        before.diff(world).unwrap()
    };
    let mut undo = Undo::new(10);
    undo.push(set(&mut world, 1));
    undo.push(set(&mut world, 2));
    undo.undo(&mut world).unwrap();
    // An empty one does not count, as with `push`.
    undo.merge(Diff::default()).unwrap();
    assert_eq!(undo.undone().len(), 1);
    // It undoes the last step, so that nothing is left of both.
    undo.merge(set(&mut world, 0)).unwrap();
    assert_eq!((undo.done().len(), undo.undone().len()), (0, 0));
    assert!(!undo.redo(&mut world).unwrap());
    assert_eq!(world.get::<Gold>(entity).unwrap().0, 0);
}

#[test]
fn what_follows_a_whole_difference_in_part_is_a_part() {
    let mut world = World::new();
    let entity = world.spawn(Gold(1));
    let states = [1, 2].map(|n| {
        world.insert(entity, Gold(n)).unwrap();
        world.try_clone().unwrap()
    });
    let whole = states[0].diff(&states[1]).unwrap();
    let mut last = states[1].try_clone().unwrap();
    last.despawn(entity).unwrap();
    let in_part = Differ::new().without::<Speed>();
    let part = in_part.between(&states[1], &last).unwrap();
    // A difference that covers all components refuses to be combined with one that leaves some out.
    let other = || {
        let mut world = states[0].try_clone().unwrap();
        world.insert(entity, Speed(5)).unwrap();
        world
    };
    let all = whole.clone().then(&states[1].diff(&last).unwrap()).unwrap();
    all.apply(&mut other()).unwrap_err();
    whole
        .clone()
        .then(&part)
        .unwrap()
        .apply(&mut other())
        .unwrap();
    // In either order.
    let back = part.reversed().then(&whole.reversed()).unwrap();
    back.reversed().apply(&mut other()).unwrap();
}

#[test]
fn differences_that_do_not_continue_each_other_are_not_one() {
    // A new entity has no earlier value.
    let [empty, mut world] = [World::new(), World::new()];
    let entity = world.spawn(());
    let comes = empty.diff(&world).unwrap();
    world.insert(entity, Gold(1)).unwrap();
    let rich = world.try_clone().unwrap();
    world.insert(entity, Gold(2)).unwrap();
    let changes = rich.diff(&world).unwrap();
    let error = comes.clone().then(&changes).unwrap_err();
    assert_eq!(
        (error.entity, error.name.as_deref()),
        (Some(entity), Some("exact.gold"))
    );
    // A removed one keeps none.
    let back = comes.reversed();
    let error = changes.then(&back).unwrap_err();
    assert_eq!(
        (error.entity, error.name.as_deref()),
        (Some(entity), Some("exact.gold"))
    );
    // The order of sources continues from the previous one.
    let hub = world.spawn(());
    for n in 0..3 {
        let source = world.spawn(());
        world.relate(source, Follows(n), hub).unwrap();
    }
    let before = world.try_clone().unwrap();
    if let Some(mut sources) = world.sources_mut::<Follows>(hub) {
        sources.sort_by(|a, b| b.id().cmp(&a.id()));
    }
    let turned = before.diff(&world).unwrap();
    let error = turned.clone().then(&turned).unwrap_err();
    assert_eq!(
        (error.entity, error.name.as_deref()),
        (Some(hub), Some("exact.follows"))
    );
    assert!(turned.clone().then(&turned.reversed()).unwrap().is_empty());
}
