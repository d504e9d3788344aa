//! Random steps of a program.

use ecs_core::Disabled;
use ecs_core::dynamic::DynamicMut;
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};
use ecs_core::toggle::Toggle;
use ecs_core::world::Layout;
use proptest::prelude::*;

use super::model::{Choice, all_of, members};
use super::{
    Active, Asleep, Fast, Flag, Follows, Glow, Kind, Lamp, Likes, Lit, Local, Mark, Notes, Owner,
    PartOf, Place, Shield, Simulated, Spark, Text, dynamic, dynamic_value,
};

/// The kind of a step, an entity, another one, a number.
pub(super) type Step = (u8, usize, usize, u32);

pub(super) fn any_step() -> impl Strategy<Value = Step> {
    (0..60_u8, 0..40_usize, 0..40_usize, 0..1000_u32)
}

pub(super) fn steps(len: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(any_step(), 0..len)
}

/// The owner of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Of {
    /// The simulation, which knows only members.
    Members,
    /// The renderer, which changes only others.
    Others,
    /// The same, but others share no sparse set with members, so that loops over these have the same order as on a
    /// machine without others.
    OthersApart,
    /// A program that changes everything, including which entities are members.
    All,
}

fn pick(list: &[Entity], n: usize) -> Option<Entity> {
    (!list.is_empty()).then(|| list[n % list.len()])
}

/// One step of a program; members get simulated ids in it.
pub(super) fn step(world: &mut World, choice: Choice, of: Of, next: Step) {
    let (kind, which, other, number) = next;
    let members = members(world, choice);
    let mut others = all_of(world);
    others.retain(|entity| !members.contains(entity));
    let all: Vec<Entity> = members.iter().chain(&others).copied().collect();
    let changed = match of {
        Of::Members => &members,
        Of::Others | Of::OthersApart => &others,
        Of::All => &all,
    };
    let targets = if of == Of::Members { &members } else { &all };
    match (kind, of) {
        (0..=2, Of::Members | Of::All) => {
            world.with_simulated_ids(|world| spawn_member(world, number));
        }
        (3..=5, Of::Others | Of::OthersApart | Of::All) => spawn_other(world, number),
        (6..=8, _) => {
            if let Some(entity) = pick(changed, which) {
                world.despawn(entity).unwrap();
            }
        }
        (9..=39, _) => {
            if let Some(entity) = pick(changed, which) {
                change(world, entity, kind - 9, number);
            }
        }
        (40..=51, _) => {
            if let (Some(source), Some(target)) = (pick(changed, which), pick(targets, other))
                && source != target
            {
                let relation = match of {
                    Of::Members => kind % 3,
                    Of::OthersApart => 3,
                    _ => kind % 4,
                };
                relate(world, source, target, relation, number);
            }
        }
        (52 | 53, _) => {
            if let (Some(source), Some(target)) = (pick(changed, which), pick(targets, other)) {
                world.unrelate::<Likes>(source, target).unwrap();
                world.unrelate::<Owner>(source, target).unwrap();
            }
        }
        (54, Of::All) if number.is_multiple_of(4) => {
            if let Some(entity) = pick(changed, which) {
                match number / 4 % 4 {
                    0 => world.remove::<Simulated>(entity).unwrap(),
                    1 => world.insert(entity, Simulated).unwrap(),
                    2 => world.insert(entity, Local).unwrap(),
                    _ => world.remove::<Local>(entity).unwrap(),
                }
            }
        }
        (55, Of::All) => {
            if let Some(entity) = pick(&members, which) {
                world.remove::<Active>(entity).unwrap();
            }
        }
        (56, Of::All | Of::Members) if choice.name.contains("asleep") => {
            if let Some(entity) = pick(&members, which) {
                world.insert(entity, (Simulated, Asleep)).unwrap();
            }
        }
        _ => {}
    }
    if of == Of::OthersApart {
        let mut others = all_of(world);
        others.retain(|entity| !members.contains(entity));
        for entity in others {
            // They are the last ones of each set.
            world
                .remove::<(Fast, Notes, Lamp, Lit, Mark)>(entity)
                .unwrap();
            let [_, glow, _, mark] = dynamic();
            world.remove_erased(entity, glow).unwrap();
            world.remove_erased(entity, mark).unwrap();
        }
    }
}

/// A step of the simulation and one of the renderer, so that no entity changes sides.
pub(super) fn both(world: &mut World, choice: Choice, next: Step) {
    step(world, choice, Of::Members, next);
    step(world, choice, Of::Others, next);
}

/// Spawns an entity that passes all filters.
pub(super) fn spawn_member(world: &mut World, number: u32) {
    match number % 8 {
        0 => world.spawn((Simulated, Text::new(number))),
        1 => world.spawn((Simulated, Fast(number), Notes(vec![1]))),
        2 => world.spawn((Simulated, Active, Kind(number))),
        3 => world.spawn((Simulated, Shield(number), Lit(2), Place(2))),
        4 => world.spawn((Simulated, Lamp(vec![number]), Mark)),
        5 => world.spawn((Simulated, Flag, Disabled)),
        6 => {
            let entity = world.spawn((Simulated, Place(i64::from(number))));
            world
                .insert_dynamic(entity, dynamic_value(0, number))
                .unwrap();
            world
                .insert_dynamic(entity, dynamic_value(1, number))
                .unwrap();
            entity
        }
        _ => world.spawn((Simulated, Place(i64::from(number)))),
    };
}

