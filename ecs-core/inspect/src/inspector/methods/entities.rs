//! Single entities, and their children.

use ecs_data::{Value, WorldData};
use ecs_engine::Entity;
use ecs_engine::component::StorageKind;

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
            "of, relation, after, limit",
            "The sources of a relation that lead to an entity.",
            children,
        ),
    ]
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
