//! The model: rows of plain numbers, and the expected calls of hooks and observers.

use std::collections::{BTreeMap, VecDeque};

use ecs_core::prelude::*;
use ecs_core::world::hooks::Lifecycle::{self, Add, Despawn, Insert, Remove, Replace};

use crate::hooks_model::bundles::{Kind, Test};
use crate::hooks_model::parts::{
    AtOnce, Call, HOOKS, IMMEDIATE, REQUIRED, REQUIRING, Reaction, Row, next,
};

/// A command of the model.
#[derive(Clone, Debug)]
pub(crate) enum Queued {
    /// Inserts components, even into a spawned entity whose id is reserved.
    Insert(Entity, Vec<(usize, u32)>),
    Remove(Entity, Vec<usize>),
    Despawn(Entity),
}

/// The panic of a hook or observer.
pub(crate) struct HookPanic;

/// The expected state of the world.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) rows: BTreeMap<Entity, Row>,
    pub(crate) calls: Vec<Call>,
    pub(crate) calls_left: Option<u32>,
    /// Number of each observer, and the event and component that it observes.
    pub(crate) observers: Vec<(u32, (Lifecycle, usize))>,
    /// The commands that hooks queued during the current change.
    queued: Vec<Queued>,
    /// The commands that are deferred in the world.
    pub(crate) deferred: Vec<Queued>,
    /// The entities that hooks of the world spawned, in order.
    pub(crate) spawned: VecDeque<Entity>,
    /// The entity into which a hook or observer last inserted the immediate component.
    last: Option<Entity>,
}

impl Model {
    /// Records a call of a hook or observer, which may panic.
    fn call(
        &mut self,
        observer: Option<u32>,
        kind: Lifecycle,
        part: usize,
        entity: Entity,
    ) -> Result<(), HookPanic> {
        let row = self.rows[&entity];
        self.calls.push(Call(observer, kind, part, entity, row));
        let value = row[part].expect("the value is there");
        if let Some(calls_left) = &mut self.calls_left {
            if *calls_left == 0 {
                return Err(HookPanic);
            }
            *calls_left -= 1;
        }
        self.at_once(observer, entity, value);
        Ok(())
    }

    fn at_once(&mut self, observer: Option<u32>, entity: Entity, value: u32) {
        let (of, value) = match AtOnce::of(observer, value) {
            None => return,
            Some(AtOnce::Insert) => {
                self.last = Some(entity);
                (entity, Some(value))
            }
            Some(AtOnce::Remove) => (entity, None),
            Some(AtOnce::RemoveLast) => match self.last {
                Some(last) => (last, None),
                None => return,
            },
        };
        if let Some(row) = self.rows.get_mut(&of) {
            row[IMMEDIATE] = value;
        }
    }

    /// Returns true if the value is still there: an earlier call may have removed an immediate component.
    fn is_there(&self, part: usize, entity: Entity) -> bool {
        part != IMMEDIATE || self.rows[&entity][part].is_some()
    }

    fn before(&mut self, entity: Entity, events: &[(Lifecycle, usize)]) -> Result<(), HookPanic> {
        self.call_observers(entity, events)?;
        self.call_hooks(entity, events)
    }

    fn after(&mut self, entity: Entity, events: &[(Lifecycle, usize)]) -> Result<(), HookPanic> {
        self.call_hooks(entity, events)?;
        self.call_observers(entity, events)
    }

    fn call_hooks(
        &mut self,
        entity: Entity,
        events: &[(Lifecycle, usize)],
    ) -> Result<(), HookPanic> {
        events
            .iter()
            .try_for_each(|&(kind, part)| self.call_hook(kind, part, entity))
    }

    fn call_observers(
        &mut self,
        entity: Entity,
        events: &[(Lifecycle, usize)],
    ) -> Result<(), HookPanic> {
        for &(kind, part) in events {
            let all = self.observers.iter();
            let observers: Vec<u32> = all
                .filter(|(_, of)| *of == (kind, part))
                .map(|(n, _)| *n)
                .collect();
            for n in observers {
                if self.is_there(part, entity) {
                    self.call(Some(n), kind, part, entity)?;
                }
            }
        }
        Ok(())
    }

