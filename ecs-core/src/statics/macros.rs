//! The macros of closed worlds.
//!
//! Each passes `$crate` to the procedural macro that does the work: no other path to this crate is right under every name
//! and through every re-export.

/// Declares a closed world: a type with storage for the listed components and no others.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::statics::{StaticWorld, spawn, world};
///
/// pub struct Position(f32);
/// pub struct Health(u8);
/// pub struct StatusBar<T> { of: T }
/// # pub struct Sound;
///
/// world! {
///     /// Documentation, `#[cfg(..)]` and other attributes go to the type.
///     pub Game {
///         Position,
///         /// A generic instance is a component like any other.
///         StatusBar<Health>,
///         #[cfg(feature = "sound")]
///         Sound,
///     }
/// }
///
/// let mut game = Game::new();
/// let hero = spawn!(game; Position(1.0), StatusBar { of: Health(3) });
/// assert_eq!(game.get::<Position>(hero).unwrap().0, 1.0);
/// assert_eq!(game.len(), 1);
/// ```
///
/// The type has `new()`, `Default`, `Debug`, and the methods of [`StaticWorld`](crate::statics::StaticWorld). It is
/// `Send` and `Sync` if its components are. Several worlds can follow each other in one `world!`.
///
/// # Compile errors
/// A type that is listed twice, even under two names:
///
/// ```compile_fail,E0119
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::world;
/// struct Position(f32);
/// type Place = Position;
/// world! { Game { Position, Place } }
/// ```
///
/// A component that is not listed: `` `Mana` is not a component of the world `Game` ``.
///
/// ```compile_fail,E0277
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{spawn, world};
/// # struct Position(f32);
/// struct Mana;
/// world! { Game { Position } }
/// let mut game = Game::new();
/// spawn!(game; Mana);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __world {
    ($($tokens:tt)*) => { $crate::__private::world! { [$crate] $($tokens)* } };
}

/// Spawns an entity and returns its id: `spawn!(world; component, ..)`.
///
/// Works on closed worlds and on [`World`](crate::World)s; on both it is `world.spawn((component, ..))`.
///
/// ```
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{StaticWorld, spawn, world};
/// #[derive(Component, Default)] struct Position(f32);
/// #[derive(Component, Default)] struct Velocity(f32);
/// world! { Game { Position, Velocity } }
///
/// let mut game = Game::new();
/// let hero = spawn!(game; Position::default(), Velocity(1.0));
/// assert!(game.has::<Velocity>(hero));
///
/// let mut world = World::new();
/// let hero = spawn!(world; Position::default());
/// assert!(!world.has::<Velocity>(hero));
/// ```
///
/// Takes up to 16 components; more can be inserted afterwards. Giving a component twice is a compile error for a closed
/// world (of `cargo build`, not of `cargo check`), and a panic of a `World`.
///
/// ```compile_fail,E0080
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{spawn, world};
/// # struct Health(u8);
/// # world! { Game { Health } }
/// spawn!(Game::new(); Health(1), Health(2));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __spawn {
    ($($tokens:tt)*) => { $crate::__private::spawn! { [$crate] $($tokens)* } };
}

/// Spawns an entity, like [`spawn!`](crate::statics::spawn!).
#[doc(hidden)]
#[macro_export]
macro_rules! __add_entity {
    ($($tokens:tt)*) => { $crate::__private::spawn! { [$crate] $($tokens)* } };
}

/// Returns a view that reads all values of one component: `component!(world, Position)`.
///
/// The view is a [`StaticComp`](crate::statics::StaticComp) of a closed world, or a [`Comp`](crate::Comp) of a
/// [`World`](crate::World); on both it is `world.view::<Position>()`.
///
/// ```
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{component, component_mut, spawn, world};
/// struct Health(u8);
/// world! { Game { Health } }
/// let mut game = Game::new();
/// let (rat, cat) = (spawn!(game; Health(1)), spawn!(game; Health(9)));
///
/// component_mut!(game, Health).get_mut(cat).unwrap().0 -= 1;
/// let health = component!(game, Health);
/// assert_eq!(health.get(cat).unwrap().0, 8);
/// assert_eq!(health.iter().map(|health| health.0).sum::<u8>(), 9);
/// assert!(health.with_entity().all(|(entity, health)| (entity == rat) == (health.0 == 1)));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    ($world:expr, $component:ty $(,)?) => {{
        use $crate::statics::StaticWorld as _;
        $world.view::<$component>()
    }};
}

