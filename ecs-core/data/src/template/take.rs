//! Copies entities out of a world.
//!
//! # Clone entities
//! `template/take.rs` of `ecs-data` copies values out of a world, table by table. In a copy of a whole world all ids stay, so
//! values are cloned by `Clone`. Otherwise it writes a value to find out whether the value has ids. The derive knows the answer
//! for structs of floats and truth values (`IdProbe` of `data_type.rs`); it does not trust the name of a type. Of plain bytes
//! (`Copy`, without ids) only one copy is staged, which the commit repeats in the table itself (`Staged::add_copies`,
//! `Storage::write_repeated`). A single entity that is nothing but a row takes a shorter way (`template/single.rs`,
//! `staging/clone_row.rs`): its values are cloned into the row after the last one of its table, which becomes part of the table
//! when all are there, and are dropped there otherwise. If anything is less simple (sparse components, relations, hooks,
//! missing required components, errors), it returns `None` before anything has changed, and the copy goes through a `Staged`.

use std::any::Any;
use std::cell::RefCell;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::entity::dead::dead_like;
use ecs_engine::entity::session::{Others, Session};
use ecs_engine::view::ErasedView;
use ecs_engine::{Entity, World};

use super::edges;
use super::values::{self, CopyFailure, TemplateValues, ValueOwner};
use super::{CloneError, LeftOut, Template, TemplateSet, TemplateTable};
use crate::codec::Encoder;
use crate::column::ValueRun;
use crate::numbers::EntityNumbers;

/// The entities that are copied.
pub(crate) enum TakeSource<'a> {
    /// The entities of a list, in its order. They are alive, and no two are the same.
    List(&'a [Entity]),
    /// All entities of the world that have rows, in the order of the tables.
    All,
}

/// The treatment of entities that are not copied, but named by copied ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutsidePolicy {
    /// The copy refers to the same entities, in ids and as targets of edges.
    Same,
    /// Ids of them are an error; edges to them are left out.
    Refused,
    /// Ids of them become dead ids, a different one for each; edges to them are left out.
    Dead,
}

/// The entities that are copied, and the world that has them.
pub(super) struct Taking<'w> {
    pub(super) world: &'w World,
    pub(super) numbers: EntityNumbers,
    pub(super) left_out: &'w LeftOut,
    pub(super) outside: OutsidePolicy,
    /// True if the copy of each entity has the id of the original, so that ids in values stay as they are.
    pub(super) keeps_ids: bool,
}

/// Entities in one table.
struct TakenTable {
    numbers: Vec<u32>,
    table: usize,
    /// The rows of the entities, as runs: the first row, and the number of rows.
    rows: Vec<(usize, usize)>,
    components: Vec<ComponentId>,
}

impl TakenTable {
    /// Adds an entity; those that are only reserved have no row.
    fn push(&mut self, number: u32, row: Option<usize>) {
        self.numbers.push(number);
        match (self.rows.last_mut(), row) {
            (Some((first, len)), Some(row)) if *first + *len == row => *len += 1,
            _ => self.rows.extend(row.map(|row| (row, 1))),
        }
    }
}

/// A sparse component, and the numbers of the entities that have it.
type SetOf = (ComponentId, Vec<u32>);

/// Entities by number, with the components that they have.
struct Grouped {
    entities: Vec<Entity>,
    groups: Vec<TakenTable>,
    sets: Vec<SetOf>,
}

