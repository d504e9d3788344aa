//! A world that knows many components that its entities do not have.

use shipyard::{Component, EntityId, IntoIter, View, World, track};

use crate::columns::Values;
use crate::components::{Position, Velocity};
use crate::digest::Digest;
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::kinds::{self, Registry};

/// One of a hundred components.
struct Known<const A: u8, const B: u8, const C: u8>;

impl<const A: u8, const B: u8, const C: u8> Component for Known<A, B, C> {
    type Tracking = track::Untracked;
}

impl Registry for World {
    /// Borrows the storage, which creates it.
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        drop(self.borrow::<View<Known<A, B, C>>>());
    }
}

pub(super) fn despawn(workload: &mut Workload, count: u32) {
    if count > 100 {
        return workload.lacks(Shipyard, "a thousand storages take minutes to compile");
    }
    kinds::add(
        workload,
        Shipyard,
        "bulk_add_entity, delete_entity",
        move || {
            let mut world = World::new();
            kinds::register_few(&mut world, count);
            world
        },
        |world, count| -> Vec<EntityId> { world.bulk_add_entity(kinds::rows(count)).collect() },
        |world, id| assert!(world.delete_entity(id), "the entity was alive"),
        |world| {
            world.run(|positions: View<Position>, velocities: View<Velocity>| {
                let mut digest = Digest::default();
                let rows = (&positions, &velocities).iter();
                rows.for_each(|(p, v)| digest.row((*p, *v).values()));
                digest.finish()
            })
        },
    );
}
