//! Change tracking.

use freecs::Entity;

use super::worlds::tracked::{VALUE, Value, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::tracking::{ENTITIES, State, values};

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Freecs,
        "for_each_mut_changed",
        || -> State<World, Entity> {
            let mut world = World::default();
            let mut values = values();
            let ids = world.spawn_batch(VALUE, ENTITIES as usize, |table, row| {
                table.value[row] = Value(values.next().expect("the number of requested entities"));
            });
            world.step();
            State::new(world, ids)
        },
        move |state| {
            let (world, ids, seen) = state.turn(changes);
            for &id in ids {
                world.get_value_mut(id).expect("the entity is alive").0 += 1.0;
            }
            world.for_each_mut_changed(VALUE, 0, |_, table, row| seen.visit(table.value[row].0));
            world.step();
        },
        |state| state.seen.digest(state.world.query_value().map(|value| value.0)),
    );
}
