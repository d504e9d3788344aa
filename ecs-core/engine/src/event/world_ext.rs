//! Event methods of the world.

use super::Events;
use crate::world::World;

impl World {
    /// Adds the [`Events<E>`] resource; does nothing if it exists.
    ///
    /// Call it before systems that read or send `E` run.
    ///
    /// ```
    /// use ecs_core::World;
    /// use ecs_core::event::Events;
    ///
    /// struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.add_event::<Hit>();
    /// world.send_event(Hit(3));
    /// world.add_event::<Hit>();
    /// assert_eq!(world.resource::<Events<Hit>>().len(), 1);
    /// ```
    pub fn add_event<E: Send + Sync + 'static>(&mut self) {
        if !self.contains_resource::<Events<E>>() {
            self.insert_resource(Events::<E>::new());
            self.note_events(const { Events::<E>::kind() });
        }
    }

    /// Sends an event to all readers, [adding](Self::add_event) the resource if it is missing.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_event(Hit(3));
    /// assert_eq!(world.run(|mut hits: EventReader<Hit>| hits.read().map(|hit| hit.0).sum::<u32>()), 3);
    /// ```
    pub fn send_event<E: Send + Sync + 'static>(&mut self, event: E) {
        self.add_event::<E>();
        let events = self.resources_mut().get_mut::<Events<E>>();
        let events = events.expect("added above");
        events.drop_read();
        events.send(event);
    }
}