/// Returns a view that writes all values of one component: `component_mut!(world, Position)`; see
/// [`component!`](crate::statics::component!).
#[doc(hidden)]
#[macro_export]
macro_rules! __component_mut {
    ($world:expr, $component:ty $(,)?) => {{
        use $crate::statics::StaticWorld as _;
        $world.view_mut::<$component>()
    }};
}

/// Calls a closure for each entity that has the components of its parameters.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::statics::{StaticWorld, spawn, system, world};
///
/// struct Input { right: bool }
/// struct Velocity(f32);
/// struct Frozen;
/// world! { Game { Input, Velocity, Frozen } }
///
/// let mut game = Game::new();
/// let hero = spawn!(game; Input { right: true }, Velocity(0.0));
/// let snowman = spawn!(game; Input { right: true }, Velocity(0.0), Frozen);
/// let mut moved = Vec::new();
///
/// system!(game, |entity, velocity: &mut Velocity, input: &Input, frozen: Option<&Frozen>| {
///     if input.right && frozen.is_none() {
///         velocity.0 += 1.0;
///         moved.push(entity);
///     }
/// });
/// assert_eq!(moved, [hero]);
/// assert_eq!(game.get::<Velocity>(snowman).unwrap().0, 0.0);
/// ```
///
/// # Parameters
/// * The id, optional and first: without a type, or `entity: Entity`.
/// * `&T` and `&mut T`: entities without a `T` are skipped. `Option<&T>` and `Option<&mut T>`: such entities are not
///   skipped.
///
/// A component that is borrowed twice, at least once mutably, is a compile error, even under two names. If a type's name
/// is a single letter, like a generic parameter's, the check happens when the enclosing function is built:
///
/// ```compile_fail,E0080
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{ComponentOf, system, world};
/// # struct Health(u8);
/// # world! { Game { Health } }
/// fn both<A: ComponentOf<Game>, B: ComponentOf<Game>>(game: &mut Game) {
///     system!(game, |a: &mut A, b: &mut B| drop((a, b)));
/// }
/// both::<Health, Health>(&mut Game::new());
/// ```
///
/// # Read all, then write all
/// With a return type the closure takes the *old* values of all components that it returns, by value. The returned values
/// replace them after the last call. So no call sees the effects of another one, and the closure can read the world:
///
/// ```
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::{StaticWorld, spawn, system, world};
/// /// A place in the queue: each one moves to where the next one was.
/// #[derive(Clone)] struct Position(i32);
/// struct Follows(Entity);
/// world! { Queue { Position, Follows } }
///
/// let mut queue = Queue::new();
/// let first = spawn!(queue; Position(10));
/// let second = spawn!(queue; Position(20), Follows(first));
/// let third = spawn!(queue; Position(30), Follows(second));
///
/// system!(queue, |entity, position: Position, follows: &Follows| -> Position {
///     assert_ne!(entity, follows.0);
///     queue.get::<Position>(follows.0).cloned().unwrap_or(position)
/// });
/// let now = [first, second, third].map(|entity| queue.get::<Position>(entity).unwrap().0);
/// assert_eq!(now, [10, 10, 20]);
/// ```
///
/// The old values are clones, so the returned types must be `Clone`. `-> (A, B)` returns several. The other parameters
/// only read. The new values are kept in a list until then: O(entities) memory. If the closure panics, nothing changes.
///
/// # Worlds
/// On a closed world it needs `&mut`, and borrows nothing at run time. On a [`World`](crate::World), or on a `&World`,
/// it is a [query](crate::World::query): entities are visited in the order of their tables, and it panics if a component
/// is borrowed elsewhere.
///
/// There a [tracked](crate::guide::change_tracking) component that is taken as `&mut T` is passed as a [`Mut`](crate::Mut):
/// a write through its name marks it as changed, and a read does not. Pass it on as `&mut name`; a pattern that
/// destructures it marks it as changed. Returned values mark the components of all visited entities as changed.
///
/// ```
/// # use ecs_core::prelude::*;
/// # use ecs_core::statics::system;
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(i32);
///
/// let mut world = World::new();
/// let [_weak, strong] = [3, 12].map(|health| world.spawn(Health(health)));
/// let tick = world.tick();
/// system!(world, |health: &mut Health| if health.0 > 10 { *health = Health(10) });
/// let changed = world.query_filtered::<Entity, Changed<Health>>().since(tick);
/// assert_eq!(changed.iter().collect::<Vec<_>>(), [strong]);
/// ```
///
/// In a closed world entities are visited in the order of their indices. O(highest index / 64 + entities that match).
#[doc(hidden)]
#[macro_export]
macro_rules! __inline_system {
    ($($tokens:tt)*) => { $crate::__private::inline_system! { [$crate] $($tokens)* } };
}
