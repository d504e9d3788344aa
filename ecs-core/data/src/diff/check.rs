//! Checks that a world is in the first state of a difference, and makes the values of the second.

use std::collections::{HashMap, HashSet};

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::{EdgeTarget, ErasedColumn, RelationInfo, StageError, StagedEdge};
use ecs_engine::{Entity, World};

use super::same::{is_same, is_same_tree, is_same_value};
use super::{ApplyError, Diff, EntityChange, OrderChange, ValueChange};
use crate::Value;
use crate::by_name::{self, ByNameError, FoundComponent, ValueKind};
use crate::edit::{Cut, Edit, EditedEdges};

/// Everything that a difference changes in a world.
pub(super) struct DiffPlan {
    pub(super) edit: Edit,
    /// By the position in the list of the diff.
    pub(super) orders: Vec<(RelationInfo, usize)>,
}

/// The indices that are allowed however few entities the world has: their memory is 128 MiB.
const ALLOWED_INDICES: u32 = 1 << 24;

/// Checks a difference against a world.
pub(super) struct DiffCheck<'a> {
    diff: &'a Diff,
    world: &'a World,
    spawned: HashMap<Entity, u32>,
    despawned: HashSet<Entity>,
    /// The components of a name.
    names: HashMap<&'a str, FoundComponent>,
    edit: Edit,
}

/// Checks a difference; the world gets its entities.
pub(super) fn check(diff: &Diff, world: &mut World) -> Result<DiffPlan, ApplyError> {
    ids(diff, world)?;
    let mut check = DiffCheck::of(diff, world);
    for change in &diff.entities {
        check.entity(change)?;
    }
    (check.edit.check_trees(world, &check.edit.despawned)).map_err(ApplyError::Cycle)?;
    let mut orders = Vec::new();
    for (position, order) in diff.orders.iter().enumerate() {
        let found = check.found(Some(order.target), &order.relation)?;
        let ValueKind::Relation(relation, _) = found.kind else {
            return Err(check.not_data(Some(order.target), &order.relation));
        };
        let sources = world.sources_erased(&relation, order.target);
        if !sources.eq(order.old.iter().copied()) {
            return Err(ApplyError::OtherSources {
                target: order.target,
                relation: order.relation.clone(),
            });
        }
        orders.push((relation, position));
    }
    for change in &diff.resources {
        check.resource(change)?;
    }
    Ok(DiffPlan {
        edit: check.edit,
        orders,
    })
}

