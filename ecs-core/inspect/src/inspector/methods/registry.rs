//! Types and methods.

use std::collections::HashSet;

use ecs_data::{CatalogKind, SchemaKind, SchemaNode, SchemaPart, Value};

use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The most levels of nested types in a schema. A type that contains itself would nest without end.
const MOST_LEVELS: u32 = 12;
/// The most parts of a schema: a type that contains itself twice doubles them with every level.
const MOST_NODES: u32 = 1000;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "rpc.discover",
            Reads,
            "",
            "The methods, with their parameters.",
            discover,
        ),
        method(
            "registry.schema",
            Reads,
            "names",
            "The types that the world knows, with their parts.",
            schema,
        ),
    ]
}

fn discover(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let version = env!("CARGO_PKG_VERSION");
    let errors = RpcError::CODES.iter();
    let errors = errors
        .map(|(code, meaning)| object([("code", (*code).into()), ("meaning", (*meaning).into())]));
    Ok(object([
        (
            "info",
            object([
                ("title", "ecs-core inspector".into()),
                ("version", version.into()),
            ]),
        ),
        ("writes", context.may_write.into()),
        ("errors", Value::List(errors.collect())),
        ("methods", Value::List(context.state.methods.clone())),
    ])
    .into())
}

fn schema(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let names: HashSet<&str> = params.texts("names")?.into_iter().collect();
    let mut all = context.state.hidden.catalog(context.world());
    all.retain(|known| names.is_empty() || names.contains(known.name()));
    // A schema is found by deserialising made-up values, so listing many types takes several frames.
    let (mut all, mut types) = (all.into_iter(), Vec::new());
    Ok(Progress::Later(Box::new(move |context| {
        for known in all.by_ref() {
            let kind = match known.kind() {
                CatalogKind::Component => "component",
                CatalogKind::Relation => "relation",
                CatalogKind::Resource => "resource",
                CatalogKind::Events => "events",
            };
            let schema = values::read(|| {
                let mut left = MOST_NODES;
                Ok(known
                    .schema()
                    .map(|schema| part(schema.root(), MOST_LEVELS, &mut left)))
            });
            let default = values::read(|| Ok(known.default_value())).ok().flatten();
            let next = known.next_state();
            let next = next.filter(|name| !context.state.hidden.has(context.world(), name));
            types.push(object([
                ("name", known.name().into()),
                ("kind", kind.into()),
                ("data", known.is_data().into()),
                ("schema", schema.ok().flatten().unwrap_or_default()),
                ("default", default.unwrap_or_default()),
                ("next", next.into()),
            ]));
            if context.budget.is_spent() {
                return None;
            }
        }
        Some(Ok(Value::List(std::mem::take(&mut types))))
    })))
}

/// Returns a type as an object with its `kind` and its parts.
fn part(node: SchemaNode<'_>, levels: u32, left: &mut u32) -> Value {
    let kind = |kind: &str| ("kind", Value::from(kind));
    if levels == 0 || *left == 0 {
        return object([kind("unknown")]);
    }
    *left -= 1;
    let mut inner = |node: SchemaNode<'_>| part(node, levels - 1, left);
    match node.kind() {
        SchemaKind::Plain(name) => object([kind(name)]),
        SchemaKind::Entity => object([kind("entity")]),
        SchemaKind::Unit => object([kind("unit")]),
        SchemaKind::Option(some) => object([kind("option"), ("some", inner(some))]),
        SchemaKind::List(item) => object([kind("list"), ("item", inner(item))]),
        SchemaKind::Map(key, value) => {
            object([kind("map"), ("key", inner(key)), ("value", inner(value))])
        }
        SchemaKind::Tuple(items) => {
            let items = items.into_iter().map(inner);
            object([kind("tuple"), ("items", Value::List(items.collect()))])
        }
        SchemaKind::Struct(fields) => object([kind("struct"), ("fields", parts(fields, inner))]),
        SchemaKind::Enum(variants) => object([kind("enum"), ("variants", parts(variants, inner))]),
        _ => object([kind("unknown")]),
    }
}

fn parts<'a>(parts: Vec<SchemaPart<'a>>, mut inner: impl FnMut(SchemaNode<'a>) -> Value) -> Value {
    let parts = parts
        .into_iter()
        .map(|part| object([("name", part.name().into()), ("type", inner(part.value()))]));
    Value::List(parts.collect())
}
