//! Relations that are defined at run time, beside typed ones with the same options and the same edges.

use std::sync::OnceLock;

use ecs_core::component::ComponentId;
use ecs_core::data::{Diff, EntityPattern, Loader, Prefab, TextQuery, Value, WorldData};
use ecs_core::dynamic::{DynamicComponent, DynamicQuery, DynamicRelation, Term};
use ecs_core::prelude::*;
use ecs_core::relation::{RelateError, Sources, Target, Targets};
use ecs_core::snapshot::Snapshotter;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "dr.number")]
struct Number(u32);

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "dr.typed_stance")]
struct Stance;

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "dr.typed_part_of", tree, sources = "despawn")]
struct PartOf;

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "dr.typed_likes", many)]
struct Likes;

/// The relations of run time, in the order of the typed ones.
fn ids() -> [ComponentId; 3] {
    static IDS: OnceLock<[ComponentId; 3]> = OnceLock::new();
    *IDS.get_or_init(|| {
        let stance = DynamicRelation::new("dr.stance");
        let part_of = DynamicRelation::new("dr.part_of").tree().despawns_sources();
        let likes = DynamicRelation::new("dr.likes").many();
        [stance, part_of, likes].map(|relation| relation.register().unwrap())
    })
}

/// The targets and the sources of an entity by the typed relations.
fn typed(world: &World, entity: Entity) -> [[Vec<Entity>; 2]; 3] {
    let one = |target: Option<Entity>| target.into_iter().collect();
    [
        [
            one(world
                .get::<Target<Stance>>(entity)
                .map(|target| target.entity())),
            world
                .get::<Sources<Stance>>(entity)
                .map_or(Vec::new(), |sources| sources.to_vec()),
        ],
        [
            one(world
                .get::<Target<PartOf>>(entity)
                .map(|target| target.entity())),
            world
                .get::<Sources<PartOf>>(entity)
                .map_or(Vec::new(), |sources| sources.to_vec()),
        ],
        [
            world
                .get::<Targets<Likes>>(entity)
                .map_or(Vec::new(), |all| all.entities().to_vec()),
            world
                .get::<Sources<Likes>>(entity)
                .map_or(Vec::new(), |sources| sources.to_vec()),
        ],
    ]
}

/// The same by the relations of run time.
fn dynamic(world: &World, entity: Entity) -> [[Vec<Entity>; 2]; 3] {
    ids().map(|relation| {
        [
            world.targets_dynamic(entity, relation).collect(),
            world.sources_dynamic(entity, relation).collect(),
        ]
    })
}

/// Checks that each entity has the same edges in both kinds of relations, and returns their number.
fn check(world: &World) -> usize {
    world.check_invariants();
    let mut edges = 0;
    for entity in world.query::<Entity>().iter() {
        assert_eq!(dynamic(world, entity), typed(world, entity), "of {entity}");
        for (relation, targets) in ids().into_iter().zip(typed(world, entity)) {
            for target in &targets[0] {
                assert!(world.is_related_dynamic(entity, relation, *target));
            }
        }
        edges += world.edges_from(entity).count();
        let names = world.edges_from(entity).map(|edge| edge.relation_name());
        let (typed, dynamic): (Vec<_>, Vec<_>) = names.partition(|name| name.contains("::"));
        assert_eq!(typed.len(), dynamic.len());
        assert!(
            dynamic.iter().all(|name| name.starts_with("dr.")),
            "{dynamic:?}"
        );
    }
    edges
}

fn is_same(one: &Result<(), RelateError>, other: &Result<(), RelateError>) -> bool {
    match (one, other) {
        (Err(one), Err(other)) => std::mem::discriminant(one) == std::mem::discriminant(other),
        (one, other) => one.is_ok() && other.is_ok(),
    }
}

fn relate(world: &mut World, kind: usize, source: Entity, target: Entity) -> bool {
    let typed = match kind {
        0 => world.relate(source, Stance, target),
        1 => world.relate(source, PartOf, target),
        _ => world.relate(source, Likes, target),
    };
    let dynamic = world.relate_dynamic(source, ids()[kind], target);
    assert!(is_same(&typed, &dynamic), "{typed:?}, {dynamic:?}");
    dynamic.is_ok()
}

fn unrelate(world: &mut World, kind: usize, source: Entity, target: Entity) {
    let typed = match kind {
        0 => world.unrelate::<Stance>(source, target),
        1 => world.unrelate::<PartOf>(source, target),
        _ => world.unrelate::<Likes>(source, target),
    };
    assert_eq!(world.unrelate_dynamic(source, ids()[kind], target), typed);
}

