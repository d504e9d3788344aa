//! Commands that are applied after a number of runs, or some time.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;
use core::time::Duration;

use super::Commands;
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;
use crate::sync::{Mutex, PoisonError};
use crate::world::World;

/// The delay of a command; see [`Commands::delay`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// A number of calls of [`World::advance_delayed`]: the next one is number 1.
    Runs(u64),
    /// The time that passes by the calls of [`World::advance_delayed`].
    Time(Duration),
}

/// A function that waits.
type Waiting = Box<dyn FnOnce(&mut World) + Send>;

/// The functions that wait for a run, or a time, with their numbers.
#[derive(Default)]
struct Queues {
    runs: u64,
    time: Duration,
    /// The number of functions so far, which orders those of one run or time.
    count: u64,
    by_run: BTreeMap<(u64, u64), Waiting>,
    by_time: BTreeMap<(Duration, u64), Waiting>,
}

impl Queues {
    /// Takes the next function that is due, among those that were delayed before number `end`: those that wait for runs first.
    fn take(&mut self, end: u64) -> Option<Waiting> {
        let mut due = self.by_run.range(..=(self.runs, u64::MAX));
        let key = due.find(|((_, number), _)| *number < end);
        if let Some(key) = key.map(|(&key, _)| key) {
            return self.by_run.remove(&key);
        }
        let mut due = self.by_time.range(..=(self.time, u64::MAX));
        let key = due.find(|((_, number), _)| *number < end);
        self.by_time.remove(&key.map(|(&key, _)| key)?)
    }
}

/// The delayed commands of a world: a resource that the first one inserts.
#[derive(Default)]
pub struct Delayed(Mutex<Queues>);

impl Delayed {
    /// Calls a function with the queues, which runs no code of users.
    fn with<T>(&self, f: impl FnOnce(&mut Queues) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of commands that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|queues| queues.by_run.len() + queues.by_time.len())
    }

    /// Returns true if no command waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Resource for Delayed {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::command::Delayed");
}

impl fmt::Debug for Delayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delayed").field("len", &self.len()).finish()
    }
}

impl<D> Commands<'_, D> {
    /// Defers a change by some runs or some time: [`World::advance_delayed`] counts both, and makes it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ecs_core::command::Delay;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Explosion;
    ///
    /// #[system]
    /// fn explode(mut commands: Commands) {
    ///     let explosion = commands.spawn(Explosion).id();
    ///     commands.delay(Delay::Time(Duration::from_millis(50)), move |world| {
    ///         world.despawn_if_exists(explosion);
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.run(explode);
    /// let frame = Duration::from_millis(20);
    /// world.advance_delayed(frame);
    /// world.advance_delayed(frame);
    /// assert_eq!(world.query::<&Explosion>().count(), 1);
    /// world.advance_delayed(frame);
    /// assert_eq!(world.query::<&Explosion>().count(), 0);
    /// ```
    ///
    /// The delay begins when the command is applied. A function cannot be copied: snapshots and saves leave out
    /// [`Delayed`] by name, and what has to survive them is a component with a number.
    pub fn delay(&mut self, delay: Delay, command: impl FnOnce(&mut World) + Send + 'static) {
        self.queue(move |world| world.delay(delay, command));
    }
}

impl World {
    /// Defers a change by some runs or some time; see [`Commands::delay`]. O(log commands that wait).
    pub fn delay(&mut self, delay: Delay, command: impl FnOnce(&mut World) + Send + 'static) {
        if !self.contains_resource::<Delayed>() {
            self.insert_resource(Delayed::default());
        }
        self.resource::<Delayed>().with(|queues| {
            let number = queues.count;
            queues.count += 1;
            match delay {
                Delay::Runs(runs) => {
                    let run = queues.runs.saturating_add(runs);
                    queues.by_run.insert((run, number), Box::new(command));
                }
                Delay::Time(time) => {
                    let time = queues.time.saturating_add(time);
                    queues.by_time.insert((time, number), Box::new(command));
                }
            }
        });
    }

    /// Counts a run and the time since the last one, and makes the delayed changes that are due. Returns how many.
    ///
    /// Changes that wait for runs come first, in the order of their runs, then those that wait for times, in the order of
    /// these; those of one run or time in the order in which they were delayed. What they delay themselves waits at least for
    /// the next call. To be called once per frame or step, such as in a system: in an app, with the delta of its `Time`.
    ///
    /// # Panics
    /// If a change panics. It is gone then, and the others are made by the next call.
    pub fn advance_delayed(&mut self, elapsed: Duration) -> usize {
        let Some(delayed) = self.get_resource::<Delayed>() else {
            return 0;
        };
        let end = delayed.with(|queues| {
            queues.runs += 1;
            queues.time = queues.time.saturating_add(elapsed);
            queues.count
        });
        drop(delayed);
        let mut made = 0;
        loop {
            let delayed = self.get_resource::<Delayed>();
            let Some(command) = delayed.and_then(|delayed| delayed.with(|queues| queues.take(end)))
            else {
                return made;
            };
            command(self);
            made += 1;
        }
    }
}
