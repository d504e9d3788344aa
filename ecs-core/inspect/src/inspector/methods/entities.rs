//! Single entities, and their children.

use ecs_data::{Value, WorldData};
use ecs_engine::component::StorageKind;
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Entity, World};

use super::access::TypeUsers;
use super::rows::{NamedColumn, row};
use super::world::component_names;
use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::{self, frame};

/// The rows of a page.
const MOST_ROWS: u64 = 200;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
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
            "of, relation, after, limit, columns",
            "The sources of a relation that lead to an entity.",
            children,
        ),
    ]
}

fn get(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let names = component_names(context, entity)?;
    // In the middle of a frame the plans are lent to it.
    let mut walk = (params.flag("access")? && !context.app.is_in_frame()).then(|| {
        let names = names.iter().map(|name| (*name).to_owned());
        TypeUsers::walk(names.collect())
    });
    let (mut left, mut components) = (names.into_iter().enumerate(), Vec::new());
    let mut is_known = walk.is_none();
    Ok(Progress::Later(Box::new(move |context| {
        if let Some(users) = &mut walk
            && !is_known
        {
            match TypeUsers::go_on(users, context) {
                Err(error) => return Some(Err(error)),
                Ok(done) => is_known = done,
            }
        }
        let users = walk.as_ref().map(|walk| &walk.found);
        // A piece has one value at least, after the last step.
        while is_known && let Some((place, name)) = left.next() {
            if let Some(row) = component(context.world(), entity, name) {
                let used = users.map(|users| users.at(place));
                components.push(row.into_iter().chain(used.into_iter().flatten()).collect());
            }
            if context.budget.is_spent() {
                break;
            }
        }
        if !is_known || left.len() > 0 {
            return None;
        }
        if let Err(error) = context.world().entity(entity) {
            return Some(Err(error.into()));
        }
        let mut answer = vec![
            ("frame", frame(context.world()).into()),
            ("entity", context.id(entity)),
            ("components", Value::List(std::mem::take(&mut components))),
        ];
        answer.extend(users.map(|users| ("exclusive", users.exclusive())));
        Some(Ok(answer.into_iter().collect()))
    })))
}

/// Returns a component with its value; `None` if it has gone since the last frame.
fn component(
    world: &World,
    entity: Entity,
    name: &'static str,
) -> Option<[(&'static str, Value); 6]> {
    let known = world.entity(entity).ok()?;
    let mut known = known.components().map(|component| component.id());
    let id = known.find(|id| values::shown_name(*id) == Some(name))?;
    let value = values::read(|| Ok(world.get_by_name(entity, name)?));
    let (value, error) = match value {
        Ok(value) => (value.unwrap_or_default(), Value::Null),
        Err(error) => (Value::Null, error.message().into()),
    };
    let storage = match id.storage() {
        StorageKind::Table => "table",
        _ => "sparse",
    };
    Some([
        ("name", name.into()),
        ("value", value),
        ("error", error),
        ("bytes", (id.layout().size() as u64).into()),
        ("storage", storage.into()),
        ("relation", id.is_end().into()),
    ])
}

/// A page of the sources of one relation.
struct SourcesPage {
    relation: RelationInfo,
    count: usize,
    sources: Vec<Entity>,
    rows: Vec<Value>,
}

fn children(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let of = params.entity("of")?;
    let wanted = params
        .get("relation")
        .map(|_| params.text("relation"))
        .transpose()?;
    let limit = params.number_or("limit", 100)?.min(MOST_ROWS) as usize;
    let after = params.number_or("after", 0)? as usize;
    let columns = NamedColumn::all(context, params)?;
    context.world().entity(of)?;
    if let Some(name) = wanted {
        context.shown(name)?;
    }
    let (world, hidden) = (context.world(), &context.state.hidden);
    let relations = world.relations().into_iter().filter(|relation| {
        let name = relation.name();
        wanted.is_none_or(|wanted| wanted == name) && !hidden.has(world, name)
    });
    let pages = relations.map(|relation| {
        let sources = world.sources_erased(&relation, of);
        SourcesPage {
            relation,
            count: sources.len(),
            sources: sources.skip(after).take(limit).collect(),
            rows: Vec::new(),
        }
    });
    let mut pages: Vec<SourcesPage> = pages.filter(|page| page.count > 0).collect();
    Ok(Progress::Later(Box::new(move |context| {
        for page in &mut pages {
            while let Some(&source) = page.sources.get(page.rows.len()) {
                page.rows
                    .push(source_row(context, &page.relation, source, &columns));
                if context.budget.is_spent() {
                    return None;
                }
            }
        }
        let relations = pages.drain(..).map(|page| {
            let end = after.saturating_add(page.sources.len());
            object([
                ("relation", page.relation.name().into()),
                ("count", (page.count as u64).into()),
                ("rows", Value::List(page.rows)),
                ("next", (end < page.count).then_some(end as u64).into()),
            ])
        });
        Some(Ok(object([("relations", relations.collect())])))
    })))
}

/// Returns the row of a source, which may have gone since the first piece.
fn source_row(
    context: &CallContext<'_>,
    relation: &RelationInfo,
    source: Entity,
    columns: &[NamedColumn],
) -> Value {
    let world = context.world();
    let cells = columns.iter().map(|column| column.cell(world, source));
    let mut cells = values::together(|| row(context, source, cells));
    if columns.is_empty() {
        cells.retain(|(key, _)| key.as_str() == Some("entity"));
    }
    let has_any = world.sources_erased(relation, source).len() > 0;
    cells.push(("has_children".into(), has_any.into()));
    Value::Map(cells)
}
