//! Filling the world with the entities of a level.

use ecs_core::prelude::*;
use ratatui::style::Color;

use super::components::{Glyph, Health, Hero, Item, Monster, Name, SideEffect, Step, Strength};
use super::{Level, Position, Rng, Sight, Thing};

/// Spawns the hero, without a position.
pub(super) fn spawn_hero(world: &mut World) -> Entity {
    world.spawn((
        Hero,
        Name("hero"),
        Glyph {
            symbol: '@',
            color: Color::White,
        },
        Health::full(30),
        Strength(4),
        Step::default(),
    ))
}

/// Places the hero at the start of `level`, and spawns everything else there.
pub(super) fn enter_level(world: &mut World, hero: Entity, level: Level) {
    // A dead hero is not placed.
    let _ = world.insert(hero, level.start);
    for (at, thing) in level.things {
        spawn_thing(world, at, thing);
    }
    world.insert_resource(Sight::new(&level.map));
    world.insert_resource(level.map);
}

fn spawn_thing(world: &mut World, at: Position, thing: Thing) {
    match thing {
        Thing::Rat => {
            world.spawn((at, monster("rat", 'r', Color::Yellow, 4, 2)));
        }
        Thing::Snake => {
            let snake = monster("snake", 's', Color::Green, 6, 2);
            world.spawn((at, snake, SideEffect::Poison));
        }
        Thing::Ogre => {
            let ogre = monster("ogre", 'O', Color::Red, 14, 5);
            world.spawn((at, ogre, SideEffect::Stun));
        }
        Thing::Potion => {
            world.spawn((at, item("potion", '!', Color::Magenta), Item::Potion));
        }
        Thing::Sword => {
            world.spawn((at, item("sword", '/', Color::Cyan), Item::Sword));
        }
        Thing::Gold => {
            let coins = world.resource_mut::<Rng>().roll(5..=20);
            let gold = item("gold", '$', Color::LightYellow);
            world.spawn((at, gold, Item::Gold(coins)));
        }
    }
}

fn monster(
    name: &'static str,
    symbol: char,
    color: Color,
    health: i32,
    strength: i32,
) -> impl Bundle {
    (
        Monster,
        Name(name),
        Glyph { symbol, color },
        Health::full(health),
        Strength(strength),
        Step::default(),
    )
}

fn item(name: &'static str, symbol: char, color: Color) -> impl Bundle {
    (Name(name), Glyph { symbol, color })
}