    fn call_hook(&mut self, kind: Lifecycle, part: usize, entity: Entity) -> Result<(), HookPanic> {
        if !HOOKS[part].contains(&kind) {
            return Ok(());
        }
        let value = self.rows[&entity][part].unwrap();
        self.call(None, kind, part, entity)?;
        let queued = match Reaction::of(kind, value) {
            None => return Ok(()),
            Some(Reaction::Despawn) => Queued::Despawn(entity),
            Some(Reaction::RemoveIt) => Queued::Remove(entity, vec![part]),
            Some(Reaction::Spawn) => {
                let spawned = self.spawned.pop_front().unwrap();
                self.rows.insert(spawned, Row::default());
                Queued::Insert(spawned, vec![(4, value), (1, next(value))])
            }
            Some(Reaction::InsertB) => Queued::Insert(entity, vec![(1, next(value))]),
            Some(Reaction::InsertA) => Queued::Insert(entity, vec![(0, next(value)), (5, 0)]),
        };
        self.queued.push(queued);
        Ok(())
    }

    // Structural changes, without the commands that hooks queue.

    pub(crate) fn insert(
        &mut self,
        entity: Entity,
        parts: &[(usize, u32)],
    ) -> Result<(), HookPanic> {
        let old = self.rows[&entity];
        let replaced = parts.iter().filter(|(part, _)| old[*part].is_some());
        let replaced: Vec<_> = replaced.map(|&(part, _)| (Replace, part)).collect();
        self.before(entity, &replaced)?;
        self.put(entity, parts)
    }

    /// The second half of an insertion; it sees the immediate changes that hooks made in the first half.
    fn put(&mut self, entity: Entity, parts: &[(usize, u32)]) -> Result<(), HookPanic> {
        let old = self.rows[&entity];
        let mut parts = parts.to_vec();
        let has = |part| parts.iter().any(|&(other, _)| other == part);
        if has(REQUIRING) && !has(IMMEDIATE) && old[IMMEDIATE].is_none() {
            parts.push((IMMEDIATE, REQUIRED));
        }
        for &(part, value) in &parts {
            self.rows.get_mut(&entity).unwrap()[part] = Some(value);
        }
        self.after(entity, &insert_events(&parts, |part| old[part].is_none()))
    }

    pub(crate) fn replace(
        &mut self,
        entity: Entity,
        new: (usize, u32),
    ) -> Result<Option<u32>, HookPanic> {
        let (part, value) = new;
        if self.rows[&entity][part].is_some() {
            self.before(entity, &[(Replace, part)])?;
        }
        let old = self.rows[&entity][part];
        if old.is_none() {
            self.put(entity, &[new])?;
        } else {
            self.rows.get_mut(&entity).unwrap()[part] = Some(value);
            self.after(entity, &[(Insert, part)])?;
        }
        Ok(old)
    }

