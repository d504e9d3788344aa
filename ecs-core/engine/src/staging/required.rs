//! Required components of new entities: which are missing, and their values.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::ErasedColumn;
use super::staged::{Staged, StagedTable};
use crate::bundle::required_by;
use crate::component::{ComponentId, Required};
use crate::storage::AppendedValues;

/// Entities of one staged table that lack the same required components.
pub(super) struct LackingEntities {
    /// The staged table.
    pub(super) table: usize,
    /// The rows of the staged table; `None` for all of them.
    pub(super) rows: Option<Vec<u32>>,
    /// The missing components, in the order of their construction.
    pub(super) required: Box<[(ComponentId, &'static Required)]>,
    /// For each of `required`, the values of the rows; empty until they are made.
    pub(super) made: Vec<ErasedColumn>,
}

impl LackingEntities {
    /// The rows: positions of the values of the staged table.
    #[inline]
    pub(super) fn values<'a>(&'a self, table: &StagedTable) -> AppendedValues<'a> {
        match &self.rows {
            Some(rows) => AppendedValues::At(rows),
            None => AppendedValues::All(table.rows.len()),
        }
    }

    /// The number of rows.
    #[inline]
    pub(super) fn len(&self, table: &StagedTable) -> usize {
        self.rows.as_ref().map_or(table.rows.len(), Vec::len)
    }

    /// Constructs the values of required components, row by row. Runs user code, which may panic.
    #[inline]
    pub(super) fn make(&mut self, table: &StagedTable) {
        if self.required.is_empty() {
            return;
        }
        let columns = self.required.iter();
        self.made = columns
            .map(|&(component, _)| ErasedColumn::new(component))
            .collect();
        for _ in 0..self.len(table) {
            for (column, (_, required)) in self.made.iter_mut().zip(&self.required) {
                column.make_required(required);
            }
        }
    }
}

/// A sparse component of new entities, and their numbers.
pub(super) type SetOf<'a> = (ComponentId, &'a [u32]);

