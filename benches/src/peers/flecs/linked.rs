//! Many systems in thirty chains.

use flecs_ecs::prelude::*;

use super::loops::threads;
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain as _, Tiny, for_each_chain, for_each_system};

fn world() -> World {
    let world = World::new();
    macro_rules! spawn {
        ($chain:ident) => {
            for value in linked::values() {
                world.entity().set(linked::$chain::of(value));
            }
        };
    }
    for_each_chain!(spawn);
    world
}

fn digest(world: &World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            let mut values = Vec::new();
            let query = world.new_query::<&mut linked::$chain>();
            query.each(|one| values.push(*one.value()));
            chains.push(values);
        };
    }
    for_each_chain!(collect);
    linked::digest(chains)
}

pub(super) fn tiny(workload: &mut Workload) {
    scheduled::<Tiny>(workload);
}

pub(super) fn busy(workload: &mut Workload) {
    scheduled::<Busy>(workload);
}

/// Divides the entities of a system among threads; systems run one after the other.
fn scheduled<B: Body>(workload: &mut Workload) {
    workload.add(
        Flecs,
        "par_each, progress",
        || {
            let world = world();
            macro_rules! add {
                ($chain:ident) => {
                    let mut system = world.system::<&mut linked::$chain>();
                    system.par_each(|one| B::act(one.value()));
                };
            }
            for_each_system!(B, add);
            world.set_threads(threads());
            world
        },
        |world| {
            world.progress();
        },
        |world| digest(world),
    );
}

/// Makes systems, which are entities of the world, runs them and deletes them.
pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        world,
        |world| {
            let mut systems: Vec<Entity> = Vec::with_capacity(Tiny::SYSTEMS);
            macro_rules! add {
                ($chain:ident) => {
                    let system = world.system::<&mut linked::$chain>().each(|one| Tiny::act(one.value()));
                    systems.push(system.id());
                };
            }
            for_each_system!(Tiny, add);
            world.progress();
            for system in systems {
                world.entity_from_id(system).destruct();
            }
        },
        |world| digest(world),
    );
}
