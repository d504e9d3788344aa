use ecs_core::statics::{system, world};

struct Position(f32);
struct Velocity(f32);

world! { Game { Position, Velocity } }

fn main() {
    let mut game = Game::new();
    system!(game, |position: &Position, velocity, id: Entity, _: Velocity| {});
    system!(game, || {});
    system!(game, |velocity: &mut _| {});
    system!(game, |position: &mut Position, speed: Res<f32>| position.0 += *speed);
    system!(game, |id: Entity, position: &Position, mut commands: Commands| commands.despawn(id));
}

//~ system!(game, |position: &Position, velocity
//~ system!(game, |position: &Position, velocity, id
//~ _: Velocity
//~ system!(game, || {});
//~ system!(game, |velocity: &mut _| {});
//~ speed: Res<f32>
//~ mut commands: Commands
