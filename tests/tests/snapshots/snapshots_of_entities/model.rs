//! The naive model: everything about the entities of a world that a program can see, and the expected result of a
//! return.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::Tick;
use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use ecs_core::query::{AndDisabled, Not, QueryFilter};
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::snapshot::{RestoreError, Snapshotter};

use super::{Active, Asleep, Follows, Glow, Likes, Local, Owner, PartOf, Simulated, Spark, Text};

/// The filters that select the entities to return.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) name: &'static str,
    pub(super) snapshotter: fn(Snapshotter) -> Snapshotter,
    pub(super) hasher: fn(WorldHasher) -> WorldHasher,
    pub(super) has: fn(&World, Entity) -> bool,
}

impl std::fmt::Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn choice<F: QueryFilter>(name: &'static str, has: fn(&World, Entity) -> bool) -> Choice {
    Choice {
        name,
        snapshotter: |snapshotter| snapshotter.entities::<F>(),
        hasher: |hasher| hasher.entities::<F>(),
        has,
    }
}

pub(super) const CHOICES: [Choice; 8] = [
    choice::<With<Simulated>>("simulated", |world, e| world.has::<Simulated>(e)),
    choice::<(With<Simulated>, Without<Local>)>("simulated, and not local", |world, e| {
        world.has::<Simulated>(e) && !world.has::<Local>(e)
    }),
    choice::<Or<(With<Simulated>, With<Active>)>>("simulated or active", |world, e| {
        world.has::<Simulated>(e) || world.has::<Active>(e)
    }),
    choice::<Without<Local>>("not local", |world, e| !world.has::<Local>(e)),
    choice::<Or<(Not<With<Local>>, (With<Simulated>, With<Active>))>>(
        "not local, or simulated and active",
        |world, e| !world.has::<Local>(e) || (world.has::<Simulated>(e) && world.has::<Active>(e)),
    ),
    Choice {
        name: "two calls",
        snapshotter: |all| all.entities::<With<Simulated>>().entities::<With<Active>>(),
        hasher: |all| all.entities::<With<Simulated>>().entities::<With<Active>>(),
        has: |world, e| world.has::<Simulated>(e) || world.has::<Active>(e),
    },
    choice::<(With<Simulated>, Without<Asleep>)>("simulated and awake", |world, e| {
        world.has::<Simulated>(e) && !world.has::<Asleep>(e)
    }),
    choice::<(Or<(With<Asleep>, With<Simulated>)>, Without<Local>)>(
        "asleep or simulated, and not local",
        |world, e| (world.has::<Asleep>(e) || world.has::<Simulated>(e)) && !world.has::<Local>(e),
    ),
];

/// A value, with the ticks at which it was added and changed last if it is tracked.
type Value = (String, Option<Tick>, Option<Tick>);

/// Everything about an entity that a program can see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// True if it is one of the entities that return.
    pub(super) is_member: bool,
    pub(super) is_enabled: bool,
    pub(super) values: BTreeMap<&'static str, Value>,
    part_of: Option<(Entity, u8)>,
    owner: Option<Entity>,
    likes: Vec<(Entity, String)>,
    follows: Vec<Entity>,
}

pub(super) type All = BTreeMap<Entity, Seen>;

pub(super) fn all_of(world: &World) -> Vec<Entity> {
    let all = world.query_filtered::<Entity, AndDisabled>();
    all.iter().collect()
}

pub(super) fn members(world: &World, choice: Choice) -> Vec<Entity> {
    let mut all = all_of(world);
    all.retain(|&entity| (choice.has)(world, entity));
    all
}

pub(super) fn see(world: &World, choice: Choice) -> All {
    world.check_invariants();
    let of = |entity| {
        let mut seen = Seen {
            is_member: (choice.has)(world, entity),
            is_enabled: world.is_enabled(entity),
            ..Seen::default()
        };
        for component in world.entity(entity).unwrap().components() {
            if component.id().is_end() {
                continue;
            }
            let view = component.view().unwrap();
            let value = view.get(entity).unwrap();
            let text = match (
                value.downcast::<Text>(),
                value.downcast::<Spark>(),
                value.downcast::<Glow>(),
            ) {
                (Some(value), ..) => format!("{value:?}"),
                (_, Some(value), _) => format!("{value:?}"),
                (.., Some(value)) => format!("{value:?}"),
                _ => format!("{component:?}"),
            };
            assert_ne!(text, "..", "{}", component.name());
            let ticks = (component.added(), component.changed());
            seen.values
                .insert(component.name(), (text, ticks.0, ticks.1));
        }
        let target = world.get::<Target<PartOf>>(entity);
        seen.part_of = target.map(|target| (target.entity(), target.value().0));
        let target = world.get::<Target<Owner>>(entity);
        seen.owner = target.map(|target| target.entity());
        if let Some(targets) = world.get::<Targets<Likes>>(entity) {
            let edges = targets
                .iter()
                .map(|(target, value)| (target, value.0.clone()));
            seen.likes = edges.collect();
        }
        if let Some(targets) = world.get::<Targets<Follows>>(entity) {
            seen.follows = targets.iter().map(|(target, _)| target).collect();
        }
        (entity, seen)
    };
    all_of(world).into_iter().map(of).collect()
}

