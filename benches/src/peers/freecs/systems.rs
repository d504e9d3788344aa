//! Many tiny systems over twenty components of one entity.

use freecs::Schedule;

use super::worlds::linked::*;
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::linked;
use crate::workloads::systems;

/// Calls `$action!(field, setter, loop, query)` for each component.
macro_rules! for_each_field {
    ($action:ident) => {
        $action!(set_l0 for_each_l0_mut query_l0 L0);
        $action!(set_l1 for_each_l1_mut query_l1 L1);
        $action!(set_l2 for_each_l2_mut query_l2 L2);
        $action!(set_l3 for_each_l3_mut query_l3 L3);
        $action!(set_l4 for_each_l4_mut query_l4 L4);
        $action!(set_l5 for_each_l5_mut query_l5 L5);
        $action!(set_l6 for_each_l6_mut query_l6 L6);
        $action!(set_l7 for_each_l7_mut query_l7 L7);
        $action!(set_l8 for_each_l8_mut query_l8 L8);
        $action!(set_l9 for_each_l9_mut query_l9 L9);
        $action!(set_l10 for_each_l10_mut query_l10 L10);
        $action!(set_l11 for_each_l11_mut query_l11 L11);
        $action!(set_l12 for_each_l12_mut query_l12 L12);
        $action!(set_l13 for_each_l13_mut query_l13 L13);
        $action!(set_l14 for_each_l14_mut query_l14 L14);
        $action!(set_l15 for_each_l15_mut query_l15 L15);
        $action!(set_l16 for_each_l16_mut query_l16 L16);
        $action!(set_l17 for_each_l17_mut query_l17 L17);
        $action!(set_l18 for_each_l18_mut query_l18 L18);
        $action!(set_l19 for_each_l19_mut query_l19 L19);
    };
}

/// Sets one component after the other.
fn world() -> World {
    let mut world = World::default();
    let entity = world.spawn_batch(0, 1, |_, _| {})[0];
    macro_rules! set {
        ($set:ident $each:ident $query:ident $component:ident) => {
            world.$set(entity, linked::$component(0.0));
        };
    }
    for_each_field!(set);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($set:ident $each:ident $query:ident $component:ident) => {
            values.extend(world.$query().map(|one| one.0));
        };
    }
    for_each_field!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements() as usize;
    workload.add(
        Freecs,
        "Schedule",
        move || {
            let mut all: Vec<fn(&mut World)> = Vec::new();
            macro_rules! add {
                ($set:ident $each:ident $query:ident $component:ident) => {
                    all.push(|world| world.$each(|one| one.0 += 1.0));
                };
            }
            for_each_field!(add);
            let mut schedule = Schedule::new();
            for number in 0..systems {
                // Names are `'static`; its documentation recommends that.
                let name = Box::leak(format!("tiny {number}").into_boxed_str());
                schedule.push(name, all[number % all.len()]);
            }
            (world(), schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| digest(world),
    );
}
