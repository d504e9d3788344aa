//! An entity component system whose systems are plain functions under `#[system]`.
//!
//! * An [`Entity`] is an id. [`Component`]s are values of your own types that are attached to entities; a [`Bundle`] is
//!   several at once. A [`Resource`] is a value that exists once. All of them are stored in a [`World`].
//! * Views ([`Comp`], [`CompMut`]) and [`Query`]s borrow components. Views are iterated together by [`Join`]: the tuple
//!   `(&mut position, &velocity)` visits every entity that has both.
//! * `#[system]` makes a function borrow its parameters from the world. A system can be called (`movement(&world)`) and
//!   added to a [`Schedule`] by its name. Its accesses are a constant ([`meta()`]).
//! * [`Commands`] defer structural changes until the system has returned; [`Events`] carry values from systems to systems.
//!
//! ```
//! use ecs_core::prelude::*;
//!
//! #[derive(Component)]
//! struct Health(i32);
//! #[derive(Component)]
//! struct Poison(i32);
//!
//! /// Damages poisoned entities, and despawns those without health.
//! #[system]
//! fn poison(mut health: CompMut<Health>, poison: Comp<Poison>, mut commands: Commands) {
//!     for (entity, (health, poison)) in (&mut health, &poison).with_entity().iter() {
//!         health.0 -= poison.0;
//!         if health.0 <= 0 {
//!             commands.despawn(entity);
//!         }
//!     }
//! }
//!
//! let mut world = World::new();
//! let rat = world.spawn((Health(3), Poison(2)));
//! let cat = world.spawn(Health(3));
//! let mut turn = Schedule::new();
//! turn.add(poison);
//! turn.run(&mut world)?;
//! turn.run(&mut world)?;
//! assert!(!world.contains(rat) && world.contains(cat));
//! # Ok::<(), ecs_core::schedule::ScheduleError>(())
//! ```
//!
//! The [guide] introduces each part in a chapter of its own.
//!
//! # Panics and leaks
//! Methods whose names start with `get_` or `try_`, and all structural changes that take an [`Entity`], return `Option` or
//! `Result`. The convenient counterpart of a `try_` method panics with a message that names the component or resource and the
//! fix, and documents that under "Panics". If your code panics inside a call (a `Drop`, an iterator, a closure), the world
//! stays consistent and usable, and every value is dropped at most once; each method documents the state that it leaves.
//! Values leak only where you [`forget`](core::mem::forget) a guard, or where a second panic while unwinding aborts the
//! process. Without the feature `std` a panic in a system, a condition, a command or an observer aborts.
//!
//! # Features
//! * `app` (default): the module `app`, with apps made of plugins, named schedules, states and time; enables `std`.
//! * `macros` (default): `#[system]`, the derives, `schedule!`, and with `statics` the macros of closed worlds.
//! * `parallel` (default): `par_for_each` and `par_chunks` on the current rayon pool; enables `std`.
//! * `snapshot`: the module `snapshot`, which copies worlds and apps, to which they return.
//! * `statics`: closed worlds, the module `statics`.
//! * `std` (default): everything that needs an operating system: clocks, non-send resources, catching panics. Without it the
//!   crate is `no_std` and needs `alloc`, and pointer-sized atomics with compare-and-swap.
//! * `inspect`: the module `inspect`, which draws schedules and writes traces of runs as files; enables `std`.
//! * `inspector`: a running app is seen and changed from outside, by JSON-RPC (`inspect::Inspect`); enables `app`, `data` and
//!   `inspect`.
//! * `index`: the module `index`, which finds entities by the value of a component, and by place.
//! * `containers`: the module `containers`, with a generational arena, a vector by generational id and a sparse set, all usable
//!   without a world.
//! * `data`: the module `data`, which inspects components by name, and saves, loads and clones them, and the module `rows`, which
//!   moves entities between worlds; enables `snapshot` and `std`.
//! * `net`: the module `net`, which lets apps play together over a network; enables `app` and `data`.
//! * `record`: the module `record`, which writes, replays and compares recordings of running apps; enables `app` and `data`.
//! * `save-folder`: `SaveSlots::of_game` of `data`, the folder that each system has for saves; enables `data`.
//! * `shard`: the module `shard`, which runs one world on several threads or processes; enables `data`.
//! * `tracing`: a span of the crate `tracing` around each system, condition and flush of a schedule.
//! * `validate`: `World::check_invariants`, a slow check of the engine's own data for property tests; enables `std`.
//! * `web-clock` (default): the clock of a browser on `wasm32-unknown-unknown`, through wasm-bindgen; other hosts leave it out. See
//!   the [guide](guide::no_std); enables `std`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

