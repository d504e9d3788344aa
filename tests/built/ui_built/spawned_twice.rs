use ecs_core::statics::{spawn, world};

struct Position;
struct Velocity;
type Place = Position;

world! { Game { Position, Velocity } }

fn main() {
    let mut game = Game::new();
    let place: Place = Position;
    spawn!(game; Position, Velocity, place);
}

//~ spawn!(game; Position, Velocity, place)
