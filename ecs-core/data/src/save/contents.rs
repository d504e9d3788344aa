//! The contents of a save, in the order of the file.

use std::ops::Range;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::view::{ErasedChunk, ErasedRef, ErasedView};
use ecs_engine::world::BorrowError;
use ecs_engine::{Entity, World};

/// The entities of a save, and the components that are saved.
pub(crate) struct Contents<'w> {
    /// The entities by number.
    pub(crate) entities: Vec<Entity>,
    /// The number by the entity's index; [`NO_NUMBER`] for entities that are not saved.
    pub(crate) numbers: Vec<u32>,
    pub(crate) tables: Vec<Table>,
    pub(crate) components: Vec<Component<'w>>,
}

/// The number of an entity that is not saved.
const NO_NUMBER: u32 = u32::MAX;

/// Entities with the same table components.
pub(crate) struct Table {
    /// Their numbers.
    pub(crate) numbers: Range<u32>,
    /// Positions in the list of components.
    pub(crate) components: Vec<usize>,
}

/// A component that is saved.
pub(crate) struct Component<'w> {
    pub(crate) id: ComponentId,
    pub(crate) data: &'static DataType,
    pub(super) view: ErasedView<'w>,
}

impl<'w> Contents<'w> {
    /// Collects the entities for which `is_saved` is true, and those of the components.
    ///
    /// # Errors
    /// If a component is borrowed for writing.
    pub(crate) fn of(
        world: &'w World,
        is_saved: &dyn Fn(Entity) -> bool,
        components: Vec<(ComponentId, &'static DataType)>,
    ) -> Result<Self, BorrowError> {
        let components = components.into_iter().map(|(id, data)| {
            let view = world.try_view_erased(id)?;
            Ok(Component { id, data, view })
        });
        let mut contents = Self {
            entities: Vec::new(),
            numbers: Vec::new(),
            tables: Vec::new(),
            components: components.collect::<Result<_, BorrowError>>()?,
        };
        for (entities, components) in world.tables_with_rows() {
            contents.add_table(entities, &components, is_saved);
        }
        contents.number();
        Ok(contents)
    }

    fn add_table(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        is_saved: &dyn Fn(Entity) -> bool,
    ) {
        let first = self.entities.len() as u32;
        let saved = entities.iter().filter(|&&entity| is_saved(entity));
        self.entities.extend(saved);
        let numbers = first..self.entities.len() as u32;
        if numbers.is_empty() {
            return;
        }
        let has = |component: &Component<'_>| components.contains(&component.id);
        let all = self.components.iter().enumerate();
        let components = all.filter(|(_, component)| has(component));
        self.tables.push(Table {
            numbers,
            components: components.map(|(position, _)| position).collect(),
        });
    }

    fn number(&mut self) {
        let indices = self.entities.iter().map(|entity| entity.index() as usize);
        let end = indices.max().map_or(0, |highest| highest + 1);
        self.numbers = vec![NO_NUMBER; end];
        for (number, entity) in self.entities.iter().enumerate() {
            self.numbers[entity.index() as usize] = number as u32;
        }
    }

    /// Returns the number of an entity that is saved.
    pub(crate) fn number_of(&self, entity: Entity) -> Option<u32> {
        let number = *self.numbers.get(entity.index() as usize)?;
        (self.entities.get(number as usize) == Some(&entity)).then_some(number)
    }

    /// Returns the values of a table component of the entities with these numbers, which are in one table.
    pub(crate) fn runs(&self, component: usize, numbers: Range<u32>) -> Vec<Run> {
        let component = &self.components[component];
        let size = component.view.layout().size();
        let value = |number: u32| -> *const u8 {
            let value = component.view.get(self.entities[number as usize]);
            value.map_or(core::ptr::null(), ErasedRef::as_ptr)
        };
        let mut runs = Vec::new();
        let mut start = numbers.start;
        while start < numbers.end {
            let first = value(start);
            // Rows are in the order of the table, so what is as far away as it would be without gaps has none.
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
            runs.push(Run { first, len });
            start = end;
        }
        runs
    }

    /// Returns the values of the components that are in sparse sets.
    pub(crate) fn sets(&self) -> Vec<Set> {
        let mut sets = Vec::new();
        for (position, component) in self.components.iter().enumerate() {
            if component.id.storage() != StorageKind::Sparse {
                continue;
            }
            let mut set = Set {
                component: position,
                numbers: Vec::new(),
                runs: Vec::new(),
            };
            for chunk in component.view.chunks() {
                set.add(chunk, |entity| self.number_of(entity));
            }
            if !set.numbers.is_empty() {
                sets.push(set);
            }
        }
        sets
    }
}

/// Values that lie one after the other: `len` values of the component that they are listed for, valid for reading as long as
/// the contents.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) first: *const u8,
    pub(crate) len: usize,
}

/// The values of a component in a sparse set.
pub(crate) struct Set {
    /// The position in the list of components.
    pub(crate) component: usize,
    /// The numbers of the entities.
    pub(crate) numbers: Vec<u32>,
    pub(crate) runs: Vec<Run>,
}

impl Set {
    /// Adds those values of a chunk whose entities have a number.
    fn add(&mut self, chunk: ErasedChunk<'_>, number_of: impl Fn(Entity) -> Option<u32>) {
        let mut is_behind = false;
        for (entity, value) in chunk.iter() {
            let Some(number) = number_of(entity) else {
                is_behind = false;
                continue;
            };
            self.numbers.push(number);
            match self.runs.last_mut() {
                Some(run) if is_behind => run.len += 1,
                _ => self.runs.push(Run {
                    first: value.as_ptr(),
                    len: 1,
                }),
            }
            is_behind = true;
        }
    }
}