#[cfg(feature = "containers")]
pub mod containers;
#[cfg(feature = "macros")]
mod contract;
// Text alone, compiled only for the documentation and its tests.
#[cfg(all(any(doc, doctest), feature = "macros"))]
#[cfg_attr(docsrs, doc(auto_cfg = false))]
pub mod guide;
pub mod prelude;
pub mod schedule;
#[cfg(feature = "statics")]
pub mod statics;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// Makes the programs of the README tests.
#[cfg(all(doctest, feature = "macros"))]
#[doc = include_str!("../../README.md")]
pub struct Readme;

#[cfg(feature = "macros")]
pub use ecs_macros::{
    Bundle, Component, Event, QueryData, QueryFilter, Relation, Resource, SystemParam,
};

/// Turns a function into a system: its parameters come from a world when it is called or scheduled by its name.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Velocity(f32);
/// #[derive(Component)]
/// struct Mass(f32);
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// #[system(for_each)]
/// fn gravity(velocity: &mut Velocity, mass: Option<&Mass>, g: Res<Gravity>) {
///     velocity.0 += g.0 * mass.map_or(1.0, |mass| mass.0);
/// }
///
/// #[system]
/// fn fastest(at_least: f32, velocities: Query<(Entity, &Velocity)>) -> Option<Entity> {
///     let fast = velocities.iter().filter(|(_, v)| v.0 >= at_least);
///     fast.max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0)).map(|(entity, _)| entity)
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Gravity(10.0));
/// let light = world.spawn(Velocity(5.0));
/// let heavy = world.spawn((Velocity(0.0), Mass(2.0)));
///
/// assert_eq!(fastest(1.0, &world), Some(light));
/// gravity(&world);
/// assert_eq!(fastest(1.0, &world), Some(heavy));
///
/// let mut frame = Schedule::new();
/// frame.add(gravity);
/// frame.run(&mut world)?;
/// assert_eq!(fastest(100.0, &world), None);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[cfg(feature = "macros")]
pub use ecs_macros::system;

/// Allows systems in an `impl` block: methods of a resource, and associated functions.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Resource)]
/// struct Shop {
///     stock: u32,
/// }
///
/// #[systems]
/// impl Shop {
///     #[system]
///     fn restock(&mut self, by: Res<u32>) {
///         self.stock += *by;
///     }
///
///     #[system]
///     fn has(&self, at_least: u32) -> bool {
///         self.stock >= at_least
///     }
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Shop { stock: 1 });
/// world.insert_resource(2_u32);
/// Shop::restock(&world);
/// let mut day = Schedule::new();
/// day.add(Shop::restock);
/// day.run(&mut world)?;
/// assert!(Shop::has(5, &world));
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[cfg(feature = "macros")]
pub use ecs_macros::systems;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use schedule::schedule;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use contract::contract;

#[cfg(feature = "app")]
#[doc(inline)]
pub use ecs_app as app;
#[cfg(feature = "data")]
#[doc(inline)]
pub use ecs_data as data;
#[doc(inline)]
pub use ecs_engine::*;
#[cfg(feature = "index")]
#[doc(inline)]
pub use ecs_index as index;
#[cfg(feature = "inspect")]
#[doc(inline)]
pub use ecs_inspect as inspect;
#[cfg(feature = "net")]
#[doc(inline)]
pub use ecs_net as net;
#[cfg(feature = "record")]
#[doc(inline)]
pub use ecs_record as record;
#[cfg(feature = "shard")]
#[doc(inline)]
pub use ecs_shard as shard;