/// Checks that entities exist or not, and that the new ones can have their ids.
fn ids(diff: &Diff, world: &mut World) -> Result<(), ApplyError> {
    let (_, fresh) = world.freed_ids();
    let highest = ALLOWED_INDICES.max(fresh.saturating_mul(2));
    let mut gone = HashSet::new();
    for change in &diff.entities {
        let entity = change.entity;
        if change.was_alive && world.entity(entity).is_err() {
            return Err(ApplyError::NoEntity { entity });
        }
        if !change.was_alive && world.contains(entity) {
            return Err(ApplyError::Alive { entity });
        }
        if !change.is_alive {
            gone.insert(entity.index());
        }
    }
    let mut last = None;
    for change in &diff.entities {
        if change.was_alive || !change.is_alive {
            continue;
        }
        let entity = change.entity;
        let failed = |error| ApplyError::Id { entity, error };
        if entity.index() >= highest {
            return Err(ApplyError::IndexTooHigh { entity });
        }
        if last.replace(entity.index()) == Some(entity.index()) {
            let error = ecs_engine::staging::GivenIdError::Twice { entity };
            return Err(failed(error.into()));
        }
        match world.check_ids(&[entity], true) {
            Ok(()) => {}
            // The entity that has the index now goes first; only the generation is left to check, at a free index.
            Err(StageError::Id(_)) if gone.contains(&entity.index()) => {
                let bits = entity.to_bits() >> 32 << 32 | u64::from(highest);
                if let Some(free) = Entity::from_bits(bits) {
                    world.check_ids(&[free], true).map_err(failed)?;
                }
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

impl<'a> DiffCheck<'a> {
    fn of(diff: &'a Diff, world: &'a World) -> Self {
        let new = diff.entities.iter().filter(|change| !change.was_alive);
        let spawned: Vec<Entity> = new.map(|change| change.entity).collect();
        let gone = diff.entities.iter().filter(|change| !change.is_alive);
        let despawned: Vec<Entity> = gone.map(|change| change.entity).collect();
        let numbers = spawned.iter().copied().zip(0..).collect();
        let mut edit = Edit::new(spawned);
        edit.staged.revive();
        // Missing components are among the values.
        edit.staged.make_only(false, Vec::new());
        edit.restores = true;
        edit.despawned.clone_from(&despawned);
        Self {
            diff,
            world,
            spawned: numbers,
            despawned: despawned.into_iter().collect(),
            names: HashMap::new(),
            edit,
        }
    }

    /// Returns the component or relation of a name.
    fn found(
        &mut self,
        entity: Option<Entity>,
        name: &'a str,
    ) -> Result<FoundComponent, ApplyError> {
        if let Some(found) = self.names.get(name) {
            return Ok(*found);
        }
        let found = by_name::component_named(self.world, name);
        let found = found.map_err(|error| ApplyError::Value { entity, error })?;
        if matches!(found.kind, ValueKind::Opaque) {
            return Err(self.not_data(entity, name));
        }
        self.names.insert(name, found);
        Ok(found)
    }

    fn not_data(&self, entity: Option<Entity>, name: &str) -> ApplyError {
        let name = name.to_owned();
        ApplyError::Value {
            entity,
            error: ByNameError::NotData { name },
        }
    }

    fn entity(&mut self, change: &'a EntityChange) -> Result<(), ApplyError> {
        let entity = change.entity;
        let number = self.spawned.get(&entity).copied();
        for value in &change.values {
            let found = self.found(Some(entity), &value.name)?;
            self.old_value(change, &found, value)?;
            if let ValueKind::Relation(relation, data) = &found.kind {
                self.edges_of(change, relation, data, value)?;
            } else if let Some(tree) = &value.new {
                let read = self.edit.read(entity, number, found.component, |column| {
                    by_name::read(column, &found, tree, &value.name)
                });
                read.map_err(|error| failed(entity, error))?;
            } else if change.is_alive {
                self.edit.removed.push((entity, found.component));
            }
        }
        if !change.is_alive {
            return self.nothing_else(change);
        }
        self.required(change);
        Ok(())
    }

    /// If an entity gets components that require others, makes those that it lacks, unless the difference knows of
    /// them.
    fn required(&mut self, change: &EntityChange) {
        let entity = change.entity;
        let number = self.spawned.get(&entity).copied();
        let mut components: Vec<ComponentId> = match self.world.entity(entity) {
            Ok(entity) if number.is_none() => entity.components().map(|it| it.id()).collect(),
            _ => Vec::new(),
        };
        let mut gets_any = false;
        for value in &change.values {
            let Some(found) = self.names.get(&*value.name) else {
                continue;
            };
            if value.new.is_none() {
                components.retain(|&component| component != found.component);
            } else if value.old.is_none() {
                gets_any = true;
                components.push(found.component);
            }
        }
        if !gets_any {
            return;
        }
        let is_made =
            |component: ComponentId| self.diff.left_out.has(&FoundComponent::of(component));
        for column in ErasedColumn::of_required(&components, &is_made) {
            if number.is_some() && column.component().is_end() {
                self.edit.linked.push(EditedEdges {
                    source: entity,
                    column,
                    is_new: true,
                });
            } else {
                self.edit.push(entity, number, column);
            }
        }
    }

    /// Checks that an entity which goes has no data that the difference does not know, so that it can be brought back.
    fn nothing_else(&self, change: &EntityChange) -> Result<(), ApplyError> {
        let (world, entity) = (self.world, change.entity);
        let handle = world.entity(entity);
        let components = handle.map_err(|_| ApplyError::NoEntity { entity })?;
        for component in components.components() {
            let found = FoundComponent::of(component.id());
            let Some(name) = found.name().filter(|_| !self.diff.left_out.has(&found)) else {
                continue;
            };
            if change.values.iter().all(|value| value.name != name) {
                let value = by_name::value(world, entity, &found, name);
                return Err(ApplyError::OtherValue {
                    entity: Some(entity),
                    name: name.to_owned(),
                    expected: None,
                    found: value.map_err(|error| failed(entity, error))?,
                });
            }
        }
        for relation in world.relations() {
            let name = relation.name();
            let orders = &self.diff.orders;
            let is_known = || {
                let key =
                    |order: &OrderChange| (&*order.relation, order.target).cmp(&(name, entity));
                orders.binary_search_by(key).is_ok()
            };
            if relation.data().is_some()
                && !self
                    .diff
                    .left_out
                    .has(&FoundComponent::of(relation.outgoing()))
                && world.sources_erased(&relation, entity).next().is_some()
                && !is_known()
            {
                return Err(ApplyError::OtherSources {
                    target: entity,
                    relation: name.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Checks that an entity has the value of the old state.
    fn old_value(
        &self,
        change: &EntityChange,
        found: &FoundComponent,
        value: &ValueChange,
    ) -> Result<(), ApplyError> {
        let entity = change.entity;
        if !change.was_alive {
            return Ok(());
        }
        let current = by_name::value(self.world, entity, found, &value.name);
        let current = current.map_err(|error| failed(entity, error))?;
        if is_same(current.as_ref(), value.old.as_ref()) {
            return Ok(());
        }
        // A format may have other trees for the same value.
        let same = match (&current, &value.old, &found.kind) {
            (Some(current), Some(old), ValueKind::Data(..)) => {
                by_name::normal(found, old, &value.name)
                    .is_ok_and(|old| is_same_tree(current, &old))
            }
            (current, old, _) => is_same_value(current.as_ref(), old.as_ref()),
        };
        if same {
            return Ok(());
        }
        Err(ApplyError::OtherValue {
            entity: Some(entity),
            name: value.name.clone(),
            expected: value.old.clone(),
            found: current,
        })
    }

    fn edges_of(
        &mut self,
        change: &EntityChange,
        relation: &RelationInfo,
        data: &'static DataType,
        value: &ValueChange,
    ) -> Result<(), ApplyError> {
        let entity = change.entity;
        let error = |message: String| ApplyError::Edges {
            entity,
            relation: value.name.clone(),
            message,
        };
        let outgoing = relation.outgoing();
        if !change.is_alive {
            return Ok(());
        }
        let is_target = |target: Entity| {
            let is_there = self.world.entity(target).is_ok() && !self.despawned.contains(&target);
            is_there || self.spawned.contains_key(&target)
        };
        let tree = value.new.as_ref();
        let number = self.spawned.get(&entity).copied();
        let mut values = ErasedColumn::of_edges(outgoing).expect("it is the component of sources");
        let targets = match tree {
            Some(tree) => {
                by_name::read_edges(&mut values, data, tree, &is_target).map_err(error)?
            }
            None => Vec::new(),
        };
        if targets.contains(&entity) {
            return Err(error("an entity cannot be related to itself".to_owned()));
        }
        if !relation.is_many() && targets.len() > 1 {
            return Err(error("it leads to one target".to_owned()));
        }
        let parent = targets.first().copied();
        self.edit.set_parent(relation, entity, parent);
        let Some(source) = number else {
            if let Some(tree) = tree.filter(|_| !targets.is_empty()) {
                let column = by_name::source(relation, data, tree, &is_target).map_err(error)?;
                self.edit.linked.push(EditedEdges {
                    source: entity,
                    column,
                    is_new: false,
                });
            }
            self.cut(entity, relation, &targets);
            return Ok(());
        };
        let edges = targets.into_iter().map(|target| StagedEdge {
            source,
            target: match self.spawned.get(&target) {
                Some(&target) => EdgeTarget::New(target),
                None => EdgeTarget::Living(target),
            },
        });
        self.edit.rows.add_edges(values, edges);
        Ok(())
    }

    /// Notes which edges of an entity that stays have to go first: edges that are in the way of the others, and edges to targets
    /// that go and may take their sources along.
    fn cut(&mut self, entity: Entity, relation: &RelationInfo, targets: &[Entity]) {
        let now = self.world.targets_erased(relation, entity);
        if targets.is_empty() {
            self.edit.cut.push(Cut::All(entity, relation.outgoing()));
            return;
        }
        for (target, _) in now.filter(|(target, _)| !targets.contains(target)) {
            if !relation.is_many() {
                self.edit.cut.push(Cut::All(entity, relation.outgoing()));
            } else if self.despawned.contains(&target) {
                self.edit.cut.push(Cut::One(*relation, entity, target));
            }
        }
    }

    fn resource(&mut self, change: &ValueChange) -> Result<(), ApplyError> {
        let failed = |error| ApplyError::Value {
            entity: None,
            error,
        };
        let named = by_name::resource_named(self.world, &change.name);
        let (data, codec) = named.map_err(failed)?;
        let current = by_name::resource(self.world, &change.name).map_err(failed)?;
        let is_normal = |current: &Value, old: &Value| {
            let normal = by_name::normal_resource(data, codec, old, &change.name);
            normal.is_ok_and(|old| is_same_tree(current, &old))
        };
        let same = match (&current, &change.old) {
            (Some(current), Some(old)) => is_same_tree(current, old) || is_normal(current, old),
            (current, old) => current.is_none() && old.is_none(),
        };
        if !same {
            return Err(ApplyError::OtherValue {
                entity: None,
                name: change.name.clone(),
                expected: change.old.clone(),
                found: current,
            });
        }
        let new = change.new.as_ref();
        let new = new.map(|tree| by_name::read_boxed(data, codec, tree, &change.name));
        let new = new.transpose().map_err(failed)?;
        self.edit.resources.push((data, new));
        Ok(())
    }
}

fn failed(entity: Entity, error: ByNameError) -> ApplyError {
    ApplyError::Value {
        entity: Some(entity),
        error,
    }
}
