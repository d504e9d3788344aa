//! The systems that read and write a component or a resource.

use ecs_data::{Value, WorldData};
use ecs_engine::meta::{ConstTypeId, SystemMeta};
use ecs_engine::schedule::Step;

use super::schedule::StepWalk;
use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "schedule.access",
        Reads,
        "component | resource",
        "The systems that read and write a component or a resource.",
        access,
    )]
}

/// The way in which a system uses a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessUse {
    Reads,
    Writes,
    /// Its commands insert or remove it.
    Commands,
}

/// Calls a function with each type that a system names, and its use.
pub(crate) fn each_access(meta: &SystemMeta, each: &mut dyn FnMut(&'static str, AccessUse)) {
    for access in meta.access() {
        let used = match access.kind.writes() {
            true => AccessUse::Writes,
            false => AccessUse::Reads,
        };
        each(name_of(&access.ident), used);
    }
    for ident in meta.commands() {
        each(name_of(&ident), AccessUse::Commands);
    }
}

/// Returns the name of a type as data, or the one that the world has for it.
fn name_of(ident: &ConstTypeId) -> &'static str {
    let data = ident.data();
    data.map_or_else(|| ident.type_name(), |data| data.name())
}

/// The systems that use some types.
#[derive(Clone)]
pub(crate) struct TypeUsers {
    /// The names of the types.
    names: Vec<String>,
    /// For each type the systems that read it, write it, and have commands that do.
    users: Vec<[Vec<Value>; 3]>,
    /// The systems that may use any type.
    exclusive: Vec<Value>,
}

impl TypeUsers {
    /// Begins a walk over all steps, which finds them.
    pub(crate) fn walk(names: Vec<String>) -> StepWalk<Self> {
        let none = Self {
            users: names.iter().map(|_| Default::default()).collect(),
            names,
            exclusive: Vec::new(),
        };
        StepWalk::new(none)
    }

    /// Looks at more steps; returns true at the end.
    pub(crate) fn go_on(
        walk: &mut StepWalk<Self>,
        context: &mut CallContext<'_>,
    ) -> Result<bool, RpcError> {
        walk.go_on(context, |users, _, step| users.add(step))
    }

    fn add(&mut self, step: Step<'_>) {
        let conditions = step.conditions().flat_map(|condition| &condition.parts);
        let metas = std::iter::once(step.meta()).chain(conditions.copied());
        let system = Value::from(step.name());
        let add = |list: &mut Vec<Value>| {
            if !list.contains(&system) {
                list.push(system.clone());
            }
        };
        for meta in metas {
            if meta.world().is_some() {
                add(&mut self.exclusive);
            }
            each_access(&meta, &mut |name, used| {
                let places = self.names.iter().zip(&mut self.users);
                for (_, users) in places.filter(|(known, _)| *known == name) {
                    add(&mut users[used as usize]);
                }
            });
        }
    }

    /// Returns the systems that read, write, and insert or remove the type at a place by commands.
    pub(crate) fn at(&self, place: usize) -> [(&'static str, Value); 3] {
        let [reads, writes, commands] = &self.users[place];
        [
            ("read_by", Value::List(reads.clone())),
            ("written_by", Value::List(writes.clone())),
            ("commands_of", Value::List(commands.clone())),
        ]
    }

    pub(crate) fn exclusive(&self) -> Value {
        Value::List(self.exclusive.clone())
    }
}

/// Returns the name of a type that the world knows, given by any of its names.
fn known(context: &CallContext<'_>, params: &Params) -> Result<String, RpcError> {
    let of_resource = params.get("resource").is_some();
    let name = params.text(if of_resource { "resource" } else { "component" })?;
    context.shown(name)?;
    let catalog = context.world().data_catalog();
    let found = catalog
        .iter()
        .find(|known| known.name() == name || known.aliases().contains(&name));
    match found {
        Some(known) => Ok(known.name().to_owned()),
        None if of_resource => match context.world().resource_by_name(name) {
            Err(error) => Err(RpcError::of_resource(&error)),
            Ok(_) => Ok(name.to_owned()),
        },
        None => match context.world().entities_with(name) {
            Err(error) => Err(error.into()),
            Ok(_) => Ok(name.to_owned()),
        },
    }
}

fn access(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = known(context, params)?;
    let mut walk = TypeUsers::walk(vec![name.clone()]);
    Ok(Progress::Later(Box::new(move |context| {
        match TypeUsers::go_on(&mut walk, context) {
            Err(error) => return Some(Err(error)),
            Ok(false) => return None,
            Ok(true) => {}
        }
        let [reads, writes, commands] = walk.found.at(0);
        let exclusive = ("exclusive", walk.found.exclusive());
        let name = ("name", name.as_str().into());
        Some(Ok(object([name, reads, writes, commands, exclusive])))
    })))
}
