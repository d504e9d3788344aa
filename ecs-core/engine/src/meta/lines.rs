//! The access of a system as lines of text, for people who review a change.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Access, ConstTypeId, Domain, Kind, ParamAccess, ParamInfo, QueryAccess, SystemMeta};
use crate::sort::sort_by_text;
use crate::type_name::without_standard;

impl SystemMeta {
    /// Returns one line for each thing that the system touches: sorted, and each once.
    #[inline]
    pub(crate) fn access_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for param in self.params {
            of_param(param.of.access, param, &mut lines);
        }
        sort_by_text(&mut lines, String::clone);
        lines.dedup();
        lines
    }
}

#[inline]
fn of_param(access: &'static ParamAccess, param: &ParamInfo, lines: &mut Vec<String>) {
    match access {
        // The access to the events is beside `Sends`.
        ParamAccess::Nothing | ParamAccess::Sends(_) => {
            if param.of.remembers {
                lines.push(format!("keeps {} between runs", without_standard(param.ty)));
            }
        }
        ParamAccess::Shape => lines.push(String::from("reads which entities exist")),
        ParamAccess::Deferred => lines.push(String::from("commands: anything")),
        ParamAccess::Commands(components) => components.for_each(&mut |ident| {
            lines.push(format!("commands: component {}", shown(ident)));
        }),
        ParamAccess::Leaf(access) | ParamAccess::NonSend(access) => of_data(access, lines),
        ParamAccess::Query { data, filter } => {
            of_query(data, lines);
            of_query(filter, lines);
        }
        ParamAccess::All(parts) if parts.iter().any(|part| is_declaration(part)) => {
            lines.push(String::from("commands: spawn and despawn"));
            for part in *parts {
                if !matches!(part, ParamAccess::Deferred) {
                    of_param(part, param, lines);
                }
            }
        }
        // As `Removed` describes itself: it accesses no value, and names its component.
        ParamAccess::All(
            [
                ParamAccess::Shape,
                ParamAccess::Query {
                    data: QueryAccess::Nothing,
                    filter: QueryAccess::With(ident),
                },
            ],
        ) => lines.push(format!("reads removals of component {}", shown(ident))),
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            parts.iter().for_each(|part| of_param(part, param, lines));
        }
        ParamAccess::World(Kind::Read) => lines.push(String::from("reads the whole world")),
        ParamAccess::World(Kind::Write) => lines.push(String::from("writes the whole world")),
        ParamAccess::WorldRef => lines.push(String::from("borrows anything of the world")),
        ParamAccess::ResourcesRef => lines.push(String::from("borrows any resource")),
    }
}

#[inline]
const fn is_declaration(access: &ParamAccess) -> bool {
    matches!(access, ParamAccess::Commands(_))
}

#[inline]
fn of_data(access: &Access, lines: &mut Vec<String>) {
    let Access {
        domain,
        kind,
        ident,
    } = access;
    let (word, name) = (domain.word(), shown(ident));
    let line = match (ident.event_name(), kind) {
        (Some(event), Kind::Read) => format!("reads events {}", without_standard(event)),
        (Some(event), Kind::Write) => format!("sends events {}", without_standard(event)),
        (None, Kind::Read) => format!("reads {word} {name}"),
        (None, Kind::Write) => format!("writes {word} {name}"),
    };
    lines.push(line);
}

#[inline]
fn of_query(access: &QueryAccess, lines: &mut Vec<String>) {
    let (does, ident) = match access {
        QueryAccess::Nothing => return,
        QueryAccess::Read(ident) => ("reads", ident),
        QueryAccess::Write(ident) => ("writes", ident),
        QueryAccess::With(ident) => ("asks for", ident),
        QueryAccess::Without(ident) => ("asks for entities without", ident),
        QueryAccess::Added(ident) => ("asks for additions of", ident),
        QueryAccess::Changed(ident) => ("asks for changes of", ident),
        QueryAccess::Optional(parts)
        | QueryAccess::All(parts)
        | QueryAccess::Or(parts)
        | QueryAccess::OfAny(parts) => {
            parts.iter().for_each(|part| of_query(part, lines));
            return;
        }
    };
    let word = Domain::Component.word();
    lines.push(format!("{does} {word} {}", shown(ident)));
}

/// Returns the name of a type: its name as data or the one that it was given, and otherwise its path. It depends neither on
/// features nor on the version of the standard library.
#[inline]
fn shown(ident: &ConstTypeId) -> Cow<'static, str> {
    without_standard(ident.type_name())
}
