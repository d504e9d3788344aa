//! Rows of answers.

use std::time::Duration;

use ecs_data::__private::check_component;
use ecs_data::{TextQuery, TextQueryError, Value, WorldData};
use ecs_engine::__private::Instant;
use ecs_engine::{Entity, World};

use crate::inspector::budget::Budget;
use crate::inspector::call::CallContext;
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The number of rows that are looked at between two looks at the clock: as many as take some microseconds. A test of a number takes
/// nanoseconds, and one of a part of a large value a thousand times as long.
pub(super) struct PieceOfRows(usize);

impl PieceOfRows {
    const MOST: usize = 1024;
    const SHORT: Duration = Duration::from_micros(10);
    const LONG: Duration = Duration::from_micros(40);

    pub(super) const fn new() -> Self {
        Self(8)
    }

    pub(super) fn rows(&self) -> usize {
        self.0
    }

    /// Learns from the time that a piece took. Without a budget it only grows, so the work is the same on any machine.
    pub(super) fn took(&mut self, start: Instant, budget: Budget) {
        let time = match budget.has_end() {
            true => start.elapsed(),
            false => Duration::ZERO,
        };
        if time < Self::SHORT {
            self.0 = (self.0 * 2).min(Self::MOST);
        } else if time > Self::LONG {
            self.0 = (self.0 / 4).max(1);
        }
    }
}

/// The value of a cell; none if the entity lacks the component.
pub(super) type Cell = Result<Option<Value>, RpcError>;

/// Returns a row: the values, and the errors of those that cannot be shown.
pub(crate) fn row<'a>(
    context: &CallContext<'_>,
    entity: Entity,
    cells: impl Iterator<Item = (&'a str, Cell)>,
) -> Vec<(Value, Value)> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for (name, cell) in cells {
        match cell {
            Ok(None) => {}
            Ok(Some(value)) => values.push((Value::from(name), value)),
            Err(error) => {
                let error = context.state.hidden.redacted(context.world(), error);
                errors.push((Value::from(name), Value::from(error.message())));
            }
        }
    }
    let mut row = vec![
        ("entity".into(), context.id(entity)),
        ("components".into(), Value::Map(values)),
    ];
    if !errors.is_empty() {
        row.push(("errors".into(), Value::Map(errors)));
    }
    row
}

/// The components of a row.
pub(super) const MOST_COLUMNS: usize = 64;
/// The bytes of a query.
const MOST_QUERY: usize = 4096;

pub(super) fn too_many_columns() -> RpcError {
    RpcError::too_large(format!("a row has at most {MOST_COLUMNS} columns"))
}

/// Reads a query of a bounded length.
pub(super) fn parsed(world: &World, text: &str) -> Result<TextQuery, RpcError> {
    if text.len() > MOST_QUERY {
        let message = format!("a query has at most {MOST_QUERY} bytes");
        return Err(RpcError::too_large(message));
    }
    TextQuery::new(world, text).map_err(|error| query_error(&error))
}

pub(crate) fn query_error(error: &TextQueryError) -> RpcError {
    let column = error.line_and_column().map(|(_, column)| column as u64);
    RpcError::new(RpcError::QUERY, error).with_data(object([
        ("message", error.message().into()),
        ("column", column.into()),
        ("help", error.help().into()),
    ]))
}

/// A column that the query does not have: a component, a relation, or a field of one.
pub(super) struct NamedColumn {
    pub(super) name: String,
    component: String,
    /// Empty for the whole value.
    field: String,
}

impl NamedColumn {
    /// # Errors
    /// If nothing has the name, or it is hidden.
    pub(super) fn new(context: &CallContext<'_>, name: &str) -> Result<Self, RpcError> {
        context.shown(name)?;
        let world = context.world();
        let mut ends = name.rmatch_indices(['.', '[']).map(|(at, _)| at);
        let (component, field) = match check_component(world, name) {
            Ok(()) => (name, ""),
            Err(error) => {
                let known = ends.find(|at| check_component(world, &name[..*at]).is_ok());
                let (component, field) = name.split_at(known.ok_or(error)?);
                (component, field.strip_prefix('.').unwrap_or(field))
            }
        };
        context.shown(component)?;
        Ok(Self {
            name: name.to_owned(),
            component: component.to_owned(),
            field: field.to_owned(),
        })
    }

    /// Returns the columns of a call.
    pub(super) fn all(context: &CallContext<'_>, params: &Params) -> Result<Vec<Self>, RpcError> {
        let names = params.texts("columns")?;
        if names.len() > MOST_COLUMNS {
            return Err(too_many_columns());
        }
        names
            .into_iter()
            .map(|name| Self::new(context, name))
            .collect()
    }

    /// Returns the name and the value for a cell.
    pub(super) fn cell(&self, world: &World, entity: Entity) -> (&str, Cell) {
        let cell = values::read_beside(|| {
            let value = world.get_by_name(entity, &self.component)?;
            Ok(match &*self.field {
                "" => value,
                field => value.and_then(|value| value.get(field).cloned()),
            })
        });
        (&self.name, cell)
    }
}

/// Returns a value for a cell.
pub(super) fn named(world: &World, entity: Entity, name: &str) -> Cell {
    if name.contains('.') && world.get_by_name(entity, name).is_err() {
        // A field that this value does not have.
        let is_component = world
            .entity(entity)?
            .components()
            .any(|found| found.name() == name);
        if !is_component {
            return Ok(None);
        }
    }
    Ok(world.get_by_name(entity, name)?)
}
