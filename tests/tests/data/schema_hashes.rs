//! A number for the types of a program.

use ecs_core::data::{Protocol, SchemaHash};
use ecs_core::dynamic::{DynamicComponent, FieldKind};
use ecs_core::prelude::*;
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

/// Declares versions of one component, as programs of different ages have them.
macro_rules! versions {
    ($($name:ident: { $($field:ident: $ty:ty),* } $(, $version:literal)?;)*) => {$(
        #[derive(Component, Clone, Debug, Serialize, Deserialize)]
        #[component(data = "schema.health" $(, version = $version)?)]
        struct $name { $($field: $ty),* }
    )*};
}

versions! {
    Health: { now: u32, most: u32 };
    Same: { now: u32, most: u32 };
    OtherName: { now: u32, max: u32 };
    OtherOrder: { most: u32, now: u32 };
    OtherType: { now: u32, most: u64 };
    More: { now: u32, most: u32, regen: f32 };
    Newer: { now: u32, most: u32 }, 2;
    Inner: { now: u32, most: Kind };
    InnerOther: { now: u32, most: OtherKind };
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind {
    Calm,
    Angry(Entity),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum OtherKind {
    Calm,
    Angry(u32),
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "schema.score")]
struct Score(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "schema.hit")]
struct Hit(u32);

#[test]
fn each_change_of_a_type_changes_the_number() {
    let all = [
        SchemaHash::new().with::<Health>(),
        SchemaHash::new().with::<OtherName>(),
        SchemaHash::new().with::<OtherOrder>(),
        SchemaHash::new().with::<OtherType>(),
        SchemaHash::new().with::<More>(),
        SchemaHash::new().with::<Newer>(),
        SchemaHash::new().with::<Inner>(),
        SchemaHash::new().with::<InnerOther>(),
    ];
    let mut ids: Vec<u64> = all.iter().map(SchemaHash::id).collect();
    assert_eq!(ids[0], SchemaHash::new().with::<Same>().id());
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
    // The same on all machines and in all runs.
    assert_eq!(
        SchemaHash::new().with::<Health>().id(),
        7_926_671_075_690_670_935
    );
}

#[test]
fn a_world_has_the_number_of_its_types_in_any_order() {
    let bond = DynamicComponent::new("schema.bond")
        .field("to", FieldKind::Entity)
        .register()
        .unwrap();
    let (mut one, mut other) = (World::new(), World::new());
    one.register_erased(bond);
    one.register::<Health>();
    one.register_data_resource::<Score>();
    other.register_data_resource::<Score>();
    other.spawn(Health { now: 1, most: 2 });
    assert_ne!(one.schema_hash(), other.schema_hash());
    other.register_erased(bond);
    assert_eq!(one.schema_hash(), other.schema_hash());
    let root = other.spawn(());
    other.spawn(ChildOf.to(root));
    other.register_data_event::<Hit>();
    assert_ne!(one.schema_hash(), other.schema_hash());

    let mut known = World::new();
    known.register::<Health>();
    known.register_data_event::<Hit>();
    known.register_data_resource::<Score>();
    let list = SchemaHash::new()
        .with_resource::<Score>()
        .with_events::<Hit>()
        .with_events::<Hit>()
        .with::<Health>();
    assert_eq!(known.schema_hash(), list.id());
    assert!(list.names().is_sorted() && list.types().count() == 3);
    let with_relation = list.clone().with_relation::<ChildOf>();
    assert_ne!(with_relation.id(), list.id());
    let of_protocol = |protocol: Protocol| protocol.id();
    assert_ne!(
        of_protocol(Protocol::new().with::<Health>()),
        of_protocol(Protocol::new().with::<OtherOrder>())
    );
}

#[test]
fn a_component_and_a_resource_of_one_name_both_count_in_any_order() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "schema.both")]
    struct Placed(u32);
    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "schema.both")]
    struct Same(u32);
    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "schema.both")]
    struct Other(String);

    let component = || SchemaHash::new().with::<Placed>();
    let both = component().with_resource::<Same>();
    assert_eq!(
        both.id(),
        SchemaHash::new()
            .with_resource::<Same>()
            .with::<Placed>()
            .id()
    );
    assert_eq!(
        both.id(),
        both.clone().with::<Placed>().with_resource::<Same>().id()
    );
    let resource = SchemaHash::new().with_resource::<Same>();
    let other = component().with_resource::<Other>();
    let ids = [component().id(), resource.id(), both.id(), other.id()];
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id), "{index}");
    }

    // A world that registers the component early, and one that only names it.
    let (mut early, mut late) = (World::new(), World::new());
    early.register::<Placed>();
    for world in [&mut early, &mut late] {
        world.register_data_resource::<Same>();
    }
    late.register::<Placed>();
    assert_eq!(early.schema_hash(), late.schema_hash());
    assert_eq!(early.schema_hash(), both.id());
}

#[test]
fn an_app_that_is_built_has_the_number_that_it_keeps() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "schema.spark")]
    struct Spark;
    #[system]
    fn strike(healths: Query<&Health>, mut commands: Commands<Spark>) {
        assert_eq!(healths.count(), 0);
        commands.spawn(Spark);
    }
    let game = |builds_first: bool| {
        let mut app = App::new();
        app.add_event::<Hit>().add_systems(FixedUpdate, strike);
        if builds_first {
            app.build().unwrap();
        } else {
            app.update_times(3, App::DEFAULT_FIXED_STEP);
            assert_eq!(app.world().query::<&Spark>().count(), 3);
        }
        app.world().schema_hash()
    };
    assert_eq!(game(true), game(false));
}
