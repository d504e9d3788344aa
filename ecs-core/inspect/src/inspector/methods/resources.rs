//! Resources by name.

use ecs_data::{CatalogKind, Value, WorldData};

use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, in_pieces, method,
};
use crate::inspector::edits::{UndoableEdit, ValueEdit};
use crate::inspector::error::RpcError;
use crate::inspector::json::{object, with_entities};
use crate::inspector::params::Params;
use crate::inspector::values;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "world.list_resources",
            Reads,
            "",
            "The names of the resources.",
            list,
        ),
        method(
            "world.get_resources",
            Reads,
            "resource, whole",
            "The value of a resource.",
            get,
        ),
        method(
            "world.insert_resources",
            Writes,
            "resource, value",
            "Inserts a resource.",
            insert,
        ),
        method(
            "world.mutate_resources",
            Writes,
            "resource, path, value",
            "Changes a part of a resource.",
            mutate,
        ),
        method(
            "world.remove_resources",
            Writes,
            "resource",
            "Removes a resource.",
            remove,
        ),
    ]
}

fn list(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let mut all = context.world().data_catalog();
    all.retain(|known| known.kind() == CatalogKind::Resource);
    Ok(in_pieces(all, |context, known| {
        let is_hidden = context.state.hidden.has(context.world(), known.name());
        Ok((!is_hidden).then(|| known.name().into()))
    }))
}

fn value(context: &CallContext<'_>, name: &str, whole: bool) -> Result<Option<Value>, RpcError> {
    context.shown(name)?;
    let read = || {
        let value = context.world().resource_by_name(name);
        value.map_err(|error| RpcError::of_resource(&error))
    };
    match whole {
        true => values::read_all(read),
        false => values::read(read),
    }
}

fn present(context: &CallContext<'_>, name: &str, whole: bool) -> Result<Value, RpcError> {
    value(context, name, whole)?.ok_or_else(|| {
        RpcError::new(
            RpcError::NO_RESOURCE,
            format!("there is no resource `{name}`"),
        )
    })
}

fn get(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let whole = context.whole(params)?;
    let value = present(context, params.text("resource")?, whole)?;
    Ok(object([("value", value)]).into())
}

fn put(context: &mut CallContext<'_>, name: &str, value: &Value) -> Result<Progress, RpcError> {
    let before = self::value(context, name, true)?;
    let (marked, found) = with_entities(value);
    let world = context.app.world_mut();
    let mut inserted = world.insert_resource_by_name(name, &marked);
    if found && inserted.is_err() {
        inserted = world.insert_resource_by_name(name, value).or(inserted);
    }
    inserted.map_err(|error| RpcError::of_resource(&error))?;
    let name = name.to_owned();
    let edit = ValueEdit {
        entity: None,
        name,
        before,
    };
    context.state.remember(UndoableEdit::Values(vec![edit]));
    Ok(Value::Null.into())
}

fn insert(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let null = Value::Null;
    put(
        context,
        params.text("resource")?,
        params.get("value").unwrap_or(&null),
    )
}

fn mutate(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("resource")?;
    let path = params.get("path").map_or(Ok(""), |_| params.text("path"))?;
    let mut tree = present(context, name, true)?;
    values::put(&mut tree, path, params.get("value").unwrap_or(&Value::Null))?;
    put(context, name, &tree)
}

fn remove(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("resource")?.to_owned();
    let before = Some(present(context, &name, true)?);
    let removed = context.app.world_mut().remove_resource_by_name(&name);
    removed.map_err(|error| RpcError::of_resource(&error))?;
    let edit = ValueEdit {
        entity: None,
        name,
        before,
    };
    context.state.remember(UndoableEdit::Values(vec![edit]));
    Ok(Value::Null.into())
}
