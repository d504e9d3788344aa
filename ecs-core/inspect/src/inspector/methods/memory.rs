//! Tables and sparse sets.

use ecs_data::Value;
use ecs_engine::world::{Bytes, ComponentMemory};

use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
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
