//! Relations through the public API; `relations_model` has the random tests.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::relation::{RelateError, Sources, Target, Targets};
use ecs_core::world::NoSuchEntity;
use ecs_core::world::hooks::{
    DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger,
};
use ecs_tests::{Held, Kept, Ledger, Plain};

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
struct ChildOf;

#[derive(Relation)]
struct Follows;

#[derive(Relation, Debug, PartialEq)]
#[relation(many)]
struct Likes(u32);

#[derive(Relation)]
#[relation(many, sources = "despawn")]
struct Needs;

fn nodes<const N: usize>(world: &mut World) -> [Entity; N] {
    [(); N].map(|()| world.spawn(()))
}

fn sources<R: Relation>(world: &World, target: Entity) -> Vec<Entity> {
    let sources = world.get::<Sources<R>>(target);
    sources.map_or(Vec::new(), |sources| sources.to_vec())
}

#[test]
fn children_come_in_order_and_move_to_the_end_of_another_parent() {
    let mut world = World::new();
    let [a, b] = nodes(&mut world);
    let children = world
        .spawn_batch((0..4).map(|n| (Plain(n), ChildOf.to(a))))
        .to_vec();
    assert_eq!(sources::<ChildOf>(&world, a), children);
    world.insert(children[1], ChildOf.to(b)).unwrap();
    world.insert(children[1], ChildOf.to(a)).unwrap();
    let moved = [children[0], children[2], children[3], children[1]];
    assert_eq!(sources::<ChildOf>(&world, a), moved);
    assert!(
        !world.has::<Sources<ChildOf>>(b),
        "an entity without children has no list"
    );
    world.remove::<Target<ChildOf>>(children[3]).unwrap();
    assert_eq!(
        sources::<ChildOf>(&world, a),
        [children[0], children[2], children[1]]
    );
    world.check_invariants();
}

#[test]
fn edges_keep_their_values_when_most_of_a_long_list_are_cut() {
    let mut world = World::new();
    let fan = world.spawn(());
    let pets = nodes::<100>(&mut world);
    for (n, &pet) in pets.iter().enumerate() {
        world.relate(fan, Likes(n as u32), pet).unwrap();
    }
    for (n, &pet) in pets.iter().enumerate() {
        if n % 30 != 0 && n != 99 {
            world.unrelate::<Likes>(fan, pet).unwrap();
        }
    }
    world.relate(fan, Likes(100), pets[1]).unwrap();
    world.check_invariants();
    let likes = world.get::<Targets<Likes>>(fan).unwrap();
    let left = [(0, 0), (30, 30), (60, 60), (90, 90), (99, 99), (1, 100)];
    let likes_of: Vec<(Entity, u32)> = likes.iter().map(|(pet, likes)| (pet, likes.0)).collect();
    assert_eq!(likes_of, left.map(|(pet, n)| (pets[pet], n)));
    for (pet, n) in left {
        assert_eq!(likes.get(pets[pet]), Some(&Likes(n)));
    }
}

#[test]
fn inserting_the_same_target_again_moves_to_the_end() {
    let mut world = World::new();
    let parent = world.spawn(());
    let a = world.spawn(ChildOf.to(parent));
    let b = world.spawn(ChildOf.to(parent));
    world.relate(a, ChildOf, parent).unwrap();
    assert_eq!(sources::<ChildOf>(&world, parent), [b, a]);
}

#[test]
fn relating_changes_no_table() {
    let mut world = World::new();
    let parent = world.spawn(Plain(0));
    let child = world.spawn(Plain(1));
    let before = format!("{world:?}");
    world.relate(child, ChildOf, parent).unwrap();
    world.relate(child, Likes(1), parent).unwrap();
    assert_eq!(format!("{world:?}"), before);
}

#[test]
fn ends_are_found_by_joins_and_filters() {
    let mut world = World::new();
    let root = world.spawn(Plain(1));
    let node = world.spawn((Plain(2), ChildOf.to(root)));
    let leaf = world.spawn((Plain(3), ChildOf.to(node)));
    let pairs = |world: &World| -> Vec<(Entity, Entity)> {
        let query = world.query::<(Entity, &Target<ChildOf>)>();
        query
            .iter()
            .map(|(child, parent)| (child, parent.entity()))
            .collect()
    };
    assert_eq!(pairs(&world), [(node, root), (leaf, node)]);
    let roots = world.query_filtered::<Entity, Without<Target<ChildOf>>>();
    assert!(roots.iter().eq([root]));
    let inner = world.query_filtered::<&Plain, (With<Sources<ChildOf>>, With<Target<ChildOf>>)>();
    assert!(inner.iter().map(|plain| plain.0).eq([2]));
    let (plain, parents) = (world.view::<Plain>(), world.view::<Target<ChildOf>>());
    assert!(
        (&plain, &parents)
            .iter()
            .map(|(plain, _)| plain.0)
            .eq([2, 3])
    );
}

