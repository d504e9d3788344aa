//! Closed worlds: all component types are listed, and every access is resolved at compile time.
//!
//! [`world!`](crate::statics::world!) turns a list of types into a world, without a registry, a hash or a run-time borrow:
//! `game.get::<Position>(entity)` is the check of the id and a load. Using a type that is not in the list is a compile
//! error. Any type can be in the list, with or without `#[derive(Component)]`.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::statics::{StaticWorld, component, spawn, system, world};
//!
//! #[derive(Default)] struct Input { right: bool }
//! #[derive(Default)] struct Velocity(f32);
//! #[derive(Default)] struct Position(f32);
//! struct StatusBar<T> { width: u8, of: T }
//! struct Health(u8);
//!
//! world! {
//!     /// All of the game.
//!     pub Game { Input, Velocity, Position, StatusBar<Health> }
//! }
//!
//! let mut game = Game::new();
//! let hero = spawn!(game; Input { right: true }, Velocity::default(), Position::default());
//! let rock = spawn!(game; Position(7.0), StatusBar { width: 9, of: Health(3) });
//!
//! system!(game, |velocity: &mut Velocity, input: &Input| velocity.0 = if input.right { 1.0 } else { 0.0 });
//! system!(game, |position: &mut Position, velocity: &Velocity| position.0 += velocity.0);
//!
//! assert_eq!(game.get::<Position>(hero).unwrap().0, 1.0);
//! assert_eq!(game.get::<Position>(rock).unwrap().0, 7.0);
//! game.despawn(rock)?;
//! assert_eq!(component!(game, Position).len(), 1);
//! # Ok::<(), ecs_core::world::NoSuchEntity>(())
//! ```
//!
//! # Closed or open
//! A closed world suits a program that knows its components and calls its systems itself. It has no resources, commands
//! or schedules: use a `struct` with fields and a function that calls the others. It calls no
//! [hooks](crate::world::hooks). Ids follow the same rules as in a [`World`](crate::World): the lowest free index
//! first, and no id is allocated twice.
//!
//! # Storage
//! Each component has pages of 64 entities, in the order of their indices, and a bit per entity that is set if the entity
//! has the component. Values never move until they are removed. Iteration over several components *ands* their bits, 64
//! entities at a time; insertion and removal flip one bit.
//!
//! So memory and time depend on the highest index in use (which is why free indices are reused first): 16 bytes per
//! component and 64 entities for the page's header, and the page itself as soon as one of the 64 has the component.
//! Pages are kept until [`clear`](StaticWorld::clear).
//!
//! # `system!` and `#[system]`
//! Both are named `system`, and a module can import only one macro of a name by `*`. Import this one by its name,
//! `use ecs_core::statics::system;`, in addition to `use ecs_core::prelude::*;`: then both work.

#[cfg(feature = "macros")]
mod macros;

#[doc(inline)]
pub use ecs_statics::*;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use crate::{
    __add_entity as add_entity, __component as component, __component_mut as component_mut,
    __inline_system as system, __spawn as spawn, __world as world,
};
