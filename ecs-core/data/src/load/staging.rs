//! Decoded values, before they are in a world.

use std::any::Any;
use std::collections::HashSet;

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::{ErasedColumn, StageError, Staged, StagedEdges};
use ecs_engine::world::InsertErasedError;
use ecs_engine::{Entity, World};

use super::{LoadError, Loaded, Loader, PrefabEntities};
use crate::column::Moving;
use crate::kept::KeptFile;

/// Decoded values, before they are in a world.
pub(super) struct Staging {
    /// The ids that the entities get.
    pub(super) entities: Vec<Entity>,
    /// The ids that come next, of indices that no entity has.
    pub(super) unplaced: Vec<Entity>,
    pub(super) staged: Staged,
    /// The edges, each relation once.
    pub(super) edges: Vec<StagedEdges>,
    /// The types of the resources.
    resources: Vec<&'static DataType>,
    pub(super) moved: Vec<SingleInserts>,
    /// Values of unknown names, which the world keeps.
    pub(super) kept: Vec<KeptFile<Entity>>,
    /// The number of the root of a prefab.
    pub(super) root: Option<u32>,
    /// The paths of the entities behind the list of a readable file: the number of the entity that is a copy of a prefab, and then the
    /// path of the part in that prefab's own file.
    pub(super) nested_paths: Vec<Vec<u32>>,
    /// The dead ids that values of the save name.
    pub(super) dead: Vec<Entity>,
    names: UnknownNames,
}

/// Components that are inserted one by one: those that were sparse when they were saved, and are in tables now, and those that
/// another program has kept.
pub(super) struct SingleInserts {
    /// The numbers of the entities; higher ones if an entity no longer exists.
    pub(super) numbers: Vec<u32>,
    pub(super) values: ErasedColumn,
    /// True if an entity that already has the component keeps it.
    pub(super) is_kept: bool,
}

/// Names that the loader does not know.
#[derive(Default)]
pub(super) struct UnknownNames {
    pub(super) skipped: Vec<String>,
    pub(super) kept: Vec<String>,
}

impl Staging {
    /// Moves everything into the world, and calls hooks and observers unless the loader is [quiet](Loader::quietly).
    pub(super) fn commit(self, loader: &Loader, world: &mut World) -> Result<Loaded, LoadError> {
        if loader.is_quiet {
            return self.commit_and(loader, world, |_, _| {});
        }
        self.commit_and(loader, world, World::announce)
    }

    /// Moves everything into the world of a prefab, which calls no hooks.
    pub(super) fn commit_prefab(mut self, world: &mut World) -> Result<PrefabEntities, LoadError> {
        let root = self.root;
        let nested_paths = core::mem::take(&mut self.nested_paths);
        let loaded = self.commit_and(&Loader::new(), world, |_, _| {})?;
        Ok(PrefabEntities {
            entities: loaded.entities,
            root,
            nested_paths,
        })
    }

