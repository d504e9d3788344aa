//! Checks everything staged except edges, before anything is changed.

use alloc::vec::Vec;
use core::any::Any;

use super::staged::{Staged, StagedRows};
use super::{ErasedColumn, StageError};
use crate::bits::Bits;
use crate::component::ComponentId;
use crate::sort::sort_by_number;

/// Checks the rows and columns of tables, the sets, and the resources. Returns the numbers of the entities that are in
/// tables.
#[inline]
pub(super) fn check(staged: &Staged) -> Result<Bits, StageError> {
    let placed = check_tables(staged)?;
    check_sets(staged)?;
    let mut resources = Vec::with_capacity(staged.resources.len());
    for resource in &staged.resources {
        resources.push((Any::type_id(&*resource.value), resource.name));
    }
    resources.sort_unstable_by_key(|&(type_id, _)| type_id);
    let twice = resources.windows(2).find(|pair| pair[0].0 == pair[1].0);
    match twice {
        Some(pair) => Err(StageError::ResourceTwice {
            resource: pair[0].1,
        }),
        None => Ok(placed),
    }
}

#[inline]
fn check_tables(staged: &Staged) -> Result<Bits, StageError> {
    let mut placed = Bits::default();
    for table in &staged.tables {
        let mut components = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            let is_repeated = table.is_repeated(column);
            let expected = if is_repeated {
                column.len()
            } else {
                table.rows.len()
            };
            check_column(column, false, expected)?;
            components.push(column.component());
        }
        refuse_duplicate(components)?;
        match &table.rows {
            StagedRows::Range(range) if range.is_empty() => {}
            StagedRows::Range(range) => {
                let (start, end) = (range.start as usize, range.end as usize);
                if range.end > staged.entities {
                    return Err(no_such_number(staged, range.end - 1, None));
                }
                if let Some(number) = placed.from(start)
                    && number < end
                {
                    let number = number as u32;
                    let component = None;
                    return Err(StageError::Twice { number, component });
                }
                placed.insert_range(start, end);
            }
            StagedRows::List(numbers) => insert_all(staged, numbers, None, &mut placed)?,
        }
    }
    Ok(placed)
}

/// Checks the sets. Several may have the same component, of different entities.
#[inline]
fn check_sets(staged: &Staged) -> Result<(), StageError> {
    let mut seen: Vec<(ComponentId, Bits)> = Vec::with_capacity(staged.sets.len());
    for set in &staged.sets {
        check_column(&set.column, true, set.numbers.len())?;
        let component = set.column.component();
        let known = seen.iter().position(|(known, _)| *known == component);
        let known = known.unwrap_or_else(|| {
            seen.push((component, Bits::default()));
            seen.len() - 1
        });
        let name = Some(component.name());
        insert_all(staged, &set.numbers, name, &mut seen[known].1)?;
    }
    Ok(())
}

/// Checks that the column's component is stored in sets, or in tables, and that the column has the number of values.
#[inline]
fn check_column(column: &ErasedColumn, in_set: bool, expected: usize) -> Result<(), StageError> {
    let info = column.component().info();
    let component = info.name;
    if column.is_of_edges() || info.link.is_some() || info.storage.is_by_entity() != in_set {
        return Err(StageError::WrongPlace { component });
    }
    let values = column.len();
    if values != expected {
        return Err(StageError::WrongLength {
            component,
            values,
            expected,
        });
    }
    Ok(())
}

/// Inserts numbers into a set that has none of them.
#[inline]
fn insert_all(
    staged: &Staged,
    numbers: &[u32],
    component: Option<&'static str>,
    seen: &mut Bits,
) -> Result<(), StageError> {
    for &number in numbers {
        if number >= staged.entities {
            return Err(no_such_number(staged, number, component));
        }
        if !seen.insert(number as usize) {
            return Err(StageError::Twice { number, component });
        }
    }
    Ok(())
}

#[inline]
pub(super) fn no_such_number(
    staged: &Staged,
    number: u32,
    component: Option<&'static str>,
) -> StageError {
    StageError::NoSuchNumber {
        number,
        entities: staged.entities,
        component,
    }
}

/// Returns an error if a component occurs twice.
#[inline]
pub(super) fn refuse_duplicate(mut components: Vec<ComponentId>) -> Result<(), StageError> {
    sort_by_number(&mut components, |component| component.index() as u64);
    let twice = components.windows(2).find(|pair| pair[0] == pair[1]);
    match twice {
        Some(pair) => Err(StageError::ColumnTwice {
            component: pair[0].name(),
        }),
        None => Ok(()),
    }
}
