//! Names of types in messages.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::sync::{Mutex, PoisonError};

/// The crates of the library. Users do not depend on them by these names.
const OURS: [&str; 2] = ["ecs_engine::", "ecs_app::"];

/// The crates whose paths of types are no promise: other versions of the compiler have others.
const STANDARD: [&str; 3] = ["std::", "alloc::", "core::"];

/// Returns the path of a type. Types of the library have no path: users write other paths for them.
#[inline]
pub fn type_name<T: ?Sized>() -> &'static str {
    without_engine(core::any::type_name::<T>())
}

/// Returns the name that a type may have as data, for messages: `game.hit_points` for `game::combat::HitPoints`, and the name
/// itself if it is not a path.
#[inline]
#[must_use]
pub fn data_name(name: &str) -> String {
    let path = name.split(['<', ' ']).next().unwrap_or(name);
    let Some((_, last)) = path.rsplit_once("::") else {
        return String::from(path);
    };
    let first = path.split("::").next().unwrap_or(path);
    let mut words = String::with_capacity(path.len());
    words.push_str(first);
    words.push('.');
    let mut before = '_';
    for c in last.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
            words.push('_');
        }
        words.extend(c.to_lowercase());
        before = c;
    }
    words
}

/// Returns a type's name without the paths of the library's types: `State<game::Screen>`.
///
/// O(length); a name with such types is kept for the rest of the program, once.
pub(crate) fn without_engine(name: &'static str) -> &'static str {
    /// Pairs of a name and the same name without paths, sorted.
    static NAMES: Mutex<Vec<[&str; 2]>> = Mutex::new(Vec::new());
    if !OURS.iter().any(|ours| name.contains(ours)) {
        return name;
    }
    // Nothing panics under the lock half-way through a change.
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = names.binary_search_by_key(&name, |&[long, _]| long);
    let place = found.unwrap_or_else(|place| {
        names.insert(place, [name, shorten(name, &OURS).leak()]);
        place
    });
    names[place][1]
}

/// Returns a type's name without the paths of the standard library's types: `Vec<game::Item>`.
#[inline]
pub(crate) fn without_standard(name: &str) -> Cow<'_, str> {
    if STANDARD.iter().any(|standard| name.contains(standard)) {
        return Cow::Owned(shorten(name, &STANDARD));
    }
    Cow::Borrowed(name)
}

/// Leaves out the paths of types of these crates.
fn shorten(name: &str, crates: &[&str]) -> String {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '{' | '}');
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find(is_path) {
        let (before, from) = rest.split_at(start);
        let (path, after) = from.split_at(from.find(|c| !is_path(c)).unwrap_or(from.len()));
        short.push_str(before);
        short.push_str(
            match crates.iter().find_map(|ours| path.strip_prefix(ours)) {
                // A closure is called like its function.
                Some(inner) => {
                    let mut parts = inner.rsplit("::").skip_while(|part| part.starts_with('{'));
                    parts.next().unwrap_or(inner)
                }
                None => path,
            },
        );
        rest = after;
    }
    short + rest
}

#[cfg(test)]
#[path = "type_name_tests.rs"]
mod tests;
