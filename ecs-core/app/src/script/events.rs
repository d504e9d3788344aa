//! The events that a script waits for.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};

use ecs_engine::World;
use ecs_engine::event::{EventCursor, Events};

use super::state::{NewWait, SharedScript, lock};
use super::wait::WaitFuture;

/// Reads the events of one type in a script; see [`ScriptContext::events`](super::ScriptContext::events).
///
/// It returns each event once, in the order of sending. A future that is dropped, because it loses a
/// [`first_of`](super::first_of), takes no event with it.
pub struct ScriptEvents<E> {
    script: Arc<SharedScript>,
    unread: Arc<Mutex<ScriptReader<E>>>,
}

/// The progress of a reader.
struct ScriptReader<E> {
    cursor: EventCursor<E>,
    /// The event that was read for a future, which takes it when it is polled.
    next: Option<E>,
}

/// Returns a cursor behind the last event.
pub(super) fn new_cursor<E: Send + Sync + 'static>(world: &mut World) -> EventCursor<E> {
    world.add_event::<E>();
    let mut cursor = EventCursor::default();
    cursor.on(&world.resource::<Events<E>>()).clear();
    cursor
}

impl<E> ScriptEvents<E> {
    pub(super) fn new(script: Arc<SharedScript>, cursor: EventCursor<E>) -> Self {
        let unread = ScriptReader { cursor, next: None };
        Self {
            script,
            unread: Arc::new(Mutex::new(unread)),
        }
    }
}

impl<E: Clone + Send + Sync + 'static> ScriptEvents<E> {
    /// Waits for the next event, and returns a copy. An event that was sent since the last one is there at once.
    #[doc(alias = "next")]
    pub fn next_event(&mut self) -> impl Future<Output = E> + Send + use<'_, E> {
        self.next_where(|_| true)
    }

    /// Waits for the next event for which a function returns true, and returns a copy. Those before it count as read.
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Clone)]
    /// struct Hit { target: Entity, damage: u32 }
    ///
    /// async fn get_angry(script: ScriptContext) {
    ///     let me = script.entity();
    ///     let hit = script.events::<Hit>().await.next_where(move |hit| hit.target == me).await;
    ///     script.world(move |world| world.insert_resource(hit.damage)).await;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// let [bear, hare] = [(); 2].map(|()| world.spawn_empty());
    /// world.insert(bear, Script::new(get_angry))?;
    /// world.run(run_scripts);
    /// world.send_event(Hit { target: hare, damage: 1 });
    /// world.send_event(Hit { target: bear, damage: 2 });
    /// world.run(run_scripts);
    /// assert_eq!(*world.resource::<u32>(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_where<F>(
        &mut self,
        mut is_wanted: F,
    ) -> impl Future<Output = E> + Send + use<'_, E, F>
    where
        F: FnMut(&E) -> bool + Send + 'static,
    {
        let unread = Arc::clone(&self.unread);
        let check = Box::new(move |world: &mut World| lock(&unread).find(world, &mut is_wanted));
        let wait = WaitFuture::new(&self.script, NewWait::Check(check));
        async move {
            wait.await;
            let event = lock(&self.unread).next.take();
            event.expect("the wait is over when there is an event")
        }
    }
}

impl<E: Clone + Send + Sync + 'static> ScriptReader<E> {
    /// Reads up to the next event that is wanted; returns true if there is one.
    fn find(&mut self, world: &World, is_wanted: &mut impl FnMut(&E) -> bool) -> bool {
        if self.next.as_ref().is_some_and(&mut *is_wanted) {
            return true;
        }
        let events = world.get_resource::<Events<E>>();
        self.next = events.and_then(|events| {
            let mut unread = self.cursor.on(&events);
            unread.read().find(|event| is_wanted(event)).cloned()
        });
        self.next.is_some()
    }
}

impl<E> fmt::Debug for ScriptEvents<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ScriptEvents");
        debug.field("script", &self.script.name);
        debug.finish_non_exhaustive()
    }
}
