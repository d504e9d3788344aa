//! Structural changes.

use legion::query::IntoQuery;
use legion::systems::CommandBuffer;
use legion::{Entity, IntoSoa, Resources, World};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn;

fn digest(world: &mut World) -> u64 {
    let mut query = <(&Transform, &Position, &Rotation, &Velocity)>::query();
    digest_rows(query.iter(world))
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::default();
        world.extend((0..entities).map(row));
        world
    };
    workload.add_fresh(Legion, "extend", make, digest);
    let make = move || {
        let rows = (0..entities).map(row);
        let transforms: Vec<Transform> = rows.clone().map(|row| row.0).collect();
        let positions: Vec<Position> = rows.clone().map(|row| row.1).collect();
        let rotations: Vec<Rotation> = rows.clone().map(|row| row.2).collect();
        let velocities: Vec<Velocity> = rows.map(|row| row.3).collect();
        let mut world = World::default();
        world.extend((transforms, positions, rotations, velocities).into_soa());
        world
    };
    workload.add_fresh(Legion, "column by column", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::default();
        for number in 0..entities {
            world.push(row(number));
        }
        world
    };
    workload.add_fresh(Legion, "push", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::default();
        let mut commands = CommandBuffer::new(&world);
        for number in 0..entities {
            commands.push(row(number));
        }
        commands.flush(&mut world, &mut Resources::default());
        world
    };
    workload.add_fresh(Legion, "push", make, digest);
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |world, number| world.push((kept(number),)));
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let (a, b, c, d, e, f, g, h, i) = wide(number);
        let entity = world.push((a, b, c, d, e, f, g, h));
        let mut entry = world.entry(entity).expect("the entity is alive");
        entry.add_component(i);
        entity
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&mut World, u32) -> Entity) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Legion,
        "entry",
        move || {
            let mut world = World::default();
            let ids = (0..entities).map(|number| spawn(&mut world, number));
            let ids = ids.collect();
            State { world, ids }
        },
        |state| {
            for &id in &state.ids {
                let mut entry = state.world.entry(id).expect("the entity is alive");
                entry.add_component(Toggled(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                let mut entry = state.world.entry(id).expect("the entity is alive");
                entry.remove_component::<Toggled>();
            }
        },
        |world| {
            let mut query = <(&Kept, &Toggled)>::query();
            query.iter(world).map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = World::default();
    let living = world.extend((0..entities).map(row)).to_vec();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "remove, push",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.remove(victim), "the entity was alive");
                world.push(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "remove, extend",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.remove(victim), "the entity was alive");
                }
                world.extend(births).to_vec()
            });
        },
        |state| digest(&mut state.world),
    );
}
