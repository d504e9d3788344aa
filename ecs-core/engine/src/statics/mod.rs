//! What closed worlds are made of; the macros that make them belong to `ecs-core`.

mod ids;
mod inline;
mod items;
mod lookup;
mod pages;
mod renew;
mod rows;
#[cfg(test)]
mod tests;
mod values;
mod view;
mod walk;
mod world;

pub use ids::Ids;
pub use items::{Item, ReadOnlyItem, Touch};
pub use lookup::{Asked, Each, Found, Items, Lookup, NoComponent, NotListed, Walk};
pub use pages::Pages;
pub use renew::{NewComponents, NewValues, Returned};
pub use rows::Rows;
pub use values::Values;
pub use view::{StaticComp, StaticCompMut};
pub use world::{ComponentOf, StaticWorld};
