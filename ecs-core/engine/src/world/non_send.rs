//! Non-send values of a world, which stay on their thread.

use super::World;
use crate::resource::{NonSend, NonSendError, NonSendMut};

impl World {
    /// Inserts a value that stays on this thread, such as a window or a graphics context, and returns the previous value of
    /// the same type.
    ///
    /// The world can still be sent to other threads and shared with them, but they can neither use nor drop the value: if
    /// the world is dropped on another thread, the value leaks. To avoid that, remove it with
    /// [`remove_non_send`](Self::remove_non_send) first.
    ///
    /// Non-send values are separate from [resources](Self::insert_resource) of the same type.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use std::rc::Rc;
    ///
    /// struct Window(Rc<str>); // not `Send`
    ///
    /// #[system]
    /// fn retitle(mut window: NonSendMut<Window>, score: Res<u32>) {
    ///     window.0 = format!("score: {}", *score).into();
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_non_send(Window("hello".into()));
    /// world.insert_resource(7_u32);
    /// let mut frame = Schedule::new();
    /// frame.add(retitle);
    /// frame.run(&mut world)?;
    /// assert_eq!(&*world.non_send::<Window>().0, "score: 7");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    ///
    /// # Panics
    /// If the world already has a value of the type that belongs to another thread.
    #[track_caller]
    pub fn insert_non_send<T: 'static>(&mut self, value: T) -> Option<T> {
        self.non_send
            .insert(value)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// Removes a non-send value and returns it; `None` if there is none.
    ///
    /// # Panics
    /// If it belongs to another thread.
    #[track_caller]
    pub fn remove_non_send<T: 'static>(&mut self) -> Option<T> {
        self.non_send.remove().unwrap_or_else(|e| panic!("{e}"))
    }

    /// Returns true if there is a non-send value of the type, on any thread. O(1).
    #[must_use]
    pub fn contains_non_send<T: 'static>(&self) -> bool {
        self.non_send.contains::<T>()
    }

    /// Borrows a non-send value for reading.
    ///
    /// # Panics
    /// If it is missing, borrowed mutably, or belongs to another thread.
    #[track_caller]
    #[must_use]
    pub fn non_send<T: 'static>(&self) -> NonSend<'_, T> {
        self.try_non_send().unwrap_or_else(|e| panic!("{e}"))
    }

    /// Borrows a non-send value for writing.
    ///
    /// # Panics
    /// If it is missing, borrowed, or belongs to another thread.
    #[track_caller]
    #[must_use]
    pub fn non_send_mut<T: 'static>(&self) -> NonSendMut<'_, T> {
        self.try_non_send_mut().unwrap_or_else(|e| panic!("{e}"))
    }

    /// Borrows a non-send value for reading.
    ///
    /// # Errors
    /// If it is missing, borrowed mutably, or belongs to another thread.
    pub fn try_non_send<T: 'static>(&self) -> Result<NonSend<'_, T>, NonSendError> {
        self.non_send.borrow()
    }

    /// Borrows a non-send value for writing.
    ///
    /// # Errors
    /// If it is missing, borrowed, or belongs to another thread.
    pub fn try_non_send_mut<T: 'static>(&self) -> Result<NonSendMut<'_, T>, NonSendError> {
        self.non_send.borrow_mut()
    }
}