/// The sources of each entity, by the relations, in their order.
pub(super) fn sources(world: &World) -> BTreeMap<Entity, [Vec<Entity>; 4]> {
    fn of<R: ecs_core::relation::Relation>(world: &World, entity: Entity) -> Vec<Entity> {
        let sources = world.get::<Sources<R>>(entity);
        sources.map_or(Vec::new(), |sources| sources.as_slice().to_vec())
    }
    let all = all_of(world).into_iter();
    all.map(|e| {
        (
            e,
            [
                of::<PartOf>(world, e),
                of::<Owner>(world, e),
                of::<Likes>(world, e),
                of::<Follows>(world, e),
            ],
        )
    })
    .collect()
}

/// The members in the order of tables, and of each sparse set; ends of relations are left out, because others may be
/// part of them.
pub(super) fn order(world: &World, choice: Choice) -> BTreeMap<&'static str, Vec<Entity>> {
    let mut order = BTreeMap::from([("", members(world, choice))]);
    for component in world.registered_components() {
        if component.storage() != ecs_core::component::StorageKind::Sparse || component.is_end() {
            continue;
        }
        let view = world.view_erased(component);
        let all = view.chunks().flat_map(|chunk| chunk.entities().to_vec());
        let of_members: Vec<_> = all.filter(|&entity| (choice.has)(world, entity)).collect();
        if !of_members.is_empty() {
            order.insert(component.name(), of_members);
        }
    }
    order
}

/// Returns the expected world after the return from `after` to `before`.
pub(super) fn expected(before: &All, after: &All) -> All {
    let was_member = |entity: &Entity| before.get(entity).is_some_and(|seen| seen.is_member);
    let mut all: All = before.clone();
    all.retain(|_, seen| seen.is_member);
    let others = after
        .iter()
        .filter(|(entity, seen)| !seen.is_member && !was_member(entity));
    let mut others: All = others
        .map(|(entity, seen)| (*entity, seen.clone()))
        .collect();
    // Sources are despawned with their targets.
    loop {
        let is_gone = |seen: &Seen| {
            let target = seen.part_of.map(|(target, _)| target);
            target.is_some_and(|target| !all.contains_key(&target) && !others.contains_key(&target))
        };
        let gone: BTreeSet<Entity> = others
            .iter()
            .filter(|(_, seen)| is_gone(seen))
            .map(|(entity, _)| *entity)
            .collect();
        if gone.is_empty() {
            break;
        }
        others.retain(|entity, _| !gone.contains(entity));
    }
    let alive: BTreeSet<Entity> = all.keys().chain(others.keys()).copied().collect();
    for seen in others.values_mut() {
        seen.owner = seen.owner.filter(|owner| alive.contains(owner));
        seen.likes.retain(|(target, _)| alive.contains(target));
        seen.follows.retain(|target| alive.contains(target));
    }
    all.append(&mut others);
    all
}

/// Returns the reason why a return from `after` to `before` is refused, if any; `is_local` identifies local ids, if
/// they exist.
pub(super) fn refused(
    before: &All,
    after: &All,
    is_local: Option<&dyn Fn(Entity) -> bool>,
) -> Option<RestoreError> {
    let mut by_index: Vec<_> = after.iter().collect();
    by_index.sort_by_key(|(entity, _)| entity.index());
    by_index.into_iter().find_map(|(&entity, seen)| {
        let mut at_index = before.iter().filter(|(e, _)| e.index() == entity.index());
        let then = at_index.next();
        let was_there = then.is_some_and(|(&then, _)| then == entity);
        let was_member = then.is_some_and(|(_, then)| then.is_member);
        match (seen.is_member, then) {
            (true, _) if was_there && !was_member => Some(RestoreError::Joined { entity }),
            (false, Some((&gone, _))) if was_member && !was_there => Some(RestoreError::IdTaken {
                entity: gone,
                by: entity,
            }),
            (false, _) if !was_there && is_local.is_some_and(|is_local| !is_local(entity)) => {
                Some(RestoreError::NotLocal { entity })
            }
            _ => None,
        }
    })
}