#[test]
fn systems_that_read_ends_run_at_the_same_time() {
    #[system]
    fn count(children: Comp<Sources<ChildOf>>, mut sum: ResMut<usize>) {
        *sum = children.iter().map(|children| children.len()).sum();
    }
    #[system]
    fn depth(parents: Comp<Target<ChildOf>>, mut deepest: ResMut<u8>) {
        let all = parents
            .entities()
            .map(|child| parents.ancestors(child).count() as u8);
        *deepest = all.max().unwrap_or(0);
    }
    let mut world = World::new();
    let mut parent = world.spawn(());
    for _ in 0..5 {
        parent = world.spawn(ChildOf.to(parent));
    }
    world.insert_resource(0_usize);
    world.insert_resource(0_u8);
    let mut frame = Schedule::new();
    frame.add((count, depth));
    assert!(!ecs_core::meta::may_conflict(
        &ecs_core::meta(&count),
        &ecs_core::meta(&depth)
    ));
    frame.run(&mut world).unwrap();
    assert_eq!(
        (*world.resource::<usize>(), *world.resource::<u8>()),
        (5, 5)
    );
}

#[test]
fn edges_of_many_carry_values_and_are_replaced_one_by_one() {
    let mut world = World::new();
    let [a, b, c] = nodes(&mut world);
    world.relate(a, Likes(1), b).unwrap();
    world.relate(a, Likes(2), c).unwrap();
    world.relate(a, Likes(3), b).unwrap();
    world.relate(c, Likes(4), b).unwrap();
    let likes = world.get::<Targets<Likes>>(a).unwrap();
    assert!(likes.iter().eq([(b, &Likes(3)), (c, &Likes(2))]));
    assert_eq!((likes.get(c), likes.get(a)), (Some(&Likes(2)), None));
    drop(likes);
    assert_eq!(sources::<Likes>(&world, b), [a, c]);
    assert_eq!(world.unrelate::<Likes>(a, b), Ok(true));
    assert_eq!(sources::<Likes>(&world, b), [c]);
    world.despawn(b).unwrap();
    assert!(!world.has::<Targets<Likes>>(c));
    assert!(world.is_related::<Likes>(a, c));
    world.check_invariants();
}

#[test]
fn nothing_is_related_to_itself_or_to_a_despawned_entity() {
    let mut world = World::new();
    let [a, gone] = nodes(&mut world);
    world.despawn(gone).unwrap();
    let no = NoSuchEntity { entity: gone };
    assert_eq!(
        world.relate(a, Follows, gone),
        Err(RelateError::NoSuchEntity(no))
    );
    assert_eq!(
        world.relate(gone, Follows, a),
        Err(RelateError::NoSuchEntity(no))
    );
    assert!(matches!(
        world.relate(a, Follows, a),
        Err(RelateError::Itself { .. })
    ));
    assert!(matches!(
        world.relate(a, Likes(0), a),
        Err(RelateError::Itself { .. })
    ));
    assert_eq!(world.unrelate::<Follows>(gone, a), Err(no));
    assert_eq!(world.unrelate::<Follows>(a, gone), Ok(false));
    world.check_invariants();
}

#[test]
fn inserting_a_despawned_target_leaves_the_entity_without_one() {
    let mut world = World::new();
    world.insert_resource(0_u32);
    world.observe(|_: OnInsert<Target<Follows>>, world: DeferredWorld| {
        *world.resource_mut::<u32>() += 1;
    });
    let [a, b, gone] = nodes(&mut world);
    world.despawn(gone).unwrap();
    world.insert(a, Follows.to(b)).unwrap();
    world.insert(a, (Plain(1), Follows.to(gone))).unwrap();
    assert!(world.has::<Plain>(a) && !world.has::<Target<Follows>>(a));
    assert!(!world.has::<Sources<Follows>>(b));
    let born = world.spawn(Likes(1).to(gone).and(Likes(2), b));
    assert_eq!(world.get::<Targets<Likes>>(born).unwrap().len(), 1);
    assert!(!world.spawn(Likes(1).to(gone)).eq(&born));
    assert_eq!(
        *world.resource::<u32>(),
        1,
        "no observer runs for edges that were not inserted"
    );
    world.check_invariants();
}

