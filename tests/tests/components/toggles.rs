//! Components that are turned off without being removed.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ecs_core::data::{Loader, Protocol, Replica, Replicator};
use ecs_core::meta;
use ecs_core::meta::may_conflict;
use ecs_core::prelude::*;
use ecs_core::query::Not;
use ecs_core::relation::Related;
use ecs_core::snapshot::Snapshotter;
use ecs_core::toggle::{Toggle, TurnedOff, TurnedOn};
use ecs_core::world::hooks::DeferredWorld;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(toggle, track, data = "toggles.table")]
struct Table(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(toggle, storage = "sparse", data = "toggles.sparse")]
struct Sparse(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(toggle, data(Generic<u8> = "toggles.generic_u8"))]
struct Generic<T: Send + Sync + 'static>(T);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "toggles.other")]
struct Other;

#[derive(Relation)]
struct ChildOf;

/// The components of an entity: `None`, or true if it is on.
#[derive(Clone, Copy, Debug, Default)]
struct Plain {
    table: Option<bool>,
    sparse: Option<bool>,
    generic: Option<bool>,
    other: bool,
}

type Model = BTreeMap<Entity, Plain>;

#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn {
        has: u8,
    },
    Insert {
        entity: usize,
        which: u8,
    },
    Remove {
        entity: usize,
        which: u8,
    },
    Turn {
        entity: usize,
        which: u8,
        is_on: bool,
        by_command: bool,
    },
    Despawn {
        entity: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let entity = || any::<usize>();
    prop_oneof![
        3 => (0_u8..16).prop_map(|has| Step::Spawn { has }),
        2 => (entity(), 0_u8..4).prop_map(|(entity, which)| Step::Insert { entity, which }),
        2 => (entity(), 0_u8..4).prop_map(|(entity, which)| Step::Remove { entity, which }),
        6 => (entity(), 0_u8..3, any::<bool>(), any::<bool>())
            .prop_map(|(entity, which, is_on, by_command)| Step::Turn { entity, which, is_on, by_command }),
        1 => entity().prop_map(|entity| Step::Despawn { entity }),
    ]
}

fn apply(world: &mut World, model: &mut Model, step: Step) {
    let pick = |model: &Model, n: usize| model.keys().nth(n % model.len().max(1)).copied();
    match step {
        Step::Spawn { has } => {
            let entity = world.spawn(());
            model.insert(entity, Plain::default());
            for which in (0..4).filter(|which| has >> which & 1 == 1) {
                insert(world, model, entity, which);
            }
        }
        Step::Insert { entity, which } => {
            if let Some(entity) = pick(model, entity) {
                insert(world, model, entity, which);
            }
        }
        Step::Remove { entity, which } => {
            let Some(entity) = pick(model, entity) else {
                return;
            };
            let plain = model.get_mut(&entity).unwrap();
            match which {
                0 => world.remove::<Table>(entity).map(|()| plain.table = None),
                1 => world.remove::<Sparse>(entity).map(|()| plain.sparse = None),
                2 => world
                    .remove::<Generic<u8>>(entity)
                    .map(|()| plain.generic = None),
                _ => world.remove::<Other>(entity).map(|()| plain.other = false),
            }
            .unwrap();
        }
        Step::Turn {
            entity,
            which,
            is_on,
            by_command,
        } => {
            let Some(entity) = pick(model, entity) else {
                return;
            };
            let plain = model.get_mut(&entity).unwrap();
            let state = match which {
                0 => turn::<Table>(world, entity, is_on, by_command, &mut plain.table),
                1 => turn::<Sparse>(world, entity, is_on, by_command, &mut plain.sparse),
                _ => turn::<Generic<u8>>(world, entity, is_on, by_command, &mut plain.generic),
            };
            assert_eq!(state.0, state.1);
        }
        Step::Despawn { entity } => {
            if let Some(entity) = pick(model, entity) {
                world.despawn(entity).unwrap();
                model.remove(&entity);
            }
        }
    }
}

/// Returns the world's answer and the expected one.
fn turn<T: ecs_core::toggle::ToggleComponent>(
    world: &mut World,
    entity: Entity,
    is_on: bool,
    by_command: bool,
    plain: &mut Option<bool>,
) -> (Option<bool>, Option<bool>) {
    let is_there = plain.is_some();
    *plain = plain.map(|_| is_on);
    if by_command {
        world.run(move |mut commands: Commands| {
            let mut entity = commands.entity(entity);
            if is_on {
                entity.turn_on::<T>()
            } else {
                entity.turn_off::<T>()
            };
        });
    } else {
        let found = if is_on {
            world.turn_on::<T>(entity)
        } else {
            world.turn_off::<T>(entity)
        };
        assert_eq!(found, is_there);
    }
    (world.is_on::<T>(entity), *plain)
}

