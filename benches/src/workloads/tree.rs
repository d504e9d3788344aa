//! A tree whose nodes have places relative to their parents.

use super::links;
pub(crate) use super::links::value;
use crate::digest::Digest;

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The parents are spread over all earlier nodes.
    Spread,
    /// Chains of nodes, each as long as the others, below the root.
    Chains,
}

/// The number of chains.
const CHAINS: u32 = 10;

impl Shape {
    /// Returns the number of the parent of the `number`th node: a lower one, or `None` for the root.
    pub(crate) const fn parent(self, number: u32) -> Option<u32> {
        match self {
            Self::Spread => links::parent(number),
            Self::Chains if number == 0 => None,
            Self::Chains => Some(number.saturating_sub(CHAINS)),
        }
    }
}

/// Returns the digest of a tree: numbers of nodes, depth first, siblings in the order of insertion.
pub(crate) fn digest_of_order(numbers: impl IntoIterator<Item = f32>) -> u64 {
    let numbers = numbers.into_iter().zip(0_u32..);
    Digest::of(numbers.map(|(number, position)| [number, position as f32]))
}

/// Returns the digest of the results of a traversal: offsets and places.
pub(crate) fn digest_of_places(nodes: impl IntoIterator<Item = (f32, f32)>) -> u64 {
    Digest::of(nodes.into_iter().map(|(offset, place)| [offset, place]))
}

/// Declares the components.
macro_rules! tree_components {
    ($(#[$derive:meta])*) => {
        /// The place of a node relative to its parent.
        $(#[$derive])*
        struct Offset(f32);

        /// The place of a node.
        $(#[$derive])*
        struct Place(f32);
    };
}
pub(crate) use tree_components;
