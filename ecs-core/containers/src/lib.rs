//! The containers of `ecs-core`, without a world. Depend on that crate: it re-exports all of this as `ecs_core::containers`
//! with the feature `containers`.
//!
//! An [`Arena`] is a [`GenerationalVec`] that issues its ids; a [`Rest`] borrows all of their values but some. A
//! [`SparseSet`] finds its values by pages.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod arena;
mod drain;
mod error;
mod generational_vec;
mod id;
mod iter;
mod pages;
mod rest;
mod slot;
mod sparse_set;
mod traits;

pub use arena::Arena;
pub use error::{ManyError, StaleId};
pub use generational_vec::GenerationalVec;
pub use id::Id;
pub use iter::{IntoIter, Iter, IterMut};
pub use rest::Rest;
pub use sparse_set::SparseSet;
