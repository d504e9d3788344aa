//! Changes of a world that are made together or not at all.
//!
//! ```text
//! save in columns ───────────────> Staged ──> World::commit
//! clone, prefab ──> Template ────> Staged ──> World::commit
//! save in rows ───> NewRows ─────> Staged ──> World::commit
//! difference ─────> NewRows ─────> Staged ──> Edit::apply: World::commit, and then
//! packet           └> other changes ────────> the other changes
//! ```
//!
//! # Nothing is half-applied
//! Loads, prefabs and clones only add entities; differences and packets also change and remove others. All of them work in two
//! halves:
//!
//! 1. *Read*. The world is only read. Names are resolved, all values are made, ids are chosen, and targets and trees are checked.
//!    Everything that a file, a packet or a `Deserialize` can get wrong goes wrong here; the values made so far are dropped.
//! 2. *Write*. [`World::commit`] adds the new entities, with their values, edges and resources. It is the last call that returns an
//!    error: it checks and reserves everything before its own first write, and runs no user code between the first and the last. An
//!    [`Edit`] changes the other entities only after it. None of these changes can be refused: the entities are alive, the columns
//!    have the values, no source has two targets, and [`Edit::check_trees`] has looked at the state after the last change, in which
//!    the edges that go are gone before the first one comes.
//!
//! User code runs in the second half only in hooks and observers, if an edit calls them, in the constructors of required components
//! that a packet does not have, and in the `Drop`s of replaced values. A hook may change what it likes, so a change that it makes
//! impossible is left out. If user code panics, or a limit of the world's tables and rows is exceeded by an entity that stays, all
//! other changes are made, and the panic goes on at the end.
//!
//! Two edits break the order, both documented where they are made: in a difference, an entity goes before the commit if a new one
//! has its index; in a packet, the entities that go are despawned last.
//!
//! Loads and prefabs call [`World::commit`] themselves, since they have no other changes.

mod changes;
mod rows;
mod trees;

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::relation::RelateError;
use ecs_engine::schedule::Load;
use ecs_engine::staging::{ErasedColumn, RelationInfo, StageError, Staged};
use ecs_engine::world::InsertErasedError;
use ecs_engine::{Entity, World};

use changes::ChangedValues;
pub(crate) use rows::NewRows;
use trees::EditedTree;

use crate::column::Moving;

/// Checked changes of a world, ready to be made.
pub(crate) struct Edit {
    /// The ids of the new entities.
    pub(crate) new: Vec<Entity>,
    /// The new entities, without the values in `rows`.
    pub(crate) staged: Staged,
    /// The values of the new entities.
    pub(crate) rows: NewRows,
    /// Edges that go before others can come.
    pub(crate) cut: Vec<Cut>,
    /// Components of entities that stay.
    pub(crate) removed: Vec<(Entity, ComponentId)>,
    pub(crate) despawned: Vec<Entity>,
    changed: ChangedValues,
    /// The components of sources, which come when all entities have their values.
    pub(crate) linked: Vec<EditedEdges>,
    /// The new values of resources; `None` for those that go.
    pub(crate) resources: Vec<(&'static DataType, Option<Box<dyn Any + Send + Sync>>)>,
    trees: Vec<EditedTree>,
    /// True if the values come from a recorded state: then required components are not made, and edges that stay keep their places.
    pub(crate) restores: bool,
    pub(crate) calls_hooks: bool,
}

/// The component of a source with its edges.
pub(crate) struct EditedEdges {
    pub(crate) source: Entity,
    pub(crate) column: ErasedColumn,
    /// True if the source is a new entity, whose hooks are called at the end.
    pub(crate) is_new: bool,
}

/// Edges that go.
pub(crate) enum Cut {
    /// All edges of a source.
    All(Entity, ComponentId),
    /// The edge to a target.
    One(RelationInfo, Entity, Entity),
}

impl Edit {
    /// Returns an edit that adds entities with these ids, and changes nothing else.
    pub(crate) fn new(ids: Vec<Entity>) -> Self {
        Self {
            staged: Staged::new(ids.len() as u32),
            rows: NewRows::new(ids.len()),
            new: ids,
            cut: Vec::new(),
            removed: Vec::new(),
            despawned: Vec::new(),
            changed: ChangedValues::default(),
            linked: Vec::new(),
            resources: Vec::new(),
            trees: Vec::new(),
            restores: false,
            calls_hooks: true,
        }
    }

