//! An update of the server: finds changed values, and entities that got or lost some.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ecs_engine::component::ComponentId;
use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};
use ecs_engine::staging::RelationInfo;
use ecs_engine::view::ErasedRef;
use ecs_engine::{Entity, Tick, World};

use super::found::{FoundChanges, SeenRows, SeenTargets};
use super::packet::PacketPart;
use super::replicator::{Sent, SentPart};
use super::{Protocol, ReplicateError, ReplicatedKind};
use crate::codec::Encoder;
use crate::column::{self, ValueRun};

/// An update, with the data that it writes.
pub(super) struct Update<'a> {
    world: &'a World,
    protocol: &'a Protocol,
    entities: &'a mut BTreeMap<Entity, Sent>,
    found: &'a mut Vec<SeenRows>,
    targets: &'a mut Vec<SeenTargets>,
    encoder: &'a mut Encoder,
    /// The tick of the last update; `None` if all values may have changed since.
    since: Option<Tick>,
    clock: u64,
    /// The entities that are sent since this update, although their values may be older, if only some entities are sent.
    fresh: Vec<Entity>,
    /// Entities that have lost a part.
    poorer: Vec<Entity>,
    changes: UpdateChanges,
}

/// The changes that an update has found.
#[derive(Clone, Copy, Default)]
pub(super) struct UpdateChanges {
    /// A value is new, or gone.
    pub(super) is_new: bool,
    /// An entity is new, or gone.
    pub(super) is_listed: bool,
}

