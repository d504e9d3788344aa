//! The closed worlds of `ecs-core`. Depend on that crate: it re-exports all of this as `ecs_core::statics`, with the
//! macros that declare closed worlds and run code on them.
//!
//! `world!` makes a struct with [`Pages`] for each component, and implements [`StaticWorld`] and [`ComponentOf`] for
//! it.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

#[cfg_attr(test, macro_use)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod access;
mod closed;
mod component;
mod items;
mod iterate;
mod lookup;
mod open;
mod pages;
mod renew;
mod rows;
#[cfg(test)]
mod tests;
mod values;
mod view;
mod world;

pub use closed::ClosedSystems;
pub use component::ComponentOf;
pub use lookup::NotListed;
pub use open::{NoComponent, OpenSystems};
pub use pages::Pages;
pub use values::ComponentValues;
pub use view::{StaticComp, StaticCompMut};
pub use world::StaticWorld;