#[test]
fn a_tree_refuses_cycles_before_anything_is_changed() {
    let mut world = World::new();
    let root = world.spawn(());
    let node = world.spawn(ChildOf.to(root));
    let leaf = world.spawn(ChildOf.to(node));
    assert_eq!(
        world.relate(root, ChildOf, leaf).unwrap_err().to_string(),
        format!(
            "entity {root} cannot be related to {leaf} by `relations::relations::ChildOf`, which is a tree: {leaf} is a descendant of {root}"
        ),
    );
    for (entity, target, expected) in [
        (
            root,
            leaf,
            format!(
                "entity {root} cannot be related to {leaf} by `Target<relations::relations::ChildOf>`, which is a tree: {leaf} is a descendant of {root}; help: call `World::relate`, which returns an error instead of panicking"
            ),
        ),
        (
            node,
            node,
            format!(
                "`Target<relations::relations::ChildOf>` relates entity {node} to itself; help: call `World::relate`, which returns an error instead of panicking"
            ),
        ),
    ] {
        let insert = || world.insert(entity, (Plain(1), ChildOf.to(target)));
        let panic = catch_unwind(AssertUnwindSafe(insert)).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>(), Some(&expected));
        assert!(!world.has::<Plain>(entity));
        world.check_invariants();
    }
    // Not a cycle: the reverse edge, after the old one is gone.
    world.relate(leaf, ChildOf, root).unwrap();
    world.relate(node, ChildOf, leaf).unwrap();
    assert!(world.ancestors::<ChildOf>(node).eq([leaf, root]));
}

#[test]
fn relations_that_are_no_tree_may_have_cycles_and_traversals_end() {
    let mut world = World::new();
    let [a, b, c, d] = nodes(&mut world);
    for (source, target) in [(a, b), (b, c), (c, a), (d, a)] {
        world.relate(source, Follows, target).unwrap();
        world.relate(source, Likes(0), target).unwrap();
    }
    world.relate(b, Likes(0), a).unwrap();
    assert!(world.ancestors::<Follows>(d).eq([a, b, c]));
    assert!(world.descendants::<Follows>(a).eq([c, b, d]));
    assert!(world.descendants_breadth_first::<Follows>(a).eq([c, d, b]));
    assert!(world.descendants::<Likes>(a).eq([c, b, d]));
    assert!(world.descendants_breadth_first::<Likes>(a).eq([c, d, b]));
    assert_eq!(world.root::<Follows>(d), c);
    world.despawn(a).unwrap();
    assert_eq!(world.root::<Follows>(b), c);
    assert_eq!(world.len(), 3);
    world.check_invariants();
}

#[test]
fn cycles_and_diamonds_are_despawned_once() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    world.observe(|despawn: OnDespawn<Plain>, world: DeferredWorld| {
        world.resource_mut::<Vec<Entity>>().push(despawn.entity());
    });
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|n| world.spawn(Plain(n)));
    // A diamond with a cycle below, and an entity that only likes it.
    for (source, target) in [(b, a), (c, a), (d, b), (d, c), (b, d)] {
        world.relate(source, Needs, target).unwrap();
    }
    world.relate(e, Likes(1), d).unwrap();
    world.despawn(a).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [a, b, c, d]);
    assert!(world.len() == 1 && world.contains(e) && !world.has::<Targets<Likes>>(e));
    world.check_invariants();
}

