//! Change tracking.

use ecs_core::Tick;
use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::tracking::{Seen, State, values};

#[derive(Component)]
#[component(track)]
struct Tracked(f32);

#[derive(Component)]
#[component(track, storage = "sparse")]
struct TrackedSparse(f32);

#[system]
fn visit_changed(seen: &mut Seen, mut changed: Query<&Tracked, Changed<Tracked>>) {
    changed.for_each(|value| seen.visit(value.0));
}

#[system]
fn visit_changed_sparse(seen: &mut Seen, mut changed: Query<&TrackedSparse, Changed<TrackedSparse>>) {
    changed.for_each(|value| seen.visit(value.0));
}

/// The world, and the tick of the last visit.
type World2 = (World, Tick);

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    let world = || -> State<World2, Entity> {
        let mut world = World::new();
        let ids = world.spawn_batch(values().map(Tracked)).to_vec();
        // From now on the system sees changes.
        visit_changed(&mut Seen::default(), &world);
        let tick = world.tick();
        State::new((world, tick), ids)
    };
    let digest = |state: &mut State<World2, Entity>| {
        let values = state.world.0.view::<Tracked>();
        state.seen.digest(values.iter().map(|value| value.0))
    };
    workload.add(
        Ours,
        "system, Changed",
        world,
        move |state| {
            let ((world, _), ids, seen) = state.turn(changes);
            let mut values = world.view_mut::<Tracked>();
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            drop(values);
            visit_changed(seen, world);
        },
        digest,
    );
    workload.add(
        Ours,
        "view.since",
        world,
        move |state| {
            let ((world, tick), ids, seen) = state.turn(changes);
            let mut values = world.view_mut::<Tracked>();
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            drop(values);
            let values = world.view::<Tracked>().since(*tick);
            values.changed().for_each(|value| seen.visit(value.0));
            *tick = world.tick();
        },
        digest,
    );
    workload.add(
        Ours,
        "sparse, system, Changed",
        || {
            let mut world = World::new();
            let ids = world.spawn_batch(values().map(TrackedSparse)).to_vec();
            visit_changed_sparse(&mut Seen::default(), &world);
            State::new(world, ids)
        },
        move |state| {
            let (world, ids, seen) = state.turn(changes);
            let mut values = world.view_mut::<TrackedSparse>();
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            drop(values);
            visit_changed_sparse(seen, world);
        },
        |state| {
            let values = state.world.view::<TrackedSparse>();
            state.seen.digest(values.iter().map(|value| value.0))
        },
    );
}