    /// Returns true if all components were present both before and after the hooks ran.
    pub(crate) fn take(&mut self, entity: Entity, parts: &[usize]) -> Result<bool, HookPanic> {
        let has_all = |model: &Self| {
            let row = model.rows.get(&entity);
            row.is_some_and(|row| parts.iter().all(|&part| row[part].is_some()))
        };
        if has_all(self) {
            self.before_remove(entity, parts)?;
            if has_all(self) {
                self.drop_parts(entity, parts);
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn before_remove(
        &mut self,
        entity: Entity,
        parts: &[usize],
    ) -> Result<(), HookPanic> {
        let row = self.rows[&entity];
        let has = parts.iter().filter(|&&part| row[part].is_some());
        let removed: Vec<_> = has.map(|&part| (Remove, part)).collect();
        self.before(entity, &removed)
    }

    pub(crate) fn drop_parts(&mut self, entity: Entity, parts: &[usize]) {
        parts
            .iter()
            .for_each(|&part| self.rows.get_mut(&entity).unwrap()[part] = None);
    }

    pub(crate) fn remove(&mut self, entity: Entity, parts: &[usize]) -> Result<(), HookPanic> {
        self.before_remove(entity, parts)?;
        self.drop_parts(entity, parts);
        Ok(())
    }

    pub(crate) fn before_despawn(&mut self, entity: Entity) -> Result<(), HookPanic> {
        let row = self.rows[&entity];
        let has = [0, 1, 4, 7, 2, 3, 5, IMMEDIATE]
            .into_iter()
            .filter(|&part| row[part].is_some());
        let gone: Vec<_> = has
            .flat_map(|part| [(Despawn, part), (Remove, part)])
            .collect();
        self.before(entity, &gone)
    }

    pub(crate) fn despawn(&mut self, entity: Entity) -> Result<(), HookPanic> {
        self.before_despawn(entity)?;
        self.rows.remove(&entity);
        Ok(())
    }

    /// Runs a change or a queue, then the commands that its hooks queued.
    pub(crate) fn run_with_queued(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<(), HookPanic>,
    ) -> Result<(), HookPanic> {
        let result = change(self).and_then(|()| {
            let queued = std::mem::take(&mut self.queued);
            self.run(queued)
        });
        self.queued.clear();
        result
    }

    /// Applies commands. The commands that hooks queue meanwhile run directly after the command that caused them.
    pub(crate) fn run(&mut self, commands: Vec<Queued>) -> Result<(), HookPanic> {
        for command in commands {
            match command {
                Queued::Insert(entity, parts) if self.rows.contains_key(&entity) => {
                    self.insert(entity, &parts)?;
                }
                Queued::Remove(entity, parts) if self.rows.contains_key(&entity) => {
                    self.remove(entity, &parts)?;
                }
                Queued::Despawn(entity) if self.rows.contains_key(&entity) => {
                    self.despawn(entity)?;
                }
                _ => {}
            }
            let queued = std::mem::take(&mut self.queued);
            self.run(queued)?;
        }
        Ok(())
    }
}

/// The events of an insertion.
fn insert_events(
    parts: &[(usize, u32)],
    is_new: impl Fn(usize) -> bool,
) -> Vec<(Lifecycle, usize)> {
    let each = parts
        .iter()
        .flat_map(|&(part, _)| [(Add, part), (Insert, part)]);
    each.filter(|&(kind, part)| kind == Insert || is_new(part))
        .collect()
}

pub(crate) fn parts(kind: Kind, value: u32) -> Vec<(usize, u32)> {
    let parts = kind.parts().iter();
    parts.map(|&part| (part, value + part as u32)).collect()
}

/// Runs a bulk operation table by table, or entity by entity.
pub(crate) fn by_portion(
    test: Test,
    tables: &[Vec<Entity>],
    mut change: impl FnMut(&[Entity]) -> Result<(), HookPanic>,
) -> Result<(), HookPanic> {
    if test.is_sparse() {
        tables
            .iter()
            .flatten()
            .try_for_each(|&entity| change(&[entity]))
    } else {
        tables.iter().try_for_each(|table| change(table))
    }
}

/// Inserts by whole tables where possible, then into the entities of the other tables one by one.
pub(crate) fn insert_all(
    model: &mut Model,
    test: Test,
    kind: Kind,
    value: u32,
    tables: &[Vec<Entity>],
) -> Result<(), HookPanic> {
    let parts = parts(kind, value);
    let is_whole = |table: &&Vec<Entity>| {
        let free = |&(part, _): &(usize, u32)| {
            ![2, 3, 5, IMMEDIATE, REQUIRING].contains(&part)
                && table
                    .iter()
                    .all(|entity| model.rows[entity][part].is_none())
        };
        !test.is_sparse() && parts.iter().all(free)
    };
    let (whole, single): (Vec<_>, Vec<_>) = tables.iter().partition(is_whole);
    for table in whole {
        for entity in table {
            let row = model.rows.get_mut(entity).unwrap();
            parts
                .iter()
                .for_each(|&(part, value)| row[part] = Some(value));
        }
        for &entity in table {
            model.after(entity, &insert_events(&parts, |_| true))?;
        }
    }
    for &entity in single.into_iter().flatten() {
        model.insert(entity, &parts)?;
    }
    Ok(())
}