#[test]
fn entities_that_go_with_their_root_leave_the_others() {
    #[derive(Relation)]
    #[relation(sources = "despawn")]
    struct HangsOn;

    let mut world = World::new();
    let [root, child, inner, leaf] = nodes(&mut world);
    let [peg, friend, guest] = nodes(&mut world);
    for (source, target) in [(child, root), (inner, child), (leaf, inner)] {
        world.relate(source, ChildOf, target).unwrap();
    }
    // Edges of each kind, inside of the tree and out of it.
    world.relate(child, HangsOn, peg).unwrap();
    world.relate(leaf, HangsOn, inner).unwrap();
    world.relate(inner, Follows, friend).unwrap();
    world.relate(leaf, Follows, root).unwrap();
    world.relate(guest, Follows, leaf).unwrap();
    world.relate(child, Needs, peg).unwrap();
    world.relate(guest, Likes(1), child).unwrap();
    world.despawn(root).unwrap();
    world.check_invariants();
    assert_eq!(world.len(), 3);
    assert!(sources::<HangsOn>(&world, peg).is_empty());
    assert!(sources::<Needs>(&world, peg).is_empty());
    assert!(sources::<Follows>(&world, friend).is_empty());
    assert!(!world.has::<Target<Follows>>(guest) && !world.has::<Targets<Likes>>(guest));
    // Their places are free for other edges.
    let [root, child] = nodes(&mut world);
    world.relate(child, ChildOf, root).unwrap();
    world.relate(child, HangsOn, peg).unwrap();
    world.despawn(root).unwrap();
    world.check_invariants();
    assert_eq!(world.len(), 3);
}

/// The stack has little more than a byte for each entity, so no call can wait for the next one's.
#[test]
fn a_long_chain_is_despawned_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(128 << 10);
    let run = thread.spawn(|| {
        let count = if cfg!(miri) { 100 } else { 100_000 };
        let mut world = World::new();
        // Without observers, and with one.
        for is_observed in [false, true] {
            if is_observed {
                world.insert_resource(0_usize);
                world.observe(|_: OnRemove<Target<ChildOf>>, world: DeferredWorld| {
                    *world.resource_mut::<usize>() += 1;
                });
            }
            let root = world.spawn(());
            let mut last = root;
            for _ in 1..count {
                last = world.spawn(ChildOf.to(last));
            }
            assert_eq!(world.root::<ChildOf>(last), root);
            assert_eq!(world.descendants::<ChildOf>(root).last(), Some(last));
            assert_eq!(
                world.descendants_breadth_first::<ChildOf>(root).count(),
                count - 1
            );
            world.despawn(root).unwrap();
            assert!(world.is_empty());
        }
        assert_eq!(*world.resource::<usize>(), count - 1);
    });
    run.unwrap().join().unwrap();
}

/// `tests/growth` counts the instructions of detaching a child.
#[test]
fn many_children_are_detached_one_by_one_in_any_order() {
    let count = if cfg!(miri) { 100 } else { 20_000 };
    let mut world = World::new();
    let orders: [fn(usize, usize) -> usize; 3] = [
        |n, _| n,
        |n, count| count - 1 - n,
        |n, count| n * 7919 % count,
    ];
    for order in orders {
        let [old, new] = nodes(&mut world);
        let children = world
            .spawn_batch((0..count).map(|_| ChildOf.to(old)))
            .to_vec();
        let in_order = || (0..count).map(|n| children[order(n, count)]);
        for child in in_order() {
            world.insert(child, ChildOf.to(new)).unwrap();
            // Reading the list in between must not make the loop quadratic.
            assert_eq!(
                world.get::<Sources<ChildOf>>(new).unwrap().last(),
                Some(child)
            );
        }
        assert!(in_order().eq(sources::<ChildOf>(&world, new)));
        for n in 0..count {
            let first = world.get::<Sources<ChildOf>>(new).unwrap().first();
            world
                .despawn(if n % 2 == 0 {
                    first.unwrap()
                } else {
                    world.get::<Sources<ChildOf>>(new).unwrap().last().unwrap()
                })
                .unwrap();
        }
        assert!(world.len() == 2 && !world.has::<Sources<ChildOf>>(new));
        let likers = world
            .spawn_batch((0..count).map(|n| Likes(n as u32).to(new)))
            .to_vec();
        for n in 0..count {
            world
                .unrelate::<Likes>(likers[order(n, count)], new)
                .unwrap();
        }
        let targets: Vec<Entity> = likers;
        for &target in &targets {
            world.relate(new, Likes(0), target).unwrap();
        }
        for n in 0..count {
            world.despawn(targets[order(n, count)]).unwrap();
        }
        assert!(world.len() == 2 && !world.has::<Targets<Likes>>(new));
        world.check_invariants();
        world.clear();
    }
}

