//! What a component requires beside it, and how that is made.

use core::fmt;

use super::{Component, ComponentId, Erased};

/// A component that another one requires: what `#[component(require(..))]` puts into [`Component::REQUIRED`].
///
/// Whenever a component comes to an entity by a verb of [`World`](crate::World), called or queued, so do the components that
/// it requires and those that these require in turn, as far as the entity lacks them. What the bundle gives and what the
/// entity has is left alone. Where a component is required more than once, it is made as the nearest requirement says: that of a
/// component of the bundle before that of a required one, and among equals the one that is listed first.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Default, Debug, PartialEq)] struct Position(f32, f32);
/// #[derive(Component, Debug, PartialEq)] enum Visibility { Shown, Hidden }
///
/// #[derive(Component)]
/// #[component(require(Position, Visibility = Visibility::Hidden))]
/// struct Sprite;
///
/// #[derive(Component)]
/// #[component(require(Sprite = Sprite))]
/// struct Player;
///
/// let mut world = World::new();
/// let player = world.spawn((Player, Position(1.0, 2.0)));
/// assert!(world.has::<Sprite>(player));
/// assert_eq!(*world.get::<Position>(player).unwrap(), Position(1.0, 2.0));
/// assert_eq!(*world.get::<Visibility>(player).unwrap(), Visibility::Hidden);
/// ```
///
/// * The values are made before the verb changes anything: if that panics, nothing was spawned or inserted and the bundle is
///   dropped. (An entity that a command was to fill lives on, without components.) The [hooks](crate::world::hooks) of values
///   that were to be replaced have been called by then.
/// * [Hooks](crate::world::hooks) and observers are told of them as of the bundle's own components, after which they come.
/// * A component that was required stays when the one that required it is removed, and can be removed itself.
/// * [`World::replace`](crate::World::replace) of a value that is there exchanges it and brings nothing. Views, which insert
///   [immediate](crate::component::ImmediateComponent) components, and closed worlds
///   bring nothing either.
/// * Components that require each other in a circle do not compile.
///
/// # Cost
/// What is required, and where the entity goes with it, is found out once per bundle type, so the entity moves once. Each
/// value that the entity lacks costs an allocation and a copy. Bundles with requirements are spawned and inserted one by one,
/// also in batches, in bulk and by neighbouring commands. Bundles without any pay
/// nothing: the compiler knows them.
#[derive(Clone, Copy)]
pub struct Required {
    component: fn() -> ComponentId,
    requires: &'static [Required],
    /// Invariant 1: a `fn() -> T`, for the `T` of which `make` is an instance.
    constructor: Erased,
    make: unsafe fn(Erased) -> Box<dyn Value>,
}

impl Required {
    /// The requirement of `T`, which `constructor` makes for each entity that lacks it.
    #[must_use]
    pub const fn of<T: Component>(constructor: fn() -> T) -> Self {
        Self {
            component: ComponentId::of::<T>,
            requires: T::REQUIRED,
            // SAFETY: function pointers all look alike, and this one is not called as what it is here.
            constructor: unsafe { core::mem::transmute::<fn() -> T, Erased>(constructor) },
            make: make::<T>,
        }
    }

    /// Which component.
    #[must_use]
    pub fn component(&self) -> ComponentId {
        (self.component)()
    }

    /// What it requires itself.
    pub(crate) const fn requires(&self) -> &'static [Self] {
        self.requires
    }

    /// A new value. Runs code of the user, which may panic.
    pub(crate) fn make(&self) -> Box<dyn Value> {
        // SAFETY: by invariant 1 the two belong together.
        unsafe { (self.make)(self.constructor) }
    }
}

impl fmt::Debug for Required {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Required").field(&self.component()).finish()
    }
}

/// # Safety
/// The constructor is a `fn() -> T`.
unsafe fn make<T: Component>(constructor: Erased) -> Box<dyn Value> {
    // SAFETY: the caller says what it is.
    let constructor = unsafe { core::mem::transmute::<Erased, fn() -> T>(constructor) };
    Box::new(constructor())
}

/// A component value of a type that is not known.
pub(crate) trait Value {
    /// Where the value is.
    fn as_ptr(&self) -> *const u8;

    /// Moves the value to `place`. Runs no code of the user.
    ///
    /// # Safety
    /// The place is one for a value of this type, and holds none.
    unsafe fn move_to(self: Box<Self>, place: *mut u8);
}

impl<T: Component> Value for T {
    fn as_ptr(&self) -> *const u8 {
        core::ptr::from_ref(self).cast()
    }

    unsafe fn move_to(self: Box<Self>, place: *mut u8) {
        // SAFETY: the caller vouches for the place.
        unsafe { place.cast::<T>().write(*self) };
    }
}
