//! The contents of a save, in the order of the file.

use std::collections::HashSet;
use std::ops::Range;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::view::{ErasedRef, ErasedView};
use ecs_engine::world::BorrowError;
use ecs_engine::{Entity, World};

use crate::column::ValueRun;
use crate::numbers::EntityNumbers;

/// The entities of a save, and the components that are saved.
///
/// All [runs](ValueRun) of it are valid for reading as long as this is.
pub(crate) struct Contents<'w> {
    pub(crate) numbers: EntityNumbers,
    pub(crate) tables: Vec<SavedTable>,
    pub(crate) components: Vec<SavedComponent<'w>>,
}

/// Entities with the same table components.
pub(crate) struct SavedTable {
    /// The numbers of the entities.
    pub(crate) numbers: Range<u32>,
    /// Positions in the list of components.
    pub(crate) components: Vec<usize>,
}

/// A component that is saved.
pub(crate) struct SavedComponent<'w> {
    pub(crate) id: ComponentId,
    pub(crate) data: &'static DataType,
    pub(super) view: ErasedView<'w>,
}

impl<'w> Contents<'w> {
    /// Collects all entities, and the components that any of them may have.
    ///
    /// # Errors
    /// If a component is borrowed for writing.
    pub(crate) fn of_world(
        world: &'w World,
        components: Vec<(ComponentId, &'static DataType)>,
    ) -> Result<Self, BorrowError> {
        let mut contents = Self::with_components(world, components)?;
        let mut saved: Vec<Entity> = Vec::new();
        for (entities, of_table) in world.tables_with_rows() {
            let first = saved.len() as u32;
            saved.extend(entities);
            contents.add_table(first..saved.len() as u32, &of_table);
        }
        contents.numbers = EntityNumbers::new(saved);
        Ok(contents)
    }

    /// Collects the given entities that have a row, and the components that any of them has.
    ///
    /// O(entities log entities, and their components), and O(components of the world).
    ///
    /// # Errors
    /// If a component is borrowed for writing.
    pub(crate) fn of_part(
        world: &'w World,
        entities: &HashSet<Entity>,
        mut components: Vec<(ComponentId, &'static DataType)>,
    ) -> Result<Self, BorrowError> {
        let rows = entities.iter();
        let rows = rows.filter_map(|&entity| Some((world.row_of(entity)?, entity)));
        let mut rows: Vec<((usize, usize), Entity)> = rows.collect();
        rows.sort_unstable_by_key(|&(row, _)| row);
        let tables = rows.chunk_by(|(one, _), (other, _)| one.0 == other.0);
        let tables = tables.map(|rows| {
            let of_table = world.components_of_table(rows[0].0.0);
            (rows.len() as u32, of_table.collect::<Vec<ComponentId>>())
        });
        let tables: Vec<_> = tables.collect();
        let saved: Vec<Entity> = rows.iter().map(|&(_, entity)| entity).collect();
        let in_tables = tables.iter().flat_map(|(_, components)| components);
        let mut used: HashSet<ComponentId> = in_tables.copied().collect();
        for &entity in &saved {
            used.extend(world.sparse_components_of(entity));
        }
        components.retain(|(id, _)| used.contains(id));
        let mut contents = Self::with_components(world, components)?;
        let mut first = 0;
        for (rows, of_table) in tables {
            contents.add_table(first..first + rows, &of_table);
            first += rows;
        }
        contents.numbers = EntityNumbers::new(saved);
        Ok(contents)
    }

    fn with_components(
        world: &'w World,
        components: Vec<(ComponentId, &'static DataType)>,
    ) -> Result<Self, BorrowError> {
        let components = components.into_iter().map(|(id, data)| {
            let view = world.try_view_erased(id)?;
            Ok(SavedComponent { id, data, view })
        });
        Ok(Self {
            numbers: EntityNumbers::default(),
            tables: Vec::new(),
            components: components.collect::<Result<_, BorrowError>>()?,
        })
    }

    /// Returns the approximate number of bytes of a file: the size of the values in tables, and a little more.
    pub(crate) fn size(&self) -> usize {
        let of_table = |table: &SavedTable| {
            let components = table.components.iter();
            let size = components.map(|&at| self.components[at].view.layout().size());
            table.numbers.len().saturating_mul(size.sum::<usize>() + 8)
        };
        self.tables
            .iter()
            .map(of_table)
            .fold(4096, usize::saturating_add)
    }

    fn add_table(&mut self, numbers: Range<u32>, of_table: &[ComponentId]) {
        let all = self.components.iter().enumerate();
        let components = all.filter(|(_, component)| of_table.contains(&component.id));
        self.tables.push(SavedTable {
            numbers,
            components: components.map(|(position, _)| position).collect(),
        });
    }

    /// Returns the values of a table component of the entities with these numbers, which are in one table.
    pub(crate) fn runs(&self, component: usize, numbers: Range<u32>) -> Vec<ValueRun> {
        let component = &self.components[component];
        let size = component.view.layout().size();
        let value = |number: u32| -> *const u8 {
            let value = component.view.get(self.numbers.entities[number as usize]);
            value.map_or(core::ptr::null(), ErasedRef::as_ptr)
        };
        let mut runs = Vec::new();
        let mut start = numbers.start;
        while start < numbers.end {
            let first = value(start);
            // Rows are in the order of the table, so if the last one is no farther away than it would be without gaps,
            // there are none.
            let is_run = |last: u32| {
                let distance = (last - start) as usize * size;
                value(last) == first.wrapping_add(distance)
            };
            let mut end = numbers.end;
            if !is_run(end - 1) {
                end = start + 1;
                while is_run(end) {
                    end += 1;
                }
            }
            let len = (end - start) as usize;
            runs.push(ValueRun { first, len });
            start = end;
        }
        runs
    }

    /// Returns the values of the components that are in sparse sets.
    pub(crate) fn sets(&self) -> Vec<SavedSet> {
        let mut sets = Vec::new();
        for (position, component) in self.components.iter().enumerate() {
            if component.id.storage() != StorageKind::Sparse {
                continue;
            }
            let mut set = SavedSet {
                component: position,
                numbers: Vec::new(),
                runs: Vec::new(),
            };
            let size = component.view.layout().size();
            let mut add = |number, value: ErasedRef<'_>| {
                set.numbers.push(number);
                ValueRun::add(&mut set.runs, value.as_ptr(), size);
            };
            let entities = &self.numbers.entities;
            if entities.len() < component.view.len() {
                for (number, &entity) in (0..).zip(entities) {
                    if let Some(value) = component.view.get(entity) {
                        add(number, value);
                    }
                }
            } else {
                for chunk in component.view.chunks() {
                    for (entity, value) in chunk.iter() {
                        if let Some(number) = self.numbers.of(entity) {
                            add(number, value);
                        }
                    }
                }
            }
            if !set.numbers.is_empty() {
                sets.push(set);
            }
        }
        sets
    }
}

/// The values of a component in a sparse set.
pub(crate) struct SavedSet {
    /// The position in the list of components.
    pub(crate) component: usize,
    /// The numbers of the entities.
    pub(crate) numbers: Vec<u32>,
    pub(crate) runs: Vec<ValueRun>,
}
