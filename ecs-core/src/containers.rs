//! Containers by id and by index, usable without a world.
//!
//! | container | key | keeps values | use it for |
//! |---|---|---|---|
//! | [`Arena`] | an [`Id`] that it issues | in order of index | values that refer to each other, and may be removed |
//! | [`GenerationalVec`] | an [`Id`], or an `Entity`, issued elsewhere | in order of index | values beside an arena's or a world's |
//! | [`SparseSet`] | a `u32` | next to each other | few values of many indices, iterated often |
//!
//! An [`Id`] is an index with a generation: when a value is removed, its index is used again with the next generation, so
//! that the old id finds nothing. In an [`Arena`] and a [`GenerationalVec`], several values can be borrowed mutably at the
//! same time: two ([`Arena::get_pair_mut`]), any number ([`Arena::get_many_mut`]), or one and all the rest
//! ([`Arena::split`]).
//!
//! The package is `no_std` with `alloc`, has no dependencies, and has no unsafe code. If your code panics inside a call (a
//! `Drop`, a `Clone`, a closure), the container stays consistent and usable, and each value is dropped at most once.
//!
//! ```
//! use ecs_core::containers::{Arena, Id};
//!
//! struct Missile {
//!     at: f32,
//!     target: Option<Id>,
//! }
//!
//! let mut missiles = Arena::new();
//! let decoy = missiles.insert(Missile { at: 9.0, target: None });
//! let hunter = missiles.insert(Missile { at: 0.0, target: Some(decoy) });
//!
//! let home = |missiles: &mut Arena<Missile>| {
//!     let (Some(one), others) = missiles.split(hunter) else { return };
//!     match one.target.and_then(|target| others.get(target)) {
//!         Some(target) => one.at += (target.at - one.at).signum(),
//!         None => one.target = None,
//!     }
//! };
//! home(&mut missiles);
//! assert_eq!(missiles[hunter].at, 1.0);
//!
//! missiles.remove(decoy);
//! let other = missiles.insert(Missile { at: -9.0, target: None });
//! assert_eq!(other.index(), decoy.index());
//! home(&mut missiles); // the id of the decoy does not find the other missile
//! assert_eq!((missiles[hunter].at, missiles[hunter].target), (1.0, None));
//! ```

#[doc(inline)]
pub use ecs_containers::*;
