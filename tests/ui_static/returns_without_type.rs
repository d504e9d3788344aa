//! A `system!` whose closure returns new values needs their types, and takes the old ones by value.

use ecs_core::prelude::*;
use ecs_core::statics::{system, world};

#[derive(Component)]
pub struct Velocity(f32);
#[derive(Component)]
pub struct Input(f32);
world! { Game { Velocity, Input } }

fn main() {
    let mut game = Game::new();
    system!(game, |_id, velocity: &Velocity, input: &Input| {
        let mut new = Velocity(velocity.0);
        new.0 += input.0;
        new
    });
    let world = World::new();
    system!(world, |velocity: &Velocity| velocity.0);
    system!(world, |velocity: &mut Velocity| if velocity.0 > 1.0 { return 1 } else { panic!() });
}

//~ { let mut new = Velocity(velocity.0); new.0 += input.0; new }
//~ &Velocity| velocity.0
//~ if velocity.0 > 1.0 { return 1 } else { panic!() }
