//! The search for the first entities in an order.

use std::cmp::Ordering;

use ecs_data::{TextPlace, TextQuery, Value, WorldData};
use ecs_engine::Entity;

use super::ancestors::RowAncestors;
use super::rows::{Cell, PIECE, named, query_error, row};
use crate::inspector::core::{CallContext, Progress};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::values::{self, frame, shown_name};

/// A search that looks at all matches, and knows the first ones so far.
pub(super) struct SortedSearch {
    query: TextQuery,
    more: Vec<String>,
    ancestors: RowAncestors,
    by: SortColumn,
    /// The field of the column; empty for the column itself.
    field: String,
    descends: bool,
    skip: usize,
    limit: usize,
    /// At most twice as many as are wanted.
    first: Vec<(Option<Value>, Entity)>,
    count: u64,
    moved: bool,
    place: TextPlace,
}

/// The column that decides.
enum SortColumn {
    OfQuery(usize),
    OfName(String),
}

impl SortedSearch {
    /// The rows before a page, at most.
    pub(super) const MOST: u64 = 10_000;

    /// Begins a search; `None` if there is no such column. Entities without a value come last.
    pub(super) fn new(
        query: TextQuery,
        more: Vec<String>,
        ancestors: RowAncestors,
        sort: &str,
        (skip, limit): (u64, usize),
    ) -> Option<Self> {
        let (descends, name) = match sort.strip_prefix('-') {
            Some(name) => (true, name),
            None => (false, sort),
        };
        let of_query = query
            .columns()
            .iter()
            .enumerate()
            .filter_map(|(place, column)| {
                Some((
                    SortColumn::OfQuery(place),
                    field_in(&column.to_string(), name)?,
                ))
            });
        let of_names = more
            .iter()
            .filter_map(|known| Some((SortColumn::OfName(known.clone()), field_in(known, name)?)));
        // A column of that name goes before a field of another one.
        let (by, field) = of_query
            .chain(of_names)
            .min_by_key(|(_, field)| field.len())?;
        let field = field.to_owned();
        Some(Self {
            query,
            more,
            ancestors,
            by,
            field,
            descends,
            skip: skip as usize,
            limit,
            first: Vec::new(),
            count: 0,
            moved: false,
            place: TextPlace::START,
        })
    }