/// A step of a random program.
#[derive(Clone, Debug)]
enum Step {
    Spawn,
    Despawn(usize),
    Relate(usize, usize, usize),
    Unrelate(usize, usize, usize),
    /// Removes an end of a relation.
    Cut(usize, bool, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Spawn),
        1 => any::<usize>().prop_map(Step::Despawn),
        9 => (0..3_usize, any::<usize>(), any::<usize>()).prop_map(|(k, a, b)| Step::Relate(k, a, b)),
        2 => (0..3_usize, any::<usize>(), any::<usize>()).prop_map(|(k, a, b)| Step::Unrelate(k, a, b)),
        1 => (0..3_usize, any::<bool>(), any::<usize>()).prop_map(|(k, s, n)| Step::Cut(k, s, n)),
    ];
    prop::collection::vec(step, 0..40)
}

fn run(world: &mut World, steps: &[Step]) {
    for step in steps {
        let all: Vec<Entity> = world.query::<Entity>().iter().collect();
        let pick = |n: usize| all.get(n.checked_rem(all.len())?).copied();
        match *step {
            Step::Spawn => {
                let number = all.len() as u32;
                world.spawn(Number(number));
            }
            Step::Despawn(n) => {
                let Some(entity) = pick(n) else { continue };
                world.despawn(entity).unwrap();
            }
            Step::Relate(kind, a, b) => {
                let Some((a, b)) = pick(a).zip(pick(b)) else {
                    continue;
                };
                relate(world, kind, a, b);
            }
            Step::Unrelate(kind, a, b) => {
                let Some((a, b)) = pick(a).zip(pick(b)) else {
                    continue;
                };
                unrelate(world, kind, a, b);
            }
            Step::Cut(kind, at_source, n) => {
                let Some(entity) = pick(n) else { continue };
                let outgoing = [
                    ComponentId::of::<Target<Stance>>(),
                    ComponentId::of::<Target<PartOf>>(),
                    ComponentId::of::<Targets<Likes>>(),
                ];
                let ends = [outgoing[kind], ids()[kind]];
                let ends = ends.map(|end| {
                    if at_source {
                        end
                    } else {
                        end.other_end().unwrap()
                    }
                });
                let [typed, dynamic] = ends.map(|end| world.remove_erased(entity, end));
                assert_eq!(typed, dynamic);
            }
        }
    }
}

fn loader() -> Loader {
    let loader = Loader::new().with::<Number>().with::<Sources<Stance>>();
    let loader = loader.with::<Sources<PartOf>>().with::<Sources<Likes>>();
    ids().into_iter().fold(loader, Loader::dynamic)
}

proptest! {
    #[test]
    fn they_have_the_edges_of_typed_ones_in_all_copies_too(
        first in steps(), then in steps(), moved in any::<usize>(),
    ) {
        let mut world = World::new();
        run(&mut world, &first);
        let edges = check(&world);
        let len = world.len();
        let hash = world.hash().unwrap();

        let mut loaded = World::new();
        let bytes = world.save().to_vec().unwrap();
        loader().load_into(&mut loaded, &bytes[..]).unwrap();
        prop_assert_eq!(check(&loaded), edges);
        let text = serde_json::to_string(&world.save()).unwrap();
        let mut json = serde_json::Deserializer::from_str(&text);
        loader().deserialize(&mut loaded, &mut json).unwrap();
        prop_assert_eq!((check(&loaded), loaded.len()), (2 * edges, 2 * len));
        let prefab = Prefab::load(&loader(), &bytes[..]);
        if let Ok(prefab) = prefab {
            let mut spawned = World::new();
            prefab.spawn_n(&mut spawned, 2).unwrap();
            prop_assert_eq!(check(&spawned), 2 * edges);
        }

        let mut copy = world.try_clone().unwrap();
        prop_assert_eq!(check(&copy), edges);
        prop_assert_eq!(copy.hash().unwrap(), hash);
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let exact = snapshot.to_bytes().unwrap();
        run(&mut world, &then);
        check(&world);
        let diff = copy.diff(&world).unwrap();
        let diff = Diff::from_slice(&diff.to_vec().unwrap()).unwrap();
        diff.apply(&mut copy).unwrap();
        check(&copy);
        prop_assert_eq!(copy.hash().unwrap(), world.hash().unwrap());
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        prop_assert_eq!((check(&world), world.hash().unwrap()), (edges, hash));

        let mut restored = World::new();
        restored.register::<Number>();
        restored.register::<Target<Stance>>();
        restored.register::<Target<PartOf>>();
        restored.register::<Targets<Likes>>();
        let mut read = snapshotter.read_bytes(&restored, &exact).unwrap();
        snapshotter.restore(&mut restored, &mut read).unwrap();
        prop_assert_eq!((check(&restored), restored.hash().unwrap()), (edges, hash));

        // Everything moves to another world, but for an entity that is despawned before.
        let all: Vec<Entity> = world.query::<Entity>().iter().collect();
        if let Some(&entity) = all.get(moved.checked_rem(all.len()).unwrap_or(0)) {
            world.despawn(entity).unwrap();
        }
        let edges = check(&world);
        let all: Vec<Entity> = world.query::<Entity>().iter().collect();
        let rows = world.take_rows(&all, |_, entity| Some(entity.to_bits())).unwrap();
        let mut other = World::new();
        other.spawn(Number(9));
        other.put_rows(rows, |_| None).unwrap();
        prop_assert_eq!((check(&world), check(&other)), (0, edges));
        let all: Vec<Entity> = other.query::<Entity>().iter().collect();
        for entity in all {
            other.clone_entity(entity).unwrap();
        }
        check(&other);
    }
}

