//! Look-ups by id.

use ecs_core::Entity;
use ecs_core::statics::{StaticWorld, component, spawn, system, world};

use super::change::Rows;
use crate::components::{Position, row};
use crate::peers::Peer::Closed;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Closed,
        "get",
        move || -> State<Rows, Entity> {
            let mut world = Rows::new();
            let ids = (0..entities).map(|number| world.spawn(row(number)));
            let ids = ids.collect();
            State::new(world, ids)
        },
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                world.get::<Position>(id).map(|position| position.0.x)
            });
        },
        |state| state.sum,
    );
}

/// The parent of an entity, and a value.
struct Link {
    parent: Option<Entity>,
    value: f32,
}

/// The sum of the values of the ancestors.
#[derive(Clone)]
struct Sum(f32);

world! { Links { Link, Sum } }

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Closed,
        "system!, read all, then write all",
        move || {
            let mut world = Links::new();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(spawn!(world; Link { parent, value }, Sum(0.0)));
            }
            world
        },
        |world| {
            system!(world, |_sum: Sum, link: &Link| -> Sum {
                Sum(links::sum_up(link.parent, |id| {
                    world.get::<Link>(id).map(|link| (link.value, link.parent))
                }))
            });
        },
        |world| frag::digest(component!(world, Sum).iter().map(|sum| sum.0)),
    );
}
