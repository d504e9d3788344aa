//! Structural changes.

use ecs_core::Entity;
use ecs_core::statics::{StaticWorld, system, world};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Closed;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept};
use crate::workloads::churn;
use crate::workloads::waves::{self, LIVING};

world! { pub(super) Rows { Transform, Position, Rotation, Velocity } }

fn digest(world: &mut Rows) -> u64 {
    let mut rows = Vec::new();
    system!(world, |t: &Transform, p: &Position, r: &Rotation, v: &Velocity| {
        rows.push((*t, *p, *r, *v));
    });
    digest_rows(rows.iter().map(|(t, p, r, v)| (t, p, r, v)))
}

/// One by one, because there is no bulk call.
pub(super) fn spawn(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = Rows::new();
        for number in 0..entities {
            world.spawn(row(number));
        }
        world
    };
    workload.add_fresh(Closed, "spawn", make, digest);
}

fn living(entities: u32) -> churn::State<Rows, Entity> {
    let mut world = Rows::new();
    let living = (0..entities).map(|number| world.spawn(row(number)));
    let living = living.collect();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Closed,
        "despawn, spawn",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("the entity was alive");
                world.spawn(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Closed,
        "despawn, spawn",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    world.despawn(victim).expect("the entity was alive");
                }
                births.map(|born| world.spawn(born)).collect()
            });
        },
        |state| digest(&mut state.world),
    );
}

world! { Waves { Position, Rotation, Velocity } }

pub(super) fn waves(workload: &mut Workload) {
    waves::add(
        workload,
        Closed,
        "despawn, spawn",
        || -> (Waves, Vec<Entity>) {
            let mut world = Waves::new();
            let ids = (0..LIVING).map(|number| world.spawn(waves::row(number)));
            let ids = ids.collect();
            (world, ids)
        },
        |world, victims, numbers, born| {
            for &victim in victims {
                world.despawn(victim).expect("the entity was alive");
            }
            born.extend(numbers.map(|number| world.spawn(waves::row(number))));
        },
        |world| {
            let mut rows = Vec::new();
            system!(world, |p: &Position, r: &Rotation, v: &Velocity| {
                rows.push((*p, *r, *v));
            });
            waves::digest(rows.iter().map(|(p, r, v)| (p, r, v)))
        },
    );
}

world! { Toggling { Kept, Toggled } }

pub(super) fn add_remove(workload: &mut Workload) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Closed,
        "insert, remove",
        move || {
            let mut world = Toggling::new();
            let ids = (0..entities).map(|number| world.spawn((kept(number),)));
            let ids = ids.collect();
            State { world, ids }
        },
        |state| {
            for &id in &state.ids {
                let inserted = state.world.insert(id, Toggled(TOGGLED));
                inserted.expect("the entity is alive");
            }
        },
        |state| {
            for &id in &state.ids {
                let removed = state.world.remove::<Toggled>(id);
                removed.expect("the entity is alive");
            }
        },
        |world| {
            let mut pairs = Vec::new();
            system!(world, |kept: &Kept, toggled: &Toggled| {
                pairs.push([kept.0, toggled.0]);
            });
            pairs
        },
    );
}
