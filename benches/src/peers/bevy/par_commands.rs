//! Commands of parallel loops.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::With;
use bevy_ecs::system::{Commands, ParallelCommands, Query};
use bevy_ecs::world::World;
use bevy_tasks::{ComputeTaskPool, TaskPool};

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::finds;

#[derive(Component)]
struct Value(u32);

#[derive(Component)]
#[component(storage = "SparseSet")]
struct Marked;

fn unmark(marked: Query<'_, '_, Entity, With<Marked>>, mut commands: Commands<'_, '_>) {
    for entity in &marked {
        commands.entity(entity).remove::<Marked>();
    }
}

fn mark(mut values: Query<'_, '_, (Entity, &mut Value)>, commands: ParallelCommands<'_, '_>) {
    values.par_iter_mut().for_each(|(entity, mut value)| {
        value.0 += 1;
        if value.0 % 100 == 0 {
            commands.command_scope(|mut commands| {
                commands.entity(entity).insert(Marked);
            });
        }
    });
}

pub(super) fn run(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "ParallelCommands",
        move || {
            ComputeTaskPool::get_or_init(TaskPool::default);
            let mut world = World::new();
            world.spawn_batch((0..entities).map(Value));
            world
        },
        |world| {
            world.run_system_cached(unmark).expect("it runs");
            world.run_system_cached(mark).expect("it runs");
        },
        |world| {
            let mut values = world.query::<(&Value, Option<&Marked>)>();
            finds::digest(values.iter(world).map(|(value, marked)| (value.0, marked.is_some())))
        },
    );
}
