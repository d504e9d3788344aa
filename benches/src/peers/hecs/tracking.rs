//! Change tracking, by comparing with copies of all values.

use hecs::{ChangeTracker, Entity, World};

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::tracking::{State, values};

#[derive(Clone, Copy, PartialEq)]
struct Tracked(f32);

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Hecs,
        "ChangeTracker",
        || -> State<_, Entity> {
            let mut world = World::new();
            let ids = world.spawn_batch(values().map(|value| (Tracked(value),))).collect();
            let mut tracker = ChangeTracker::<Tracked>::new();
            // Copies all values; from now on it finds changes.
            drop(tracker.track(&mut world));
            State::new((world, tracker), ids)
        },
        move |state| {
            let ((world, tracker), ids, seen) = state.turn(changes);
            let mut values = world.view_mut::<&mut Tracked>();
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            drop(values);
            let mut found = tracker.track(world);
            found.changed().for_each(|(_, _, value)| seen.visit(value.0));
        },
        |state| {
            let (world, _) = &mut state.world;
            let values = world.query_mut::<&Tracked>().into_iter();
            state.seen.digest(values.map(|value| value.0))
        },
    );
}
