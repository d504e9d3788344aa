use ecs_core::prelude::*;
use ecs_core::statics::system;

struct Position;

world! { Game { Position } }

fn main() {
    let mut game = Game::new();
    spawn!(game, Position);
    add_entity!(game);
    spawn!(; Position);
    game.spawn(Position);
    system!(game);
    system!(game, Position);
    system!(game, |position: &Position|);
}