/// Divides the staged tables, which have all entities, by the required components that entities lack. `sets` are the staged
/// sparse components, edges included.
#[inline]
pub(super) fn parts(staged: &Staged, sets: &[SetOf<'_>]) -> Vec<LackingEntities> {
    let columns = staged.tables.iter().flat_map(|table| &table.columns);
    let of_tables = columns.map(ErasedColumn::component);
    let is_made = |component: ComponentId| match &staged.made {
        Some(made) => made.has(component),
        None => true,
    };
    let mut reach = required_by_any(of_tables.chain(sets.iter().map(|&(component, _)| component)));
    if !reach.iter().any(|&component| is_made(component)) {
        reach.clear();
    }
    if reach.is_empty() {
        let parts = 0..staged.tables.len();
        return parts
            .map(|table| part(table, None, Box::default()))
            .collect();
    }
    let matters = |component: ComponentId| {
        !component.info().more.required.is_empty() || reach.contains(&component)
    };
    let relevant: Vec<_> = sets
        .iter()
        .filter(|&&(component, _)| matters(component))
        .collect();
    let shapes = Shapes::of(staged, &relevant);
    let mut parts: Vec<LackingEntities> = Vec::new();
    // All entities of a shape are in one table.
    let mut part_of = vec![None; staged.tables.len() + shapes.others.len()];
    for (table, rows) in staged.tables.iter().map(|table| &table.rows).enumerate() {
        let first = parts.len();
        for (row, number) in (0..).zip(rows.iter()) {
            let shape = shapes.by_number[number as usize];
            let index = *part_of[shape as usize].get_or_insert_with(|| {
                let columns = staged.tables[table].columns.iter();
                let mut components: Vec<_> = columns.map(ErasedColumn::component).collect();
                components.extend(shapes.sets(shape).map(|set| relevant[set].0));
                let mut required = required_by(&components).into_vec();
                required.retain(|&(component, _)| is_made(component));
                parts.push(part(table, Some(Vec::new()), required.into()));
                parts.len() - 1
            });
            parts[index].rows.get_or_insert_default().push(row);
        }
        if let [only] = &mut parts[first..] {
            only.rows = None;
        }
    }
    parts
}

#[inline]
fn part(
    table: usize,
    rows: Option<Vec<u32>>,
    required: Box<[(ComponentId, &'static Required)]>,
) -> LackingEntities {
    LackingEntities {
        table,
        rows,
        required,
        made: Vec::new(),
    }
}

impl ErasedColumn {
    /// Makes the components that `components` [require](crate::component::Required) without containing them, and for which
    /// a function returns true: a column with one value for each. Runs user code, which may panic.
    #[inline]
    #[must_use]
    pub fn of_required(
        components: &[ComponentId],
        is_made: &dyn Fn(ComponentId) -> bool,
    ) -> Vec<Self> {
        let mut required = required_by(components).into_vec();
        required.retain(|&(component, _)| is_made(component));
        let columns = required.into_iter().map(|(component, required)| {
            let mut column = Self::new(component);
            column.make_required(required);
            column
        });
        columns.collect()
    }

    /// Adds a required value. The column belongs to the required component.
    #[inline]
    fn make_required(&mut self, required: &'static Required) {
        let value = required.make();
        debug_assert_eq!(self.component(), required.component());
        self.reserve(1);
        let place = self.spare().as_mut_ptr().cast();
        // SAFETY: the value belongs to the required component, like the column, and `place` is the place of a value of the
        // column.
        unsafe { value.move_to(place) };
        // SAFETY: one more value was written.
        unsafe { self.set_len(self.len() + 1) };
    }
}

/// Returns all components that these ones require, including those among them.
#[inline]
fn required_by_any(components: impl Iterator<Item = ComponentId>) -> Vec<ComponentId> {
    let mut reach: Vec<ComponentId> = Vec::new();
    let mut lists: Vec<&'static [Required]> = Vec::new();
    for component in components {
        let list = component.info().more.required;
        if !list.is_empty() && !lists.iter().any(|other| core::ptr::eq(*other, list)) {
            lists.push(list);
        }
    }
    while let Some(list) = lists.pop() {
        for required in list {
            let component = required.component();
            if !reach.contains(&component) {
                reach.push(component);
                lists.push(required.requires());
            }
        }
    }
    reach
}

/// The table and the sets that each entity is in. Two entities have the same shape if these are the same.
struct Shapes {
    /// The shape of each number: the shape of its table, or one after the shapes of tables.
    by_number: Vec<u32>,
    /// The number of tables, whose shapes come first.
    tables: u32,
    /// Each other shape, as a shape and one more set.
    others: Vec<(u32, u32)>,
}

impl Shapes {
    #[inline]
    fn of(staged: &Staged, sets: &[&SetOf<'_>]) -> Self {
        let mut by_number = vec![0; staged.entities as usize];
        for (table, rows) in (0..).zip(staged.tables.iter().map(|table| &table.rows)) {
            rows.iter()
                .for_each(|number| by_number[number as usize] = table);
        }
        let tables = staged.tables.len() as u32;
        let mut others: Vec<(u32, u32)> = Vec::new();
        for (set, (_, numbers)) in (0..).zip(sets) {
            // By shape: the new shape of its entities that are in this set. The set has each entity once.
            let mut with_set = vec![None; tables as usize + others.len()];
            for &number in *numbers {
                let shape = &mut by_number[number as usize];
                let next = with_set[*shape as usize].get_or_insert_with(|| {
                    others.push((*shape, set));
                    tables + others.len() as u32 - 1
                });
                *shape = *next;
            }
        }
        Self {
            by_number,
            tables,
            others,
        }
    }

    /// Returns the sets of a shape, in order.
    #[inline]
    fn sets(&self, mut shape: u32) -> impl Iterator<Item = usize> + use<> {
        let mut sets = Vec::new();
        while let Some(&(rest, set)) = shape
            .checked_sub(self.tables)
            .and_then(|other| self.others.get(other as usize))
        {
            sets.push(set as usize);
            shape = rest;
        }
        sets.into_iter().rev()
    }
}
