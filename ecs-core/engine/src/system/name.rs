//! What people read of a system: its path and, if it is generic, what it was instantiated with.
//!
//! A constant cannot name types, so [`META`](super::System::META) has the path alone, which all instances share. The compiler's name
//! of the hidden type of a system, known when the program runs, ends with the arguments.

use std::sync::{Mutex, PoisonError};

use crate::meta::SystemMeta;

/// The description with the arguments of the hidden type of that name in its own: `game::tick<game::Position>`.
pub(super) fn with_arguments(meta: &SystemMeta, hidden: &'static str) -> SystemMeta {
    let name = if hidden.ends_with('>') {
        kept(meta.name, hidden)
    } else {
        meta.name
    };
    SystemMeta { name, ..*meta }
}

/// `<game::Position>` of `game::__system_tick<game::Position>`; nothing of a type without arguments.
#[inline]
pub(crate) const fn arguments(path: &str) -> &str {
    let bytes = path.as_bytes();
    let (mut at, mut depth) = (bytes.len(), 0);
    while at > 0 {
        at -= 1;
        match bytes[at] {
            // Not the end of `->`.
            b'>' if at == 0 || bytes[at - 1] != b'-' => depth += 1,
            b'<' => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            break;
        }
    }
    // Without brackets at the end that is one byte, or none.
    if depth != 0 || bytes.len() - at < 2 {
        return "";
    }
    path.split_at(at).1
}

/// The name with arguments, for the rest of the program: one copy for each instance of a generic function that is
/// scheduled.
fn kept(name: &'static str, hidden: &'static str) -> &'static str {
    /// With the names of hidden types, sorted by where the compiler has put these: that is compared in no time.
    static NAMES: Mutex<Vec<(&str, &str)>> = Mutex::new(Vec::new());
    let place = |text: &str| (text.as_ptr(), text.len());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.binary_search_by(|(other, _)| place(other).cmp(&place(hidden))) {
        Ok(known) => names[known].1,
        Err(at) => {
            // It may have put one in several places.
            let known = names.iter().find(|(other, _)| *other == hidden);
            let kept = match known {
                Some(&(_, kept)) => kept,
                None => format!("{name}{}", arguments(hidden)).leak(),
            };
            names.insert(at, (hidden, kept));
            kept
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_what_stands_in_the_last_brackets() {
        for (hidden, expected) in [
            ("game::__system_tick", ""),
            ("game::__system_tick<game::Position>", "<game::Position>"),
            (
                "game::<impl game::Shop<u8>>::run::__system_sell<[alloc::vec::Vec<u8>; 3], 4>",
                "<[alloc::vec::Vec<u8>; 3], 4>",
            ),
            (
                "game::__system_call<fn(u8) -> u8, fn() -> alloc::vec::Vec<u8>>",
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
    fn a_name_is_kept_once() {
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
