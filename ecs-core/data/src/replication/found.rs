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

/// The targets of the sources of a relation, by row, as the last update has found them.
#[derive(Default)]
pub(super) struct SeenTargets {
    known: TargetLists,
    /// Of the update that is under way.
    next: TargetLists,
}

#[derive(Default)]
struct TargetLists {
    targets: Vec<Entity>,
    /// By row, the end of its targets.
    ends: Vec<usize>,
}

impl SeenTargets {
    /// Takes over the targets of the next row. Returns true if they are the ones from before.
    pub(super) fn is_same(&mut self, targets: impl Iterator<Item = Entity>) -> bool {
        let row = self.next.ends.len();
        self.next.targets.extend(targets);
        self.next.ends.push(self.next.targets.len());
        let known = self.known.row(row);
        known.is_some() && known == self.next.row(row)
    }

    /// Begins an update; the last one may have failed.
    pub(super) fn begin(&mut self) {
        self.next.targets.clear();
        self.next.ends.clear();
    }

    /// Ends an update.
    pub(super) fn finish(&mut self) {
        std::mem::swap(&mut self.known, &mut self.next);
    }
}

impl TargetLists {
    fn row(&self, row: usize) -> Option<&[Entity]> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |row| self.ends[row]);
        Some(&self.targets[start..end])
    }
}
