//! Structural changes.

use sparsey::World;
use sparsey::entity::Entity;

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, *};
use crate::workloads::churn;

/// Makes a world without groups: nothing is iterated here, and groups cost time on structural changes.
fn empty() -> World {
    World::builder()
        .register::<Transform>()
        .register::<Position>()
        .register::<Rotation>()
        .register::<Velocity>()
        .build()
}

fn digest(world: &mut World) -> u64 {
    let mut query = world.query_all::<(&Transform, &Position, &Rotation, &Velocity)>();
    digest_rows(query.iter())
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = empty();
        world.extend((0..entities).map(row));
        world
    };
    workload.add_fresh(Sparsey, "extend", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = empty();
        for number in 0..entities {
            world.create(row(number));
        }
        world
    };
    workload.add_fresh(Sparsey, "create", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    workload.lacks(Sparsey, "no deferred commands");
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |world, number| world.create((kept(number),)));
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let (a, b, c, d, e, f, g, h, i) = wide(number);
        let entity = world.create((a, b, c, d, e));
        world.insert(entity, (f, g, h, i));
        entity
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&mut World, u32) -> Entity) {
    let entities = workload.elements();
    let setup = move || {
        let mut world = World::builder()
            .register::<Kept>()
            .register::<Toggled>()
            .register::<Wide1>()
            .register::<Wide2>()
            .register::<Wide3>()
            .register::<Wide4>()
            .register::<Wide5>()
            .register::<Wide6>()
            .register::<Wide7>()
            .register::<Wide8>()
            .build();
        let ids = (0..entities).map(|number| spawn(&mut world, number));
        let ids = ids.collect();
        State { world, ids }
    };
    add_remove::add(
        workload,
        Sparsey,
        "insert, delete",
        setup,
        |state| {
            for &id in &state.ids {
                assert!(state.world.insert(id, (Toggled(TOGGLED),)), "the entity is alive");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.delete::<(Toggled,)>(id);
            }
        },
        |world| {
            let mut query = world.query_all::<(&Kept, &Toggled)>();
            query.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = empty();
    let living = world.extend((0..entities).map(row)).to_vec();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "destroy, create",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.destroy(victim), "the entity was alive");
                world.create(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "destroy, extend",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.destroy(victim), "the entity was alive");
                }
                world.extend(births).to_vec()
            });
        },
        |state| digest(&mut state.world),
    );
}
