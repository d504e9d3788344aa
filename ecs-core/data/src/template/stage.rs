//! Puts copies into a world.

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::staging::{
    EdgeTarget, ErasedColumn, StageError, Staged, StagedEdge, StagedEdges, StagedRows,
};
use ecs_engine::{Entity, World};

use super::values::TemplateValues;
use super::{CloneError, LeftOut, Template};
use crate::column::Moving;

impl Template {
    /// Spawns `n` copies, and returns their entities, one copy after the other. Entity 0 of copy `k` gets value `k` of each
    /// of the overrides.
    ///
    /// Missing required components are made; if entities are just `copied`, only the left-out ones. Hooks and observers are
    /// called once all exist.
    pub(crate) fn spawn(
        mut self,
        world: &mut World,
        n: usize,
        overrides: Vec<ErasedColumn>,
        copied: Option<&LeftOut>,
    ) -> Result<Vec<Entity>, CloneError> {
        let count = self.len().checked_mul(n);
        let count = count.filter(|&count| u32::try_from(count).is_ok());
        let count = count.ok_or(StageError::NoIds {
            entities: usize::MAX,
        })?;
        let ids = world.next_ids(count)?;
        let buried = core::mem::take(&mut self.buried);
        let mut staged = self.stage(n, &ids, overrides)?;
        if let Some(left_out) = copied {
            left_out.make_missing(&mut staged);
        }
        world.commit(staged, &ids)?;
        world.take_dead_ids(&buried);
        world.announce(&ids);
        Ok(ids)
    }

    /// Stages `n` copies, which get the ids. Their number fits into a `u32`.
    pub(crate) fn stage(
        self,
        n: usize,
        ids: &[Entity],
        mut overrides: Vec<ErasedColumn>,
    ) -> Result<Staged, CloneError> {
        let Self {
            entities,
            tables,
            sets,
            edges,
            others,
            buried: _,
        } = self;
        let size = entities as usize;
        let mut staged = Staged::new((size * n) as u32);
        let repeat = |values: TemplateValues, n| {
            let name = values.name();
            let ids = (0..n).map(|copy| &ids[copy * size..(copy + 1) * size]);
            let repeated = values.repeat(n, ids, &others);
            repeated.map_err(|failure| failure.of(name, |_| None))
        };
        for table in tables {
            let mut columns = Vec::with_capacity(table.columns.len());
            for values in table.columns {
                let (component, rows) = (values.component(), table.numbers.len());
                if n > 0 && values.is_plain() && !has(&overrides, component) {
                    // One copy's components are enough.
                    columns.push(repeat(values, 1)?);
                    continue;
                }
                let mut column = repeat(values, n)?;
                put(&mut column, component, &table.numbers, rows, &mut overrides);
                columns.push(column);
            }
            if table.numbers == [0] {
                // The components that the first entity does not have yet.
                let new =
                    |column: &mut ErasedColumn| column.component().storage() == StorageKind::Table;
                columns.extend(overrides.extract_if(.., new));
            }
            let rows = repeat_numbers(&table.numbers, entities, n);
            staged.add_copies(rows, columns, n);
        }
        for set in sets {
            let component = set.values.component();
            let mut column = repeat(set.values, n)?;
            put(
                &mut column,
                component,
                &set.numbers,
                set.numbers.len(),
                &mut overrides,
            );
            let mut numbers = match repeat_numbers(&set.numbers, entities, n) {
                StagedRows::Range(range) => range.collect(),
                StagedRows::List(list) => list,
            };
            // A sparse component that entity 0 does not have, and others do.
            if let Some(position) = overrides
                .iter()
                .position(|new| new.component() == component)
            {
                let mut new = overrides.remove(position);
                let rows: Vec<usize> = (0..new.len()).collect();
                Moving::new(&mut new).take_into(&rows, &mut column);
                numbers.extend(rows.iter().map(|&row| row as u32 * entities));
            }
            staged.add_set(numbers, column);
        }
        for column in overrides {
            let numbers = (0..n as u32).map(|copy| copy * entities);
            staged.add_set(numbers.collect(), column);
        }
        for of_relation in edges {
            let outgoing = of_relation.values.component();
            let copies = (0..n as u32).map(|copy| copy * entities);
            let edges = copies.flat_map(|first| {
                of_relation.edges.iter().map(move |edge| StagedEdge {
                    source: edge.source + first,
                    target: match edge.target {
                        EdgeTarget::New(number) => EdgeTarget::New(number + first),
                        living @ EdgeTarget::Living(_) => living,
                    },
                })
            });
            staged.add_edges(StagedEdges {
                outgoing,
                edges: edges.collect(),
                order: of_relation.order.repeat(n),
                values: repeat(of_relation.values, n)?,
            });
        }
        Ok(staged)
    }
}

/// Returns true if there is an override of the component.
fn has(overrides: &[ErasedColumn], component: ComponentId) -> bool {
    let mut components = overrides.iter().map(ErasedColumn::component);
    components.any(|other| other == component)
}

/// Replaces the values of entity 0 by an override's, if there is one for the component.
fn put(
    column: &mut ErasedColumn,
    component: ComponentId,
    numbers: &[u32],
    rows: usize,
    overrides: &mut Vec<ErasedColumn>,
) {
    let is_of = |column: &ErasedColumn| column.component() == component;
    let Some(position) = overrides.iter().position(is_of) else {
        return;
    };
    let Some(first) = numbers.iter().position(|&number| number == 0) else {
        return;
    };
    // The replaced values are dropped with it.
    let mut values = overrides.remove(position);
    let size = column.layout().size();
    debug_assert_eq!(column.len(), values.len() * rows);
    for copy in 0..values.len() {
        let row = copy * rows + first;
        assert!(row < column.len(), "each copy has the entity");
        // SAFETY: the column has the row.
        let old = unsafe { column.as_mut_ptr().add(row * size) };
        // SAFETY: the override has a value for each copy.
        let new = unsafe { values.as_mut_ptr().add(copy * size) };
        // SAFETY: both are values of the same component, in the memory of two columns.
        unsafe { core::ptr::swap_nonoverlapping(old, new, size) };
    }
}

/// Returns the numbers of entities in `n` copies.
fn repeat_numbers(numbers: &[u32], entities: u32, n: usize) -> StagedRows {
    let first = numbers.first().copied().unwrap_or(0);
    let end = first + numbers.len() as u32;
    let is_all = numbers.len() == entities as usize;
    if (is_all || n == 1) && numbers.iter().copied().eq(first..end) {
        return StagedRows::Range(first..first + numbers.len() as u32 * n as u32);
    }
    let copies = (0..n as u32).map(|copy| copy * entities);
    let all = copies.flat_map(|first| numbers.iter().map(move |number| number + first));
    StagedRows::List(all.collect())
}
