//! Worlds that are written and read by reflection, the way of bevy_world_serialization.

use std::any::TypeId;

use bevy_asset::{AssetPath, LoadFromPath, UntypedHandle};
use bevy_ecs::component::Component;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy_ecs::world::World;
use bevy_reflect::Reflect;
use bevy_world_serialization::DynamicWorld;
use bevy_world_serialization::serde::{DynamicWorldSerializer, WorldDeserializer};
use serde::de::DeserializeSeed as _;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::saves;

#[derive(Component, Reflect, Clone, Copy)]
#[reflect(Component)]
struct Place([f32; 3]);

#[derive(Component, Reflect, Clone, Copy)]
#[reflect(Component)]
struct Turn([f32; 3]);

#[derive(Component, Reflect, Clone, Copy)]
#[reflect(Component)]
struct Speed([f32; 3]);

/// The worlds have no assets.
struct NoAssets;

impl LoadFromPath for NoAssets {
    fn load_from_path_erased(&mut self, _: TypeId, path: AssetPath<'static>) -> UntypedHandle {
        unreachable!("no component has the asset `{path}`")
    }
}

fn empty() -> World {
    let mut world = World::new();
    let registry = AppTypeRegistry::default();
    {
        let mut types = registry.write();
        types.register::<Place>();
        types.register::<Turn>();
        types.register::<Speed>();
    }
    world.insert_resource(registry);
    world
}

fn world(entities: u32) -> World {
    let mut world = empty();
    world.spawn_batch((0..entities).map(|number| {
        let (place, turn, speed) = saves::row(number);
        (Place(place.0), Turn(turn.0), Speed(speed.0))
    }));
    world
}

fn digest(world: &mut World) -> u64 {
    let mut rows = world.query::<(&Place, &Turn, &Speed)>();
    let rows = rows.iter(world).map(|(place, turn, speed)| {
        (
            saves::Place(place.0),
            saves::Turn(turn.0),
            saves::Speed(speed.0),
        )
    });
    let rows: Vec<saves::Row> = rows.collect();
    saves::digest(rows.iter().map(|(place, turn, speed)| (place, turn, speed)))
}

fn written(world: &World) -> Vec<u8> {
    let types = world.resource::<AppTypeRegistry>().read();
    let values = DynamicWorld::from_world(world);
    let serializer = DynamicWorldSerializer::new(&values, &types);
    postcard::to_allocvec(&serializer).expect("floats can be written")
}

fn read(bytes: &[u8]) -> World {
    let mut world = empty();
    let values = {
        let types = world.resource::<AppTypeRegistry>().read();
        let deserializer = WorldDeserializer {
            type_registry: &types,
            load_from_path: &mut NoAssets,
        };
        let values = deserializer.deserialize(&mut postcard::Deserializer::from_bytes(bytes));
        values.expect("it was written")
    };
    let written = values.write_to_world(&mut world, &mut EntityHashMap::default());
    written.expect("the types are registered");
    world
}

pub(super) fn save(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "DynamicWorld",
        move || (world(entities), Vec::new()),
        |(world, bytes)| *bytes = written(world),
        |(_, bytes)| digest(&mut read(bytes)),
    );
}

pub(super) fn load(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "DynamicWorld",
        move || (written(&world(entities)), World::new()),
        |(bytes, world)| *world = read(bytes),
        |(_, world)| digest(world),
    );
}