#[test]
fn a_name_belongs_to_one_relation_or_component() {
    let define = || DynamicRelation::new("dr.owns").many();
    let owns = define().register().unwrap();
    assert_eq!(define().register(), Ok(owns));
    let taken = |relation: DynamicRelation| relation.register().unwrap_err().to_string();
    let error = taken(DynamicRelation::new("dr.owns"));
    assert!(
        error.starts_with("cannot define component `dr.owns`: another one"),
        "{error}"
    );
    taken(define().despawns_sources());
    let component = DynamicComponent::new("dr.owns").register();
    assert!(component.is_err());
    DynamicComponent::new("dr.component").register().unwrap();
    taken(DynamicRelation::new("dr.component"));
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    world.relate(a, Likes, b).unwrap();
    taken(DynamicRelation::new("dr.typed_likes").many());
    taken(DynamicRelation::new("dr owns"));
}

#[test]
#[should_panic(
    expected = "`dr.number` is not a relation that was defined at run time; help: pass the id"
)]
fn the_id_of_a_component_is_refused() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    let _ = world.relate_dynamic(a, ComponentId::of::<Number>(), b);
}

#[test]
#[should_panic(expected = "is not a relation that was defined at run time")]
fn the_id_of_a_typed_relation_is_refused() {
    let mut world = World::new();
    let entity = world.spawn(());
    let _ = world
        .targets_dynamic(entity, ComponentId::of::<Targets<Likes>>())
        .count();
}

#[test]
#[should_panic(expected = "is not a relation that was defined at run time")]
fn the_id_of_the_other_end_is_refused() {
    let mut world = World::new();
    let entity = world.spawn(());
    let _ = world.unrelate_dynamic(entity, ids()[0].other_end().unwrap(), entity);
}

#[test]
#[should_panic(expected = "relation `dr.x` cannot be a tree: its sources have many targets")]
fn a_tree_with_many_targets_is_refused() {
    let _ = DynamicRelation::new("dr.x").many().tree();
}

#[test]
fn errors_name_the_relation() {
    let [_, part_of, _] = ids();
    let mut world = World::new();
    let [a, b, gone] = [(); 3].map(|()| world.spawn(()));
    world.despawn(gone).unwrap();
    world.relate_dynamic(b, part_of, a).unwrap();
    let error = world.relate_dynamic(a, part_of, b).unwrap_err();
    assert!(error.to_string().contains("`dr.part_of`"), "{error}");
    let error = world.relate_dynamic(a, part_of, a).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("entity {a} cannot be related to itself by `dr.part_of`")
    );
    assert!(matches!(
        world.relate_dynamic(a, part_of, gone),
        Err(RelateError::NoSuchEntity(_))
    ));
    assert!(world.unrelate_dynamic(gone, part_of, a).is_err());
    assert_eq!(world.targets_dynamic(gone, part_of).count(), 0);
    world.check_invariants();
}

