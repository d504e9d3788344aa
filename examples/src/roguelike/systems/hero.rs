//! The actions of the hero.

use ecs_core::prelude::*;

use crate::roguelike::components::{
    CarriedBy, Health, Hero, Item, Name, SideEffect, Step, Strength, Stunned,
};
use crate::roguelike::{Input, Key, Log, Map, Position, Sight, Tally};

/// Counts turns.
#[system]
pub fn count_turn(mut tally: ResMut<Tally>) {
    tally.turns += 1;
}

/// Turns the player's key into the hero's step.
#[system(for_each, with(Hero))]
pub fn obey(step: &mut Step, stunned: Option<&Stunned>, input: Res<Input>, mut log: ResMut<Log>) {
    if stunned.is_some() {
        log.say("You are stunned.");
    }
    step.0 = match input.0 {
        Key::Walk(direction) => Some(direction),
        _ => None,
    };
}

/// A condition: the player pressed the key to pick something up.
#[system]
pub fn wants_to_pick_up(input: Res<Input>) -> bool {
    input.0 == Key::PickUp
}

/// Picks up the item at the hero's place.
#[system(for_each, with(Hero), without(Stunned))]
pub fn pick_up(
    hero: Entity,
    here: &Position,
    strength: &mut Strength,
    items: Query<(Entity, &Position, &Item, &Name)>,
    mut tally: ResMut<Tally>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    let found = items.iter().find(|(_, at, ..)| *at == here);
    let Some((id, _, item, Name(name))) = found else {
        return log.say("There is nothing to pick up.");
    };
    if let Item::Gold(coins) = item {
        tally.gold += coins;
        log.say(format!("You find {coins} gold."));
        return commands.despawn(id);
    }
    if *item == Item::Sword {
        strength.0 += 3;
        commands.insert(hero, SideEffect::Stun);
    }
    log.say(format!("You take the {name}."));
    commands.remove::<Position>(id);
    commands.insert(id, CarriedBy(hero));
}

/// A condition: the player pressed the key to drink.
#[system]
pub fn wants_to_drink(input: Res<Input>) -> bool {
    input.0 == Key::Drink
}

/// Drinks a potion from the hero's pack.
#[system(for_each, with(Hero), without(Stunned))]
pub fn drink(
    hero: Entity,
    health: &mut Health,
    pack: Query<(Entity, &Item, &CarriedBy)>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    let potion = pack
        .iter()
        .find(|(_, item, owner)| **item == Item::Potion && owner.0 == hero);
    let Some((potion, ..)) = potion else {
        return log.say("You have no potion.");
    };
    health.now = health.max.min(health.now + 12);
    log.say("You drink the potion and feel better.");
    commands.despawn(potion);
}

/// Updates the hero's field of view.
#[system(for_each, with(Hero))]
pub fn look(from: &Position, map: Res<Map>, mut sight: ResMut<Sight>) {
    sight.look(&map, *from);
}
