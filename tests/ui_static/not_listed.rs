use ecs_core::prelude::*;
use ecs_core::statics::system;

struct Position(f32);
struct Mana(u8);

struct Velocity;
world! { Game { Position, Velocity } }

fn main() {
    let mut game = Game::new();
    let hero = spawn!(game; Position(0.0), Mana(1));
    let _ = game.get::<Mana>(hero);
    let _ = game.insert(hero, Mana(1));
    system!(game, |position: &mut Position, mana: &Mana| position.0 += f32::from(mana.0));
    system!(game, |mana: Option<&mut Mana>| drop(mana));
    let _ = component!(game, Mana);
}
