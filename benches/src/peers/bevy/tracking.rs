//! Change tracking.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::{Changed, QueryState};
use bevy_ecs::system::{Query, SystemState};
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::tracking::{State, values};

/// A tracked component, like every component here; no other workload uses it.
#[derive(Component)]
struct Tracked(f32);

type Prepared = (
    World,
    QueryState<&'static mut Tracked>,
    SystemState<Query<'static, 'static, &'static Tracked, Changed<Tracked>>>,
);

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Bevy,
        "Changed",
        || -> State<Prepared, Entity> {
            let mut world = World::new();
            let ids = world.spawn_batch(values().map(Tracked)).collect();
            let query = world.query();
            let mut changed = SystemState::new(&mut world);
            // From now on the system sees changes.
            let _: Query<&Tracked, Changed<Tracked>> =
                changed.get(&world).expect("nothing conflicts");
            world.increment_change_tick();
            State::new((world, query, changed), ids)
        },
        move |state| {
            let ((world, query, changed), ids, seen) = state.turn(changes);
            let mut values = query.query_mut(&mut *world);
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            let values = changed.get(world).expect("nothing conflicts");
            values.iter().for_each(|value| seen.visit(value.0));
            world.increment_change_tick();
        },
        |state| {
            let (world, ..) = &mut state.world;
            let mut values = world.query::<&Tracked>();
            state.seen.digest(values.iter(world).map(|value| value.0))
        },
    );
}
