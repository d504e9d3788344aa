use ecs_core::statics::{system, world};

#[derive(Clone)]
struct Position(f32);
#[derive(Clone)]
struct Velocity(f32);
struct Unique;

world! { Game { Position, Velocity, Unique } }

fn main() {
    let mut game = Game::new();
    system!(game, |p: &Position| -> Position { p.clone() });
    system!(game, |p: Position, v: Velocity| -> Position { p });
    system!(game, |p: Position, v: &mut Velocity| -> Position { p });
    system!(game, |p: Position| -> (Position, Position) { (p.clone(), p) });
    system!(game, |p: Position| -> () {});
    system!(game, |u: Unique| -> Unique { u });
    system!(game, |p: Position| -> Position { p.0 });
}

//~ system!(game, |p: &Position| -> Position { p.clone() });
//~ v: Velocity
//~ &mut Velocity
//~ system!(game, |p: Position| -> (Position, Position) { (p.clone(), p) });
//~ -> ()
//~ u: Unique
//~ p.0
