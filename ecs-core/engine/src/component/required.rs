//! Required components and the construction of their values.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::{Component, ComponentId, ErasedFn};
#[cfg(feature = "data")]
use crate::data_type::DataType;
use crate::meta::ConstTypeId;

/// A component that another one requires: `#[component(require(..))]` adds it to [`Component::REQUIRED`].
///
/// Whenever a structural change of [`World`](crate::World), direct or by command, inserts a component, it also inserts the
/// components that it requires, and those that they require in turn, unless the entity or the bundle has them already. If a
/// component is required more than once, the nearest requirement makes the value: a requirement of the bundle's components
/// comes before one of a required component, and among equally near ones the one listed first.
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
/// * The values are made before anything changes: if that panics, nothing was spawned or inserted and the bundle is dropped.
///   (If a command was inserting components into an entity, the entity stays alive without them.) The
///   [hooks](crate::world::hooks) of the values that would have been replaced have already been called.
/// * [Hooks](crate::world::hooks) and observers are notified of them after the bundle's own components, in the same way.
/// * A required component stays when the one that required it is removed, and can be removed itself.
/// * [`World::replace`](crate::World::replace) swaps an existing value and inserts nothing else. Views, which insert
///   [immediate](crate::component::ImmediateComponent) components, and closed worlds insert no required components
///   either.
/// * Components that require each other in a cycle do not compile.
///
/// # Cost
/// The requirements and the resulting table are computed once per bundle type, so the entity moves once. Each value that the
/// entity lacks costs an allocation and a copy. Bundles with requirements are spawned and inserted one by one, even in
/// batches, in bulk and by consecutive commands. Bundles without requirements pay nothing: the compiler knows that they have
/// none.
#[derive(Clone, Copy)]
pub struct Required {
    component: fn() -> ComponentId,
    requires: &'static [Required],
    /// Invariant 1: a `fn() -> T`, for the `T` that `make` is instantiated with.
    constructor: ErasedFn,
    make: unsafe fn(ErasedFn) -> Box<dyn ErasedRequired>,
}

/// A component that can be required without an expression for its value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be required without a value",
    label = "lacks `Component` or `Default`",
    note = "add `#[derive(Component, Default)]` to the type, or write the value: `require({Self} = value)`"
)]
pub trait RequiredByDefault: Component + Default {}

// One error for all of them.
#[diagnostic::do_not_recommend]
impl<T: Component + Default> RequiredByDefault for T {}

impl Required {
    /// Declares `T` as required; `constructor` makes the value for each entity that lacks it.
    #[must_use]
    #[track_caller]
    pub const fn of<T: Component>(constructor: fn() -> T) -> Self {
        assert!(
            T::HOOKS.check().is_none(),
            "a component whose values are unique cannot be required, because all entities would get the same value; help: insert it where the entity is spawned"
        );
        Self {
            component: ComponentId::of::<T>,
            requires: T::REQUIRED,
            // SAFETY: all function pointers have the same layout, and `make`, which calls this one, casts it back to
            // its type first.
            constructor: unsafe { core::mem::transmute::<fn() -> T, ErasedFn>(constructor) },
            make: make::<T>,
        }
    }

    /// Declares `T` as required, with its default value.
    #[must_use]
    #[track_caller]
    pub const fn of_default<T: RequiredByDefault>() -> Self {
        Self::of::<T>(T::default)
    }

    /// The id of the required component.
    #[must_use]
    pub fn component(&self) -> ComponentId {
        (self.component)()
    }

    /// The requirements of the required component.
    pub(crate) const fn requires(&self) -> &'static [Self] {
        self.requires
    }

    /// Makes a new value. Runs user code, which may panic.
    pub(crate) fn make(&self) -> Box<dyn ErasedRequired> {
        // SAFETY: `constructor` is a `fn() -> T` for the `T` of `make`, by invariant 1.
        unsafe { (self.make)(self.constructor) }
    }
}

impl fmt::Debug for Required {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Required").field(&self.component()).finish()
    }
}

/// Calls a function with each component that `T` requires, directly or not, if it is data.
#[cfg(feature = "data")]
pub(super) fn for_each_data<T: Component>(f: &mut dyn FnMut(&'static DataType)) {
    // Most components require nothing.
    if !T::REQUIRED.is_empty() {
        for_each_of(T::REQUIRED, &mut |component| {
            component.data().into_iter().for_each(&mut *f);
        });
    }
}

/// Calls a function with each component that `T` requires, directly or not.
pub(crate) fn for_each_required<T: Component>(f: &mut dyn FnMut(&ConstTypeId)) {
    if !T::REQUIRED.is_empty() {
        for_each_of(T::REQUIRED, &mut |component| f(component.info().more.ident));
    }
}

fn for_each_of(required: &'static [Required], f: &mut dyn FnMut(ComponentId)) {
    let mut found: Vec<ComponentId> = Vec::new();
    let mut lists = vec![required];
    while let Some(list) = lists.pop() {
        for required in list {
            let component = required.component();
            if !found.contains(&component) {
                found.push(component);
                lists.push(required.requires());
                f(component);
            }
        }
    }
}

/// # Safety
/// `constructor` is a `fn() -> T`.
unsafe fn make<T: Component>(constructor: ErasedFn) -> Box<dyn ErasedRequired> {
    // SAFETY: `constructor` is a `fn() -> T` by the caller's contract.
    let constructor = unsafe { core::mem::transmute::<ErasedFn, fn() -> T>(constructor) };
    Box::new(constructor())
}

/// A component value of unknown type.
pub(crate) trait ErasedRequired {
    /// A pointer to the value.
    fn as_ptr(&self) -> *const u8;

    /// Moves the value to `place`. Runs no user code.
    ///
    /// # Safety
    /// `place` is valid for writing a value of this type, and holds none.
    unsafe fn move_to(self: Box<Self>, place: *mut u8);
}

impl<T: Component> ErasedRequired for T {
    fn as_ptr(&self) -> *const u8 {
        core::ptr::from_ref(self).cast()
    }

    unsafe fn move_to(self: Box<Self>, place: *mut u8) {
        // SAFETY: `place` is valid for writing a `T`, by the caller's contract.
        unsafe { place.cast::<T>().write(*self) };
    }
}
