//! The model of a world: plain maps.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};

use super::bundles::{Kind, Test};
use super::parts::{COUNT, ChildOf, Felt, Likes, Mark, Needy, Now, Other, Part, Seen, each_part};

/// The values of an entity's parts.
pub(super) type Row = [Option<u8>; COUNT];

/// A change with its entities.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resolved {
    Insert(Entity, Kind, u8),
    Remove(Entity, Kind),
    Despawn(Entity),
    Relate(bool, Entity, Entity),
    Unrelate(bool, Entity, Entity),
    Nothing,
}

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) rows: BTreeMap<Entity, Row>,
    pub(super) parents: BTreeMap<Entity, Entity>,
    pub(super) likes: BTreeSet<(Entity, Entity)>,
    /// Changes of the tracked parts since they were last compared.
    pub(super) tracked: [Tracked; 2],
}

#[derive(Debug, Default)]
pub(super) struct Tracked {
    pub(super) changed: BTreeSet<Entity>,
    pub(super) removed: Vec<Entity>,
}

impl Model {
    /// Reads the entities, parts and edges of a world; entities in `also` may be alive without a row.
    pub(super) fn read(world: &World, also: &[Entity]) -> Self {
        let mut model = Self::default();
        let living = also
            .iter()
            .copied()
            .filter(|&entity| world.contains(entity));
        for entity in world.entities().iter().chain(living) {
            let mut row = Row::default();
            each_part!(|P| row[P::NUMBER] = world.get::<P>(entity).map(|part| part.value()));
            model.rows.insert(entity, row);
        }
        for (entity, target) in world.view::<Target<ChildOf>>().with_entity().iter() {
            model.parents.insert(entity, target.entity());
        }
        for (entity, targets) in world.view::<Targets<Likes>>().with_entity().iter() {
            model
                .likes
                .extend(targets.entities().iter().map(|&target| (entity, target)));
        }
        model
    }

    /// Compares everything but the changes of tracked parts.
    pub(super) fn check(&self, other: &Self) {
        assert_eq!(self.rows, other.rows);
        assert_eq!(self.parents, other.parents);
        assert_eq!(self.likes, other.likes);
    }

    fn mark_changed(&mut self, entity: Entity, part: usize) {
        for (tracked, of) in self.tracked.iter_mut().zip([Seen::NUMBER, Felt::NUMBER]) {
            if of == part {
                tracked.changed.insert(entity);
            }
        }
    }

    fn mark_removed(&mut self, entity: Entity, part: usize) {
        for (tracked, of) in self.tracked.iter_mut().zip([Seen::NUMBER, Felt::NUMBER]) {
            if of == part {
                tracked.changed.remove(&entity);
                tracked.removed.push(entity);
            }
        }
    }

    pub(super) fn set(&mut self, entity: Entity, part: usize, value: u8) {
        let value = if part == Mark::NUMBER { 0 } else { value };
        if let Some(row) = self.rows.get_mut(&entity) {
            row[part] = Some(value);
            self.mark_changed(entity, part);
        }
    }

    pub(super) fn unset(&mut self, entity: Entity, part: usize) {
        if let Some(row) = self.rows.get_mut(&entity)
            && row[part].take().is_some()
        {
            self.mark_removed(entity, part);
        }
    }

    pub(super) fn has(&self, entity: Entity, part: usize) -> bool {
        self.rows
            .get(&entity)
            .is_some_and(|row| row[part].is_some())
    }

    pub(super) fn insert(&mut self, entity: Entity, parts: &[usize], value: u8) {
        parts.iter().for_each(|&part| self.set(entity, part, value));
        if parts.contains(&Needy::NUMBER) {
            for part in [Now::NUMBER, Other::NUMBER] {
                if !self.has(entity, part) {
                    self.set(entity, part, 7);
                }
            }
        }
    }

    pub(super) fn despawn(&mut self, entity: Entity) {
        for part in 0..COUNT {
            self.unset(entity, part);
        }
        if self.rows.remove(&entity).is_none() {
            return;
        }
        self.parents.remove(&entity);
        self.likes
            .retain(|&(source, target)| source != entity && target != entity);
        let children: Vec<_> = self
            .parents
            .iter()
            .filter(|&(_, &parent)| parent == entity)
            .collect();
        let children: Vec<Entity> = children.into_iter().map(|(&child, _)| child).collect();
        for child in children {
            self.despawn(child);
        }
    }

    fn is_ancestor(&self, ancestor: Entity, mut of: Entity) -> bool {
        while let Some(&parent) = self.parents.get(&of) {
            if parent == ancestor {
                return true;
            }
            of = parent;
        }
        false
    }

    /// Relates two entities; returns false if that is not allowed.
    pub(super) fn relate(&mut self, many: bool, source: Entity, target: Entity) -> bool {
        let living = [source, target]
            .iter()
            .all(|entity| self.rows.contains_key(entity));
        let can = living && source != target && (many || !self.is_ancestor(source, target));
        if can && many {
            self.likes.insert((source, target));
        } else if can {
            self.parents.insert(source, target);
        }
        can
    }

    /// Removes an edge; returns whether it existed.
    pub(super) fn unrelate(&mut self, many: bool, source: Entity, target: Entity) -> bool {
        if many {
            return self.likes.remove(&(source, target));
        }
        let were = self.parents.get(&source) == Some(&target);
        if were {
            self.parents.remove(&source);
        }
        were
    }

    pub(super) fn perform(&mut self, resolved: Resolved) {
        match resolved {
            Resolved::Insert(entity, kind, value) => self.insert(entity, kind.parts(), value),
            Resolved::Remove(entity, kind) => {
                kind.parts()
                    .iter()
                    .for_each(|&part| self.unset(entity, part));
            }
            Resolved::Despawn(entity) => self.despawn(entity),
            Resolved::Relate(many, source, target) => _ = self.relate(many, source, target),
            Resolved::Unrelate(many, source, target) => _ = self.unrelate(many, source, target),
            Resolved::Nothing => {}
        }
    }

    pub(super) fn passing(&self, test: Test) -> Vec<Entity> {
        let passing = self.rows.iter().filter(|(_, row)| test.passes(row));
        passing.map(|(&entity, _)| entity).collect()
    }

    pub(super) fn with(&self, parts: &[usize]) -> BTreeSet<Entity> {
        let all = self.rows.iter();
        let with = all.filter(|(_, row)| parts.iter().all(|&part| row[part].is_some()));
        with.map(|(&entity, _)| entity).collect()
    }
}
