//! The automatic player.

use std::collections::HashSet;

use ecs_core::prelude::*;

use crate::roguelike::components::{CarriedBy, Health, Hero, Item, Monster};
use crate::roguelike::{Key, Map, Position, Sight, Tile, first_step};

/// Chooses the key of a careful player who knows only the screen.
#[system]
pub fn autopilot(
    heroes: Query<(Entity, &Position, &Health), With<Hero>>,
    monsters: Query<&Position, With<Monster>>,
    items: Query<&Position, With<Item>>,
    pack: Query<(&Item, &CarriedBy)>,
    map: Res<Map>,
    sight: Res<Sight>,
) -> Key {
    let Ok((hero, here, health)) = heroes.single() else {
        return Key::Wait;
    };
    let has_potion = pack
        .iter()
        .any(|(item, owner)| *item == Item::Potion && owner.0 == hero);
    if has_potion && health.now * 2 < health.max {
        return Key::Drink;
    }
    if items.iter().any(|at| at == here) {
        return Key::PickUp;
    }
    let foes: HashSet<Position> = monsters
        .iter()
        .copied()
        .filter(|at| sight.sees(*at))
        .collect();
    let loot: HashSet<Position> = items
        .iter()
        .copied()
        .filter(|at| sight.knows(*at))
        .collect();
    let is_open = |at| {
        sight.knows(at)
            && map.is_passable(at)
            // The stairs come last.
            && map.tile(at) != Tile::Stairs
            && !foes.contains(&at)
    };
    let wants: [&dyn Fn(Position) -> bool; 4] = [
        &|at| foes.contains(&at),
        &|at| loot.contains(&at),
        &|at| map.contains(at) && !sight.knows(at),
        &|at| sight.knows(at) && map.tile(at) == Tile::Stairs,
    ];
    wants
        .into_iter()
        .find_map(|want| first_step(*here, want, is_open))
        .map_or(Key::Wait, Key::Walk)
}