    /// Adds a value of a component, which a function appends to a column. The entity is known by its number if it is new.
    ///
    /// # Errors
    /// The error of the function.
    pub(crate) fn read<E>(
        &mut self,
        entity: Entity,
        number: Option<u32>,
        component: ComponentId,
        read: impl FnOnce(&mut ErasedColumn) -> Result<(), E>,
    ) -> Result<(), E> {
        match number {
            None => self.changed.read(component, entity, read),
            Some(number) => {
                let column = self.rows.of(component);
                self.rows.read(column, number, read)
            }
        }
    }

    /// Adds the only value of a column.
    pub(crate) fn push(&mut self, entity: Entity, number: Option<u32>, mut value: ErasedColumn) {
        let component = value.component();
        let moved = self.read(entity, number, component, |column| {
            Moving::new(&mut value).take_into(&[0], column);
            Ok::<(), std::convert::Infallible>(())
        });
        moved.unwrap_or_else(|never| match never {});
    }

    /// Notes the target that a source has afterwards, for [`check_trees`](Self::check_trees).
    pub(crate) fn set_parent(
        &mut self,
        relation: &RelationInfo,
        source: Entity,
        parent: Option<Entity>,
    ) {
        if !relation.is_tree() {
            return;
        }
        let outgoing = relation.outgoing();
        let mut trees = self.trees.iter();
        let found = trees.position(|tree| tree.relation.outgoing() == outgoing);
        let found = found.unwrap_or_else(|| {
            self.trees.push(EditedTree::new(*relation));
            self.trees.len() - 1
        });
        self.trees[found].set(source, parent);
    }

    /// Checks that no entity of a tree is its own ancestor after the edit. The entities in `gone` have no edges then.
    ///
    /// # Errors
    /// [`RelateError::Cycle`], with an edge that the edit makes.
    pub(crate) fn check_trees(&self, world: &World, gone: &[Entity]) -> Result<(), RelateError> {
        let gone: HashSet<Entity> = gone.iter().copied().collect();
        let goes = |entity| gone.contains(&entity);
        self.trees
            .iter()
            .try_for_each(|tree| tree.check(world, goes))
    }

    /// Removes the edges of entities in the trees that the edit changes.
    pub(crate) fn cut_edited_trees(&mut self, sources: &[Entity]) {
        for tree in &self.trees {
            let all = sources.iter();
            let cut = all.map(|&source| Cut::All(source, tree.relation.outgoing()));
            self.cut.extend(cut);
        }
    }

    /// Makes the changes. A function orders the sources of targets once all edges are there. New entities call hooks at the end,
    /// when everything is in place.
    ///
    /// # Errors
    /// If there is no room for the new entities; nothing has changed.
    ///
    /// # Panics
    /// If an entity has to make way for a new one with its index, and there is no room for that one.
    pub(crate) fn apply(
        self,
        world: &mut World,
        order: impl FnOnce(&mut World),
    ) -> Result<AppliedEdit, StageError> {
        world.as_checked_edit(|world| {
            if self.calls_hooks {
                return self.write(world, order);
            }
            world.without_hooks(|world| self.write(world, order))
        })
    }

    /// Checks the values that entities have at the end of the edit, by the checks of their components.
    fn check_values(&self, world: &World) -> Result<(), StageError> {
        let changed = self.changed.of_entities();
        if changed.is_empty() && !self.staged.is_checked() {
            return Ok(());
        }
        let columns = changed.iter();
        let columns: Vec<_> = columns
            .map(|(column, of)| (*column, of.as_slice()))
            .collect();
        let despawned: HashSet<Entity> = self.despawned.iter().copied().collect();
        let removed = self.removed.iter().copied();
        let mut lost: HashSet<(Entity, ComponentId)> = removed.collect();
        for &(column, entities) in &columns {
            let component = column.component();
            lost.extend(entities.iter().map(|&entity| (entity, component)));
        }
        let leaves = |component: ComponentId, entity: Entity| {
            despawned.contains(&entity) || lost.contains(&(entity, component))
        };
        world.check_staged(&self.staged, &self.new, &columns, &leaves)
    }