fn insert(world: &mut World, model: &mut Model, entity: Entity, which: u8) {
    let plain = model.get_mut(&entity).unwrap();
    let value = entity.index();
    match which {
        0 => {
            world.insert(entity, Table(value)).unwrap();
            plain.table.get_or_insert(true);
        }
        1 => {
            world.insert(entity, Sparse(value)).unwrap();
            plain.sparse.get_or_insert(true);
        }
        2 => {
            world.insert(entity, Generic(value as u8)).unwrap();
            plain.generic.get_or_insert(true);
        }
        _ => {
            world.insert(entity, Other).unwrap();
            plain.other = true;
        }
    }
}

/// Compares all forms of a loop with the model.
macro_rules! check {
    ($world:ident, $model:ident, $data:ty, $filter:ty, $matches:expr) => {{
        let matches: fn(&Plain) -> bool = $matches;
        let expected = $model.iter().filter(|(_, plain)| matches(plain));
        let expected: Vec<Entity> = expected.map(|(&entity, _)| entity).collect();
        let sorted = |mut found: Vec<Entity>| {
            found.sort_unstable();
            found
        };
        let mut query = $world.query_filtered::<(Entity, $data), $filter>();
        let what = stringify!($data, $filter);
        assert_eq!(
            sorted(query.iter().map(|item| item.0).collect()),
            expected,
            "{what}"
        );
        let mut found = Vec::new();
        query.for_each(|item| found.push(item.0));
        assert_eq!(sorted(found), expected, "{what}: for_each");
        let found = Mutex::new(Vec::new());
        query.par_for_each_min(1, |item| found.lock().unwrap().push(item.0));
        assert_eq!(
            sorted(found.into_inner().unwrap()),
            expected,
            "{what}: par_for_each"
        );
        assert_eq!(query.count(), expected.len(), "{what}: count");
        for &entity in $model.keys() {
            assert_eq!(
                query.get(entity).is_some(),
                expected.contains(&entity),
                "{what}: get"
            );
        }
    }};
}

fn check_all(world: &World, model: &Model) {
    check!(world, model, &Table, TurnedOn<Table>, |plain| plain.table
        == Some(true));
    check!(world, model, &mut Table, TurnedOff<Table>, |plain| plain
        .table
        == Some(false));
    check!(
        world,
        model,
        &mut Toggle<Table>,
        TurnedOff<Table>,
        |plain| plain.table == Some(false)
    );
    check!(world, model, &mut Sparse, TurnedOn<Sparse>, |plain| plain
        .sparse
        == Some(true));
    check!(
        world,
        model,
        &mut Toggle<Sparse>,
        TurnedOff<Sparse>,
        |plain| plain.sparse == Some(false)
    );
    check!(world, model, Entity, TurnedOn<Generic<u8>>, |plain| plain
        .generic
        == Some(true));
    check!(world, model, &Table, (), |plain| plain.table.is_some());
    check!(world, model, Entity, Not<TurnedOn<Table>>, |plain| plain
        .table
        != Some(true));
    check!(world, model, &Sparse, Not<TurnedOff<Sparse>>, |plain| plain
        .sparse
        == Some(true));
    check!(
        world,
        model,
        Entity,
        (TurnedOn<Table>, TurnedOff<Sparse>),
        |plain| { plain.table == Some(true) && plain.sparse == Some(false) }
    );
    check!(
        world,
        model,
        Entity,
        Or<(TurnedOn<Table>, TurnedOn<Sparse>, With<Other>)>,
        |plain| { plain.table == Some(true) || plain.sparse == Some(true) || plain.other }
    );
    check!(
        world,
        model,
        (&Table, &Sparse),
        (TurnedOn<Table>, Without<Other>),
        |plain| { plain.table == Some(true) && plain.sparse.is_some() && !plain.other }
    );
    for (&entity, plain) in model {
        let handle = world.entity(entity).unwrap();
        assert_eq!(handle.has::<Toggle<Table>>(), plain.table.is_some());
        assert_eq!(handle.has::<Toggle<Sparse>>(), plain.sparse.is_some());
        assert_eq!(world.is_on::<Table>(entity), plain.table);
        assert_eq!(world.is_on::<Sparse>(entity), plain.sparse);
        assert_eq!(world.is_on::<Generic<u8>>(entity), plain.generic);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(64)))]

    #[test]
    fn filters_agree_with_a_plain_model_also_after_a_return_to_a_snapshot(
        before in prop::collection::vec(step(), 0..150),
        after in prop::collection::vec(step(), 0..50),
    ) {
        let (mut world, mut model) = (World::new(), Model::new());
        before.into_iter().for_each(|step| apply(&mut world, &mut model, step));
        check_all(&world, &model);
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let then = model.clone();
        after.into_iter().for_each(|step| apply(&mut world, &mut model, step));
        check_all(&world, &model);
        world.check_invariants();
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        check_all(&world, &then);
    }

    #[test]
    fn saves_differences_and_clones_have_toggles(
        steps in prop::collection::vec(step(), 0..60),
        more in prop::collection::vec(step(), 0..30),
    ) {
        let (mut world, mut model) = (World::new(), Model::new());
        steps.into_iter().for_each(|step| apply(&mut world, &mut model, step));
        let mut old = world.try_clone().unwrap();
        prop_assert_eq!(old.hash().unwrap(), world.hash().unwrap());
        check_all(&old, &model);
        more.into_iter().for_each(|step| apply(&mut world, &mut model, step));
        old.diff(&world).unwrap().apply(&mut old).unwrap();
        prop_assert_eq!(old.hash().unwrap(), world.hash().unwrap());
        check_all(&old, &model);
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "toggles.name")]
struct Title(String);