    pub(super) fn job(self) -> Progress {
        let mut search = self;
        Progress::Later(Box::new(move |context| {
            loop {
                match search.piece(context) {
                    Ok(true) => return Some(Ok(search.finish(context))),
                    Ok(false) if context.budget.is_spent() => return None,
                    Ok(false) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
        }))
    }

    /// Looks at more rows; returns true at the end.
    fn piece(&mut self, context: &CallContext<'_>) -> Result<bool, RpcError> {
        let world = context.world();
        let matches = self.query.matches(world);
        let matches = matches.map_err(|error| query_error(&error))?;
        // A value takes longer than a test.
        let mut walk = matches.resume(&self.place, PIECE / 8);
        self.moved |= walk.has_moved();
        for found in walk.by_ref() {
            self.count += 1;
            let value = values::read(|| match &self.by {
                SortColumn::OfQuery(place) => {
                    let value = found.value(*place).map(|value| value.to_value());
                    let value = value.transpose();
                    value.map_err(|error| RpcError::new(RpcError::COMPONENT, error))
                }
                SortColumn::OfName(name) => named(world, found.entity(), name),
            });
            let mut value = value.ok().flatten();
            if !self.field.is_empty() {
                value = value.and_then(|value| value.get(&self.field).cloned());
            }
            self.first.push((value, found.entity()));
        }
        let place = walk.place();
        let wanted = self.skip + self.limit;
        if self.first.len() > 2 * wanted + PIECE {
            let descends = self.descends;
            let order = |one: &(_, _), other: &(_, _)| order(one, other, descends);
            self.first.select_nth_unstable_by(wanted, order);
            self.first.truncate(wanted);
        }
        if let Some(place) = place {
            self.place = place;
        }
        Ok(place.is_none())
    }

    fn finish(&mut self, context: &CallContext<'_>) -> Value {
        let descends = self.descends;
        self.first
            .sort_unstable_by(|one, other| order(one, other, descends));
        let page = self.first.iter().skip(self.skip).take(self.limit);
        let rows = page.map(|(_, entity)| self.row(context, *entity));
        let columns = self.query.columns().iter().map(ToString::to_string);
        object([
            ("frame", frame(context.world()).into()),
            (
                "count",
                object([("exact", true.into()), ("at_least", self.count.into())]),
            ),
            (
                "columns",
                columns.chain(self.more.iter().cloned()).collect(),
            ),
            ("next", Value::Null),
            ("moved", self.moved.into()),
            ("rows", Value::List(rows.collect())),
        ])
    }

    /// Returns the row of an entity as it is now, which may be some frames later.
    fn row(&self, context: &CallContext<'_>, entity: Entity) -> Value {
        let world = context.world();
        let names: Vec<String> = self
            .query
            .columns()
            .iter()
            .map(ToString::to_string)
            .collect();
        let cells = self
            .query
            .columns()
            .iter()
            .zip(&names)
            .map(|(column, name)| {
                let component = column.component();
                let component = shown_name(component).unwrap_or(component.name());
                let cell: Cell = values::read(|| {
                    let value = world.get_by_name(entity, component)?;
                    Ok(match column.field() {
                        "" => value,
                        field => value.and_then(|value| value.get(field).cloned()),
                    })
                });
                (name.as_str(), cell)
            });
        let more = self.more.iter().map(|name| {
            let cell = values::read(|| named(world, entity, name));
            (name.as_str(), cell)
        });
        let mut row = row(context, entity, cells.chain(more));
        row.extend(self.ancestors.above(context, entity));
        Value::Map(row)
    }
}

/// Returns the field that a name has in a column: `now` for `game.health.now` in `game.health`, and nothing for the column itself.
fn field_in<'n>(column: &str, name: &'n str) -> Option<&'n str> {
    let rest = name.strip_prefix(column)?;
    let is_end = rest.is_empty() || rest.starts_with('[');
    if is_end {
        Some(rest)
    } else {
        rest.strip_prefix('.')
    }
}

/// Compares two rows: by value, then by entity. Rows without a value come last.
fn order(
    one: &(Option<Value>, Entity),
    other: &(Option<Value>, Entity),
    descends: bool,
) -> Ordering {
    let by_value = match (&one.0, &other.0) {
        (Some(one), Some(other)) if descends => compare(other, one),
        (Some(one), Some(other)) => compare(one, other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    };
    by_value.then_with(|| one.1.cmp(&other.1))
}

/// Compares two values: a total order, whatever their kinds.
fn compare(one: &Value, other: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::String(_) => 3,
        Value::Entity(_) => 4,
        Value::Bytes(_) => 5,
        Value::List(_) => 6,
        _ => 7,
    };
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Entity(one), Value::Entity(other)) => one.cmp(other),
        (Value::Bytes(one), Value::Bytes(other)) => one.cmp(other),
        (Value::List(one), Value::List(other)) => {
            let parts = one
                .iter()
                .zip(other)
                .map(|(one, other)| compare(one, other));
            let mut parts = parts.filter(|order| order.is_ne());
            parts.next().unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Value::Map(one), Value::Map(other)) => {
            let parts = one.iter().zip(other);
            let parts = parts.map(|(one, other)| {
                compare(&one.0, &other.0).then_with(|| compare(&one.1, &other.1))
            });
            let mut parts = parts.filter(|order| order.is_ne());
            parts.next().unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ => match (one.as_f64(), other.as_f64()) {
            // Whole numbers of more than 53 bits may be equal as floats.
            (Some(size), Some(other_size)) => size
                .total_cmp(&other_size)
                .then_with(|| one.as_int().cmp(&other.as_int())),
            _ => rank(one).cmp(&rank(other)),
        },
    }
}
