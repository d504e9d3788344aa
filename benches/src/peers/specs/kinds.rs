//! A world that knows many components that its entities do not have.

use specs::{Builder, Component, Join, VecStorage, World, WorldExt};

use crate::columns::Values;
use crate::components::{Position, Velocity};
use crate::digest::Digest;
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::kinds::{self, Registry};

/// One of a hundred components.
struct Known<const A: u8, const B: u8, const C: u8>;

impl<const A: u8, const B: u8, const C: u8> Component for Known<A, B, C> {
    type Storage = VecStorage<Self>;
}

impl Registry for World {
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        WorldExt::register::<Known<A, B, C>>(self);
    }
}

pub(super) fn despawn(workload: &mut Workload, count: u32) {
    if count > 100 {
        return workload.lacks(Specs, "a thousand storages take minutes to compile");
    }
    kinds::add(
        workload,
        Specs,
        "create_entity, delete_entity",
        move || {
            let mut world: World = WorldExt::new();
            WorldExt::register::<Position>(&mut world);
            WorldExt::register::<Velocity>(&mut world);
            kinds::register_few(&mut world, count);
            world
        },
        |world, count| {
            let rows = kinds::rows(count);
            rows.map(|(p, v)| world.create_entity().with(p).with(v).build()).collect()
        },
        |world, id| world.delete_entity(id).expect("the entity was alive"),
        |world| {
            let (positions, velocities) = (world.read_storage::<Position>(), world.read_storage::<Velocity>());
            let mut digest = Digest::default();
            for (p, v) in (&positions, &velocities).join() {
                digest.row((*p, *v).values());
            }
            digest.finish()
        },
    );
}
