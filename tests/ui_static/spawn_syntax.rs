use ecs_core::statics::{StaticWorld, add_entity, spawn, system, world};

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

//~ spawn!(game, Position);
//~ add_entity!(game);
//~ spawn!(; Position);
//~ game.spawn(Position);
//~ system!(game);
//~ system!(game, Position);
//~ system!(game, |position: &Position|)
