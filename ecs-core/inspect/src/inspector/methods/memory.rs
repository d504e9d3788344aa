//! Tables and sparse sets.

use ecs_data::Value;
use ecs_engine::world::{Bytes, ComponentMemory};

use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::frame;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "tables.memory",
            Reads,
            "",
            "The memory of tables and sparse sets.",
            tables,
        ),
        method(
            "table.get",
            Reads,
            "table, from, limit",
            "The components of a table, and some of its entities in the order of its rows.",
            table,
        ),
    ]
}

/// The maximum number of entities in an answer.
const MOST_ROWS: u64 = 200;

fn table(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    params.value("table")?;
    let at = params.number_or("table", 0)?;
    let from = params.number_or("from", 0)?;
    let limit = params.number_or("limit", 100)?.min(MOST_ROWS);
    let world = context.world();
    let place = usize::try_from(at).ok();
    let found = place.and_then(|at| Some((world.table_memory(at)?, world.table_entities(at)?)));
    let Some((memory, entities)) = found else {
        return Err(RpcError::params(format!(
            "there is no table {at}; help: `tables.memory` lists them"
        )));
    };
    let total = memory.total();
    let from = usize::try_from(from)
        .unwrap_or(usize::MAX)
        .min(entities.len());
    let shown = &entities[from..entities.len().min(from + limit as usize)];
    let end = from + shown.len();
    let next = (end < entities.len()).then(|| number(end));
    let shown = shown.iter().map(|entity| context.id(*entity)).collect();
    Ok(object([
        ("frame", frame(world).into()),
        ("table", number(at as usize)),
        ("rows", number(memory.rows)),
        ("capacity", number(memory.capacity)),
        ("used", number(total.used)),
        ("reserved", number(total.reserved)),
        ("components", components(context, memory.components)),
        ("entities", Value::List(shown)),
        ("next", next.into()),
    ])
    .into())
}

fn tables(_: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    // There may be thousands of tables.
    let (mut tables, mut sparse, mut total) = (Vec::new(), Vec::new(), Bytes::default());
    let mut sets = 0;
    Ok(Progress::Later(Box::new(move |context| {
        loop {
            let world = context.world();
            if let Some(table) = world.table_memory(tables.len()) {
                total += table.total();
                tables.push(object([
                    ("table", number(tables.len())),
                    ("rows", number(table.rows)),
                    ("capacity", number(table.capacity)),
                    ("components", components(context, table.components)),
                ]));
            } else if let Some(set) = world.sparse_set_memory(sets) {
                sets += 1;
                total += set.bytes;
                sparse.extend(component(context, &set));
            } else {
                let outline = world.memory_outline();
                let total = total + outline.total();
                return Some(Ok(object([
                    ("entities", number(outline.entities)),
                    ("used", number(total.used)),
                    ("reserved", number(total.reserved)),
                    ("tables", Value::List(std::mem::take(&mut tables))),
                    ("sparse", Value::List(std::mem::take(&mut sparse))),
                ])));
            }
            if context.budget.is_spent() {
                return None;
            }
        }
    })))
}

fn components(context: &CallContext<'_>, all: Vec<ComponentMemory>) -> Value {
    let shown = all.iter().filter_map(|memory| component(context, memory));
    Value::List(shown.collect())
}

/// Returns the memory of a component; `None` if it is hidden.
fn component(context: &CallContext<'_>, memory: &ComponentMemory) -> Option<Value> {
    let is_hidden = context.state.hidden.has(context.world(), memory.name);
    (!is_hidden).then(|| {
        object([
            ("name", memory.name.into()),
            ("values", number(memory.values)),
            ("used", number(memory.bytes.used)),
            ("reserved", number(memory.bytes.reserved)),
        ])
    })
}

fn number(number: usize) -> Value {
    Value::from(number as u64)
}
