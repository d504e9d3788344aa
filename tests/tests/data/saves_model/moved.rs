//! Components whose storage, requirements or place in a file have changed since they were saved.

use ecs_core::data::{LoadError, Loader, WorldData};
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;
use serde::{Deserialize, Serialize};

mod before {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.to_set")]
    pub(super) struct ToSet(pub(super) String);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.to_table", storage = "sparse")]
    pub(super) struct ToTable(pub(super) String);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.other")]
    pub(super) struct Other(pub(super) u8);
}

mod after {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.to_set", storage = "sparse")]
    pub(super) struct ToSet(pub(super) String);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.to_table")]
    pub(super) struct ToTable(pub(super) String);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "moved.other", require(New = New(7)))]
    pub(super) struct Other(pub(super) u8);

    #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[component(data = "moved.new")]
    pub(super) struct New(pub(super) u8);
}

fn old() -> World {
    let mut world = World::new();
    for i in 0..12 {
        let entity = world.spawn(before::Other(i));
        if i % 2 == 0 {
            world
                .insert(entity, before::ToSet(format!("s{i}")))
                .unwrap();
        }
        if i % 3 == 0 {
            world
                .insert(entity, before::ToTable(format!("t{i}")))
                .unwrap();
        }
        if i % 4 == 0 {
            world.insert(entity, super::parts::Tag).unwrap();
        }
    }
    world
}

fn loader() -> Loader {
    Loader::new()
        .with::<after::ToSet>()
        .with::<after::ToTable>()
        .with::<after::Other>()
        .with::<super::parts::Tag>()
}

#[test]
fn components_move_between_tables_and_sets_and_what_they_require_is_made() {
    let old = old();
    let bytes = old.save().to_vec().unwrap();
    let text = serde_json::to_string(&old.save()).unwrap();
    let mut json = World::new();
    loader()
        .deserialize(&mut json, &mut serde_json::Deserializer::from_str(&text))
        .unwrap();
    for world in [loader().load(&bytes[..]).unwrap(), json] {
        world.check_invariants();
        let mut seen = 0;
        for (entity, other) in world.query::<(Entity, &after::Other)>().iter() {
            let i = other.0;
            let set = world
                .get::<after::ToSet>(entity)
                .map(|value| value.0.clone());
            assert_eq!(set, (i % 2 == 0).then(|| format!("s{i}")));
            let table = world
                .get::<after::ToTable>(entity)
                .map(|value| value.0.clone());
            assert_eq!(table, (i % 3 == 0).then(|| format!("t{i}")));
            assert_eq!(*world.get::<after::New>(entity).unwrap(), after::New(7));
            seen += 1;
        }
        assert_eq!(seen, 12);
    }
}

#[test]
fn an_entity_that_a_hook_despawns_does_not_shift_the_values_of_others() {
    let bytes = old().save().to_vec().unwrap();
    let mut world = World::new();
    world.observe(
        |hit: OnAdd<after::Other>, others: Comp<after::Other>, mut commands: Commands| {
            if others.get(hit.entity()).is_some_and(|other| other.0 == 6) {
                commands.despawn(hit.entity());
            }
        },
    );
    loader().load_into(&mut world, &bytes[..]).unwrap();
    world.check_invariants();
    assert_eq!(world.len(), 11);
    for (entity, other) in world.query::<(Entity, &after::Other)>().iter() {
        let table = world
            .get::<after::ToTable>(entity)
            .map(|value| value.0.clone());
        assert_eq!(table, (other.0 % 3 == 0).then(|| format!("t{}", other.0)));
    }
}

#[test]
fn a_column_as_a_whole_is_no_resource_in_errors() {
    let mut world = World::new();
    world.spawn(before::Other(1));
    let mut bytes = world.save().to_vec().unwrap();
    // The byte of the form of the only column, which has one byte.
    let at = bytes.len() - 8 - 4 * 10 - 1 - 8 - 1;
    assert_eq!(bytes[at], 0);
    bytes[at] = 9;
    ecs_core::data::__private::seal(&mut bytes);
    let error = loader().load(&bytes[..]).unwrap_err();
    assert!(
        matches!(error, LoadError::Value { entity: None, .. }),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "`moved.other`: there is no such form of values"
    );
}
