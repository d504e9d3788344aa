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
    let world = context.world();
    let usage = world.memory_usage();
    let number = |number: usize| Value::from(number as u64);
    let shown = |memory: &ComponentMemory| {
        let is_hidden = context.state.hidden.has(world, memory.name);
        (!is_hidden).then(|| {
            object([
                ("name", memory.name.into()),
                ("values", number(memory.values)),
                ("used", number(memory.bytes.used)),
                ("reserved", number(memory.bytes.reserved)),
            ])
        })
    };
    let tables = usage.tables.iter().enumerate().map(|(index, table)| {
        object([
            ("table", number(index)),
            ("rows", number(table.rows)),
            ("capacity", number(table.capacity)),
            (
                "components",
                Value::List(table.components.iter().filter_map(shown).collect()),
            ),
        ])
    });
    let total = usage.total();
    Ok(object([
        ("entities", number(usage.entities)),
        ("used", number(total.used)),
        ("reserved", number(total.reserved)),
        ("tables", Value::List(tables.collect())),
        (
            "sparse",
            Value::List(usage.sparse_sets.iter().filter_map(shown).collect()),
        ),
    ])
    .into())
}
