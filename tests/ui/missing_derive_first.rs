// The missing derive is reported before the errors that it causes in the body.
use ecs_core::prelude::*;

struct Health(f32);

#[system]
fn heal(mut health: CompMut<Health>) {
    for health in health.iter_mut() {
        health.0 += 1.0;
    }
}

fn main() {}

//~ CompMut<Health>
