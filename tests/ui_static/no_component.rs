//! `system!` on a `World`.

use ecs_core::prelude::*;
use ecs_core::statics::system;

#[derive(Component)]
struct Position(f32);
#[derive(Clone)]
struct Mana(u8);

fn main() {
    let world = World::new();
    system!(world, |position: &mut Position, mana: &Mana| position.0 += f32::from(mana.0));
    system!(world, |mana: &mut Mana| mana.0 += 1);
    system!(world, |mana: Option<&mut Mana>| drop(mana));
    system!(world, |p: &Position, old: Mana| -> Mana { Mana(old.0 + 1) });
}

//~ mana: &Mana
//~ mana: &mut Mana
//~ mana: Option<&mut Mana
//~ old: Mana
