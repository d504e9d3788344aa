//! Steps, and their outcomes.

use std::collections::HashMap;

use ecs_core::prelude::*;
use ecs_core::query::SingleError;

use crate::roguelike::components::{CarriedBy, Health, Hero, Step, Stunned};
use crate::roguelike::spawn::enter_level;
use crate::roguelike::{Attack, Depth, Log, Map, Outcome, Position, Tile};

/// Performs the steps of one `Side`: to a free place, against a door, or against an enemy.
#[system]
pub fn walk<Side: Component>(
    side: Comp<Side>,
    stunned: Comp<Stunned>,
    steps: Comp<Step>,
    bodies: Comp<Health>,
    mut places: CompMut<Position>,
    mut map: ResMut<Map>,
    mut attacks: EventWriter<Attack>,
) {
    let mut taken: HashMap<Position, Entity> = places
        .include(&bodies)
        .with_entity()
        .iter()
        .map(|(id, at)| (*at, id))
        .collect();
    for (id, (at, step)) in (&mut places, &steps)
        .include(&side)
        .exclude(&stunned)
        .with_entity()
        .iter()
    {
        let Some(direction) = step.0 else { continue };
        let to = *at + direction;
        match taken.get(&to) {
            Some(&victim) if !side.contains(victim) => attacks.send(Attack {
                attacker: id,
                victim,
            }),
            None if map.is_walkable(to) => {
                taken.remove(at);
                taken.insert(to, id);
                *at = to;
            }
            _ => {
                map.open_door(to);
            }
        }
    }
}

/// A condition: the hero is on stairs.
#[system]
pub fn on_stairs(map: Res<Map>, heroes: Comp<Hero>, places: Comp<Position>) -> bool {
    places
        .include(&heroes)
        .iter()
        .any(|at| map.tile(*at) == Tile::Stairs)
}

/// Leads the hero with the pack, and no other entity, to the next level.
#[system]
pub fn take_stairs(
    heroes: Query<Entity, With<Hero>>,
    others: Query<Entity, (Without<Hero>, Without<CarriedBy>)>,
    mut depth: ResMut<Depth>,
    mut outcome: ResMut<Outcome>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) -> Result<(), SingleError> {
    let Some(level) = depth.descend() else {
        log.say("You step out into the sun: you have won! Press q to leave the game.");
        *outcome = Outcome::Won;
        return Ok(());
    };
    log.say(format!("You go down the stairs to {}.", level.name));
    for other in &others {
        commands.despawn(other);
    }
    let hero = heroes.single()?;
    commands.queue(move |world: &mut World| enter_level(world, hero, level));
    Ok(())
}
