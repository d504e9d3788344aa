//! More items than a query can have.

use ecs_core::prelude::*;

#[derive(Component)]
struct P;

#[system(for_each)]
fn many(
    _: &P, _: &P, _: &P, _: &P, _: &P, _: &P, _: &P, _: &P,
    _: &P, _: &P, _: &P, _: &P, _: &P, _: &P, _: &P, _: &P,
    _: Option<&P>, _: Entity,
) {
}

fn main() {}

//~ Option<&P>
