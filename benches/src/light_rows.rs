//! Loops over few rows with little work, whose count is that of the call: no report shows them, only the guard of
//! instructions does.

use ecs_core::prelude::*;

use crate::workloads::schedule::Tiny;

/// The name of the workload.
pub const NAME: &str = "light_rows";

/// Runs the loop `form` a number of times: the number of rows and the method. Returns false if there is no such loop.
#[must_use]
pub fn run(form: &str, runs: u32) -> bool {
    let Some((rows, method)) = form.split_once(", ") else {
        return false;
    };
    let Ok(rows) = rows.parse::<u32>() else {
        return false;
    };
    let mut world = World::new();
    world.spawn_batch((0..rows).map(|_| Tiny(0.0)));
    let mut all = world.view_mut::<Tiny>();
    for _ in 0..runs {
        match method {
            "for_each" => (&mut all).for_each(|tiny| tiny.0 += 1.0),
            "par_for_each" => (&mut all).par_for_each(|tiny| tiny.0 += 1.0),
            _ => return false,
        }
    }
    true
}