#[test]
fn commands_relate_and_do_nothing_where_they_cannot() {
    #[system]
    fn tie(ends: (Entity, Entity, Entity), mut commands: Commands) {
        let (a, b, gone) = ends;
        let new = commands.spawn(ChildOf.to(a)).id();
        commands
            .entity(new)
            .relate(Likes(1), b)
            .relate(Likes(2), gone)
            .unrelate::<Likes>(a);
        commands.spawn((Plain(1), ChildOf.to(new)));
        commands.relate(a, ChildOf, new);
        let empty = commands.spawn_empty().id();
        commands.relate(empty, ChildOf, b);
        commands.insert(empty, Follows.to(gone));
    }
    let mut world = World::new();
    let [a, b, gone] = nodes(&mut world);
    world.despawn(gone).unwrap();
    tie((a, b, gone), &world);
    world.flush();
    world.check_invariants();
    let child = sources::<ChildOf>(&world, a)[0];
    assert_eq!(sources::<Likes>(&world, b), [child]);
    assert_eq!(sources::<ChildOf>(&world, child).len(), 1);
    assert_eq!(sources::<ChildOf>(&world, b).len(), 1);
    assert_eq!(world.len(), 5);
    world.despawn(a).unwrap();
    assert_eq!(world.len(), 2);
}

#[test]
fn handles_relate_too() {
    let mut world = World::new();
    let [a, b] = nodes(&mut world);
    let mut handle = world.entity_mut(a).unwrap();
    handle
        .relate(ChildOf, b)
        .unwrap()
        .relate(Likes(1), b)
        .unwrap()
        .unrelate::<Likes>(b);
    assert!(handle.relate(ChildOf, a).is_err());
    assert_eq!(sources::<ChildOf>(&world, b), [a]);
    assert!(!world.is_related::<Likes>(a, b));
}

#[test]
fn taking_a_list_cuts_its_edges() {
    let mut world = World::new();
    let [a, b] = nodes(&mut world);
    let child = world.spawn(ChildOf.to(a));
    let taken = world.take::<Sources<ChildOf>>(a).unwrap();
    assert!(taken.is_empty() && world.contains(child) && !world.has::<Target<ChildOf>>(child));
    world.insert(b, taken).unwrap();
    assert!(
        !world.has::<Sources<ChildOf>>(b),
        "the list is empty, so it is not inserted"
    );
    world.relate(child, ChildOf, a).unwrap();
    let taken = world.take::<Target<ChildOf>>(child).unwrap();
    assert_eq!(
        (taken.entity(), world.has::<Sources<ChildOf>>(a)),
        (a, false)
    );
    world.insert(b, taken).unwrap();
    assert_eq!(sources::<ChildOf>(&world, a), [b]);
    let old = world.replace(b, ChildOf.to(child)).unwrap().unwrap();
    assert_eq!(
        (old.entity(), sources::<ChildOf>(&world, child)),
        (a, vec![b])
    );
    world.check_invariants();
}

