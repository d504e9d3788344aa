//! Values that a world keeps for all of its readers.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::TypeId;

use super::World;
use crate::sync::{Mutex, PoisonError};

/// A value that a world keeps, boxed among the states of systems.
type Kept<T> = Arc<Mutex<T>>;

impl World {
    /// Calls a function with the value of type `T` that this world keeps for all of its readers. The first call creates the
    /// value.
    ///
    /// It is for system parameters that share a computation on a world, such as an index. The value is not a resource: no
    /// system can borrow it, and snapshots and copies of the world do not have it. So no result may depend on it, only the
    /// time that a computation takes. One thread uses the value at a time, and others wait.
    ///
    /// If the function panics, the value keeps its state at that point.
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

    /// Drops the value that [`with_shared`](Self::with_shared) has created, if there is one. The next call creates another.
    #[inline]
    pub fn forget_shared<T: Default + Send + 'static>(&mut self) {
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        states.remove(TypeId::of::<Kept<T>>());
    }
}
