//! The search for entities.

use ecs_data::{TextPlace, TextQuery, Value};
use ecs_engine::__private::Instant;
use ecs_engine::Disabled;
use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::staging::RelationInfo;

use super::ancestors::RowAncestors;
use super::copies::relation_of;
use super::rows::{
    MOST_COLUMNS, NamedColumn, PieceOfRows, named, parsed, query_error, row, too_many_columns,
};
use super::sorted::SortedSearch;
use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::{self, frame};

/// The rows of a page.
const MOST_ROWS: u64 = 200;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "entities.find",
        Reads,
        "query, after, from, limit, columns, count, sort, disabled, ancestors, relation",
        "The entities that a text query matches, page by page.",
        find,
    )]
}

/// A search that may take several frames.
struct Search {
    text: String,
    query: TextQuery,
    names: Vec<String>,
    more: Vec<NamedColumn>,
    ancestors: RowAncestors,
    /// The relation whose sources rows may have.
    relation: Option<RelationInfo>,
    /// The matches to pass over.
    skip: u64,
    limit: usize,
    rows: Vec<Value>,
    /// `None` at the end of the world.
    place: Option<TextPlace>,
    /// The place after the rows.
    next: Option<TextPlace>,
    has_page: bool,
    passed: u64,
    counts_all: bool,
    from_start: bool,
    moved: bool,
    size: PieceOfRows,
}

fn find(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let text = params
        .get("query")
        .map_or(Ok(""), |_| params.text("query"))?;
    // A query that names the component sees disabled entities.
    let disabled = ComponentId::of::<Disabled>().name();
    let text = &match (params.flag("disabled")?, text.trim().is_empty()) {
        (false, _) => text.to_owned(),
        (true, true) => format!("?{disabled}"),
        (true, false) => format!("{text}, ?{disabled}"),
    };
    let query = parsed(context.world(), text)?;
    context.state.hidden.check_query(&query)?;
    let more = NamedColumn::all(context, params)?;
    if more.len() + query.columns().len() > MOST_COLUMNS {
        return Err(too_many_columns());
    }
    let place = match params.get("after") {
        None => TextPlace::START,
        Some(_) => {
            let name = params.text("after")?;
            let found = context.state.places.find(text, name);
            found
                .ok_or_else(|| RpcError::params("`after` is no longer known; help: search again"))?
        }
    };
    let ancestors = RowAncestors::of(context, params)?;
    let skip = params.number_or("from", 0)?;
    let limit = params.number_or("limit", 100)?.min(MOST_ROWS) as usize;
    if params.get("sort").is_some() {
        let (sort, after) = (params.text("sort")?, params.get("after").is_some());
        let sorted = SortedSearch::new(query, more, ancestors, sort, (skip, limit));
        return sorted.filter(|_| !after).map(SortedSearch::job).ok_or_else(|| {
            RpcError::params("`sort` is a column or a field of one, with `-` before it for the greatest first, and has no `after`")
        });
    }
    let search = Search {
        text: text.to_owned(),
        names: query.columns().iter().map(ToString::to_string).collect(),
        more,
        ancestors,
        relation: relation_of(context, params)?,
        query,
        skip,
        limit,
        rows: Vec::new(),
        place: Some(place),
        next: Some(place),
        has_page: false,
        passed: 0,
        counts_all: params.flag("count")?,
        from_start: params.get("after").is_none(),
        moved: false,
        size: PieceOfRows::new(),
    };
    let mut search = Some(search);
    Ok(Progress::Later(Box::new(move |context| {
        let running = search.as_mut()?;
        match running.go_on(context) {
            Ok(false) => None,
            Ok(true) => Some(Ok(search.take()?.finish(context))),
            Err(error) => Some(Err(error)),
        }
    })))
}

