//! Entities that are spawned together with related entities, and their order.

use ecs_core::prelude::*;
use ecs_core::relation::{RelateError, Sources, SpawnRelated, Target, related};
use ecs_core::world::hooks::{DeferredWorld, OnAdd};
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Relation, Clone)]
#[relation(tree, sources = "despawn")]
struct PartOf;

#[derive(Relation)]
#[relation(many)]
struct Likes(u32);

#[derive(Component, Debug, PartialEq)]
struct Id(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse(#[expect(dead_code, reason = "a value")] u32);

#[derive(Component)]
#[component(track)]
struct Health(#[expect(dead_code, reason = "a value")] u32);

#[derive(Component)]
struct Holds(#[expect(dead_code, reason = "held for its drop")] Arc<()>);

/// Prints the tree beneath an entity: `1(2(3) 4)`.
fn text(world: &World, entity: Entity) -> String {
    let id = world.get::<Id>(entity).map_or(0, |id| id.0);
    let Some(parts) = world.get::<Sources<PartOf>>(entity) else {
        return id.to_string();
    };
    let parts: Vec<_> = parts.iter().map(|part| text(world, part)).collect();
    format!("{id}({})", parts.join(" "))
}

fn a_tree() -> impl Bundle {
    (
        Id(1),
        related![PartOf; (Id(2), related![PartOf; Id(3), (Sparse(0), Id(4))]), Id(5)],
    )
}

const A_TREE: &str = "1(2(3 4) 5)";

#[test]
fn a_bundle_spawns_the_entities_that_are_related_to_its_own() {
    let mut world = World::new();
    let root = world.spawn(a_tree());
    assert_eq!(text(&world, root), A_TREE);
    assert_eq!(world.len(), 5);
    world.check_invariants();
    world.despawn(root).unwrap();
    assert!(world.is_empty());
}

#[test]
fn every_way_to_add_a_bundle_spawns_its_tree() {
    let mut world = World::new();
    let empty = world.spawn_empty();
    world.insert(empty, a_tree()).unwrap();
    assert_eq!(text(&world, empty), A_TREE);

    let handle = world.spawn_empty();
    world.entity_mut(handle).unwrap().insert(a_tree());
    assert_eq!(text(&world, handle), A_TREE);

    let batch = world.spawn_batch((0..3).map(|_| a_tree())).to_vec();
    assert_eq!(batch.len(), 3);
    for root in batch {
        assert_eq!(text(&world, root), A_TREE);
    }

    let mut queue = ecs_core::CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    let spawned = [(); 3].map(|()| commands.spawn(a_tree()).id());
    let inserted = [(); 3].map(|()| commands.spawn_empty().id());
    for entity in inserted {
        commands.insert(entity, a_tree());
    }
    commands.spawn_batch([a_tree(), a_tree()]);
    let before = world.len();
    queue.apply(&mut world);
    for root in spawned.into_iter().chain(inserted) {
        assert_eq!(text(&world, root), A_TREE);
    }
    // The roots of both arrays had their ids before.
    assert_eq!(world.len(), before + 6 * 4 + 2 * 5);

    #[derive(Component)]
    struct Marked;
    let marked = [(); 2].map(|()| world.spawn(Marked));
    world.insert_all_with::<With<Marked>, _>(|_| a_tree());
    for root in marked {
        assert_eq!(text(&world, root), A_TREE);
    }
    world.check_invariants();
}

#[test]
fn a_bundle_struct_has_trees_in_its_fields() {
    #[derive(Bundle)]
    struct Ship<P: Bundle> {
        id: Id,
        parts: P,
        more: (Sparse, SpawnRelated<Likes>),
    }
    let ship = |parts| Ship {
        id: Id(1),
        parts,
        more: (Sparse(3), SpawnRelated::new()),
    };
    let mut world = World::new();
    let root = world.spawn(ship(
        related![PartOf; Id(2), (Id(3), related![PartOf; Id(4)])],
    ));
    assert_eq!(text(&world, root), "1(2 3(4))");
    assert!(world.has::<Sparse>(root));
}

#[test]
fn trees_of_several_relations_mix_and_edges_have_values() {
    let mut world = World::new();
    let eve = world.spawn((
        related![Likes(3); Id(1), (Id(2), related![PartOf; Id(3)])],
        Id(0),
        SpawnRelated::new().and(PartOf, Id(4)),
    ));
    let fans = world.get::<Sources<Likes>>(eve).unwrap().to_vec();
    let likes = |fan| {
        world
            .get::<ecs_core::relation::Targets<Likes>>(fan)
            .unwrap()
    };
    assert!(fans.iter().all(|&fan| likes(fan).get(eve).unwrap().0 == 3));
    assert_eq!(text(&world, fans[1]), "2(3)");
    assert_eq!(text(&world, eve), "0(4)");
}

#[test]
fn many_entities_are_listed_without_a_limit() {
    let mut world = World::new();
    let root = world.spawn(related![PartOf;
        Id(1), Id(2), Id(3), Id(4), Id(5), Id(6), Id(7), Id(8), Id(9), Id(10), Id(11), Id(12),
        Id(13), Id(14), Id(15), Id(16), Id(17), Id(18), Id(19), Id(20), Id(21), Id(22), Id(23),
    ]);
    let parts = world.get::<Sources<PartOf>>(root).unwrap();
    let ids = parts.iter().map(|part| world.get::<Id>(part).unwrap().0);
    assert!(ids.eq(1..24));
}

#[test]
fn hooks_run_from_the_root_down_and_their_commands_after_the_tree() {
    let mut world = World::new();
    world.insert_resource(Vec::<String>::new());
    world.observe(|added: OnAdd<Id>, mut world: DeferredWorld| {
        let entity = added.entity();
        let id = world.get::<Id>(entity).unwrap().0;
        let has_parts = world.has::<Sources<PartOf>>(entity);
        let has_target = world.has::<Target<PartOf>>(entity);
        let line = format!("{id} {has_parts} {has_target}");
        world.resource_mut::<Vec<String>>().push(line);
        world.commands().queue(move |world: &mut World| {
            let line = format!("{id}: {}", text(world, entity));
            world.resource_mut::<Vec<String>>().push(line);
        });
    });
    world.spawn((
        Id(1),
        related![PartOf; (Id(2), related![PartOf; Id(3)]), Id(4)],
    ));
    assert_eq!(
        *world.resource::<Vec<String>>(),
        [
            "1 false false",
            "2 false true",
            "3 false true",
            "4 false true",
            "1: 1(2(3) 4)",
            "2: 2(3)",
            "3: 3",
            "4: 4",
        ]
    );
}

#[test]
fn values_of_a_tree_are_dropped_exactly_once() {
    let token = Arc::new(());
    let tree = || {
        let holds = || Holds(token.clone());
        (
            holds(),
            related![PartOf; (holds(), related![PartOf; holds()]), holds()],
        )
    };
    let mut world = World::new();
    drop(tree());
    assert_eq!(Arc::strong_count(&token), 1);

    let root = world.spawn(tree());
    assert_eq!(Arc::strong_count(&token), 5);
    world.despawn(root).unwrap();
    assert_eq!(Arc::strong_count(&token), 1);

    assert!(world.insert(root, tree()).is_err(), "it was despawned");
    assert_eq!(Arc::strong_count(&token), 1);

    let mut queue = ecs_core::CommandQueue::new();
    Commands::new(&mut queue, world.entities()).insert(root, tree());
    queue.apply(&mut world);
    assert_eq!(Arc::strong_count(&token), 1);
    assert!(world.is_empty());
}

#[test]
fn a_panic_of_a_hook_drops_the_rest_of_the_tree() {
    let token = Arc::new(());
    let mut world = World::new();
    world.observe(|added: OnAdd<Id>, world: DeferredWorld| {
        let id = world.get::<Id>(added.entity()).unwrap().0;
        assert_ne!(id, 2, "no twos");
    });
    let tree = (
        Id(1),
        related![PartOf; (Id(2), Holds(token.clone()), related![PartOf; Holds(token.clone())]), Holds(token.clone())],
        related![PartOf; Holds(token.clone())],
    );
    let spawned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.spawn(tree)));
    assert!(spawned.is_err());
    assert_eq!(world.len(), 2, "the root and the part whose hook panicked");
    assert_eq!(Arc::strong_count(&token), 2);
    world.check_invariants();
}

#[test]
fn a_tree_in_a_bundle_type_that_is_removed_or_taken_means_nothing() {
    let mut world = World::new();
    type Part = SpawnRelated<PartOf>;
    let root = world.spawn((Id(1), Health(1), related![PartOf; Id(2)]));
    let (id, part): (Id, Part) = world.take(root).unwrap();
    assert_eq!(id, Id(1));
    world.remove::<(Health, Part)>(root).unwrap();
    assert!(!world.has::<Health>(root));
    assert_eq!(text(&world, root), "0(2)");
    world.insert(root, (id, part)).unwrap();
    assert_eq!(text(&world, root), "1(2)");
}

#[test]
fn a_tree_of_values_that_can_be_cloned_is_spawned_many_times() {
    #[derive(Component, Clone)]
    struct Part;
    let tree = related![PartOf; (Part, related![PartOf; Part]), Part];
    let mut world = World::new();
    world.spawn_batch(std::iter::repeat_n(tree.clone(), 4));
    world.spawn(tree);
    assert_eq!(world.view::<Part>().len(), 15);
    assert_eq!(world.len(), 20);
}

#[test]
fn functions_spawn_parts_of_parts() {
    let mut world = World::new();
    let root = world.spawn(Id(1));
    let mut leaf = None;
    world
        .entity_mut(root)
        .unwrap()
        .with_related(PartOf, |parts| {
            assert_eq!(parts.target(), root);
            parts.spawn(Id(2)).with_related(PartOf, |parts| {
                leaf = Some(parts.spawn(Id(3)).id());
                parts.spawn((Id(4), related![PartOf; Id(5)]));
            });
            parts.spawn(Id(6)).insert(Sparse(1));
        });
    assert_eq!(text(&world, root), "1(2(3 4(5)) 6)");
    assert_eq!(text(&world, leaf.unwrap()), "3");
}

#[test]
fn commands_spawn_parts_of_parts_whose_ids_are_known_at_once() {
    #[system]
    fn build(mut commands: Commands) -> [Entity; 2] {
        let mut root = commands.spawn(Id(1));
        let mut leaf = root.id();
        root.with_related(PartOf, |parts| {
            parts.spawn(Id(2)).with_related(PartOf, |parts| {
                leaf = parts.spawn(Id(3)).id();
            });
            parts.spawn(Id(4)).insert(Sparse(1));
        });
        [root.id(), leaf]
    }
    let mut world = World::new();
    let [root, leaf] = build(&world);
    world.flush();
    assert_eq!(text(&world, root), "1(2(3) 4)");
    assert_eq!(text(&world, leaf), "3");
}

#[test]
fn a_position_that_is_refused_changes_nothing() {
    let mut world = World::new();
    let root = world.spawn((
        Id(1),
        related![PartOf; Id(2), (Id(3), related![PartOf; Id(4)])],
    ));
    let [two, three] = **world.get::<Sources<PartOf>>(root).unwrap() else {
        panic!("there are two");
    };
    let loose = world.spawn(Id(5));
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    let mut insert = |target, sources: &[Entity]| {
        let result = world.insert_sources_at(target, 0, PartOf, sources);
        assert_eq!(text(&world, root), "1(2 3(4))");
        assert!(!world.has::<Target<PartOf>>(loose));
        result.unwrap_err()
    };
    assert!(matches!(
        insert(three, &[loose, root]),
        RelateError::Cycle { .. }
    ));
    assert!(matches!(
        insert(three, &[loose, three]),
        RelateError::Itself { .. }
    ));
    assert!(matches!(
        insert(three, &[loose, gone]),
        RelateError::NoSuchEntity(_)
    ));
    assert!(matches!(insert(gone, &[two]), RelateError::NoSuchEntity(_)));
}

#[test]
fn a_detached_entity_keeps_its_sources() {
    let mut world = World::new();
    let root = world.spawn((Id(1), related![PartOf; (Id(2), related![PartOf; Id(3)])]));
    let part = world.get::<Sources<PartOf>>(root).unwrap()[0];
    world.entity_mut(part).unwrap().detach::<PartOf>();
    assert_eq!(
        (text(&world, root), text(&world, part)),
        ("1".into(), "2(3)".into())
    );
    assert_eq!(world.detach::<PartOf>(part), Ok(None));

    let mut queue = ecs_core::CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    commands.entity(root).insert_sources_at(0, PartOf, &[part]);
    queue.apply(&mut world);
    assert_eq!(text(&world, root), "1(2(3))");
    let mut commands = Commands::new(&mut queue, world.entities());
    commands.entity(part).detach::<PartOf>();
    commands.insert_sources_at(part, 0, PartOf, &[root]);
    queue.apply(&mut world);
    assert_eq!(text(&world, part), "2(1 3)");
    world.despawn(part).unwrap();
    assert!(world.is_empty() && world.detach::<PartOf>(part).is_err());
}

/// A change of the order of sources.
#[derive(Clone, Debug)]
enum Change {
    InsertAt(usize, usize, Vec<usize>),
    Detach(usize),
    Despawn(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let entity = || 0..8_usize;
    prop_oneof![
        4 => (entity(), 0..6_usize, proptest::collection::vec(entity(), 0..5))
            .prop_map(|(target, index, sources)| Change::InsertAt(target, index, sources)),
        1 => entity().prop_map(Change::Detach),
        1 => entity().prop_map(Change::Despawn),
    ]
}

/// The model: the sources of each entity; `None` if it was despawned.
#[derive(Clone)]
struct Model(Vec<Option<Vec<usize>>>);

impl Model {
    fn target_of(&self, source: usize) -> Option<usize> {
        let has =
            |list: &Option<Vec<usize>>| list.as_ref().is_some_and(|list| list.contains(&source));
        self.0.iter().position(has)
    }

    fn is_ancestor(&self, ancestor: usize, mut of: usize) -> bool {
        while of != ancestor {
            match self.target_of(of) {
                Some(target) => of = target,
                None => return false,
            }
        }
        true
    }

    fn detach(&mut self, source: usize) {
        if let Some(target) = self.target_of(source) {
            self.0[target]
                .as_mut()
                .unwrap()
                .retain(|&other| other != source);
        }
    }

    /// Returns false if it is refused.
    fn insert_at(&mut self, target: usize, index: usize, sources: &[usize]) -> bool {
        let is_alive = |&entity: &usize| self.0[entity].is_some();
        if !is_alive(&target)
            || !sources.iter().all(is_alive)
            || sources
                .iter()
                .any(|&source| self.is_ancestor(source, target))
        {
            return false;
        }
        let mut once = Vec::new();
        for &source in sources {
            if !once.contains(&source) {
                once.push(source);
                self.detach(source);
            }
        }
        let list = self.0[target].as_mut().unwrap();
        let at = index.min(list.len());
        list.splice(at..at, once);
        true
    }

    fn despawn(&mut self, entity: usize) {
        self.detach(entity);
        for source in self.0[entity].take().into_iter().flatten() {
            self.despawn(source);
        }
    }
}

proptest! {
    #[test]
    fn positions_are_those_of_lists(changes in proptest::collection::vec(change(), 1..40)) {
        let mut world = World::new();
        let entities = Vec::from_iter((0..8).map(|_| world.spawn(())));
        let mut model = Model(vec![Some(Vec::new()); 8]);
        for change in changes {
            match change {
                Change::InsertAt(target, index, sources) => {
                    let list = Vec::from_iter(sources.iter().map(|&source| entities[source]));
                    let done = world.insert_sources_at(entities[target], index, PartOf, &list);
                    prop_assert_eq!(done.is_ok(), model.insert_at(target, index, &sources));
                }
                Change::Detach(entity) => {
                    let expected = model.target_of(entity).map(|target| entities[target]);
                    let is_alive = model.0[entity].is_some();
                    prop_assert_eq!(world.detach::<PartOf>(entities[entity]).ok(), is_alive.then_some(expected));
                    model.detach(entity);
                }
                Change::Despawn(entity) => {
                    prop_assert_eq!(world.despawn(entities[entity]).is_ok(), model.0[entity].is_some());
                    if model.0[entity].is_some() {
                        model.despawn(entity);
                    }
                }
            }
            for (&entity, expected) in entities.iter().zip(&model.0) {
                let found = world.get::<Sources<PartOf>>(entity).map_or(Vec::new(), |list| list.to_vec());
                let expected = expected.iter().flatten().map(|&source| entities[source]);
                prop_assert_eq!(found, Vec::from_iter(expected));
            }
            world.check_invariants();
        }
    }
}
