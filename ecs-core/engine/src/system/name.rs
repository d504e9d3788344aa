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
mod tests {
    use super::*;

    #[test]
    fn arguments_are_the_text_in_the_last_brackets() {
        for (hidden, expected) in [
            ("game::__SystemTick1A2B", ""),
            ("game::__SystemTick1A2B<game::Position>", "<game::Position>"),
            (
                "game::<impl game::Shop<u8>>::run::__SystemSell1A2B<[alloc::vec::Vec<u8>; 3], 4>",
                "<[alloc::vec::Vec<u8>; 3], 4>",
            ),
            (
                "game::__SystemCall1A2B<fn(u8) -> u8, fn() -> alloc::vec::Vec<u8>>",
                "<fn(u8) -> u8, fn() -> alloc::vec::Vec<u8>>",
            ),
            ("fn() -> x>", ""),
            ("a<", ""),
            ("a>b<", ""),
            ("", ""),
            ("caf\u{e9}", ""),
            ("tick::<Position>", "<Position>"),
            ("Shop::<u8>::restock", ""),
        ] {
            assert_eq!(arguments(hidden), expected);
        }
    }

    #[test]
    fn a_name_is_interned_once() {
        let meta = SystemMeta::new("game::tick", &[]);
        let [one, two] = [(); 2].map(|()| with_arguments(&meta, "game::hidden<u8>").name);
        assert_eq!(one, "game::tick<u8>");
        assert!(core::ptr::eq(one, two));
        assert!(core::ptr::eq(
            with_arguments(&meta, "game::hidden").name,
            meta.name
        ));
    }
}