impl Template {
    /// Copies entities.
    pub(crate) fn take(
        world: &World,
        source: &TakeSource<'_>,
        left_out: &LeftOut,
        outside: OutsidePolicy,
    ) -> Result<(Self, Vec<Entity>), CloneError> {
        let Grouped {
            entities,
            groups,
            sets,
        } = match source {
            TakeSource::List(list) => of_list(world, list)?,
            TakeSource::All => of_world(world)?,
        };
        let taking = Taking {
            world,
            numbers: EntityNumbers::new(entities),
            left_out,
            outside,
            keeps_ids: matches!(source, TakeSource::All) && outside == OutsidePolicy::Same,
        };
        let others = RefCell::new(Vec::new());
        let session = taking.session(&others);
        let mut encoder = Encoder::new();
        let mut template = Self {
            entities: taking.numbers.entities.len() as u32,
            tables: Vec::new(),
            sets: Vec::new(),
            edges: Vec::new(),
            others: Vec::new(),
            buried: Vec::new(),
        };
        for group in groups {
            let mut columns = Vec::with_capacity(group.components.len());
            for &component in &group.components {
                let runs = |view: &ErasedView<'_>| runs_of_rows(view, &group);
                let numbers = &group.numbers;
                let column = taking.component(component, numbers, runs, &session, &mut encoder)?;
                columns.extend(column);
            }
            let numbers = group.numbers;
            template.tables.push(TemplateTable { numbers, columns });
        }
        for (component, numbers) in sets {
            let runs = |view: &ErasedView<'_>| taking.runs(view, &numbers);
            let values = taking.component(component, &numbers, runs, &session, &mut encoder)?;
            let set = values.map(|values| TemplateSet { numbers, values });
            template.sets.extend(set);
        }
        for relation in world.relations() {
            let edges = edges::take(&taking, &relation, &session, &mut encoder)?;
            template.edges.extend(edges);
        }
        template.others = others.into_inner();
        if outside == OutsidePolicy::Dead {
            template
                .others
                .iter_mut()
                .for_each(|id| *id = dead_like(*id));
        }
        Ok((template, taking.numbers.entities))
    }
}

impl<'w> Taking<'w> {
    fn session<'a>(&'a self, others: &'a RefCell<Vec<Entity>>) -> Session<'a> {
        self.numbers.session(match self.outside {
            OutsidePolicy::Same | OutsidePolicy::Dead => Others::Listed(others),
            OutsidePolicy::Refused => Others::Refused,
        })
    }

    /// Returns the description of a type that is copied; `None` if it is left out.
    pub(super) fn data(
        &self,
        data: Option<&'static DataType>,
        name: &'static str,
        number: u32,
    ) -> Result<Option<&'static DataType>, CloneError> {
        if data.is_some() || self.left_out.not_data {
            return Ok(data);
        }
        let entity = self.numbers.entities[number as usize];
        Err(CloneError::NotData { entity, name })
    }

    /// Names the value that cannot be copied. `number` returns the entity that has it.
    pub(super) fn failed(
        &self,
        name: &'static str,
        failure: CopyFailure,
        number: impl Fn(usize) -> Option<u32>,
    ) -> CloneError {
        failure.of(name, |row| {
            number(row).map(|number| self.numbers.entities[number as usize])
        })
    }

    /// Copies the values of a component that some entities have; returns `None` if it is left out. `runs` returns where they are.
    fn component(
        &self,
        component: ComponentId,
        numbers: &[u32],
        runs: impl FnOnce(&ErasedView<'_>) -> Vec<ValueRun>,
        session: &Session<'_>,
        encoder: &mut Encoder,
    ) -> Result<Option<TemplateValues>, CloneError> {
        if self.left_out.components.contains(&component) || component.is_end() {
            return Ok(None);
        }
        let Some(&first) = numbers.first() else {
            return Ok(None);
        };
        let Some(data) = self.data(component.data(), component.name(), first)? else {
            return Ok(None);
        };
        let view = self.world.try_view_erased(component)?;
        let runs = runs(&view);
        let owner = ValueOwner::Component(component);
        // SAFETY: `component.data()` describes the type of the component, and the runs are values of the component. The
        // view keeps them borrowed, so that nothing changes them.
        let copied =
            unsafe { TemplateValues::copy(owner, data, &runs, self.keeps_ids, session, encoder) };
        let failed = |failure| self.failed(data.name(), failure, |row| numbers.get(row).copied());
        copied.map(Some).map_err(failed)
    }

    /// Returns where the values of a sparse component are.
    fn runs(&self, view: &ErasedView<'_>, numbers: &[u32]) -> Vec<ValueRun> {
        let size = view.layout().size();
        let mut runs: Vec<ValueRun> = Vec::new();
        for &number in numbers {
            let value = view.get(self.numbers.entities[number as usize]);
            let value = value.expect("the entity has the component");
            ValueRun::add(&mut runs, value.as_ptr(), size);
        }
        runs
    }
}

