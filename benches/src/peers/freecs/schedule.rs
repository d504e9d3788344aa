//! Systems in a schedule.

use std::mem::swap;

use freecs::Schedule;

use super::worlds::systems::{MASK_A, MASK_B, MASK_C, MASK_D, MASK_E, TINY, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::schedule::{
    EACH, TINY_ENTITIES, TINY_SYSTEMS, digest, row, tiny_digest,
};

fn swap_ab(world: &mut World) {
    world.for_each_mut(MASK_A | MASK_B, 0, |_, table, row| {
        swap(&mut table.a[row].0, &mut table.b[row].0);
    });
}

fn swap_cd(world: &mut World) {
    world.for_each_mut(MASK_C | MASK_D, 0, |_, table, row| {
        swap(&mut table.c[row].0, &mut table.d[row].0);
    });
}

fn swap_ce(world: &mut World) {
    world.for_each_mut(MASK_C | MASK_E, 0, |_, table, row| {
        swap(&mut table.c[row].0, &mut table.e[row].0);
    });
}

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Freecs,
        "Schedule",
        || {
            let mut world = World::default();
            let kinds = [0, MASK_C, MASK_C | MASK_D, MASK_C | MASK_E];
            for more in kinds {
                let mut rows = (0..EACH).map(row);
                world.spawn_batch(MASK_A | MASK_B | more, EACH as usize, |table, at| {
                    let (a, b, c, d, e) = rows.next().expect("the number of requested entities");
                    (table.a[at], table.b[at]) = (a, b);
                    if more & MASK_C != 0 {
                        table.c[at] = c;
                    }
                    if more & MASK_D != 0 {
                        table.d[at] = d;
                    }
                    if more & MASK_E != 0 {
                        table.e[at] = e;
                    }
                });
            }
            let mut schedule = Schedule::new();
            schedule.push("swap_ab", swap_ab);
            schedule.push("swap_cd", swap_cd);
            schedule.push("swap_ce", swap_ce);
            (world, schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| digest(world.query_a().map(|a| a.0), world.query_c().map(|c| c.0)),
    );
}

fn add_one(world: &mut World) {
    world.for_each_tiny_mut(|tiny| tiny.0 += 1.0);
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Freecs,
        "Schedule",
        || {
            let mut world = World::default();
            world.spawn_batch(TINY, TINY_ENTITIES as usize, |_, _| {});
            let mut schedule = Schedule::new();
            for number in 0..TINY_SYSTEMS {
                // Names are `'static`; its documentation recommends that.
                let name = Box::leak(format!("tiny {number}").into_boxed_str());
                schedule.push(name, add_one);
            }
            (world, schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| tiny_digest(world.query_tiny().map(|tiny| tiny.0)),
    );
}