#[test]
fn the_values_of_edges_that_are_cut_are_dropped_at_once() {
    #[derive(Relation)]
    struct Holds(#[expect(dead_code, reason = "dropped")] ecs_tests::Token);

    let ledger = Ledger::default();
    let mut world = World::new();
    let [a, b] = nodes(&mut world);
    let cuts: [fn(&mut World, Entity); 4] = [
        |world, target| drop(world.take::<Sources<Holds>>(target)),
        |world, target| world.remove::<Sources<Holds>>(target).unwrap(),
        |world, _| world.remove_all::<Sources<Holds>, With<Plain>>(),
        |world, target| world.despawn(target).unwrap(),
    ];
    for cut in cuts {
        let target = world.spawn(Plain(0));
        for source in [a, b] {
            world.relate(source, Holds(ledger.token()), target).unwrap();
        }
        assert_eq!(ledger.alive().len(), 2);
        cut(&mut world, target);
        assert!(ledger.alive().is_empty());
        world.check_invariants();
    }
}

#[test]
fn sources_are_put_into_another_order() {
    let mut world = World::new();
    let [target, other] = nodes(&mut world);
    let [a, b, c, d] = [3, 1, 2, 1].map(|n| world.spawn((Plain(n), Likes(n).to(target))));
    world.relate(a, Likes(0), other).unwrap();
    world.unrelate::<Likes>(a, target).unwrap();
    world.relate(a, Likes(3), target).unwrap();
    let mut likers = world.sources_mut::<Likes>(target).unwrap();
    likers.sort_by_key(|liker| liker.get::<Plain>().unwrap().0);
    assert_eq!(*likers, [b, d, c, a]);
    likers.sort_by(|x, y| y.id().cmp(&x.id()));
    assert_eq!(*likers, [d, c, b, a]);
    assert!(likers.move_to(b, 0) && likers.move_to(d, 9) && !likers.move_to(other, 0));
    assert_eq!(*likers, [b, c, a, d]);
    let sort = || likers.sort_by_key(|_| -> u8 { panic!("no key") });
    assert!(catch_unwind(AssertUnwindSafe(sort)).is_err());
    assert_eq!(sources::<Likes>(&world, target), [b, c, a, d]);
    world.check_invariants();
    world.despawn(c).unwrap();
    assert_eq!(sources::<Likes>(&world, target), [b, a, d]);
}

thread_local! {
    static EVENTS: RefCell<Vec<(&'static str, Entity, bool)>> = const { RefCell::new(Vec::new()) };
    static TRAP: Cell<bool> = const { Cell::new(false) };
}

/// Observes children, and checks that both ends exist.
fn observe(world: &mut World) {
    fn log(what: &'static str, world: &World, child: Entity) {
        let parent = world.get::<Target<ChildOf>>(child).unwrap().entity();
        let agrees = world.contains(parent) && sources::<ChildOf>(world, parent).contains(&child);
        EVENTS.with_borrow_mut(|events| events.push((what, child, agrees)));
    }
    world.observe(|on: OnAdd<Target<ChildOf>>, world: DeferredWorld| {
        log("add", &world, on.entity());
    });
    world.observe(|on: OnReplace<Target<ChildOf>>, world: DeferredWorld| {
        log("replace", &world, on.entity());
    });
    world.observe(|on: OnRemove<Target<ChildOf>>, world: DeferredWorld| {
        log("remove", &world, on.entity());
        assert!(!TRAP.get(), "trap");
    });
}

fn events() -> Vec<(&'static str, Entity)> {
    let events = EVENTS.take();
    assert!(events.iter().all(|&(.., agrees)| agrees), "{events:?}");
    events
        .into_iter()
        .map(|(what, entity, _)| (what, entity))
        .collect()
}

#[test]
fn observers_find_both_ends_and_see_each_removed_edge() {
    let mut world = World::new();
    observe(&mut world);
    let root = world.spawn(());
    let a = world.spawn(ChildOf.to(root));
    let b = world.spawn((Plain(1), ChildOf.to(a)));
    assert_eq!(events(), [("add", a), ("add", b)]);
    world.insert(b, ChildOf.to(root)).unwrap();
    assert_eq!(events(), [("replace", b)]);
    world.remove::<Sources<ChildOf>>(root).unwrap();
    assert_eq!(events(), [("remove", a), ("remove", b)]);
    world.relate(a, ChildOf, root).unwrap();
    world.relate(b, ChildOf, a).unwrap();
    events();
    world.despawn(root).unwrap();
    assert_eq!(events(), [("remove", a), ("remove", b)]);
}

#[test]
fn a_list_that_replaces_another_detaches_its_sources_and_calls_observers() {
    for put in [
        |world: &mut World, target, list| world.insert(target, list).unwrap(),
        |world: &mut World, target, list| drop(world.replace(target, list).unwrap()),
    ] {
        let mut world = World::new();
        let [a, b] = nodes(&mut world);
        let of_a = world.spawn(ChildOf.to(a));
        let of_b = world.spawn(ChildOf.to(b));
        observe(&mut world);
        let list = world.take::<Sources<ChildOf>>(a).unwrap();
        assert_eq!(events(), [("remove", of_a)]);
        put(&mut world, b, list);
        assert_eq!(events(), [("remove", of_b)]);
        assert!(!world.has::<Target<ChildOf>>(of_b) && !world.has::<Sources<ChildOf>>(b));
        world.check_invariants();
    }
}

#[test]
fn a_panic_before_a_despawn_leaves_the_whole_tree() {
    let mut world = World::new();
    observe(&mut world);
    let root = world.spawn(());
    let a = world.spawn(ChildOf.to(root));
    let b = world.spawn(ChildOf.to(a));
    TRAP.set(true);
    for despawn in [
        |world: &mut World, root| world.despawn(root).unwrap(),
        |world: &mut World, _| world.despawn_all::<()>(),
        |world: &mut World, root| world.remove::<Sources<ChildOf>>(root).unwrap(),
    ] {
        assert!(catch_unwind(AssertUnwindSafe(|| despawn(&mut world, root))).is_err());
        assert!(world.descendants::<ChildOf>(root).eq([a, b]));
        world.check_invariants();
    }
    TRAP.set(false);
    events();
    world.despawn(root).unwrap();
    assert!(world.is_empty());
    events();
}

#[test]
fn a_panic_after_an_insertion_leaves_both_ends() {
    #[derive(Component)]
    #[component(on_add = Self::refuse)]
    struct Bomb;
    impl Bomb {
        fn refuse(_: DeferredWorld, _: Entity) {
            panic!("no");
        }
    }
    let mut world = World::new();
    let root = world.spawn(());
    for _ in 0..2 {
        let spawn = || world.spawn((Bomb, ChildOf.to(root), Likes(1).to(root)));
        assert!(catch_unwind(AssertUnwindSafe(spawn)).is_err());
    }
    assert_eq!(sources::<ChildOf>(&world, root).len(), 2);
    assert_eq!(
        sources::<Likes>(&world, root),
        sources::<ChildOf>(&world, root)
    );
    world.check_invariants();
}

#[test]
fn a_drop_that_panics_does_not_keep_the_others_from_going() {
    #[derive(Relation)]
    #[relation(many)]
    struct Owes(#[expect(dead_code, reason = "dropped")] ecs_tests::Token);

    let ledger = Ledger::default();
    let mut world = World::new();
    let root = world.spawn(Kept(ledger.token()));
    let a = world.spawn((Held(ledger.token()), ChildOf.to(root)));
    let b = world.spawn((Kept(ledger.token()), ChildOf.to(a)));
    let bank = world.spawn(());
    for (from, to) in [(bank, a), (bank, b), (b, bank)] {
        world.relate(from, Owes(ledger.token()), to).unwrap();
    }
    ledger.arm(1);
    assert!(catch_unwind(AssertUnwindSafe(|| world.despawn(root))).is_err());
    assert!(world.len() == 1 && world.contains(bank));
    assert_eq!(ledger.alive(), Vec::<u32>::new());
    world.check_invariants();
}

#[test]
fn worlds_with_and_without_edges_despawn_alike() {
    let mut world = World::new();
    let plain = world.spawn_batch((0..10).map(Plain)).to_vec();
    world.relate(plain[1], ChildOf, plain[0]).unwrap();
    world.relate(plain[3], Follows, plain[2]).unwrap();
    world.despawn(plain[5]).unwrap();
    world.despawn_all::<With<Plain>>();
    assert!(world.is_empty());
    world.check_invariants();
    let other = world.spawn(Plain(0));
    assert!(world.get::<Sources<ChildOf>>(other).is_none());
}

#[test]
fn each_instance_of_a_generic_relation_is_a_relation() {
    #[derive(Relation)]
    struct Slot<const N: usize>;

    let mut world = World::new();
    let [a, b] = nodes(&mut world);
    world.relate(a, Slot::<0>, b).unwrap();
    world.relate(b, Slot::<1>, a).unwrap();
    assert_eq!(sources::<Slot<0>>(&world, b), [a]);
    assert_eq!(sources::<Slot<1>>(&world, a), [b]);
    assert!(!world.has::<Target<Slot<0>>>(b));
    world.check_invariants();
}

struct Click;

/// Sets the trace to the ids on which the observers of the world see a click.
fn traced(world: &mut World) {
    world.insert_resource(Vec::<Entity>::new());
    world.observe(|click: Trigger<Click>, world: DeferredWorld| {
        world.resource_mut::<Vec<Entity>>().push(click.entity());
    });
}

#[test]
fn an_event_bubbles_up_until_it_is_stopped() {
    let mut world = World::new();
    let top = world.spawn(());
    let node = world.spawn(ChildOf.to(top));
    let [leaf, _sibling] = [(); 2].map(|()| world.spawn(ChildOf.to(node)));
    traced(&mut world);
    world.trigger_up::<ChildOf, _>(leaf, Click).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [leaf, node, top]);

    traced(&mut world);
    let stop = world.observe_on(node, move |click: Trigger<Click>, _: DeferredWorld| {
        assert_eq!(click.origin(), Some(leaf));
        click.stop();
    });
    let others = move |_: Trigger<Click>, mut world: DeferredWorld| world.commands().despawn(leaf);
    world.observe_on(node, others).unwrap();
    world
        .observe_on(top, |_: Trigger<Click>, _: DeferredWorld| {
            panic!("stopped below")
        })
        .unwrap();
    world.trigger_up::<ChildOf, _>(leaf, Click).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [leaf, leaf, node, node]);
    assert!(
        !world.contains(leaf),
        "the other observer of the node was called"
    );
    assert!(world.trigger_up::<ChildOf, _>(leaf, Click).is_err());
    assert!(world.unobserve(stop.unwrap()));
}

#[test]
fn an_event_visits_a_cycle_once() {
    let mut world = World::new();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    world.relate(one, Follows, other).unwrap();
    world.relate(other, Follows, one).unwrap();
    traced(&mut world);
    world.trigger_up::<Follows, _>(one, Click).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [one, other]);
}

