//! Detects duplicate components of a bundle at compile time.
//!
//! Types are compared by the hashes of their identities. Two instances of one generic component cannot be compared that
//! way; the world compares them when it first uses the bundle.

use crate::meta::{Components, ConstTypeId, Message};

/// Fails to compile if a component occurs twice in a bundle.
///
/// # Panics
/// If one does.
#[track_caller]
#[inline]
pub(super) const fn refuse_duplicate(all: &'static Components) {
    if let Some(ident) = all.duplicate() {
        refuse(ident);
    }
}

/// Fails to compile at the caller if a component of the field at `index` also occurs in an earlier field. Called by the
/// code that `#[derive(Bundle)]` generates.
///
/// # Panics
/// If one does.
#[track_caller]
#[inline]
pub const fn refuse_field(fields: &'static [&'static Components], index: usize) {
    if let Some(ident) = Components::duplicate_in(fields, index) {
        refuse(ident);
    }
}

#[track_caller]
#[inline]
const fn refuse(ident: &ConstTypeId) -> ! {
    let mut text = Message::new();
    text.push("the bundle has the component `");
    text.push(ident.name());
    text.push("` twice; help: remove one of the two");
    panic!("{}", text.as_str())
}

#[cfg(test)]
#[path = "distinct_tests.rs"]
mod tests;
