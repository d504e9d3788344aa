//! The name of a system in messages: its path and, if it is generic, the arguments of its instance.
//!
//! A constant cannot name types, so [`META`](super::System::META) has only the path, which all instances share. At run
//! time the compiler's name for the hidden type of the system is known; it ends with the arguments.

use alloc::vec::Vec;

use crate::meta::SystemMeta;
use crate::sync::{Mutex, PoisonError};
use crate::type_name::without_engine;

/// The names of a system that are only known at run time.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SystemNames {
    /// Returns the compiler's name for the type of the system. It is the name of a system without another one, and otherwise
    /// ends with the generic arguments.
    pub(super) hidden: fn() -> &'static str,
    /// The types of the parameters, if the description does not have their names.
    pub(super) params: &'static [fn() -> &'static str],
}

/// Returns the description with the hidden type's arguments in its name: `game::tick<game::Position>`.
///
/// A description without a name gets the whole name of the type: it describes a closure.
pub(super) fn with_arguments(meta: &SystemMeta, hidden: &'static str) -> SystemMeta {
    let name = if meta.name.is_empty() {
        hidden
    } else if hidden.ends_with('>') {
        interned(meta.name, hidden)
    } else {
        meta.name
    };
    let mut named = *meta;
    named.name = name;
    named
}

/// Returns `<game::Position>` for `game::__SystemTick1A2B<game::Position>`; an empty text for a type without arguments.
#[inline]
pub(crate) const fn arguments(path: &str) -> &str {
    let bytes = path.as_bytes();
    let (mut at, mut depth) = (bytes.len(), 0);
    while at > 0 {
        at -= 1;
        match bytes[at] {
            // Not the `>` of `->`.
            b'>' if at == 0 || bytes[at - 1] != b'-' => depth += 1,
            b'<' => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            break;
        }
    }
    // Without brackets at the end, this is one byte or none.
    if depth != 0 || bytes.len() - at < 2 {
        return "";
    }
    path.split_at(at).1
}

/// Returns the name with arguments, leaked: one copy for each scheduled instance of a generic function.
fn interned(name: &'static str, hidden: &'static str) -> &'static str {
    /// Paired with the names of hidden types, sorted by address because addresses compare fast.
    static NAMES: Mutex<Vec<(&str, &str)>> = Mutex::new(Vec::new());
    let address = |text: &str| (text.as_ptr(), text.len());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.binary_search_by(|(other, _)| address(other).cmp(&address(hidden))) {
        Ok(known) => names[known].1,
        Err(at) => {
            // The compiler may have several copies of the same name.
            let known = names.iter().find(|(other, _)| *other == hidden);
            let full = match known {
                Some(&(_, full)) => full,
                None => format!("{name}{}", without_engine(arguments(hidden))).leak(),
            };
            names.insert(at, (hidden, full));
            full
        }
    }
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
