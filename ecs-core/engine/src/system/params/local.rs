//! A value that belongs to the system.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::meta::ParamAccess;
use crate::system::{
    HeldBorrows, Memory, ParamError, Remember, Remembered, SystemParam, TurnMemory,
};
use crate::world::{FromWorld, World};

/// A value that belongs to one system and lives from run to run; derefs to it.
///
/// A condition keeps it from turn to turn. Each turn asks the condition, and changes to the value stay, whether or not the
/// system then runs.
///
/// Each schedule that contains the system has a value of its own. So does each world that calls the system directly or
/// [runs](World::run) the closure. A call that overlaps another one of the same system starts with a fresh value, and a call
/// that panics leaves no value.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn count(mut calls: Local<u32>) -> u32 {
///     *calls += 1;
///     *calls
/// }
///
/// let world = World::new();
/// assert_eq!(count(&world), 1);
/// assert_eq!(count(&world), 2);
/// ```
pub struct Local<'s, T> {
    value: &'s mut T,
}

impl<'s, T> From<&'s mut T> for Local<'s, T> {
    fn from(value: &'s mut T) -> Self {
        Self { value }
    }
}

impl<T> Deref for Local<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Local<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Local<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

// SAFETY: accesses only its own state. `from_world` runs before the system and takes run-time borrows like any other
// user code.
unsafe impl<T: FromWorld + Send + 'static> SystemParam for Local<'_, T> {
    type State = T;
    type Guard<'w> = &'w mut T;
    type Item<'g> = Local<'g, T>;

    const ACCESS: &'static ParamAccess = &ParamAccess::Nothing;
    const REMEMBERS: bool = true;

    fn init(world: &World) -> T {
        T::from_world(world)
    }

    #[inline]
    fn lock<'w>(
        state: &'w mut T,
        _: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<&'w mut T, ParamError> {
        Ok(state)
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Local<'g, T> {
        Local::from(&mut **guard)
    }

    fn remembered(state: &mut T, remember: &mut Remember<'_>) {
        remember(Remembered::value(state));
    }
}

/// The memory that a condition of the crate keeps from turn to turn.
#[doc(hidden)]
pub struct TurnLocal<'s, T>(pub &'s mut T);

// SAFETY: accesses only its own state.
unsafe impl<T: TurnMemory + Default> SystemParam for TurnLocal<'_, T> {
    type State = T;
    type Guard<'w> = &'w mut T;
    type Item<'g> = TurnLocal<'g, T>;

    const ACCESS: &'static ParamAccess = &ParamAccess::Nothing;
    const REMEMBERS: bool = true;

    fn init(_: &World) -> T {
        T::default()
    }

    #[inline]
    fn lock<'w>(
        state: &'w mut T,
        _: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<&'w mut T, ParamError> {
        Ok(state)
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> TurnLocal<'g, T> {
        TurnLocal(guard)
    }

    fn remembered(state: &mut T, remember: &mut Remember<'_>) {
        state.remembered(remember);
        remember(Remembered(Memory::Turns(state)));
    }
}
