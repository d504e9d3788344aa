//! Tables and sparse sets.

use ecs_data::Value;
use ecs_engine::world::ComponentMemory;

use crate::inspector::core::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "tables.memory",
        Reads,
        "",
        "The memory of tables and sparse sets.",
        tables,
    )]
}

fn tables(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let usage = context.world().memory_usage();
    let (entities, total) = (usage.entities, usage.total());
    // There may be thousands of tables.
    let (mut left, mut sparse) = (usage.tables.into_iter().enumerate(), usage.sparse_sets);
    let mut tables = Vec::new();
    Ok(Progress::Later(Box::new(move |context| {
        for (index, table) in left.by_ref() {
            tables.push(object([
                ("table", number(index)),
                ("rows", number(table.rows)),
                ("capacity", number(table.capacity)),
                ("components", components(context, table.components)),
            ]));
            if context.budget.is_spent() {
                return None;
            }
        }
        Some(Ok(object([
            ("entities", number(entities)),
            ("used", number(total.used)),
            ("reserved", number(total.reserved)),
            ("tables", Value::List(std::mem::take(&mut tables))),
            ("sparse", components(context, std::mem::take(&mut sparse))),
        ])))
    })))
}

fn components(context: &CallContext<'_>, all: Vec<ComponentMemory>) -> Value {
    let hidden = &context.state.hidden;
    let shown = all
        .into_iter()
        .filter(|memory| !hidden.has(context.world(), memory.name));
    let rows = shown.map(|memory| {
        object([
            ("name", memory.name.into()),
            ("values", number(memory.values)),
            ("used", number(memory.bytes.used)),
            ("reserved", number(memory.bytes.reserved)),
        ])
    });
    Value::List(rows.collect())
}

fn number(number: usize) -> Value {
    Value::from(number as u64)
}
