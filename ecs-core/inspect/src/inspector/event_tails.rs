//! The last events of the types that someone looks at.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ecs_app::App;
use ecs_data::{ByNameError, EventValues, PassedEvent, WorldData};
use ecs_engine::__private::Instant;
use ecs_engine::World;

use super::values::{self, frame};

/// The events of a type that are kept.
const KEPT: usize = 500;
/// The events that a frame writes down.
const MOST_A_FRAME: usize = 200;
/// The time after which a type is no longer looked at if no client asks.
const PATIENCE: Duration = Duration::from_secs(5);

/// The events of one type.
struct EventTail {
    name: String,
    reader: EventValues,
    /// With the frames that sent them, or the frames before them.
    kept: VecDeque<(u64, PassedEvent)>,
    asked: Instant,
}

impl EventTail {
    /// Reads at most so many new events, and returns their number. If the `Serialize` of an event panics, the others of this frame are
    /// lost.
    fn read(&mut self, world: &World, most: usize) -> usize {
        let (kept, frame, mut count) = (&mut self.kept, frame(world), 0);
        let reader = &mut self.reader;
        let _ = values::read(|| {
            reader.read(world, most, &mut |event| {
                count += 1;
                // After a step back, numbers are given again.
                while kept
                    .back()
                    .is_some_and(|last| last.1.number >= event.number)
                {
                    kept.pop_back();
                }
                if kept.len() == KEPT {
                    kept.pop_front();
                }
                kept.push_back((frame, event));
            });
            Ok(())
        });
        count
    }
}

#[derive(Default)]
struct EventTails {
    tails: Vec<EventTail>,
    is_hooked: bool,
}

/// The tails, which a hook of the app shares with the methods. There is no hook while no client asks.
#[derive(Clone, Default)]
pub(crate) struct SharedTails(Arc<Mutex<EventTails>>);

impl SharedTails {
    fn lock(&self) -> MutexGuard<'_, EventTails> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the kept events from a number on, with their frames, and looks at the type from now on.
    ///
    /// # Errors
    /// If there are no such events.
    pub(crate) fn events(
        &self,
        app: &mut App,
        name: &str,
        since: u64,
    ) -> Result<Vec<(u64, PassedEvent)>, ByNameError> {
        let mut all = self.lock();
        let found = all.tails.iter().position(|tail| tail.name == name);
        let place = match found {
            Some(place) => place,
            None => {
                all.tails.push(EventTail {
                    name: name.to_owned(),
                    reader: app.world().event_values(name)?,
                    kept: VecDeque::new(),
                    asked: Instant::now(),
                });
                all.tails.len() - 1
            }
        };
        let tail = &mut all.tails[place];
        tail.asked = Instant::now();
        tail.read(app.world(), MOST_A_FRAME);
        let new = tail.kept.iter().filter(|(_, event)| event.number >= since);
        let new = new.cloned().collect();
        if !all.is_hooked {
            all.is_hooked = true;
            let tails = self.clone();
            app.after_frame(move |app| tails.lock().after_frame(app.world()));
        }
        Ok(new)
    }
}

impl EventTails {
    fn after_frame(&mut self, world: &World) -> ControlFlow<()> {
        self.tails.retain(|tail| tail.asked.elapsed() < PATIENCE);
        if self.tails.is_empty() {
            self.is_hooked = false;
            return ControlFlow::Break(());
        }
        // All types share the time of a frame.
        values::together(|| {
            let (mut left, count) = (MOST_A_FRAME, self.tails.len());
            for (place, tail) in self.tails.iter_mut().enumerate() {
                left -= tail.read(world, left / (count - place));
            }
        });
        ControlFlow::Continue(())
    }
}
