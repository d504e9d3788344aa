use ecs_core::statics::{system, world};

struct Position(f32);
struct Velocity(f32);
type Place = Position;

world! { Game { Position, Velocity } }

fn main() {
    let mut game = Game::new();
    system!(game, |a: &mut Position, v: &Velocity, b: &mut Position| a.0 += b.0 + v.0);
    system!(game, |a: &Position, b: Option<&mut Position>| drop((a, b)));
    system!(game, |a: &mut Position, v: &Velocity, b: &Place| a.0 += b.0 + v.0);
    system!(game, |a: &mut Position, b: &mut Place| a.0 += b.0);
    system!(game, |a: &Position, b: &Place| drop((a, b)));
}

//~ b: &mut Position
//~ b: Option<&mut Position
//~ system!(game, |a: &mut Position, v: &Velocity, b: &Place| a.0 += b.0 + v.0);
//~ b: &mut Place