impl Search {
    /// Looks at more rows; returns true at the end.
    fn go_on(&mut self, context: &mut CallContext<'_>) -> Result<bool, RpcError> {
        loop {
            let Some(place) = self.place else {
                return Ok(true);
            };
            if self.has_page && (!self.counts_all || self.is_cheap()) {
                return Ok(true);
            }
            let start = Instant::now();
            self.piece(place, context)?;
            self.size.took(start, context.budget);
            if context.budget.is_spent() {
                return Ok(false);
            }
        }
    }

    fn piece(&mut self, place: TextPlace, context: &CallContext<'_>) -> Result<(), RpcError> {
        let world = context.world();
        let matches = self
            .query
            .matches(world)
            .map_err(|error| query_error(&error))?;
        // Rows that are not tested are passed over by tables.
        let untested = if self.is_cheap() { self.skip } else { 0 };
        let rows = self.size.rows().saturating_add(untested as usize);
        let mut walk = matches.resume(&place, rows);
        self.moved |= walk.has_moved();
        let skipped = walk.skip_matches(self.skip as usize);
        self.skip -= skipped as u64;
        self.passed += skipped as u64;
        let mut seen = skipped;
        while !self.has_page {
            if self.rows.len() == self.limit {
                self.has_page = true;
                self.next = if seen == 0 { Some(place) } else { walk.place() };
                // The last match may be the last of all.
                if walk.next().is_some() {
                    self.passed += 1;
                } else if walk.place().is_none() {
                    self.next = None;
                }
                break;
            }
            let Some(found) = walk.next() else {
                break;
            };
            seen += 1;
            self.passed += 1;
            let cells = self.names.iter().enumerate().map(|(index, name)| {
                let cell = values::read_beside(|| match found.value(index) {
                    Some(value) => value
                        .to_value()
                        .map(Some)
                        .map_err(|error| RpcError::of_value(&error)),
                    None => named(world, found.entity(), name),
                });
                (name.as_str(), cell)
            });
            let more = self.more.iter();
            let more = more.map(|column| column.cell(world, found.entity()));
            let sources = self.relation.as_ref().map(|relation| {
                let count = world.sources_erased(relation, found.entity()).len();
                ("has_children".into(), (count > 0).into())
            });
            let row = values::together(|| {
                let mut row = row(context, found.entity(), cells.chain(more));
                row.extend(self.ancestors.above(context, found.entity()));
                row.extend(sources);
                row
            });
            self.rows.push(Value::Map(row));
            if context.budget.is_spent() {
                self.place = walk.place();
                return Ok(());
            }
        }
        if self.has_page && self.counts_all && !self.is_cheap() {
            self.passed += walk.by_ref().count() as u64;
        }
        self.place = walk.place();
        if self.place.is_none() && !self.has_page {
            self.next = None;
        }
        Ok(())
    }

    /// Returns true if the number of matches follows from the lengths of tables.
    fn is_cheap(&self) -> bool {
        let mut terms = self.query.query().terms().iter();
        let is_plain = |byte: u8| !b"<>=~(|&\"".contains(&byte);
        self.text.bytes().all(is_plain)
            && terms.all(|term| term.component().storage() == StorageKind::Table)
    }

    fn finish(self, context: &mut CallContext<'_>) -> Value {
        let exact = if self.is_cheap() {
            let matches = self.query.matches(context.world());
            matches.ok().map(|matches| matches.count() as u64)
        } else {
            (self.from_start && self.place.is_none()).then_some(self.passed)
        };
        let next = self
            .next
            .map(|place| context.state.places.keep(&self.text, place));
        object([
            ("frame", frame(context.world()).into()),
            (
                "count",
                object([
                    ("exact", exact.is_some().into()),
                    ("at_least", exact.unwrap_or(self.passed).into()),
                ]),
            ),
            (
                "columns",
                self.names
                    .into_iter()
                    .chain(self.more.into_iter().map(|column| column.name))
                    .collect(),
            ),
            ("next", next.into()),
            ("moved", self.moved.into()),
            ("rows", Value::List(self.rows)),
        ])
    }
}