#[test]
fn text_finds_them_by_name_before_and_after_the_first_edge() {
    let [stance, part_of, likes] = ids();
    let mut world = World::new();
    let [house, room, cat, fish] = [0, 1, 2, 3].map(|n| world.spawn(Number(n)));
    let text = "number >= 2, (dr.part_of+ $place), (likes $food)";
    let early = EntityPattern::from_text(&world, "(dr.likes $food)").unwrap();
    assert_eq!(early.matches(&world).unwrap().iter().count(), 0);
    world.relate_dynamic(room, part_of, house).unwrap();
    world.relate_dynamic(cat, part_of, room).unwrap();
    world.relate_dynamic(cat, likes, fish).unwrap();
    world.relate_dynamic(cat, stance, room).unwrap();
    assert_eq!(early.matches(&world).unwrap().iter().count(), 1);
    let pattern = EntityPattern::from_text(&world, text).unwrap();
    let matches = pattern.matches(&world).unwrap();
    let found = matches
        .iter()
        .map(|found| (found["this"], found["place"], found["food"]));
    let mut found: Vec<_> = found.collect();
    found.sort();
    assert_eq!(found, [(cat, house, fish), (cat, room, fish)]);
    let query = DynamicQuery::new([Term::Read(likes), Term::Without(likes.other_end().unwrap())]);
    let query = query.unwrap();
    let found = world.query_dynamic(&query);
    assert!(found.iter().map(|found| found.entity()).eq([cat]));
    drop(found);
    let error = TextQuery::new(&world, "dr.likes").unwrap_err();
    assert!(
        error.to_string().contains("no component `dr.likes`"),
        "{error}"
    );
}

#[test]
fn values_are_read_and_written_by_name() {
    let [stance, _, likes] = ids();
    let mut world = World::new();
    let [a, b, c] = [0, 1, 2].map(|n| world.spawn(Number(n)));
    world.relate_dynamic(a, likes, b).unwrap();
    world.relate_dynamic(a, likes, c).unwrap();
    world.relate_dynamic(a, stance, b).unwrap();
    let shown = world.entity_to_value(a).unwrap();
    let likes_value = world.get_by_name(a, "dr.likes").unwrap().unwrap();
    let shown = shown.to_string();
    assert!(
        shown.contains(&format!(r#""dr.likes": {likes_value}"#)),
        "{shown}"
    );
    assert!(world.remove_by_name(a, "dr.likes").unwrap());
    assert_eq!(world.sources_dynamic(b, likes).count(), 0);
    world.insert_by_name(a, "dr.likes", &likes_value).unwrap();
    assert!(world.targets_dynamic(a, likes).eq([b, c]));
    let to_c: Value = serde_json::from_str(&format!("\"{c}\"")).unwrap();
    world.insert_by_name(a, "dr.stance", &to_c).unwrap();
    assert!(world.targets_dynamic(a, stance).eq([c]));
    let printed = format!("{:?}", world.entity(a).unwrap());
    assert!(printed.contains("dr.stance"), "{printed}");
    world.check_invariants();
}

/// A relation with one target is a group of states that exclude each other: whichever way an entity gets one, it loses the other.
#[test]
fn an_entity_has_one_state_of_a_group() {
    let [stance, ..] = ids();
    let mut world = World::new();
    let [sitting, walking, hero] = [0, 1, 2].map(|n| world.spawn(Number(n)));
    let state = |world: &World| world.targets_dynamic(hero, stance).collect::<Vec<_>>();
    world.relate_dynamic(hero, stance, sitting).unwrap();
    world.relate_dynamic(hero, stance, walking).unwrap();
    assert_eq!(state(&world), [walking]);
    let to_sitting: Value = serde_json::from_str(&format!("\"{sitting}\"")).unwrap();
    world
        .insert_by_name(hero, "dr.stance", &to_sitting)
        .unwrap();
    assert_eq!(state(&world), [sitting]);
    let copy = world.clone_entity(hero).unwrap();
    assert!(world.sources_dynamic(sitting, stance).eq([hero, copy]));
    let two: Value = serde_json::from_str(&format!("[\"{sitting}\",\"{walking}\"]")).unwrap();
    assert!(world.insert_by_name(hero, "dr.stance", &two).is_err());
    assert_eq!(state(&world), [sitting]);
    let file = r#"{"entities":[{"dr.stance":[1,2]},{},{}]}"#;
    let mut json = serde_json::Deserializer::from_str(file);
    assert!(loader().deserialize(&mut world, &mut json).is_err());
    world.check_invariants();
}
