//! A tree whose nodes have places relative to their parents.

pub(crate) use super::links::{parent, value};
use crate::digest::Digest;

/// The digest of a tree: numbers of nodes, depth first, siblings in the order in which they came.
pub(crate) fn digest_of_order(numbers: impl IntoIterator<Item = f32>) -> u64 {
    let numbers = numbers.into_iter().zip(0_u32..);
    Digest::of(numbers.map(|(number, position)| [number, position as f32]))
}

/// The digest of what a walk leaves: offsets and places.
pub(crate) fn digest_of_places(nodes: impl IntoIterator<Item = (f32, f32)>) -> u64 {
    Digest::of(nodes.into_iter().map(|(offset, place)| [offset, place]))
}

/// Declares the components.
macro_rules! tree_components {
    ($(#[$derive:meta])*) => {
        /// Where a node is, seen from its parent.
        $(#[$derive])*
        struct Offset(f32);

        /// Where a node is.
        $(#[$derive])*
        struct Place(f32);
    };
}
pub(crate) use tree_components;
