//! Change tracking: by an observer, immediately.

use std::cell::Cell;
use std::rc::Rc;

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::tracking::{ENTITIES, Seen, State, values};

#[derive(Clone, Copy, Component)]
struct Tracked(f32);

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Flecs,
        "observer of OnSet",
        || -> State<_, Entity> {
            let world = World::new();
            let values: Vec<Tracked> = values().map(Tracked).collect();
            let ids = world.entity_bulk(ENTITIES).set(&values).build();
            let seen = Rc::new(Cell::new(Seen::default()));
            let observed = Rc::clone(&seen);
            world.observer::<flecs::OnSet, &Tracked>().each(move |value| {
                let mut seen = observed.get();
                seen.visit(value.0);
                observed.set(seen);
            });
            State::new((world, seen), ids)
        },
        move |state| {
            let ((world, _), ids, _) = state.turn(changes);
            for &id in ids {
                let entity = world.entity_from_id(id);
                let value = entity.get::<&Tracked>(|value| value.0);
                entity.set(Tracked(value + 1.0));
            }
        },
        |state| {
            let (world, seen) = &state.world;
            let mut values = Vec::new();
            world.new_query::<&Tracked>().each(|value| values.push(value.0));
            seen.get().digest(values)
        },
    );
}
