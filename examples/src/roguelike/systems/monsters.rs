//! The actions of monsters.

use std::collections::HashSet;

use ecs_core::prelude::*;

use crate::roguelike::components::{Health, Hero, Hunting, Monster, Name, Step};
use crate::roguelike::{Direction, Log, Map, Position, Rng, Sight, first_step};

/// Lets monsters in view notice the hero and hunt.
#[system(for_each, with(Monster), without(Hunting))]
pub fn notice(
    monster: Entity,
    at: &Position,
    Name(name): &Name,
    heroes: Query<Entity, With<Hero>>,
    sight: Res<Sight>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    if !sight.sees(*at) {
        return;
    }
    for hero in &heroes {
        log.say(format!("The {name} notices you."));
        commands.insert(monster, Hunting(hero));
    }
}

/// Ends hunts for targets that are gone.
#[system(for_each)]
pub fn give_up(
    hunter: Entity,
    Hunting(target): &Hunting,
    entities: Entities,
    mut commands: Commands,
) {
    if !entities.contains(*target) {
        commands.remove::<Hunting>(hunter);
    }
}

/// Moves hunters along shortest paths to their targets, around each other.
#[system]
pub fn chase(
    mut steps: CompMut<Step>,
    hunters: Comp<Hunting>,
    places: Comp<Position>,
    bodies: Comp<Health>,
    map: Res<Map>,
) {
    let taken: HashSet<Position> = places.include(&bodies).iter().copied().collect();
    let is_free = |at| map.is_passable(at) && !taken.contains(&at);
    for (step, from, Hunting(target)) in (&mut steps, &places, &hunters).iter() {
        step.0 = places
            .get(*target)
            .and_then(|goal| first_step(*from, |at| at == *goal, is_free));
    }
}

/// Moves monsters without a target at random.
#[system(for_each, with(Monster), without(Hunting))]
pub fn wander(step: &mut Step, mut rng: ResMut<Rng>) {
    let way = rng.roll(0..=11) as usize;
    step.0 = Direction::ALL.get(way).copied();
}