    fn commit_and(
        self,
        loader: &Loader,
        world: &mut World,
        announce: impl FnOnce(&mut World, &[Entity]),
    ) -> Result<Loaded, LoadError> {
        let Self {
            entities,
            unplaced,
            mut staged,
            edges,
            resources,
            moved,
            kept,
            root: _,
            nested_paths: _,
            dead,
            names:
                UnknownNames {
                    skipped,
                    kept: kept_names,
                },
        } = self;
        for edges in edges {
            staged.add_edges(edges);
        }
        let (checked, moved) = moved
            .into_iter()
            .partition(|values| values.values.component().is_checked());
        let mut checked = wanted(checked, &staged, &entities);
        let replaced = loader.replaced(world);
        // New entities get values that others still have, or get them later, and an error may come after the check of some.
        let is_edit = !checked.is_empty() || (!replaced.is_empty() && staged.is_checked());
        if !replaced.is_empty() && is_edit {
            staged.replace(&Vec::from_iter(loader.despawned(world)));
        }
        let load = (!resources.is_empty()).then(|| world.begin_load());
        let write = |world: &mut World| -> Result<(), StageError> {
            let columns = checked.iter();
            let columns: Vec<_> = columns.map(|(column, of)| (column, &**of)).collect();
            world.commit_with(staged, &entities, &columns)?;
            world.free_given(&unplaced);
            world.take_dead_ids(&dead);
            // So that the next save has them, too.
            for data in &resources {
                world.make_data_known(data);
            }
            if let Some(load) = load {
                world.finish_load(load, &resources, loader.enters_states);
            }
            crate::kept::add(world, kept);
            // Before the first hook, which could take a value that was found to be free. They are announced with the others.
            world.without_hooks(|world| {
                for (column, entities) in &mut checked {
                    while let Some(entity) = entities.pop() {
                        match world.insert_erased(entity, column) {
                            // It went with the state that has ended.
                            Err(InsertErasedError::NoSuchEntity(_)) => {
                                column.truncate(entities.len());
                            }
                            inserted => inserted.expect("the value was checked"),
                        }
                    }
                }
            });
            if !replaced.is_empty() {
                world.despawn_batch(replaced);
            }
            Ok(())
        };
        let written = match is_edit {
            true => world.as_checked_edit(write),
            false => write(world),
        };
        written.map_err(LoadError::of_stage)?;
        announce(world, &entities);
        for SingleInserts {
            numbers,
            mut values,
            is_kept,
        } in moved
        {
            let component = values.component();
            for (row, number) in numbers.into_iter().enumerate().rev() {
                let entity = entities.get(number as usize).copied();
                let wants = |&entity: &Entity| !(is_kept && has(world, entity, component));
                // A hook's command may have despawned it by now, and then the value stays in the column.
                let inserted = match entity.filter(wants) {
                    Some(entity) => world.insert_erased(entity, &mut values).is_ok(),
                    None => false,
                };
                if !inserted {
                    values.truncate(row);
                }
            }
        }
        Ok(Loaded {
            entities,
            skipped,
            kept: kept_names,
        })
    }

    /// Returns a staging of entities that have nothing yet.
    pub(super) fn new(entities: Vec<Entity>, names: UnknownNames) -> Self {
        let mut staging = Self::of_numbers(entities.len() as u32, names);
        staging.entities = entities;
        staging
    }

    /// Returns a staging of this many entities, which have neither ids nor anything else yet.
    pub(super) fn of_numbers(entities: u32, names: UnknownNames) -> Self {
        Self {
            staged: Staged::new(entities),
            entities: Vec::new(),
            unplaced: Vec::new(),
            edges: Vec::new(),
            resources: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            root: None,
            nested_paths: Vec::new(),
            dead: Vec::new(),
            names,
        }
    }

    /// Adds a resource. One that was kept does not replace another.
    pub(super) fn add_resource(
        &mut self,
        data: &'static DataType,
        value: Box<dyn Any + Send + Sync>,
        is_kept: bool,
    ) {
        let mut known = self.resources.iter();
        let is_new = known.all(|known| known.name() != data.name());
        if is_new {
            self.resources.push(data);
        }
        if is_new || !is_kept {
            self.staged.add_resource(data.name(), value);
        }
    }

    pub(super) fn note_skipped(&mut self, name: &str) {
        note(&mut self.names.skipped, name);
    }

    pub(super) fn note_kept(&mut self, name: &str) {
        note(&mut self.names.kept, name);
    }
}

/// Returns the values that entities get one by one, with these entities. One that was kept doesn't replace another.
fn wanted(
    all: Vec<SingleInserts>,
    staged: &Staged,
    entities: &[Entity],
) -> Vec<(ErasedColumn, Vec<Entity>)> {
    let mut had: HashSet<(ComponentId, u32)> = HashSet::new();
    let mut wanted = Vec::new();
    for mut single in all {
        let component = single.values.component();
        let of_staged = staged.numbers_with(component).into_iter();
        had.extend(of_staged.map(|number| (component, number)));
        let (mut rows, mut of_rows, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (row, number) in single.numbers.into_iter().enumerate() {
            let is_new = had.insert((component, number));
            if let Some(&entity) = entities.get(number as usize)
                && (is_new || !single.is_kept)
            {
                rows.push(row);
                of_rows.push(entity);
            } else {
                rest.push(row);
            }
        }
        let mut moving = Moving::new(&mut single.values);
        wanted.push((moving.take(&rows), of_rows));
        drop(moving.take(&rest));
    }
    wanted
}

/// Adds a name to a list that may have it.
fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|other| other == name) {
        names.push(name.to_owned());
    }
}

/// Returns true if an entity is alive and has a component.
fn has(world: &World, entity: Entity, component: ComponentId) -> bool {
    world.contains(entity) && world.has_erased(entity, component)
}
