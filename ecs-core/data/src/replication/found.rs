//! The rows that updates have found, so that the next one only looks at the rows that differ.

use std::collections::BTreeMap;

use ecs_engine::Entity;

/// The entities with a component or relation that the last update has found.
#[derive(Default)]
pub(super) struct SeenRows {
    /// By the number of the table; `None` is a sparse set.
    tables: BTreeMap<Option<u32>, RowsOfTable>,
    /// Counts updates.
    turn: u64,
}

#[derive(Default)]
struct RowsOfTable {
    entities: Vec<Entity>,
    /// The last update that has found the table.
    turn: u64,
}

/// The differences between two updates.
#[derive(Default)]
pub(super) struct FoundChanges {
    /// The rows of the last table with another entity than before, in ascending order.
    pub(super) rows: Vec<usize>,
    /// The entities that are not where they were.
    pub(super) left: Vec<Entity>,
}

impl SeenRows {
    /// Returns the rows of these entities, as if they were in no table any more.
    pub(super) fn of(entities: Vec<Entity>) -> Self {
        let table = RowsOfTable { entities, turn: 0 };
        Self {
            // There is no such table.
            tables: BTreeMap::from([(Some(u32::MAX), table)]),
            turn: 0,
        }
    }

    /// Begins an update.
    pub(super) fn begin(&mut self) {
        self.turn += 1;
    }

    /// Takes over the rows of a table, and appends the changes.
    pub(super) fn compare(
        &mut self,
        table: Option<u32>,
        entities: &[Entity],
        FoundChanges { rows, left }: &mut FoundChanges,
    ) {
        let known = self.tables.entry(table).or_default();
        known.turn = self.turn;
        if known.entities == entities {
            return;
        }
        for (row, &entity) in entities.iter().enumerate() {
            match known.entities.get_mut(row) {
                Some(before) if *before == entity => {}
                Some(before) => {
                    rows.push(row);
                    left.push(std::mem::replace(before, entity));
                }
                None => {
                    rows.push(row);
                    known.entities.push(entity);
                }
            }
        }
        left.extend(known.entities.drain(entities.len()..));
    }

    /// Ends an update, and appends the entities of tables that it did not find.
    pub(super) fn finish(&mut self, changes: &mut FoundChanges) {
        let turn = self.turn;
        self.tables.retain(|_, known| {
            let is_found = known.turn == turn;
            if !is_found {
                changes.left.append(&mut known.entities);
            }
            is_found
        });
    }
}
