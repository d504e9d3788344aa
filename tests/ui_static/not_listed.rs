use ecs_core::prelude::*;
use ecs_core::statics::{StaticWorld, component, component_mut, spawn, system, world};

struct Position(f32);
#[derive(Clone)]
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
    system!(game, |id, Mana(mana): &Mana| drop((id, *mana)));
    system!(game, |v: &Velocity, Mana(mana): &mut Mana| *mana += 1);
    system!(game, |mana: &mut Mana| {
        *mana = Mana(mana.0.max(1));
        if mana.0 > 3 {
            mana.0 = 3;
        }
    });
    system!(game, |p: &Position, old: Mana| -> Mana { Mana(old.0 + 1) });
    let _ = component!(game, Mana);
    component_mut!(game, Mana).iter_mut().for_each(|mana| mana.0 = 1);
}

//~ let hero = spawn!(game; Position(0.0), Mana(1));
//~ let _ = game.get::<Mana
//~ let _ = game.insert(hero, Mana(1));
//~ mana: &Mana
//~ mana: Option<&mut Mana
//~ system!(game, |id, Mana(mana): &Mana| drop((id, *mana)));
//~ system!(game, |v: &Velocity, Mana(mana): &mut Mana| *mana += 1);
//~ mana: &mut Mana
//~ old: Mana
//~ let _ = component!(game, Mana);
//~ component_mut!(game, Mana).iter_mut().for_each(|mana| mana.0 = 1);