fn spawn_other(world: &mut World, number: u32) {
    match number % 8 {
        0 => world.spawn((Local, Spark(number.to_string()))),
        1 => world.spawn((Local, Glow(number.to_string()), Text::new(number))),
        2 => world.spawn((Local, Fast(number), Notes(vec![number]), Place(3))),
        3 => world.spawn((Local, Shield(number), Lit(2), Place(3))),
        4 => world.spawn((Local, Lamp(vec![number]), Mark)),
        5 => world.spawn((Local, Flag, Disabled, Shield(1))),
        6 => {
            let entity = world.spawn((Local, Asleep, Kind(number)));
            world
                .insert_dynamic(entity, dynamic_value(0, number))
                .unwrap();
            world
                .insert_dynamic(entity, dynamic_value(1, number))
                .unwrap();
            entity
        }
        _ => world.spawn((Local, Kind(number), Fast(number))),
    };
}

/// Changes a component of an entity. Membership never changes, except for entities whose sleep decides it.
fn change(world: &mut World, entity: Entity, what: u8, number: u32) {
    let id = dynamic()[number as usize % 4];
    match what {
        0 => world.insert(entity, Place(i64::from(number))).unwrap(),
        1 => world.insert(entity, Text::new(number)).unwrap(),
        2 => world.insert(entity, Fast(number)).unwrap(),
        3 => world.insert(entity, Notes(vec![number; 2])).unwrap(),
        4 => world.insert(entity, Kind(number)).unwrap(),
        5 => world.insert(entity, Shield(number)).unwrap(),
        6 => world.insert(entity, Lamp(vec![number])).unwrap(),
        7 => world.insert(entity, Lit(number)).unwrap(),
        8 => world.insert(entity, (Flag, Mark)).unwrap(),
        9 => world.insert(entity, Disabled).unwrap(),
        10 => world.remove::<Text>(entity).unwrap(),
        11 => world.remove::<Fast>(entity).unwrap(),
        12 => world.remove::<(Notes, Kind)>(entity).unwrap(),
        13 => world.remove::<Place>(entity).unwrap(),
        14 => world.remove::<Shield>(entity).unwrap(),
        15 => world.remove::<Lamp>(entity).unwrap(),
        16 => world.remove::<Lit>(entity).unwrap(),
        17 => world.remove::<Flag>(entity).unwrap(),
        18 => world.remove::<Mark>(entity).unwrap(),
        19 => world.remove::<Disabled>(entity).unwrap(),
        20 => world.remove::<Asleep>(entity).unwrap(),
        21 | 22 => {
            let is_on = number.is_multiple_of(2);
            let (shield, lamp) = match is_on {
                true => (
                    world.turn_on::<Shield>(entity),
                    world.turn_on::<Lamp>(entity),
                ),
                false => (
                    world.turn_off::<Shield>(entity),
                    world.turn_off::<Lamp>(entity),
                ),
            };
            assert_eq!(
                (shield, lamp),
                (world.has::<Shield>(entity), world.has::<Lamp>(entity))
            );
        }
        23 => {
            let mut toggles = world.view_mut::<Toggle<Shield>>();
            if let Some(mut toggle) = toggles.get_mut(entity) {
                toggle.turn_off();
            }
        }
        24 => _ = world.view_mut::<Lit>().insert(entity, Lit(number)),
        25 => _ = world.view_mut::<Lit>().remove(entity),
        26 | 27 => world
            .insert_dynamic(entity, dynamic_value(number as usize, number))
            .unwrap(),
        28 => _ = world.remove_erased(entity, id).unwrap(),
        29 => {
            let id = dynamic()[number as usize % 2];
            let mut view = world.view_erased_mut(id);
            if let Some(value) = view.get_mut(entity) {
                DynamicMut::of(value)
                    .unwrap()
                    .set("text", "changed".to_owned())
                    .unwrap();
            }
        }
        _ => {
            if let Some(mut fast) = world.get_mut::<Fast>(entity) {
                fast.0 += 1;
            }
            if let Some(mut place) = world.get_mut::<Place>(entity) {
                place.0 += 1;
            }
        }
    }
}

fn relate(world: &mut World, source: Entity, target: Entity, relation: u8, number: u32) {
    match relation {
        0 => drop(world.relate(source, PartOf(number as u8), target)),
        1 => drop(world.relate(source, Owner, target)),
        2 => drop(world.relate(source, Likes(number.to_string()), target)),
        _ => drop(world.relate(source, Follows, target)),
    }
}

/// Removes from members everything that a snapshot cannot contain: values that cannot be copied, and edges to others.
pub(super) fn tidy(world: &mut World, choice: Choice) {
    let inside = members(world, choice);
    for &entity in &inside {
        world.remove::<(Spark, Glow)>(entity).unwrap();
        let mut targets = Vec::new();
        let one = world.get::<Target<PartOf>>(entity);
        targets.extend(one.map(|target| target.entity()));
        let one = world.get::<Target<Owner>>(entity);
        targets.extend(one.map(|target| target.entity()));
        if let Some(all) = world.get::<Targets<Likes>>(entity) {
            targets.extend(all.iter().map(|(target, _)| target));
        }
        if let Some(all) = world.get::<Targets<Follows>>(entity) {
            targets.extend(all.iter().map(|(target, _)| target));
        }
        targets.retain(|target| !inside.contains(target));
        for target in targets {
            world.unrelate::<PartOf>(entity, target).unwrap();
            world.unrelate::<Owner>(entity, target).unwrap();
            world.unrelate::<Likes>(entity, target).unwrap();
            world.unrelate::<Follows>(entity, target).unwrap();
        }
    }
}

pub(super) fn world_of(grouped: bool) -> World {
    let mut world = World::new();
    if grouped {
        world
            .set_layout(&Layout::new().group::<(Fast, Notes)>())
            .unwrap();
    }
    world
}
