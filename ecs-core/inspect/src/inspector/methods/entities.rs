//! Entities: search, a single one, children.

use ecs_data::{TextPlace, TextQuery, TextQueryError, Value, WorldData};
use ecs_engine::component::StorageKind;
use ecs_engine::{Entity, World};

use super::access::TypeUsers;
use super::schedule::plans;
use crate::inspector::core::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::{self, frame};

/// The rows of a page.
const MOST_ROWS: u64 = 200;
/// The sources that are counted.
const MOST_COUNTED: usize = 100_000;
/// The rows that are looked at between two looks at the clock.
const PIECE: usize = 1024;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "entities.find",
            Reads,
            "query, after, from, limit, columns, count",
            "The entities that a text query matches, page by page.",
            find,
        ),
        method(
            "entity.get",
            Reads,
            "entity, access",
            "All components of an entity, with values, and the systems that use them.",
            get,
        ),
        method(
            "entities.children",
            Reads,
            "of, relation, after, limit",
            "The sources of a relation that lead to an entity.",
            children,
        ),
    ]
}

pub(crate) fn query_error(error: &TextQueryError) -> RpcError {
    let column = error.line_and_column().map(|(_, column)| column as u64);
    RpcError::new(RpcError::QUERY, error).with_data(object([
        ("message", error.message().into()),
        ("column", column.into()),
        ("help", error.help().into()),
    ]))
}

/// A search that may take several frames.
struct Search {
    text: String,
    query: TextQuery,
    names: Vec<String>,
    more: Vec<String>,
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
}

fn find(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let text = params
        .get("query")
        .map_or(Ok(""), |_| params.text("query"))?;
    let query = TextQuery::new(context.world(), text).map_err(|error| query_error(&error))?;
    context.state.hidden.check_query(&query)?;
    let more = params.texts("columns")?;
    for name in &more {
        context.shown(name)?;
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
    let search = Search {
        text: text.to_owned(),
        names: query.columns().iter().map(ToString::to_string).collect(),
        more: more.into_iter().map(str::to_owned).collect(),
        query,
        skip: params.number_or("from", 0)?,
        limit: params.number_or("limit", 100)?.min(MOST_ROWS) as usize,
        rows: Vec::new(),
        place: Some(place),
        next: Some(place),
        has_page: false,
        passed: 0,
        counts_all: params.flag("count")?,
        from_start: params.get("after").is_none(),
        moved: false,
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
            self.piece(place, context)?;
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
        let mut walk = matches.resume(&place, PIECE);
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
                let cell = values::read(|| match found.value(index) {
                    Some(value) => value
                        .to_value()
                        .map(Some)
                        .map_err(|error| RpcError::new(RpcError::COMPONENT, error)),
                    None => named(world, found.entity(), name),
                });
                (name.as_str(), cell)
            });
            let more = self.more.iter().map(|name| {
                let cell = values::read(|| named(world, found.entity(), name));
                (name.as_str(), cell)
            });
            let row = row(context, found.entity(), cells.chain(more));
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
        let is_plain = |byte: u8| !b"<>=(|&\"".contains(&byte);
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
            ("columns", self.names.into_iter().chain(self.more).collect()),
            ("next", next.into()),
            ("moved", self.moved.into()),
            ("rows", Value::List(self.rows)),
        ])
    }
}

/// The value of a cell; none if the entity lacks the component.
pub(super) type Cell = Result<Option<Value>, RpcError>;

/// Returns a value for a cell.
fn named(world: &World, entity: Entity, name: &str) -> Cell {
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
            Err(error) => errors.push((Value::from(name), Value::from(error.message()))),
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

fn get(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let with_access = params.flag("access")?;
    let mut found = Vec::new();
    for component in context.world().entity(entity)?.components() {
        let id = component.id();
        if let Some(name) = values::shown_name(id)
            && !context.state.hidden.has(context.world(), name)
        {
            found.push((id, name));
        }
    }
    // In the middle of a frame the plans are lent to it.
    let users = if with_access && !context.app.is_in_frame() {
        let names = found.iter().map(|(_, name)| (*name).to_owned());
        let names = names.collect();
        Some(plans(context, |plans| TypeUsers::of(&plans, names))?)
    } else {
        None
    };
    let world = context.world();
    let mut components = Vec::new();
    for (place, (id, shown)) in found.into_iter().enumerate() {
        let value = values::read(|| Ok(world.get_by_name(entity, shown)?));
        let (value, error) = match value {
            Ok(value) => (value.unwrap_or_default(), Value::Null),
            Err(error) => (Value::Null, error.message().into()),
        };
        let storage = match id.storage() {
            StorageKind::Table => "table",
            _ => "sparse",
        };
        let row = [
            ("name", shown.into()),
            ("value", value),
            ("error", error),
            ("bytes", (id.layout().size() as u64).into()),
            ("storage", storage.into()),
            ("relation", id.is_end().into()),
        ];
        let used = users.as_ref().map(|users| users.at(place));
        components.push(row.into_iter().chain(used.into_iter().flatten()).collect());
    }
    let mut answer = vec![
        ("frame", frame(world).into()),
        ("entity", context.id(entity)),
        ("components", Value::List(components)),
    ];
    answer.extend(users.map(|users| ("exclusive", users.exclusive())));
    Ok(answer.into_iter().collect::<Value>().into())
}

fn children(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let of = params.entity("of")?;
    let wanted = params
        .get("relation")
        .map(|_| params.text("relation"))
        .transpose()?;
    let limit = params.number_or("limit", 100)?.min(MOST_ROWS) as usize;
    let after = params.number_or("after", 0)? as usize;
    let world = context.world();
    world.entity(of)?;
    if let Some(name) = wanted {
        context.shown(name)?;
    }
    let shown = |name: &str| match wanted {
        Some(wanted) => name == wanted,
        None => !context.state.hidden.has(world, name),
    };
    let mut relations = Vec::new();
    for relation in world.relations() {
        if !shown(relation.name()) {
            continue;
        }
        let total = world
            .sources_erased(&relation, of)
            .take(MOST_COUNTED)
            .count();
        if total == 0 {
            continue;
        }
        let sources = world.sources_erased(&relation, of);
        let page: Vec<Entity> = sources.skip(after).take(limit).collect();
        let rows = page.iter().map(|source| {
            let has_any = world.sources_erased(&relation, *source).next().is_some();
            object([
                ("entity", context.id(*source)),
                ("has_children", has_any.into()),
            ])
        });
        let end = after.saturating_add(page.len());
        relations.push(object([
            ("relation", relation.name().into()),
            ("count", (total as u64).into()),
            ("rows", Value::List(rows.collect())),
            ("next", (end < total).then_some(end as u64).into()),
        ]));
    }
    Ok(object([("relations", Value::List(relations))]).into())
}