impl<'a> Update<'a> {
    pub(super) fn new(
        world: &'a World,
        protocol: &'a Protocol,
        (entities, found, targets, encoder): (
            &'a mut BTreeMap<Entity, Sent>,
            &'a mut Vec<SeenRows>,
            &'a mut Vec<SeenTargets>,
            &'a mut Encoder,
        ),
        (since, clock): (Option<Tick>, u64),
    ) -> Self {
        found.resize_with(protocol.kinds.len() + 1, SeenRows::default);
        targets.resize_with(protocol.kinds.len(), SeenTargets::default);
        Self {
            world,
            protocol,
            entities,
            found,
            targets,
            encoder,
            since,
            clock,
            fresh: Vec::new(),
            poorer: Vec::new(),
            changes: UpdateChanges::default(),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), ReplicateError> {
        if let Some(only) = self.protocol.only {
            self.list(only)?;
        }
        for (position, kind) in self.protocol.kinds.iter().enumerate() {
            match kind.edges {
                None => self.values(position, kind)?,
                Some(edges) => self.edges(position, kind, &edges.info)?,
            }
        }
        Ok(())
    }

    /// Forgets entities that have nothing left, and returns the changes.
    pub(super) fn finish(mut self, is_failed: bool) -> UpdateChanges {
        let is_listed = self.protocol.only.is_some();
        if is_failed {
            self.entities
                .retain(|_, sent| is_listed || sent.has_values());
            // The next update compares with what is known.
            let kinds = self.protocol.kinds.len();
            for (position, found) in self.found.iter_mut().enumerate() {
                let known = self.entities.iter();
                let known = known.filter(|(_, sent)| position == kinds || sent.has(position));
                *found = SeenRows::of(known.map(|(&entity, _)| entity).collect());
            }
        } else if !is_listed {
            for entity in std::mem::take(&mut self.poorer) {
                let sent = self.entities.get(&entity);
                if sent.is_some_and(|sent| !sent.has_values()) {
                    self.entities.remove(&entity);
                    self.changes.is_listed = true;
                }
            }
        }
        self.changes
    }

    /// Finds the entities with the component that all entities have.
    fn list(&mut self, only: ComponentId) -> Result<(), ReplicateError> {
        let world = self.world;
        let view = world.try_view_erased(only)?;
        let mut changes = FoundChanges::default();
        let found = &mut self.found[self.protocol.kinds.len()];
        found.begin();
        for chunk in view.chunks() {
            let entities = chunk.entities();
            changes.rows.clear();
            found.compare(chunk.table(), entities, &mut changes);
            for &row in &changes.rows {
                let entity = entities[row];
                if self.entities.contains_key(&entity) {
                    continue;
                }
                self.entities.insert(entity, Sent::since(self.clock));
                self.fresh.push(entity);
                self.changes.is_listed = true;
            }
        }
        found.finish(&mut changes);
        for entity in changes.left {
            if !view.contains(entity) && self.entities.remove(&entity).is_some() {
                self.changes.is_listed = true;
            }
        }
        Ok(())
    }

    fn values(&mut self, position: usize, kind: &ReplicatedKind) -> Result<(), ReplicateError> {
        let world = self.world;
        let view = world.try_view_erased(kind.component)?;
        let mut changes = FoundChanges::default();
        self.found[position].begin();
        for chunk in view.chunks() {
            let entities = chunk.entities();
            changes.rows.clear();
            self.found[position].compare(chunk.table(), entities, &mut changes);
            let rows = &mut changes.rows;
            let moved = rows.len();
            let since = self.since;
            if !since.is_some_and(|since| chunk.push_changed(since, rows)) {
                rows.clear();
                rows.extend(0..entities.len());
            } else if moved > 0 {
                rows.sort();
                rows.dedup();
            }
            for &row in &changes.rows {
                if let Some(value) = chunk.get(row) {
                    self.value(position, kind, entities[row], value)?;
                }
            }
        }
        for at in 0..self.fresh.len() {
            let entity = self.fresh[at];
            if let Some(value) = view.get(entity) {
                self.value(position, kind, entity, value)?;
            }
        }
        self.found[position].finish(&mut changes);
        for entity in changes.left {
            if !view.contains(entity) {
                self.lose(position, entity);
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        position: usize,
        kind: &ReplicatedKind,
        entity: Entity,
        value: ErasedRef<'_>,
    ) -> Result<(), ReplicateError> {
        let since = self.since;
        let Some(sent) = self.sent(entity) else {
            return Ok(());
        };
        let is_old = match (since, value.changed()) {
            (Some(since), Some(changed)) => changed <= since,
            _ => false,
        };
        if is_old && sent.has(position) {
            return Ok(());
        }
        let run = ValueRun {
            first: value.as_ptr(),
            len: 1,
        };
        // SAFETY: the value belongs to the component, which the view borrows, and the kind describes it (1, 2).
        let value = unsafe { encode(self.encoder, kind, &[run], Vec::new(), entity) }?;
        self.set(position, entity, value);
        Ok(())
    }

    fn edges(
        &mut self,
        position: usize,
        kind: &ReplicatedKind,
        relation: &RelationInfo,
    ) -> Result<(), ReplicateError> {
        let world = self.world;
        let mut changes = FoundChanges::default();
        let sources = world.sources_of_relation(relation);
        self.found[position].begin();
        self.found[position].compare(None, sources, &mut changes);
        self.found[position].finish(&mut changes);
        // Values of edges have no ticks.
        let compares_values = self.since.is_none() || relation.has_values();
        let mut moved = changes.rows.iter().copied().peekable();
        self.targets[position].begin();
        for (row, &entity) in sources.iter().enumerate() {
            let targets = world.targets_erased(relation, entity);
            let is_same = self.targets[position].is_same(targets.map(|(target, _)| target));
            let is_moved = moved.next_if_eq(&row).is_some();
            if !is_same || is_moved || compares_values {
                self.edges_of(position, kind, relation, entity)?;
            }
        }
        self.targets[position].finish();
        for at in 0..self.fresh.len() {
            self.edges_of(position, kind, relation, self.fresh[at])?;
        }
        for entity in changes.left {
            if world.targets_erased(relation, entity).next().is_none() {
                self.lose(position, entity);
            }
        }
        Ok(())
    }

    /// Notes the edges of a source.
    fn edges_of(
        &mut self,
        position: usize,
        kind: &ReplicatedKind,
        relation: &RelationInfo,
        entity: Entity,
    ) -> Result<(), ReplicateError> {
        let (targets, runs): (Vec<Entity>, Vec<ValueRun>) = (self.world)
            .targets_erased(relation, entity)
            .map(|(target, first)| (target, ValueRun { first, len: 1 }))
            .unzip();
        if targets.is_empty() || self.sent(entity).is_none() {
            return Ok(());
        }
        // SAFETY: the values belong to edges, which nothing changes while the world is borrowed, and the kind describes
        // them (1, 2).
        let value = unsafe { encode(self.encoder, kind, &runs, targets, entity) }?;
        self.set(position, entity, value);
        Ok(())
    }

    /// Returns the state of an entity that has a component or relation; `None` if the entity is not sent.
    fn sent(&mut self, entity: Entity) -> Option<&mut Sent> {
        if self.protocol.only.is_some() {
            return self.entities.get_mut(&entity);
        }
        let (clock, changes) = (self.clock, &mut self.changes);
        Some(self.entities.entry(entity).or_insert_with(|| {
            changes.is_listed = true;
            Sent::since(clock)
        }))
    }

    /// Notes the value that was found, which may be the one that is known.
    fn set(&mut self, position: usize, entity: Entity, value: PacketPart) {
        let clock = self.clock;
        if let Some(sent) = self.sent(entity) {
            let is_new = sent.set(position, value, clock);
            self.changes.is_new |= is_new;
        }
    }

    /// Notes that an entity has no such component or relation any more.
    fn lose(&mut self, position: usize, entity: Entity) {
        let sent = self.entities.get_mut(&entity);
        if sent.is_some_and(|sent| sent.lose(position, self.clock)) {
            self.changes.is_new = true;
            self.poorer.push(entity);
        }
    }
}

impl Sent {
    fn since(clock: u64) -> Self {
        Self {
            since: clock,
            ..Self::default()
        }
    }

    fn has(&self, position: usize) -> bool {
        let part = self.parts.get(position).and_then(Option::as_ref);
        part.is_some_and(|part| part.value.is_some())
    }

    fn has_values(&self) -> bool {
        (0..self.parts.len()).any(|position| self.has(position))
    }

    /// Returns true if the value is another one than before.
    fn set(&mut self, position: usize, value: PacketPart, clock: u64) -> bool {
        if self.parts.len() <= position {
            self.parts.resize_with(position + 1, || None);
        }
        let part = self.parts[position].get_or_insert_default();
        if part.value.as_ref() == Some(&value) {
            return false;
        }
        self.has_ids |= !value.ids.is_empty();
        *part = SentPart {
            version: clock,
            value: Some(value),
        };
        self.newest = clock;
        true
    }

    /// Returns true if there was a value.
    fn lose(&mut self, position: usize, clock: u64) -> bool {
        let part = self.parts.get_mut(position).and_then(Option::as_mut);
        let Some(part) = part.filter(|part| part.value.is_some()) else {
            return false;
        };
        *part = SentPart {
            version: clock,
            value: None,
        };
        self.newest = clock;
        true
    }
}

/// Returns the bytes of values. The entities in them are numbered after the `targets`.
///
/// # Safety
/// The runs are values of the kind, and nothing changes them during the call.
unsafe fn encode(
    encoder: &mut Encoder,
    kind: &ReplicatedKind,
    runs: &[ValueRun],
    targets: Vec<Entity>,
    entity: Entity,
) -> Result<PacketPart, ReplicateError> {
    let count = targets.len();
    let others = RefCell::new(targets);
    let session = Session::new(IdForm::Numbered {
        entities: &[],
        numbers: ByIndex::Dense(&[]),
        others: Others::Listed(&others),
    });
    // SAFETY: the contract is the same, and the codec belongs to the kind (2).
    let written = unsafe { column::write_readable(kind.codec, kind.form, runs, &session, encoder) };
    let form = written.map_err(|failure| ReplicateError::Value {
        entity,
        name: kind.data.name(),
        message: failure.message,
    })?;
    Ok(PacketPart {
        form,
        targets: count as u32,
        ids: others.into_inner(),
        bytes: encoder.bytes().to_vec(),
    })
}