/// Returns where the values of a component in a table are.
fn runs_of_rows(view: &ErasedView<'_>, group: &TakenTable) -> Vec<ValueRun> {
    let size = view.layout().size();
    let start = view.first_of_table(group.table);
    let start = start.expect("the table has the component");
    let runs = group.rows.iter().map(|&(row, len)| ValueRun {
        first: start.wrapping_add(row * size),
        len,
    });
    runs.collect()
}

/// Groups the entities of a list. The first one, which takes overrides, is in a group of its own.
fn of_list(world: &World, list: &[Entity]) -> Result<Grouped, CloneError> {
    let (mut groups, mut sets): (Vec<TakenTable>, Vec<SetOf>) = (Vec::new(), Vec::new());
    // The tables with the positions of their groups, sorted.
    let mut of_tables: Vec<(usize, usize)> = Vec::new();
    for (number, &entity) in list.iter().enumerate() {
        // Reserved entities have no row, and so belong to the first table, which has no components.
        let (table, row) = match world.row_of(entity) {
            Some((table, row)) => (table, Some(row)),
            None if world.contains(entity) => (0, None),
            None => return Err(CloneError::NoEntity { entity }),
        };
        let number = number as u32;
        for component in world.sparse_components_of(entity) {
            match sets.iter_mut().find(|(id, _)| *id == component) {
                Some((_, numbers)) => numbers.push(number),
                None => sets.push((component, vec![number])),
            }
        }
        // Usually it is also the table of the entity before.
        let group = match groups.last() {
            Some(last) if number > 1 && last.table == table => groups.len() - 1,
            _ => {
                let found = of_tables.binary_search_by_key(&table, |&(table, _)| table);
                let place = found.unwrap_or_else(|place| {
                    groups.push(TakenTable {
                        numbers: Vec::new(),
                        table,
                        rows: Vec::new(),
                        components: world.components_of_table(table).collect(),
                    });
                    of_tables.insert(place, (table, groups.len() - 1));
                    place
                });
                of_tables[place].1
            }
        };
        groups[group].push(number, row);
        if number == 0 {
            of_tables.clear();
        }
    }
    Ok(Grouped {
        entities: list.to_vec(),
        groups,
        sets,
    })
}

/// Groups all entities of a world.
fn of_world(world: &World) -> Result<Grouped, CloneError> {
    let (mut all, mut groups) = (Vec::new(), Vec::new());
    for (table, (entities, components)) in world.all_tables().enumerate() {
        if entities.is_empty() {
            continue;
        }
        let first = all.len() as u32;
        all.extend_from_slice(entities);
        groups.push(TakenTable {
            numbers: (first..all.len() as u32).collect(),
            table,
            rows: vec![(0, entities.len())],
            components,
        });
    }
    let numbers = EntityNumbers::new(all);
    let mut sets = Vec::new();
    for component in world.registered_components() {
        if component.storage() == StorageKind::Table || component.is_end() {
            continue;
        }
        let view = world.try_view_erased(component)?;
        let chunks = view.chunks();
        let entities = chunks.flat_map(|chunk| chunk.entities().iter().copied());
        let of_set = entities.filter_map(|entity| numbers.of(entity));
        sets.push((component, of_set.collect()));
    }
    Ok(Grouped {
        entities: numbers.entities,
        groups,
        sets,
    })
}

/// A resource without its type.
type Resource = Box<dyn Any + Send + Sync>;

/// Copies the listed resources that a world has, for a world with the same ids, which they keep.
pub(crate) fn resources(
    world: &World,
    types: &[&'static DataType],
    entities: &[Entity],
) -> Result<Vec<(&'static str, Resource)>, CloneError> {
    let numbers = EntityNumbers::new(entities.to_vec());
    let others = RefCell::new(Vec::new());
    let session = numbers.session(Others::Listed(&others));
    let mut copies = Vec::new();
    for &data in types {
        let Some(value) = world.resources().try_borrow_erased(data.type_id())? else {
            continue;
        };
        let place: *const (dyn Any + Send + Sync) = &raw const *value;
        // SAFETY: the world has the value under the type that `data` describes, and it is borrowed.
        let copy =
            unsafe { values::copy_resource(data, place.cast(), entities, &others, &session) };
        let name = data.name();
        copies.push((name, copy.map_err(|failure| failure.of(name, |_| None))?));
    }
    Ok(copies)
}