fn load(json: &str) -> World {
    let loader = Loader::new()
        .with::<Title>()
        .with::<Table>()
        .with::<Sparse>()
        .with::<Generic<u8>>();
    let mut world = World::new();
    loader
        .deserialize(&mut world, &mut serde_json::Deserializer::from_str(json))
        .unwrap();
    world
}

#[test]
fn a_hash_and_a_save_tell_on_from_off() {
    let mut world = World::new();
    let entity = world.spawn((Title("a".into()), Table(1), Sparse(2), Generic(3_u8)));
    let on = world.hash().unwrap();
    for turn in [
        World::turn_off::<Table>,
        World::turn_off::<Sparse>,
        World::turn_off::<Generic<u8>>,
    ] {
        let before = world.hash().unwrap();
        assert!(turn(&mut world, entity));
        assert_ne!(world.hash().unwrap(), before);
    }
    let json = serde_json::to_string(&world.save()).unwrap();
    assert!(json.contains(r#""toggles.table.toggle":false"#), "{json}");
    assert!(
        json.contains(r#""toggles.generic_u8.toggle":false"#),
        "{json}"
    );
    let loaded = load(&json);
    assert_eq!(loaded.hash().unwrap(), world.hash().unwrap());
    assert_ne!(loaded.hash().unwrap(), on);
    // A save from before the component had a toggle.
    let old = json.replace(r#""toggles.table.toggle":false,"#, "");
    assert_ne!(old, json);
    let loaded = load(&old);
    assert!(loaded.query::<&Toggle<Table>>().single().unwrap().is_on());
}

#[test]
fn only_a_toggle_that_changed_is_replicated() {
    let protocol = Protocol::new().with::<Table>().with::<Toggle<Table>>();
    let mut world = World::new();
    let entities = world.spawn_batch([1, 2, 3].map(Table)).to_vec();
    let mut server = Replicator::new(protocol.clone());
    let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    let client = server.connect();
    let mut send = |world: &World, copy: &mut World| {
        server.update(world).unwrap();
        let packet = server.packet(client, |_| true).unwrap();
        replica.apply(copy, &packet).unwrap();
        server.acknowledge(client, replica.applied()).unwrap();
        packet.len()
    };
    let all = send(&world, &mut copy);
    let none = send(&world, &mut copy);
    world.turn_off::<Table>(entities[1]);
    let one = send(&world, &mut copy);
    assert!(none < one && one < all);
    let off = copy.query_filtered::<&Table, TurnedOff<Table>>();
    assert_eq!(*off.single().unwrap(), Table(2));
    drop(off);
    world.turn_off::<Table>(entities[1]);
    assert_eq!(send(&world, &mut copy), none, "it was off already");
}

#[test]
fn a_loop_may_turn_off_what_it_visits() {
    let mut world = World::new();
    world.spawn_batch((0..1000).map(Table));
    world.spawn_batch((0..100).map(Sparse));
    let mut on = world.query_filtered::<(&Table, &mut Toggle<Table>), TurnedOn<Table>>();
    let mut visited = 0;
    for (table, mut toggle) in &mut on {
        visited += 1;
        if table.0 % 3 == 0 {
            toggle.turn_off();
        }
    }
    assert_eq!((visited, on.count()), (1000, 666));
    on.par_for_each_min(1, |(table, mut toggle)| {
        if table.0 % 2 == 0 {
            toggle.turn_off();
        }
    });
    assert_eq!(on.count(), 333);
    // Items that are kept while others are tested.
    let mut sparse = world.query_filtered::<&mut Toggle<Sparse>, TurnedOn<Sparse>>();
    let mut kept: Vec<&mut Toggle<Sparse>> = sparse.iter_mut().collect();
    kept.iter_mut()
        .step_by(2)
        .for_each(|toggle| toggle.turn_off());
    assert_eq!(sparse.count(), 50);
}

#[system]
fn count_on(on: Query<&Table, TurnedOn<Table>>) -> usize {
    on.count()
}

#[system]
fn turn_all_off(mut toggles: CompMut<Toggle<Table>>) {
    for mut toggle in &mut toggles {
        toggle.turn_off();
    }
}

#[system]
fn change_all(mut tables: Query<&mut Table>) {
    tables.for_each(|mut table| table.0 += 1);
}

#[test]
fn only_systems_that_ask_conflict_with_those_that_turn() {
    let (count, turn) = (meta(&count_on), meta(&turn_all_off));
    assert!(may_conflict(&count, &turn));
    assert!(!may_conflict(&meta(&change_all), &turn));
    assert!(
        may_conflict(&meta(&change_all), &count),
        "one reads the values, too"
    );
    let mut world = World::new();
    world.spawn_batch((0..40).map(Table));
    assert_eq!(count_on(&world), 40);
    turn_all_off(&world);
    assert_eq!(count_on(&world), 0);
    change_all(&world);
    let toggles = world.view_mut::<Toggle<Table>>();
    assert!(
        world
            .try_query_filtered::<Entity, TurnedOn<Table>>()
            .is_err(),
        "the filter borrows them"
    );
    drop(toggles);
}

#[system]
fn children_of_shielded(children: Query<Entity, Related<ChildOf, TurnedOn<Table>>>) -> usize {
    children.count()
}

#[test]
fn a_target_can_be_asked_for_its_toggle() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|value| world.spawn(Table(value)));
    for parent in [a, a, b] {
        world.spawn(ChildOf.to(parent));
    }
    assert_eq!(children_of_shielded(&world), 3);
    world.turn_off::<Table>(a);
    assert_eq!(children_of_shielded(&world), 1);
}

static REMOVED: Mutex<Vec<(u32, Option<bool>)>> = Mutex::new(Vec::new());

#[derive(Component)]
#[component(toggle, on_remove = Self::removed)]
struct Hooked<T: Send + Sync + 'static>(T);

impl<T: Send + Sync + 'static> Hooked<T> {
    fn removed(world: DeferredWorld<'_>, entity: Entity) {
        REMOVED
            .lock()
            .unwrap()
            .push((entity.index(), world.is_on::<Self>(entity)));
    }
}

#[test]
fn the_hook_of_the_component_runs_before_its_toggle_goes() {
    let mut world = World::new();
    let [a, b] = [1_u8, 2].map(|value| world.spawn(Hooked(value)));
    world.turn_off::<Hooked<u8>>(a);
    world.remove::<Hooked<u8>>(a).unwrap();
    assert!(!world.has::<Toggle<Hooked<u8>>>(a));
    world.despawn(b).unwrap();
    assert_eq!(
        *REMOVED.lock().unwrap(),
        [(a.index(), Some(false)), (b.index(), Some(true))]
    );
    world.insert(a, Hooked(3_u8)).unwrap();
    assert_eq!(
        world.is_on::<Hooked<u8>>(a),
        Some(true),
        "it was inserted anew"
    );
}

#[test]
fn a_value_that_is_replaced_leaves_the_toggle_alone() {
    let mut world = World::new();
    let entity = world.spawn(Table(1));
    assert!(world.turn_off::<Table>(entity));
    world.insert(entity, Table(2)).unwrap();
    assert_eq!(world.is_on::<Table>(entity), Some(false));
    let other = world.spawn(());
    assert!(!world.turn_off::<Table>(other));
    assert_eq!(world.is_on::<Table>(other), None);
}
