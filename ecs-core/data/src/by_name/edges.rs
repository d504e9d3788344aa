//! Edges as trees, in the form for access by name.

use ecs_engine::Entity;

use crate::Value;
use crate::value::NULL;

/// Reads the edges of a source: a target; a target with a value, `{ "to": "3v1", "value": .. }`; or a list of these.
///
/// # Errors
/// If a target is not the text of an id, or occurs twice.
pub(super) fn read(tree: &Value) -> Result<Vec<(Entity, &Value)>, String> {
    let list = tree.as_list().unwrap_or(core::slice::from_ref(tree));
    let mut edges: Vec<(Entity, &Value)> = Vec::with_capacity(list.len());
    for edge in list {
        let (to, value) = match edge.as_map() {
            Some(_) => (edge.get("to"), edge.get("value")),
            None => (Some(edge), None),
        };
        let target = to.and_then(Value::to_entity);
        let target = target.ok_or_else(|| {
            format!("expected the id of an entity as text, such as \"7v1\", found {edge}")
        })?;
        edges.push((target, value.unwrap_or(&NULL)));
    }
    let mut targets: Vec<Entity> = edges.iter().map(|edge| edge.0).collect();
    targets.sort_unstable();
    match targets.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("the target {} occurs twice", pair[0])),
        None => Ok(edges),
    }
}
