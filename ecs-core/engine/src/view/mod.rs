//! Views: all values of one component, borrowed at run time, to join, iterate and look up.

// The documentation of a type has its methods in the order of these modules.
mod comp;

mod world_ext;

mod entities;
mod entity_components;
mod erased;
#[cfg(test)]
mod erased_tests;
mod erased_values;
mod immediate;
mod not_joined;
mod raw;
mod removed;
#[cfg(test)]
mod shape_tests;
mod shapes;
#[cfg(test)]
mod tests;
mod ticks;
mod world_debug;
mod writing;

pub use comp::{Comp, CompMut};
pub use entities::Entities;
pub use entity_components::EntityComponent;
pub use erased::{ErasedView, ErasedViewMut};
pub use erased_values::{ErasedChunk, ErasedChunkMut, ErasedMut, ErasedRef};
pub use immediate::{Drain, InsertError};
#[doc(hidden)]
pub use not_joined::NotJoined;
pub use removed::{ReadRemoved, Removed, RemovedCursor};
pub use shapes::CompRest;

pub(crate) use raw::{RawExclusive, RawShared, Viewed};
