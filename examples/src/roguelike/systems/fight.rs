//! Attacks, their effects, and death.

use ecs_core::prelude::*;

use crate::roguelike::components::{Health, Hero, Name, Poisoned, SideEffect, Strength, Stunned};
use crate::roguelike::{Attack, Log, Outcome, Rng, Tally};

/// Resolves attacks in order; attacks by dead entities are dropped.
#[system]
pub fn fight(
    mut attacks: EventReader<Attack>,
    fighters: Query<(&Name, &Strength, Option<&SideEffect>)>,
    heroes: Comp<Hero>,
    mut health: CompMut<Health>,
    mut rng: ResMut<Rng>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    for &Attack { attacker, victim } in attacks.read() {
        if health
            .get(attacker)
            .is_none_or(|attacker| attacker.now <= 0)
        {
            continue;
        }
        let (Some((Name(name), strength, effect)), Some((Name(other), ..)), Some(hurt)) = (
            fighters.get(attacker),
            fighters.get(victim),
            health.get_mut(victim),
        ) else {
            continue;
        };
        let damage = rng.roll(1..=strength.0);
        hurt.now -= damage;
        log.say(if heroes.contains(attacker) {
            format!("You hit the {other} for {damage}.")
        } else {
            format!("The {name} hits you for {damage}.")
        });
        match effect {
            Some(SideEffect::Poison) if rng.one_in(3) => {
                commands.insert(victim, Poisoned { turns: 4 });
            }
            Some(SideEffect::Stun) if rng.one_in(3) => {
                commands.insert(victim, Stunned { turns: 1 });
            }
            _ => {}
        }
    }
}

/// Applies poison, and lets it wear off.
#[system(for_each)]
pub fn suffer(id: Entity, poison: &mut Poisoned, health: &mut Health, mut commands: Commands) {
    health.now -= 1;
    poison.turns -= 1;
    if poison.turns == 0 {
        commands.remove::<Poisoned>(id);
    }
}

/// Lets stunning wear off.
#[system(for_each)]
pub fn recover(id: Entity, stun: &mut Stunned, mut commands: Commands) {
    stun.turns -= 1;
    if stun.turns == 0 {
        commands.remove::<Stunned>(id);
    }
}

/// Despawns entities without health.
#[system(for_each)]
pub fn bury(
    id: Entity,
    health: &Health,
    Name(name): &Name,
    heroes: Comp<Hero>,
    mut tally: ResMut<Tally>,
    mut outcome: ResMut<Outcome>,
    mut log: ResMut<Log>,
    mut commands: Commands,
) {
    if health.now > 0 {
        return;
    }
    commands.despawn(id);
    if heroes.contains(id) {
        *outcome = Outcome::Died;
        log.say("You die. Press q to leave the game.");
    } else {
        tally.slain += 1;
        log.say(format!("The {name} dies."));
    }
}
