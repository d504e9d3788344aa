//! Hooks and observers of committed entities, which are called afterwards.

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::staging::{
    EdgeTarget, ErasedColumn, RelationInfo, Staged, StagedEdge, StagedEdges, StagedRows,
};
use ecs_core::world::hooks::{DeferredWorld, OnAdd};

use super::parts::{
    ChildOf, Follows, Greedy, Held, Hooked, Likes, Lit, Loose, Plain, Sees, Side, Tracked, Twins,
    token,
};

const NEVER: u32 = u32::MAX;

fn column<T: Component>(values: impl IntoIterator<Item = T>) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    for value in values {
        assert!(column.push(value).is_ok());
    }
    column
}

/// Entities with all observed components; the last two are children of the first.
fn stage(count: u32) -> Staged {
    let mut staged = Staged::new(count);
    let all = || 0..count;
    staged.add_table(
        StagedRows::Range(all()),
        vec![
            column(all().map(Plain)),
            column(all().map(|_| Hooked(token()))),
        ],
    );
    staged.add_set(all().collect(), column(all().map(|_| Held(token()))));
    let mut values = ErasedColumn::of_edges(ComponentId::of::<Target<ChildOf>>()).unwrap();
    let mut edges = Vec::new();
    for source in all().skip(1) {
        assert!(values.push(ChildOf(token())).is_ok());
        let target = EdgeTarget::New(0);
        edges.push(StagedEdge { source, target });
    }
    staged.add_edges(StagedEdges {
        outgoing: ComponentId::of::<Target<ChildOf>>(),
        edges,
        order: Vec::new(),
        values,
    });
    staged
}

fn commit(world: &mut World, count: u32) -> Vec<Entity> {
    let ids = world.next_ids(count as usize).unwrap();
    world.commit(stage(count), &ids).unwrap();
    ids
}

/// Returns the calls in the story, without data that depends on the time of the call.
fn calls(side: &mut Side) -> Vec<String> {
    let mut calls = side.story();
    calls.retain(|entry| !entry.starts_with("drop"));
    for call in &mut calls {
        let end = call.trim_end_matches(['0', '1']).len();
        call.truncate(end);
    }
    calls
}

#[test]
fn the_same_hooks_are_called_as_by_a_spawn_and_in_the_same_order() {
    let Twins {
        mut typed,
        mut erased,
    } = Twins::new(true);
    typed
        .change(NEVER, |world| {
            let parent = world.spawn((Plain(0), Hooked(token()), Held(token())));
            for n in 1..4 {
                let parts = (Plain(n), Hooked(token()), Held(token()));
                world.spawn((parts, ChildOf(token()).to(parent)));
            }
            String::new()
        })
        .unwrap();
    erased
        .change(NEVER, |world| {
            let ids = commit(world, 4);
            world.announce(&ids);
            String::new()
        })
        .unwrap();
    let expected = calls(&mut typed);
    assert_eq!(calls(&mut erased), expected);
    assert!(
        expected.len() > 20 && expected[0].starts_with("hook add"),
        "{expected:?}"
    );
    for side in [typed, erased] {
        assert_eq!(side.world.len(), 4);
        side.end();
    }
}

