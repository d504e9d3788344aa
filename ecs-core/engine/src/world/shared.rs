//! Values that a world keeps for all who read it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::TypeId;

use super::World;
use crate::sync::{Mutex, PoisonError};

/// A value that a world keeps, as it is boxed among the states of systems.
type Kept<T> = Arc<Mutex<T>>;

impl World {
    /// Calls a function with the value of type `T` that this world keeps for all who can read it. The first call makes the value.
    ///
    /// For system parameters that share what they compute from a world, such as an index. The value is no resource: no system
    /// can borrow it, snapshots and copies of the world do not have it, and so nothing may depend on it but the time that
    /// a computation takes. One thread uses the value at a time, and others wait.
    ///
    /// If the function panics, the value stays as it was left.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Default)]
    /// struct Calls(u32);
    ///
    /// let world = World::new();
    /// let count = || world.with_shared(|calls: &mut Calls| {
    ///     calls.0 += 1;
    ///     calls.0
    /// });
    /// assert_eq!((count(), count()), (1, 2));
    /// ```
    ///
    /// # Deadlocks
    /// If the function calls this method on the same world for the same type.
    #[inline]
    pub fn with_shared<T, R>(&self, function: impl FnOnce(&mut T) -> R) -> R
    where
        T: Default + Send + 'static,
    {
        let id = TypeId::of::<Kept<T>>();
        let states = self.system_states.lock();
        let mut states = states.unwrap_or_else(PoisonError::into_inner);
        let known = states.get(id).and_then(|known| known.downcast_ref());
        let kept: Kept<T> = match known.cloned() {
            Some(kept) => kept,
            None => {
                let kept = Kept::<T>::default();
                states.insert(id, Box::new(kept.clone()));
                kept
            }
        };
        drop(states);
        let mut value = kept.lock().unwrap_or_else(PoisonError::into_inner);
        function(&mut value)
    }

    /// Drops the value that [`with_shared`](Self::with_shared) has made, if there is one; its next call makes another.
    #[inline]
    pub fn forget_shared<T: Default + Send + 'static>(&mut self) {
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        states.remove(TypeId::of::<Kept<T>>());
    }
}
