//! Values of components, and edits of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_app::{App, Time};
use ecs_data::__private::{insert_all, within_parts};
use ecs_data::{ByNameError, Value, WorldData};
use ecs_engine::component::ComponentId;
use ecs_engine::{Entity, World};

use super::error::{RpcError, into_message};
use super::json::{object, with_entities};

/// Returns the number of frames so far, also where a fixed step is stopped in its middle.
pub(crate) fn frame(world: &World) -> u64 {
    let time = world.get_resource::<Time>();
    time.map_or(0, |time| time.number_of_frame())
}

/// Returns the frame that an app has reached by some frames.
pub(crate) fn reached(app: &App, frames: u64) -> Value {
    object([
        ("frame", frame(app.world()).into()),
        ("frames", frames.into()),
        ("ended", app.exit().is_some().into()),
    ])
}

/// The parts of the values that one piece of a call reads. More would take longer than a frame has.
const MOST_PARTS: u32 = 4_000;
/// The parts of a value that is one of several in a piece.
const MOST_PARTS_BESIDE: u32 = 2_000;

/// Calls a function that may call a `Serialize` of the user. A panic, or a value of too many parts, is an error of this value.
pub(crate) fn read<T>(read: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    read_all(|| within_parts(MOST_PARTS, read))
}

/// Like [`read`], for one of several values that are read [together].
pub(crate) fn read_beside<T>(read: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    read_all(|| within_parts(MOST_PARTS_BESIDE, read))
}

/// Calls a function that reads several values in one piece of a call. Values beyond its limit are errors.
pub(crate) fn together<T>(read: impl FnOnce() -> T) -> T {
    within_parts(MOST_PARTS, read)
}

/// Like [`read`], for values of any size: for those who may write, who ask for one value, or change it.
pub(crate) fn read_all<T>(read: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|payload| {
        let message = format!("its `Serialize` panicked: {}", into_message(payload));
        Err(RpcError::new(RpcError::COMPONENT, message))
    })
}

/// Returns the name of a component, or of the relation that it has the sources of; `None` for the other end of a relation.
pub(crate) fn shown_name(component: ComponentId) -> Option<&'static str> {
    match component.relation_of_sources() {
        None if component.is_end() => None,
        relation => Some(relation.unwrap_or(component.name())),
    }
}

/// Returns the value of a component; an error if the entity has none.
pub(crate) fn component(world: &World, entity: Entity, name: &str) -> Result<Value, RpcError> {
    present(read(|| Ok(world.get_by_name(entity, name)?))?, entity, name)
}

/// Like [`component`], for one of several values that are read [together].
pub(crate) fn component_beside(
    world: &World,
    entity: Entity,
    name: &str,
) -> Result<Value, RpcError> {
    present(
        read_beside(|| Ok(world.get_by_name(entity, name)?))?,
        entity,
        name,
    )
}

/// Like [`component`], for values of any size; see [`read_all`].
pub(crate) fn whole_component(
    world: &World,
    entity: Entity,
    name: &str,
) -> Result<Value, RpcError> {
    let value = read_all(|| Ok(world.get_by_name(entity, name)?))?;
    present(value, entity, name)
}

fn present(value: Option<Value>, entity: Entity, name: &str) -> Result<Value, RpcError> {
    value.ok_or_else(|| {
        let message = format!("entity {entity} has no component `{name}`");
        RpcError::new(RpcError::NOT_PRESENT, message)
    })
}

/// Inserts components into an entity, or into a new one: all or none.
pub(crate) fn insert(
    world: &mut World,
    entity: Option<Entity>,
    values: &[(&str, &Value)],
) -> Result<Entity, ByNameError> {
    let mut marked = false;
    let mut with_marks = Vec::new();
    for (name, value) in values {
        let (value, found) = with_entities(value);
        marked |= found;
        with_marks.push((*name, value));
    }
    let with_marks: Vec<_> = with_marks
        .iter()
        .map(|(name, value)| (*name, value))
        .collect();
    match insert_all(world, entity, &with_marks) {
        // A type may have a single field `entity`.
        Err(error @ ByNameError::Value { .. }) if marked => {
            insert_all(world, entity, values).map_err(|_| error)
        }
        result => result,
    }
}

/// Replaces the part of a value at a path.
pub(crate) fn put(tree: &mut Value, path: &str, value: &Value) -> Result<(), RpcError> {
    let path = path.strip_prefix('.').unwrap_or(path);
    match tree.get_mut(path) {
        Some(part) => {
            *part = value.clone();
            Ok(())
        }
        None => Err(RpcError::params(format!(
            "there is no `{path}` in the value"
        ))),
    }
}
