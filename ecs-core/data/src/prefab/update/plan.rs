//! The changes of a world whose copies take the changes of their prefab.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};

use ecs_engine::component::ComponentId;
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Entity, World};

use super::KeptChange;
use super::copy::UpdatedCopy;
use super::files::FileChanges;
use super::merge::{Merged, ValueMerge, targets};
use crate::Value;
use crate::by_name::{self, ByNameError, FoundComponent, ValueKind};
use crate::diff::{ApplyError, Diff, EntityChange, OrderChange, ValueChange};
use crate::prefab::ChangesError;
use crate::prefab_part::PrefabPart;

/// The changes of a world whose copies take the changes of their prefab.
pub(super) struct UpdatePlan<'a> {
    world: &'a World,
    name: &'a str,
    files: &'a FileChanges,
    /// The components and relations of the prefab that change.
    found: HashMap<&'a str, FoundComponent>,
    relations: Vec<RelationInfo>,
    part: FoundComponent,
    dead: Entity,
    names_dead: Cell<bool>,
    entities: Vec<EntityChange>,
    orders: Vec<OrderChange>,
    kept: Vec<KeptChange>,
    changed: usize,
}

/// The changes of a copy.
#[derive(Default)]
struct CopyChanges {
    entities: BTreeMap<Entity, EntityChange>,
    /// The targets that sources have afterwards, by relation, if they change.
    edges: HashMap<(ComponentId, Entity), Vec<Entity>>,
    /// The sources of trees with another target, which are there already.
    moved: Vec<(RelationInfo, Entity, u32)>,
}

impl CopyChanges {
    fn of(&mut self, entity: Entity) -> &mut EntityChange {
        let change = || EntityChange::of(entity, true, true);
        self.entities.entry(entity).or_insert_with(change)
    }
}

type Result<T> = core::result::Result<T, ChangesError>;

impl<'a> UpdatePlan<'a> {
    pub(super) fn of(
        world: &'a mut World,
        name: &'a str,
        files: &'a FileChanges,
        mut copies: Vec<UpdatedCopy>,
    ) -> Result<Self> {
        let spawned = {
            let plan = UpdatePlan::new(world, name, files)?;
            for copy in &mut copies {
                plan.removals(copy)?;
            }
            let spawned = copies.iter().map(|copy| plan.spawns(copy));
            spawned.collect::<Vec<_>>()
        };
        let count = spawned.iter().map(Vec::len).sum();
        let ids = world.next_ids(count);
        let mut ids = ids
            .map_err(|error| ChangesError::Copy(error.into()))?
            .into_iter();
        for (copy, spawned) in copies.iter_mut().zip(spawned) {
            for slot in spawned {
                copy.spawned[slot as usize] = ids.next();
            }
        }
        let mut plan = Self::new(world, name, files)?;
        for copy in &copies {
            plan.copy(copy)?;
        }
        Ok(plan)
    }

    fn new(world: &'a World, name: &'a str, files: &'a FileChanges) -> Result<Self> {
        let values = files.diff.entities().iter().flat_map(EntityChange::values);
        let values = values.map(ValueChange::name);
        let mut found = HashMap::new();
        for name in values.chain(files.diff.orders().iter().map(|order| &*order.relation)) {
            if let std::collections::hash_map::Entry::Vacant(entry) = found.entry(name) {
                let component = by_name::component_named(world, name);
                entry.insert(component.map_err(|error| failed(None, error))?);
            }
        }
        let dead = world.next_dead_ids(1).next();
        Ok(Self {
            world,
            name,
            files,
            found,
            relations: world.relations(),
            part: FoundComponent::of(ComponentId::of::<PrefabPart>()),
            dead: dead.expect("one was asked for"),
            names_dead: Cell::new(false),
            entities: Vec::new(),
            orders: Vec::new(),
            kept: Vec::new(),
            changed: 0,
        })
    }

    /// Returns the id that values name in place of entities that copies lack, if any does.
    pub(super) fn dead(&self) -> Option<Entity> {
        self.names_dead.get().then_some(self.dead)
    }

    /// Returns the number of copies that change, the values that they keep, and the changes.
    pub(super) fn finish(self) -> (usize, Vec<KeptChange>, Diff) {
        let diff = Diff::of_changes(self.entities, self.orders);
        (self.changed, self.kept, diff)
    }

    fn merge<'c>(&'c self, copy: &'c UpdatedCopy) -> ValueMerge<'c> {
        ValueMerge {
            world: self.world,
            files: self.files,
            copy,
            dead: self.dead,
            names_dead: &self.names_dead,
        }
    }

    fn value(&self, entity: Entity, found: &FoundComponent, name: &str) -> Result<Option<Value>> {
        let value = by_name::value(self.world, entity, found, name);
        value.map_err(|error| failed(Some(entity), error))
    }

