use ecs_core::prelude::*;
use ecs_core::statics::{system, world};

#[derive(Clone)]
struct Position(f32);
#[derive(Clone)]
struct Mana(u8);
#[derive(Clone)]
struct Rage(u8);

world! { Game { Position } }

fn main() {
    let mut game = Game::new();
    system!(game, |p: Position, mana: Mana| -> (Position, Mana) { (p, Mana(mana.0 + 1)) });
    system!(game, |p: Position, mana: &Mana| -> Position { Position(f32::from(mana.0)) });
    // Two errors.
    system!(game, |mana: Mana, rage: Rage| -> (Mana, Rage) { (Mana(rage.0), Rage(mana.0)) });
}

//~ system!(game, |p: Position, mana: Mana| -> (Position, Mana) { (p, Mana(mana.0 + 1)) });
//~ mana: &Mana
//~ system!(game, |mana: Mana
//~ rage: Rage