#[test]
fn a_commit_calls_no_hook_and_each_finds_all_in_place() {
    let mut side = Twins::new(true).erased;
    side.change(NEVER, |world| {
        commit(world, 3);
        String::new()
    })
    .unwrap();
    assert_eq!(side.story(), [""; 0]);
    side.end();

    let mut world = World::new();
    world.insert_resource(0_u32);
    world.observe(|on: OnAdd<Target<Follows>>, world: DeferredWorld<'_>| {
        let target = world.get::<Target<Follows>>(on.entity()).unwrap().entity();
        let sources = world.get::<Sources<Follows>>(target).unwrap().to_vec();
        assert_eq!((sources.len(), world.len()), (2, 3));
        *world.resource_mut::<u32>() += 1;
    });
    world.observe(|_: OnAdd<Sources<Follows>>, _: DeferredWorld<'_>| panic!("not inserted"));
    let mut values = ErasedColumn::of_edges(ComponentId::of::<Target<Follows>>()).unwrap();
    let edges = [2, 1].map(|source| {
        assert!(values.push(Follows).is_ok());
        let target = EdgeTarget::New(0);
        StagedEdge { source, target }
    });
    let mut staged = Staged::new(3);
    staged.add_edges(StagedEdges {
        outgoing: ComponentId::of::<Target<Follows>>(),
        edges: edges.to_vec(),
        order: Vec::new(),
        values,
    });
    let ids = world.next_ids(3).unwrap();
    world.commit(staged, &ids).unwrap();
    assert_eq!(*world.resource::<u32>(), 0);
    world.announce(&ids);
    assert_eq!(*world.resource::<u32>(), 2);
    assert_eq!(
        **world.get::<Sources<Follows>>(ids[0]).unwrap(),
        [ids[2], ids[1]]
    );
}

#[test]
fn required_components_are_announced_too() {
    let mut side = Twins::new(true).erased;
    side.change(NEVER, |world| {
        let mut staged = Staged::new(1);
        staged.add_set(vec![0], column([Greedy(token())]));
        staged.add_set(vec![0], column([Loose(3)]));
        let ids = world.next_ids(1).unwrap();
        world.commit(staged, &ids).unwrap();
        world.announce(&ids);
        // The entity has a `Loose`, so a hook of another component has removed it.
        String::from(if world.has::<Tracked>(ids[0]) {
            "tracked"
        } else {
            ""
        })
    })
    .unwrap();
    let calls = calls(&mut side);
    for part in ["make", "hook add", "OnAdd", "OnInsert"] {
        assert!(
            calls.iter().any(|call| call.starts_with(part)),
            "{part} in {calls:?}"
        );
    }
    assert!(calls.iter().any(|call| call.contains("Lit")), "{calls:?}");
    side.end();
}

#[test]
fn a_panic_in_a_hook_leaves_everything_in_place() {
    for fuse in 0.. {
        let mut side = Twins::new(true).erased;
        let outcome = side.change(fuse, |world| {
            let ids = commit(world, 3);
            world.announce(&ids);
            String::new()
        });
        assert_eq!(side.world.len(), 3);
        assert_eq!(side.alive().len(), 3 * 2 + 2);
        let is_done = outcome.is_ok();
        assert_eq!(calls(&mut side).len() as u32 > fuse, !is_done);
        side.end();
        if is_done {
            assert!(fuse > 10);
            return;
        }
    }
}

