//! Structural changes.

use shipyard::{EntitiesView, EntityId, IntoIter, Remove, View, ViewMut, World};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn;

type Views<'w> = (
    View<'w, Transform>,
    View<'w, Position>,
    View<'w, Rotation>,
    View<'w, Velocity>,
);

fn digest(world: &mut World) -> u64 {
    world.run(|(transforms, positions, rotations, velocities): Views| {
        digest_rows((&transforms, &positions, &rotations, &velocities).iter())
    })
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        world.bulk_add_entity((0..entities).map(row));
        world
    };
    workload.add_fresh(Shipyard, "bulk_add_entity", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        for number in 0..entities {
            world.add_entity(row(number));
        }
        world
    };
    workload.add_fresh(Shipyard, "add_entity", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    workload.lacks(Shipyard, "no deferred commands");
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |world, number| world.add_entity((kept(number),)));
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let (a, b, c, d, e, f, g, h, i) = wide(number);
        world.add_entity((a, b, c, d, e, f, g, h, i))
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&mut World, u32) -> EntityId) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Shipyard,
        "add_component, remove",
        move || {
            let mut world = World::new();
            let ids = (0..entities).map(|number| spawn(&mut world, number));
            let ids = ids.collect();
            State { world, ids }
        },
        |state| {
            let ids = &state.ids;
            state.world.run(|entities: EntitiesView, mut toggled: ViewMut<Toggled>| {
                for &id in ids {
                    entities.add_component(id, &mut toggled, Toggled(TOGGLED));
                }
            });
        },
        |state| {
            let ids = &state.ids;
            state.world.run(|mut toggled: ViewMut<Toggled>| {
                for &id in ids {
                    toggled.remove(id);
                }
            });
        },
        |world| {
            world.run(|kept: View<Kept>, toggled: View<Toggled>| {
                let pairs = (&kept, &toggled).iter();
                pairs.map(|(a, b)| [a.0, b.0]).collect()
            })
        },
    );
}

fn living(entities: u32) -> churn::State<World, EntityId> {
    let mut world = World::new();
    let living = world.bulk_add_entity((0..entities).map(row)).collect();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "delete_entity, add_entity",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.delete_entity(victim), "the entity was alive");
                world.add_entity(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "delete_entity, bulk_add_entity",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.delete_entity(victim), "the entity was alive");
                }
                world.bulk_add_entity(births).collect()
            });
        },
        |state| digest(&mut state.world),
    );
}