    fn write(
        mut self,
        world: &mut World,
        order: impl FnOnce(&mut World),
    ) -> Result<AppliedEdit, StageError> {
        let rows = std::mem::replace(&mut self.rows, NewRows::new(0));
        for (_, edges) in rows.stage(&mut self.staged) {
            self.staged.add_edges(edges);
        }
        self.check_values(world)?;
        let gone: HashSet<u32> = self.despawned.iter().map(|gone| gone.index()).collect();
        let makes_way = !gone.is_empty() && self.new.iter().any(|new| gone.contains(&new.index()));
        let mut staged = Some(self.staged);
        if !makes_way && let Some(staged) = staged.take() {
            world.commit(staged, &self.new)?;
        }
        // From here on an error means that a hook or an observer has removed the entity, or has related it to others.
        let mut applied = AppliedEdit(None);
        for cut in self.cut {
            applied.attempt(|| match cut {
                Cut::All(source, relation) => _ = world.remove_erased(source, relation),
                Cut::One(relation, source, target) => {
                    _ = world.unrelate_erased(&relation, source, target);
                }
            });
        }
        for (entity, component) in self.removed {
            applied.attempt(|| _ = world.remove_erased(entity, component));
        }
        // A panic ends a batch.
        let mut despawned = self.despawned;
        while !despawned.is_empty() {
            applied.attempt(|| _ = world.despawn_batch(despawned.iter().copied()));
            let before = despawned.len();
            despawned.retain(|&entity| world.contains(entity));
            if despawned.len() == before {
                break;
            }
        }
        if let Some(staged) = staged {
            let committed = world.commit(staged, &self.new);
            committed.unwrap_or_else(|error| panic!("the edit is applied in part: {error}"));
        }
        for mut old in self.changed.exchange(world) {
            // The `Drop` of each value may panic.
            while let Some(rest) = old.len().checked_sub(1) {
                applied.attempt(|| old.truncate(rest));
            }
        }
        let restores = self.restores;
        let mut insert = |world: &mut World, entity, column: &mut ErasedColumn| {
            let rest = column.len() - 1;
            applied.attempt(|| {
                let inserted = match restores {
                    true => world.restore_erased(entity, column),
                    false => world.insert_erased(entity, column),
                };
                if let Err(InsertErasedError::Taken(taken)) = inserted {
                    // A hook has given the value to another entity meanwhile, and the old one may already belong to a third.
                    _ = world.remove_erased(entity, column.component());
                    panic!("{taken}");
                }
            });
            // A value that was not inserted.
            applied.attempt(|| column.truncate(rest));
        };
        self.changed
            .for_each(|entity, column| insert(world, entity, column));
        for EditedEdges {
            source,
            mut column,
            is_new,
        } in self.linked
        {
            if is_new {
                world.without_hooks(|world| insert(world, source, &mut column));
            } else {
                insert(world, source, &mut column);
            }
        }
        order(world);
        let set: Vec<_> = self.resources.iter().map(|(data, _)| *data).collect();
        for (data, value) in self.resources {
            let resources = world.resources_mut();
            let old = match value {
                Some(value) => resources.insert_erased(data.name(), value),
                None => resources.remove_erased(data.type_id()),
            };
            applied.attempt(|| drop(old));
        }
        if !set.is_empty() {
            // The edit itself says which entities go with a state.
            world.finish_load(Load::default(), &set, false);
        }
        if self.calls_hooks {
            applied.attempt(|| world.announce(&self.new));
        }
        Ok(applied)
    }
}

/// The end of an edit, with the first panic of a `Drop`, or of a hook.
#[must_use]
pub(crate) struct AppliedEdit(Option<Box<dyn Any + Send>>);

impl AppliedEdit {
    /// Calls a function, and keeps its panic if it is the first one.
    pub(crate) fn attempt(&mut self, f: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(f)) {
            self.0.get_or_insert(panic);
        }
    }

    /// Continues the panic.
    pub(crate) fn finish(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }
}

/// Returns the position of an element. Rows repeat the order of their components, so it is often after the last one.
fn position_near<T>(list: &[T], last: usize, is: impl Fn(&T) -> bool) -> Option<usize> {
    let near = [last + 1, 0, last].into_iter();
    let mut near = near.filter(|&position| list.get(position).is_some_and(&is));
    near.next().or_else(|| list.iter().position(is))
}