#[test]
fn commands_of_hooks_are_applied_when_all_were_called() {
    let mut world = World::new();
    world.observe(|on: OnAdd<Plain>, mut commands: Commands<'_>| {
        commands.despawn(on.entity());
        commands.queue(|world: &mut World| {
            let count = *world.resource::<u32>();
            assert_eq!(count, 5, "all observers were called before");
        });
    });
    world.observe(|_: OnAdd<Plain>, mut count: ResMut<'_, u32>| *count += 1);
    world.insert_resource(0_u32);
    let mut staged = Staged::new(5);
    staged.add_table(
        StagedRows::List(vec![4, 2, 0, 1, 3]),
        vec![column((0..5).map(Plain))],
    );
    let ids = world.next_ids(5).unwrap();
    world.commit(staged, &ids).unwrap();
    // An entity that is not alive is skipped.
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world.announce(&[&ids[..], &[gone]].concat());
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn rows_keep_the_order_in_which_they_were_staged() {
    let mut world = World::new();
    world.spawn(Plain(100));
    let mut staged = Staged::new(6);
    staged.add_table(
        StagedRows::List(vec![5, 0, 3]),
        vec![column([50, 0, 30].map(Plain))],
    );
    staged.add_table(StagedRows::Range(1..3), vec![column([10, 20].map(Plain))]);
    staged.add_set(vec![3, 1, 4], column([31, 11, 41].map(Loose)));
    let ids = world.next_ids(6).unwrap();
    world.commit(staged, &ids).unwrap();
    let rows = world.query::<(Entity, &Plain)>();
    let rows: Vec<_> = rows
        .iter()
        .map(|(entity, plain)| (entity, plain.0))
        .collect();
    let expected = [(5, 50), (0, 0), (3, 30), (1, 10), (2, 20)].map(|(n, plain)| (ids[n], plain));
    assert_eq!(rows[1..], expected);
    let loose = world.query::<(Entity, &Loose)>();
    let loose: Vec<_> = loose
        .iter()
        .map(|(entity, loose)| (entity, loose.0))
        .collect();
    assert_eq!(
        loose,
        [(3, 31), (1, 11), (4, 41)].map(|(n, loose)| (ids[n], loose))
    );
    world.check_invariants();
}

#[test]
fn relations_and_their_edges_are_listed() {
    let mut world = World::new();
    assert_eq!(world.relations().len(), 0);
    let [a, b, c, d] = [(); 4].map(|()| world.spawn(()));
    let mut side = Twins::new(false).typed;
    side.change(NEVER, |world| {
        let [a, b, c] = [(); 3].map(|()| world.spawn(()));
        for (source, target) in [(a, b), (a, c), (b, c)] {
            world.relate(source, Likes(token()), target).unwrap();
        }
        world.unrelate::<Likes>(a, b).unwrap();
        world.relate(a, Likes(token()), b).unwrap();
        let likes =
            RelationInfo::of(ComponentId::of::<ecs_core::relation::Targets<Likes>>()).unwrap();
        let of = |source| {
            let targets = world.targets_erased(&likes, source);
            // SAFETY: the values of edges are `Likes`, and the world is borrowed.
            let targets =
                targets.map(|(target, value)| (target, unsafe { &*value.cast::<Likes>() }));
            format!("{:?}", targets.collect::<Vec<_>>())
        };
        let typed = |source| {
            let targets = world.get::<ecs_core::relation::Targets<Likes>>(source);
            format!(
                "{:?}",
                targets
                    .iter()
                    .flat_map(|targets| targets.iter())
                    .collect::<Vec<_>>()
            )
        };
        assert_eq!([a, b, c].map(of), [a, b, c].map(typed));
        assert_eq!(world.targets_erased(&likes, a).count(), 2);
        assert!(world.sources_erased(&likes, c).eq([a, b]));
        assert_eq!(world.sources_of_relation(&likes), [a, b]);
        let mut targets = world.targets_of_relation(&likes).to_vec();
        targets.sort();
        assert_eq!(targets, [b, c]);
        String::new()
    })
    .unwrap();
    side.end();

    world.relate(a, Follows, b).unwrap();
    world.relate(c, Follows, b).unwrap();
    world.relate(d, Sees, a).unwrap();
    let [follows, sees] = &world.relations()[..] else {
        panic!("two relations");
    };
    assert_eq!(follows.name(), std::any::type_name::<Follows>());
    assert_eq!(follows.type_id(), std::any::TypeId::of::<Follows>());
    assert_eq!(follows.incoming(), ComponentId::of::<Sources<Follows>>());
    assert!(!follows.is_many() && !follows.is_tree() && sees.is_many());
    let child = RelationInfo::of(ComponentId::of::<Target<ChildOf>>()).unwrap();
    assert!(child.is_tree() && child.data().is_none());
    assert!(RelationInfo::of(ComponentId::of::<Sources<ChildOf>>()).is_none());
    assert!(RelationInfo::of(ComponentId::of::<Lit>()).is_none());
    assert!(world.sources_erased(follows, b).eq([a, c]));
    let mut targets = world.targets_erased(follows, a);
    assert!(
        targets
            .next()
            .is_some_and(|(target, value)| target == b && !value.is_null())
    );
    assert!(targets.next().is_none());
    assert_eq!(world.targets_erased(follows, b).count(), 0);
    assert_eq!(world.targets_erased(&child, b).count(), 0);
    assert_eq!(world.sources_erased(&child, b).count(), 0);
    world.despawn(a).unwrap();
    assert_eq!(world.targets_erased(follows, a).count(), 0);
}
