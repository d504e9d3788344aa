//! Change tracking.

use shipyard::{Component, EntityId, Get, IntoIter, View, ViewMut, World, track};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::tracking::{State, values};

struct Tracked(f32);

impl Component for Tracked {
    type Tracking = track::Modification;
}

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Shipyard,
        "modified",
        || -> State<World, EntityId> {
            let mut world = World::new();
            let ids = world.bulk_add_entity(values().map(|value| (Tracked(value),)));
            let ids = ids.collect();
            State::new(world, ids)
        },
        move |state| {
            let (world, ids, seen) = state.turn(changes);
            world.run(|mut values: ViewMut<Tracked, track::Modification>| {
                for &id in ids {
                    (&mut values).get(id).expect("the entity is alive").0 += 1.0;
                }
            });
            world.run(|values: ViewMut<Tracked, track::Modification>| {
                values.modified().iter().for_each(|value| seen.visit(value.0));
                values.clear_all_modified();
            });
        },
        |state| {
            let seen = state.seen;
            state.world.run(|values: View<Tracked, track::Modification>| {
                seen.digest(values.iter().map(|value| value.0))
            })
        },
    );
}