    /// Decides which entities of a copy go: those that are no longer in the prefab, and that the game has left alone.
    fn removals(&self, copy: &mut UpdatedCopy) -> Result<()> {
        let mut gone = Vec::new();
        for change in self.files.diff.entities() {
            let slot = change.entity().index();
            if let Some(part) = copy.parts[slot as usize].filter(|_| change.is_despawned())
                && self.is_untouched(copy, part, change)?
            {
                gone.push((slot, part));
                copy.is_removed[slot as usize] = true;
            }
        }
        // An entity that stays keeps the targets of its edges.
        loop {
            let before = gone.len();
            let mut kept = Vec::new();
            for &(slot, part) in &gone {
                if self.has_sources(copy, part)? {
                    kept.push(slot);
                }
            }
            gone.retain(|(slot, _)| !kept.contains(slot));
            for slot in kept {
                copy.is_removed[slot as usize] = false;
            }
            if gone.len() == before {
                return Ok(());
            }
        }
    }

    /// Returns true if a part has the data of the old prefab, and no other.
    fn is_untouched(
        &self,
        copy: &UpdatedCopy,
        part: Entity,
        change: &EntityChange,
    ) -> Result<bool> {
        let merge = self.merge(copy);
        for (name, value) in self.data_of(part)? {
            let old = change.values().iter().find(|old| old.name() == name);
            let is_part = name == self.part.component.name();
            if !is_part && !old.is_some_and(|old| merge.is_same(old.old(), Some(&value))) {
                return Ok(false);
            }
        }
        for old in change.values() {
            if self
                .value(part, &self.found[old.name()], old.name())?
                .is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the components of an entity that are data, and its edges.
    fn data_of(&self, entity: Entity) -> Result<Vec<(&'static str, Value)>> {
        let mut data = Vec::new();
        let of_world = self.world.entity(entity).into_iter();
        for component in of_world.flat_map(|entity| entity.components()) {
            let found = FoundComponent::of(component.id());
            if let Some(name) = found.name()
                && let Some(value) = self.value(entity, &found, name)?
            {
                data.push((name, value));
            }
        }
        Ok(data)
    }

    /// Returns true if entities that stay lead to one of the copy, apart from those whose edges the prefab changes.
    fn has_sources(&self, copy: &UpdatedCopy, part: Entity) -> Result<bool> {
        let merge = self.merge(copy);
        for relation in &self.relations {
            for source in self.world.sources_erased(relation, part) {
                if copy.removes(source) {
                    continue;
                }
                let slot = copy.slots.get(&source).copied();
                let slot = slot.filter(|&slot| self.files.numbers[slot as usize].is_some());
                let old = slot.and_then(|slot| self.old_edges(slot, relation.name()));
                let Some(old) = old else {
                    return Ok(true);
                };
                let found = FoundComponent::of(relation.outgoing());
                let now = self.value(source, &found, relation.name())?;
                if !merge.is_same(Some(old), now.as_ref()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the edges of an entity in the old prefab, if the prefab changes them.
    fn old_edges(&self, slot: u32, name: &str) -> Option<&'a Value> {
        let changes = self.files.diff.entities();
        let found = changes.binary_search_by_key(&slot, |change| change.entity().index());
        let values = changes[found.ok()?].values();
        values.iter().find(|value| value.name() == name)?.old()
    }

    /// Returns the slots of the new entities that a copy gets: those whose places in the prefab's trees are there.
    fn spawns(&self, copy: &UpdatedCopy) -> Vec<u32> {
        let new = self.files.diff.entities().iter();
        let new = new.filter(|change| change.is_spawned());
        let mut new: Vec<&EntityChange> = new
            .filter(|change| copy.parts[change.entity().index() as usize].is_none())
            .collect();
        loop {
            let slots: HashSet<u32> = new.iter().map(|change| change.entity().index()).collect();
            let is_there = |slot: u32| {
                let stays = copy.parts[slot as usize].is_some();
                stays && !copy.is_removed[slot as usize] || slots.contains(&slot)
            };
            let before = new.len();
            new.retain(|change| {
                change.values().iter().all(|value| {
                    let ValueKind::Relation(relation, _) = &self.found[value.name()].kind else {
                        return true;
                    };
                    let mut targets = targets(value.new_value());
                    !relation.is_tree()
                        || targets.all(|it| self.files.slot_of(it).is_some_and(is_there))
                })
            });
            if new.len() == before {
                return new.iter().map(|change| change.entity().index()).collect();
            }
        }
    }

    fn keep(&mut self, copy: &UpdatedCopy, slot: u32, name: Option<&str>) {
        self.kept.push(KeptChange {
            root: copy.root,
            number: self.files.known_as[slot as usize],
            name: name.map(str::to_owned),
        });
    }

    /// Adds the changes of a copy.
    fn copy(&mut self, copy: &UpdatedCopy) -> Result<()> {
        let mut changes = CopyChanges::default();
        let files = self.files;
        for change in files.diff.entities() {
            let slot = change.entity().index();
            let part = copy.parts[slot as usize];
            match part {
                _ if change.is_spawned() => match copy.spawned[slot as usize] {
                    Some(new) => self.spawn(copy, new, change, &mut changes),
                    None if part.is_none() => self.keep(copy, slot, None),
                    // The copy is of the new version.
                    None => {}
                },
                None if change.is_despawned() => {}
                None => self.keep(copy, slot, None),
                Some(part) if change.is_despawned() => {
                    if copy.is_removed[slot as usize] {
                        self.despawn(part, &mut changes)?;
                    } else {
                        self.keep(copy, slot, None);
                    }
                }
                Some(part) => self.part(copy, part, change, &mut changes)?,
            }
        }
        for (slot, part) in copy.parts.iter().enumerate() {
            if let Some(part) = part.filter(|_| !copy.is_removed[slot]) {
                self.renumber(copy, part, files.numbers[slot], &mut changes)?;
            }
        }
        self.cut_cycles(copy, &mut changes);
        let orders = self.orders.len();
        self.order(copy, &mut changes)?;
        changes.entities.retain(|_, change| change.is_any());
        if !changes.entities.is_empty() || self.orders.len() > orders {
            self.changed += 1;
        }
        self.entities.extend(changes.entities.into_values());
        Ok(())
    }

    fn spawn(
        &self,
        copy: &UpdatedCopy,
        new: Entity,
        change: &EntityChange,
        changes: &mut CopyChanges,
    ) {
        let merge = self.merge(copy);
        let mut spawned = EntityChange::of(new, false, true);
        for value in change.values() {
            let tree = value.new_value();
            let made = match &self.found[value.name()].kind {
                ValueKind::Relation(relation, _) => {
                    let edges = tree.and_then(|tree| merge.made_edges(tree));
                    let to = targets(edges.as_ref()).collect();
                    changes.edges.insert((relation.outgoing(), new), to);
                    edges
                }
                _ => tree.map(|tree| merge.made(tree)),
            };
            if made.is_some() {
                spawned.set(value.name(), None, made);
            }
        }
        let number = self.files.numbers[change.entity().index() as usize];
        let part = number.map(|number| self.part_value(number, copy.root));
        spawned.set(self.part.component.name(), None, part);
        changes.entities.insert(new, spawned);
    }

    /// Returns a `PrefabPart` as a tree.
    fn part_value(&self, number: u32, root: Entity) -> Value {
        let version = self.files.version;
        Value::List(vec![
            self.name.into(),
            number.into(),
            Value::Entity(root),
            version.into(),
        ])
    }

    fn despawn(&mut self, part: Entity, changes: &mut CopyChanges) -> Result<()> {
        let mut change = EntityChange::of(part, true, false);
        for (name, value) in self.data_of(part)? {
            change.set(name, Some(value), None);
        }
        changes.entities.insert(part, change);
        for relation in &self.relations {
            let old: Vec<Entity> = self.world.sources_erased(relation, part).collect();
            if relation.data().is_some() && !old.is_empty() {
                self.orders.push(OrderChange {
                    relation: relation.name().to_owned(),
                    target: part,
                    old,
                    new: Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// Merges the values of an entity that stays.
    fn part(
        &mut self,
        copy: &UpdatedCopy,
        part: Entity,
        change: &EntityChange,
        changes: &mut CopyChanges,
    ) -> Result<()> {
        let slot = change.entity().index();
        for value in change.values() {
            let (name, old, new) = (value.name(), value.old(), value.new_value());
            let found = self.found[name];
            let now = self.value(part, &found, name)?;
            let merge = self.merge(copy);
            let merged = match &found.kind {
                ValueKind::Relation(..) => merge.edges(old, new, now.as_ref()),
                _ => merge.component(old, new, now.as_ref()),
            };
            let Merged {
                mut change,
                is_kept,
            } = merged;
            // The type may refuse a mixture of fields.
            if let Some(Some(tree)) = &change
                && is_kept
                && by_name::normal(&found, tree, name).is_err()
            {
                change = None;
            }
            if is_kept {
                self.keep(copy, slot, Some(name));
            }
            let Some(later) = change else {
                continue;
            };
            if let ValueKind::Relation(relation, _) = &found.kind {
                let to: Vec<Entity> = targets(later.as_ref()).collect();
                if relation.is_tree() && !to.is_empty() {
                    changes.moved.push((*relation, part, slot));
                }
                changes.edges.insert((relation.outgoing(), part), to);
            }
            changes.of(part).set(name, now, later);
        }
        Ok(())
    }

    /// Gives an entity its number and version of the new prefab; one that is not in it forgets the prefab.
    fn renumber(
        &self,
        copy: &UpdatedCopy,
        part: Entity,
        number: Option<u32>,
        changes: &mut CopyChanges,
    ) -> Result<()> {
        let remembered = self.world.get::<PrefabPart>(part);
        let remembered = remembered.map(|part| (part.number(), part.version()));
        if remembered != number.map(|number| (number, self.files.version)) {
            let name = self.part.component.name();
            let now = self.value(part, &self.part, name)?;
            let later = number.map(|number| self.part_value(number, copy.root));
            changes.of(part).set(name, now, later);
        }
        Ok(())
    }

    /// Leaves entities where they are if the prefab moves them below entities that the game has moved below them.
    fn cut_cycles(&mut self, copy: &UpdatedCopy, changes: &mut CopyChanges) {
        while let Some(position) = (changes.moved.iter())
            .position(|(relation, source, _)| self.is_below_itself(relation, *source, changes))
        {
            let (relation, source, slot) = changes.moved.remove(position);
            changes.edges.remove(&(relation.outgoing(), source));
            changes.of(source).leave(relation.name());
            self.keep(copy, slot, Some(relation.name()));
        }
    }

    fn is_below_itself(
        &self,
        relation: &RelationInfo,
        source: Entity,
        changes: &CopyChanges,
    ) -> bool {
        let parent = |source: Entity| match changes.edges.get(&(relation.outgoing(), source)) {
            Some(to) => to.first().copied(),
            None => {
                let mut now = self.world.targets_erased(relation, source);
                now.next().map(|(target, _)| target)
            }
        };
        let mut above = HashSet::new();
        let mut next = parent(source);
        while let Some(entity) = next {
            if entity == source {
                return true;
            }
            if !above.insert(entity) {
                return false;
            }
            next = parent(entity);
        }
        false
    }

    /// Puts sources into the prefab's order.
    fn order(&mut self, copy: &UpdatedCopy, changes: &mut CopyChanges) -> Result<()> {
        for order in self.files.diff.orders() {
            let slot = order.target.index();
            let Some(target) = copy.later(slot) else {
                continue;
            };
            let ValueKind::Relation(relation, _) = self.found[&*order.relation].kind else {
                continue;
            };
            let is_source = |source: Entity| {
                let to = changes.edges.get(&(relation.outgoing(), source));
                to.map(|to| to.contains(&target))
            };
            let old: Vec<Entity> = match copy.spawned[slot as usize] {
                Some(_) => Vec::new(),
                None => self.world.sources_erased(&relation, target).collect(),
            };
            let stays =
                |source: &Entity| !copy.removes(*source) && is_source(*source) != Some(false);
            let staying: Vec<Entity> = old.iter().copied().filter(stays).collect();
            let of_prefab = |list: &[Entity]| -> Vec<Entity> {
                let slots = list.iter().filter_map(|&id| self.files.slot_of(id));
                slots.filter_map(|slot| copy.later(slot)).collect()
            };
            let [before, after] = [&order.old, &order.new].map(|list| of_prefab(list));
            let known: HashSet<Entity> = staying.iter().copied().collect();
            let mut new = staying.clone();
            let added = after.iter().filter(|source| !known.contains(source));
            new.extend(added.filter(|&&source| is_source(source) == Some(true)));
            // Is the order of the entities that were there and stay the prefab's?
            let common = |list: &[Entity], other: &[Entity]| -> Vec<Entity> {
                let other: HashSet<Entity> = other.iter().copied().collect();
                let both = |it: &&Entity| known.contains(it) && other.contains(it);
                list.iter().filter(both).copied().collect()
            };
            let was = common(&before, &after);
            let is = common(&after, &before);
            if common(&staying, &was) == was {
                let all: HashSet<Entity> = new.iter().copied().collect();
                let mut sorted = after.iter().filter(|source| all.contains(source));
                let listed: HashSet<Entity> = after.iter().copied().collect();
                for place in new.iter_mut().filter(|source| listed.contains(source)) {
                    *place = *sorted.next().expect("as many are listed");
                }
            } else if was != is {
                self.kept.push(KeptChange {
                    root: copy.root,
                    number: self.files.known_as[slot as usize],
                    name: Some(order.relation.clone()),
                });
            }
            if old != new {
                self.orders.push(OrderChange {
                    relation: order.relation.clone(),
                    target,
                    old,
                    new,
                });
            }
        }
        Ok(())
    }
}

fn failed(entity: Option<Entity>, error: ByNameError) -> ChangesError {
    ChangesError::Apply(ApplyError::Value { entity, error })
}
