//! The search for entities in an order.

use ecs_data::{TextPlace, TextQuery, Value, WorldData};
use ecs_engine::__private::Instant;
use ecs_engine::Entity;

use super::ancestors::RowAncestors;
use super::order::SortKey;
use super::ranks::{RankStep, RankWindow};
use super::rows::{Cell, NamedColumn, PieceOfRows, query_error, row};
use crate::inspector::call::{CallContext, Progress};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::values::{self, frame, shown_name};

/// A search that looks at all matches, once if the rows are among the first ones, and otherwise several times.
pub(super) struct SortedSearch {
    query: TextQuery,
    more: Vec<NamedColumn>,
    ancestors: RowAncestors,
    by: SortColumn,
    /// The field of the column; empty for the column itself.
    field: String,
    descends: bool,
    keys: RankWindow<SortKey>,
    rows: Vec<Value>,
    count: u64,
    moved: bool,
    /// `None` at the end of the world.
    place: Option<TextPlace>,
    size: PieceOfRows,
}

/// The column that decides.
enum SortColumn {
    OfQuery(usize),
    OfName(usize),
}

impl SortedSearch {
    /// Begins a search; `None` if there is no such column. Entities without a value come last.
    pub(super) fn new(
        query: TextQuery,
        more: Vec<NamedColumn>,
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
        let of_names = more.iter().enumerate().filter_map(|(place, known)| {
            Some((SortColumn::OfName(place), field_in(&known.name, name)?))
        });
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
            keys: RankWindow::new(skip, limit),
            rows: Vec::new(),
            count: 0,
            moved: false,
            place: Some(TextPlace::START),
            size: PieceOfRows::new(),
        })
    }

    pub(super) fn job(self) -> Progress {
        let mut search = self;
        Progress::Later(Box::new(move |context| match search.go_on(context) {
            Ok(true) => Some(Ok(search.finish(context))),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }))
    }

    /// Looks at more rows until the budget is spent; returns true at the end.
    fn go_on(&mut self, context: &CallContext<'_>) -> Result<bool, RpcError> {
        let budget = context.budget;
        loop {
            if let Some(place) = self.place {
                let start = Instant::now();
                self.piece(place, context)?;
                self.size.took(start, budget);
            } else {
                match self.keys.end(&mut || budget.is_spent()) {
                    RankStep::Open => return Ok(false),
                    RankStep::Again => (self.place, self.count) = (Some(TextPlace::START), 0),
                    RankStep::Found(page, is_exact) => {
                        self.moved |= !is_exact;
                        let next = page.get(self.rows.len()).map(SortKey::entity);
                        let Some(entity) = next else {
                            return Ok(true);
                        };
                        self.rows.push(self.row(context, entity));
                    }
                }
            }
            if budget.is_spent() {
                return Ok(false);
            }
        }
    }

    fn piece(&mut self, place: TextPlace, context: &CallContext<'_>) -> Result<(), RpcError> {
        let world = context.world();
        let matches = self.query.matches(world);
        let matches = matches.map_err(|error| query_error(&error))?;
        let mut walk = matches.resume(&place, self.size.rows());
        self.moved |= walk.has_moved();
        for found in walk.by_ref() {
            self.count += 1;
            let value = values::read(|| match &self.by {
                SortColumn::OfQuery(place) => {
                    let value = found.value(*place).map(|value| value.to_value());
                    let value = value.transpose();
                    value.map_err(|error| RpcError::of_value(&error))
                }
                SortColumn::OfName(place) => self.more[*place].cell(world, found.entity()).1,
            });
            let mut value = value.ok().flatten();
            if !self.field.is_empty() {
                value = value.and_then(|value| value.get(&self.field).cloned());
            }
            let key = SortKey::new(value, found.entity(), self.descends);
            self.keys.add(key);
            // Each value may be large.
            if context.budget.is_spent() {
                break;
            }
        }
        self.place = walk.place();
        Ok(())
    }

    fn finish(&mut self, context: &CallContext<'_>) -> Value {
        let columns = self.query.columns().iter().map(ToString::to_string);
        object([
            ("frame", frame(context.world()).into()),
            (
                "count",
                object([("exact", true.into()), ("at_least", self.count.into())]),
            ),
            (
                "columns",
                columns
                    .chain(self.more.iter().map(|column| column.name.clone()))
                    .collect(),
            ),
            ("next", Value::Null),
            ("moved", self.moved.into()),
            ("rows", Value::List(std::mem::take(&mut self.rows))),
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
                let cell: Cell = values::read_beside(|| {
                    let value = world.get_by_name(entity, component)?;
                    Ok(match column.field() {
                        "" => value,
                        field => value.and_then(|value| value.get(field).cloned()),
                    })
                });
                (name.as_str(), cell)
            });
        let more = self.more.iter().map(|column| column.cell(world, entity));
        values::together(|| {
            let mut row = row(context, entity, cells.chain(more));
            row.extend(self.ancestors.above(context, entity));
            Value::Map(row)
        })
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
