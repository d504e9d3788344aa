//! Values that entities of a world get, which are read before the first one is moved in.

use ecs_engine::component::ComponentId;
use ecs_engine::staging::ErasedColumn;
use ecs_engine::{Entity, World};

use super::position_near;
use crate::column::Moving;

/// The values that entities get one after the other, in a column for each component.
#[derive(Default)]
pub(super) struct ChangedValues {
    columns: Vec<ErasedColumn>,
    /// The entity of each value, and the column.
    order: Vec<(Entity, usize)>,
    /// The column that was used last.
    last: usize,
}

impl ChangedValues {
    /// Adds a value of a component, which a function appends to the column.
    pub(super) fn read<E>(
        &mut self,
        component: ComponentId,
        entity: Entity,
        read: impl FnOnce(&mut ErasedColumn) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_of = |column: &ErasedColumn| column.component() == component;
        let found = position_near(&self.columns, self.last, is_of);
        self.last = found.unwrap_or_else(|| {
            self.columns.push(ErasedColumn::new(component));
            self.columns.len() - 1
        });
        read(&mut self.columns[self.last])?;
        self.order.push((entity, self.last));
        Ok(())
    }

    /// Returns the columns of components that check their values, with the entities of the values.
    pub(super) fn of_entities(&self) -> Vec<(&ErasedColumn, Vec<Entity>)> {
        let columns = self.columns.iter().enumerate();
        let columns = columns.filter(|(_, column)| column.component().is_checked());
        let with_entities = columns.map(|(number, column)| {
            let of_column = self.order.iter().filter(|(_, of)| *of == number);
            (column, of_column.map(|(entity, _)| *entity).collect())
        });
        with_entities.collect()
    }

    /// Moves columns into the world whose entities all have the component, if that calls nothing. Returns the old values.
    pub(super) fn exchange(&mut self, world: &mut World) -> Vec<ErasedColumn> {
        let mut entities = vec![Vec::new(); self.columns.len()];
        for &(entity, column) in &self.order {
            entities[column].push(entity);
        }
        let mut is_exchanged = Vec::with_capacity(self.columns.len());
        let mut old = Vec::new();
        for (column, entities) in self.columns.iter_mut().zip(&entities) {
            is_exchanged.push(world.exchange_erased(entities, column));
            if is_exchanged.last() == Some(&true) {
                let empty = ErasedColumn::new(column.component());
                old.push(std::mem::replace(column, empty));
            }
        }
        self.order.retain(|&(_, column)| !is_exchanged[column]);
        old
    }

    /// Calls a function for each entity, in order. Its value is the last one of the column.
    pub(super) fn for_each(self, mut f: impl FnMut(Entity, &mut ErasedColumn)) {
        let reversed = self.columns.into_iter().map(|mut column| {
            let rows: Vec<usize> = (0..column.len()).rev().collect();
            Moving::new(&mut column).take(&rows)
        });
        let mut columns: Vec<ErasedColumn> = reversed.collect();
        for (entity, column) in self.order {
            f(entity, &mut columns[column]);
        }
    }
}
