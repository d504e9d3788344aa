//! Rows of answers.

use std::time::Duration;

use ecs_data::{TextQueryError, Value, WorldData};
use ecs_engine::{Entity, World};

use crate::inspector::core::CallContext;
use crate::inspector::error::RpcError;
use crate::inspector::json::object;

/// The number of rows that are looked at between two looks at the clock: as many as take some microseconds. A test of a number takes
/// nanoseconds, and one of a part of a large value a thousand times as long.
pub(super) struct PieceOfRows(usize);

impl PieceOfRows {
    const MOST: usize = 4096;
    const SHORT: Duration = Duration::from_micros(10);
    const LONG: Duration = Duration::from_micros(40);

    pub(super) const fn new() -> Self {
        Self(64)
    }

    pub(super) fn rows(&self) -> usize {
        self.0
    }

    /// Learns from the time that a piece took.
    pub(super) fn took(&mut self, time: Duration) {
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

pub(crate) fn query_error(error: &TextQueryError) -> RpcError {
    let column = error.line_and_column().map(|(_, column)| column as u64);
    RpcError::new(RpcError::QUERY, error).with_data(object([
        ("message", error.message().into()),
        ("column", column.into()),
        ("help", error.help().into()),
    ]))
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
