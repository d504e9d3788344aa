//! A world that knows many components that its entities do not have.

use bevy_ecs::component::Component;
use bevy_ecs::world::World;

use crate::columns::Values;
use crate::components::{Position, Velocity};
use crate::digest::Digest;
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::kinds::{self, Registry};

/// One of a thousand components in sparse storage.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Known<const A: u8, const B: u8, const C: u8>;

impl Registry for World {
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        self.register_component::<Known<A, B, C>>();
    }
}

pub(super) fn despawn(workload: &mut Workload, count: u32) {
    kinds::add(
        workload,
        Bevy,
        "sparse components",
        move || {
            let mut world = World::new();
            kinds::register(&mut world, count);
            world
        },
        |world, count| world.spawn_batch(kinds::rows(count)).collect(),
        |world, id| assert!(world.despawn(id), "the entity was alive"),
        |world| {
            let mut query = world.query::<(&Position, &Velocity)>();
            let mut digest = Digest::default();
            query.iter(world).for_each(|(p, v)| digest.row((*p, *v).values()));
            digest.finish()
        },
    );
}
