//! Data that only systems of certain modules may write.

use alloc::string::String;

use super::module_path::is_in_module;
use super::side::Side;
use super::{
    Access, Components, ConstTypeId, Domain, Message, ParamAccess, ParamInfo, QueryAccess,
    SystemMeta,
};

/// A write of data by a system outside of the modules that own the data.
#[derive(Clone, Copy)]
pub(crate) struct ForeignWrite {
    pub(crate) domain: Domain,
    pub(crate) ident: ConstTypeId,
    /// True if commands may insert or remove it.
    by_commands: bool,
}

impl ForeignWrite {
    /// Returns the first write of a parameter that a system of this name may not make.
    #[must_use]
    pub(crate) const fn of(access: &ParamAccess, system: &str) -> Option<Self> {
        match access {
            ParamAccess::Leaf(access) | ParamAccess::NonSend(access) => {
                Self::of_data(*access, system)
            }
            ParamAccess::Query { data, .. } => Self::of_query(data, system),
            ParamAccess::Commands(components) => Self::of_commands(components, system),
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    let found = Self::of(parts[i], system);
                    if found.is_some() {
                        return found;
                    }
                    i += 1;
                }
                None
            }
            _ => None,
        }
    }

    const fn of_data(access: Access, system: &str) -> Option<Self> {
        if !access.kind.writes() || is_inside(system, access.ident.owners()) {
            return None;
        }
        Some(Self {
            domain: access.domain,
            ident: access.ident,
            by_commands: false,
        })
    }

    const fn of_query(query: &QueryAccess, system: &str) -> Option<Self> {
        let side = Side::QueryAccess(query);
        if let Some(parts) = side.parts() {
            let mut i = 0;
            while i < parts.len() {
                let found = Self::of_query(parts[i], system);
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            return None;
        }
        match side.access() {
            Some(access) => Self::of_data(access, system),
            None => None,
        }
    }

    const fn of_commands(components: &Components, system: &str) -> Option<Self> {
        match components {
            Components::One(ident) if is_inside(system, ident.owners()) => None,
            Components::One(ident) => Some(Self {
                domain: Domain::Component,
                ident: *ident,
                by_commands: true,
            }),
            Components::All(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    let found = Self::of_commands(parts[i], system);
                    if found.is_some() {
                        return found;
                    }
                    i += 1;
                }
                None
            }
        }
    }

    /// Returns the message about a write of a system by a parameter, of data of the type `name`.
    pub(crate) const fn message(&self, system: &str, param: &ParamInfo, name: &str) -> Message {
        let mut text = Message::new();
        text.push("the system `");
        text.push(system);
        text.push(if self.by_commands {
            "` may not insert or remove "
        } else {
            "` may not write "
        });
        text.data(self.domain, name);
        text.push(" by ");
        text.parameter(param);
        text.push(": only systems in ");
        let owners = self.ident.owners();
        let mut i = 0;
        while i < owners.len() {
            text.push(if i == 0 { "`" } else { "` or `" });
            text.push(owners[i]);
            i += 1;
        }
        text.push("` may (`written_by`); help: read it, or let a system of that module change it: by an event, or called as a function");
        text
    }
}

/// Returns true for data without owners, and for a system in one of these modules.
const fn is_inside(system: &str, owners: &[&str]) -> bool {
    let mut i = 0;
    while i < owners.len() {
        if is_in_module(system, owners[i]) {
            return true;
        }
        i += 1;
    }
    owners.is_empty()
}

/// Stops the compilation at the caller if a parameter of a system writes data that belongs to other modules.
///
/// # Panics
/// If it does.
#[track_caller]
#[doc(hidden)]
#[inline]
pub const fn refuse_foreign_write(system: &str, param: &ParamInfo) {
    if let Some(foreign) = ForeignWrite::of(param.of.access, system) {
        let message = foreign.message(system, param, foreign.ident.name());
        panic!("{}", message.as_str());
    }
}

impl SystemMeta {
    /// Returns the first data that the system writes although it belongs to other modules, and the message.
    pub(crate) fn foreign_write(&self) -> Option<(ConstTypeId, String)> {
        // Systems that run in turns have one parameter, with a part for each of them.
        if let [param] = self.params
            && let ParamAccess::OneOf(parts) = param.of.access
            && self.name.split(" | ").count() == parts.len()
        {
            let mut parts = self.name.split(" | ").zip(*parts);
            return parts.find_map(|(name, access)| refused(name, param, access));
        }
        let mut params = self.params.iter();
        params.find_map(|param| refused(self.name, param, param.of.access))
    }
}

fn refused(name: &str, param: &ParamInfo, access: &ParamAccess) -> Option<(ConstTypeId, String)> {
    let foreign = ForeignWrite::of(access, name)?;
    let message = foreign.message(name, param, foreign.ident.type_name());
    Some((foreign.ident, String::from(message.as_str())))
}
