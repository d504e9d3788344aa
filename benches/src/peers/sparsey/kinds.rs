//! A world that knows many components that its entities do not have.

use sparsey::World;

use crate::columns::Values;
use crate::components::{Position, Velocity};
use crate::digest::Digest;
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::kinds::{self, Registry};

/// One of a hundred components.
struct Known<const A: u8, const B: u8, const C: u8>;

impl Registry for World {
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        self.register::<Known<A, B, C>>();
    }
}

pub(super) fn despawn(workload: &mut Workload, count: u32) {
    if count > 100 {
        return workload.lacks(Sparsey, "a thousand storages take minutes to compile");
    }
    kinds::add(
        workload,
        Sparsey,
        "extend, destroy",
        move || {
            let mut world = World::builder().register::<Position>().register::<Velocity>().build();
            kinds::register_few(&mut world, count);
            world
        },
        |world, count| world.extend(kinds::rows(count)).to_vec(),
        |world, id| assert!(world.destroy(id), "the entity was alive"),
        |world| {
            let mut digest = Digest::default();
            world.for_each::<(&Position, &Velocity)>(|(p, v)| digest.row((*p, *v).values()));
            digest.finish()
        },
    );
}