#[test]
fn an_event_bubbles_up_by_a_command() {
    let mut world = World::new();
    let root = world.spawn(());
    let node = world.spawn(ChildOf.to(root));
    traced(&mut world);
    let click = move |mut commands: Commands| commands.trigger_up::<ChildOf>(node, Click);
    let mut schedule = Schedule::new();
    schedule.add(ecs_core::from_fn(click));
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [node, root]);
}

/// Moves, inserts, removes and adds sources at random; a vector does the same.
fn sources_move_as_in_a_vector<R: Relation + Clone>(relation: R, seed: u64) {
    let mut next = seed;
    let mut random = |below: usize| {
        next = next
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (next >> 33) as usize % below
    };
    let mut world = World::new();
    let target = world.spawn(());
    let mut model: Vec<Entity> = world.spawn_batch((0..90).map(|_| ())).to_vec();
    for &source in &model {
        world.relate(source, relation.clone(), target).unwrap();
    }
    for step in 0..400 {
        let place = [0, 1, 45, random(model.len() + 3)][random(4)];
        match random(6) {
            0 => {
                let source = model.remove(random(model.len()));
                model.insert(place.min(model.len()), source);
                let mut sources = world.sources_mut::<R>(target).unwrap();
                assert!(sources.move_to(source, place));
            }
            1 => {
                let mut moved: Vec<Entity> = (0..3).map(|_| model[random(model.len())]).collect();
                moved.push(world.spawn(()));
                world
                    .insert_sources_at(target, place, relation.clone(), &moved)
                    .unwrap();
                let mut distinct: Vec<Entity> = Vec::new();
                for source in moved {
                    if !distinct.contains(&source) {
                        distinct.push(source);
                    }
                }
                model.retain(|source| !distinct.contains(source));
                let place = place.min(model.len());
                model.splice(place..place, distinct);
            }
            2 => world.despawn(model.remove(random(model.len()))).unwrap(),
            3 => {
                let source = model.remove(random(model.len()));
                world.unrelate::<R>(source, target).unwrap();
            }
            4 => {
                let source = world.spawn(());
                world.relate(source, relation.clone(), target).unwrap();
                model.push(source);
            }
            _ => {
                let new = world.spawn(());
                world
                    .insert_sources_at(target, place, relation.clone(), &[new])
                    .unwrap();
                model.insert(place.min(model.len()), new);
            }
        }
        let sources = world.get::<Sources<R>>(target).unwrap();
        assert!(sources.iter().eq(model.iter().copied()), "step {step}");
        if random(3) == 0 {
            assert_eq!(sources.as_slice(), model);
        }
        drop(sources);
        world.check_invariants();
    }
    for &source in &model {
        assert!(world.is_related::<R>(source, target));
    }
}

#[test]
fn many_sources_are_moved_inserted_and_removed_as_in_a_vector() {
    #[derive(Relation, Clone)]
    struct PartOf;
    #[derive(Relation, Clone)]
    #[relation(tree)]
    struct Under;
    #[derive(Relation, Clone)]
    #[relation(many)]
    struct Knows;

    for seed in 0..3 {
        sources_move_as_in_a_vector(PartOf, seed);
        sources_move_as_in_a_vector(Under, seed);
        sources_move_as_in_a_vector(Knows, seed);
    }
}
