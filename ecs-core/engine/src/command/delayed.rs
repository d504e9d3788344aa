//! Commands that are applied after a number of runs, or after some time.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Weak;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::mem::replace;
use core::panic::Location;
use core::time::Duration;

#[cfg(feature = "snapshot")]
pub(crate) use snapshot::DelayCounts;

use super::Commands;
#[cfg(feature = "std")]
use crate::clock::Instant;
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;
use crate::sync::{Mutex, OnceLock, PoisonError};
use crate::type_name::type_name;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::{World, message_of};

/// The delay of a command; see [`Commands::delay`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// A number of runs: the change is made at the start of a run, and the next one is number 1.
    ///
    /// In an app these are frames.
    Runs(u64),
    /// A time. The change is made at the start of the first run after this time has passed.
    ///
    /// This is the time of the game, if the world has one (`Time`): it stands still while the game is paused, is scaled with
    /// it, and counts whole frames, even for systems in fixed steps. Otherwise it is the sum of
    /// [`FrameTime`](crate::schedule::FrameTime), or, without that, the time of the system's clock.
    Time(Duration),
}

/// A function that returns the time of the game in a world that has one.
type GameClock = fn(&World) -> Option<Duration>;

/// Set by the package that has a time of the game, for all worlds.
static GAME_CLOCK: OnceLock<GameClock> = OnceLock::new();

/// Sets how the time of the game is read; the first call counts.
#[doc(hidden)]
#[inline]
pub fn set_game_clock(clock: GameClock) {
    GAME_CLOCK.get_or_init(|| clock);
}

/// A clock and its time when it was read.
#[derive(Clone, Copy)]
enum ClockReading {
    Game(Duration),
    #[cfg(feature = "std")]
    System(Instant),
}

impl ClockReading {
    /// Reads the time of the game, if there is one.
    fn of_game(world: &World) -> Option<Self> {
        let clock = GAME_CLOCK.get()?;
        clock(world).map(Self::Game)
    }

    /// Reads the clock of the system, if there is one.
    fn of_system() -> Option<Self> {
        #[cfg(feature = "std")]
        return Some(Self::System(Instant::now()));
        #[cfg(not(feature = "std"))]
        None
    }

    /// Returns the time since an earlier reading of the same clock.
    fn since(self, earlier: Self) -> Duration {
        match (earlier, self) {
            (Self::Game(earlier), Self::Game(now)) => now.saturating_sub(earlier),
            #[cfg(feature = "std")]
            (Self::System(earlier), Self::System(now)) => now - earlier,
            #[cfg(feature = "std")]
            _ => Duration::ZERO,
        }
    }
}

/// The function of a [delayed](Commands::delay) command, in lists of everything that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DelayedFunction {
    /// The name of its type, which begins with the function that a closure was written in.
    pub name: &'static str,
    /// The place that delayed it.
    pub at: &'static Location<'static>,
}

impl fmt::Display for DelayedFunction {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, from {}", self.name, self.at)
    }
}

/// A function that waits.
#[derive(Clone)]
struct Waiting {
    function: WaitingFunction,
    at: &'static Location<'static>,
    /// The step of a schedule that delayed it.
    step: Option<&'static str>,
    /// The number of runs, and the time, when it was delayed.
    since: (u64, Duration),
}

impl Waiting {
    fn new(function: WaitingFunction, at: &'static Location<'static>) -> Self {
        Self {
            function,
            at,
            step: None,
            since: (0, Duration::ZERO),
        }
    }
}

/// The origin of a delayed function that is being called, for the message of its panic.
struct Origin {
    at: &'static Location<'static>,
    step: Option<&'static str>,
    runs: u64,
    time: Duration,
}

impl Origin {
    fn of(waiting: &Waiting, due: &Due) -> Self {
        let (runs, time) = waiting.since;
        Self {
            at: waiting.at,
            step: waiting.step,
            runs: due.runs.saturating_sub(runs),
            time: due.time.saturating_sub(time),
        }
    }

    /// Resumes a panic of the function, with the names of the system and the place that delayed it, if it has a message.
    #[cold]
    fn raise(self, panic: Box<dyn Any + Send>, world: &mut World) -> ! {
        let inside = world.take_run_panic(&*panic);
        let panic = match message_of(&*panic) {
            Some(message) => Box::new(format!("{self} panicked: {message}")),
            None => panic,
        };
        if let Some(step) = self.step {
            world.note_panic(step, inside.as_deref(), &*panic);
        }
        resume_unwind(panic)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "a command that system `{step}` delayed")?,
            None => f.write_str("a command that was delayed")?,
        }
        match self.runs {
            1 => f.write_str(" 1 run")?,
            runs => write!(f, " {runs} runs")?,
        }
        if !self.time.is_zero() {
            write!(f, " and {:?}", self.time)?;
        }
        write!(f, " ago, at {},", self.at)
    }
}

/// A delayed function, which snapshots copy.
trait Wait: Send {
    fn make(self: Box<Self>, world: &mut World);

    fn copy(&self) -> WaitingFunction;

    /// Returns the name of the function's type.
    fn name(&self) -> &'static str;
}

type WaitingFunction = Box<dyn Wait>;

impl<F: FnOnce(&mut World) + Clone + Send + 'static> Wait for F {
    fn make(self: Box<Self>, world: &mut World) {
        self(world);
    }

    fn copy(&self) -> WaitingFunction {
        Box::new(self.clone())
    }

    fn name(&self) -> &'static str {
        type_name::<F>()
    }
}

impl Clone for WaitingFunction {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// The functions that wait for a run or a time, with their numbers.
#[derive(Clone, Default)]
struct Queues {
    runs: u64,
    time: Duration,
    /// The reading of the clock when the time was last counted.
    read: Option<ClockReading>,
    /// True if the program itself counts runs and time.
    by_hand: bool,
    /// The number of functions so far, which orders functions for the same run or time.
    count: u64,
    by_run: BTreeMap<(u64, u64), Waiting>,
    by_time: BTreeMap<(Duration, u64), Waiting>,
}

impl Queues {
    /// Counts the time up to a reading.
    fn advance_to(&mut self, now: Option<ClockReading>) {
        if let (Some(earlier), Some(now)) = (self.read, now) {
            self.time = self.time.saturating_add(now.since(earlier));
        }
        self.read = now;
    }

    /// Takes the next function that is due: functions that wait for runs come first. O(log functions that wait).
    fn take(&mut self, due: &Due) -> Option<Waiting> {
        // Functions that are delayed from now on come after `end`, in this run or a later one.
        let mut by_run = self.by_run.range(..(due.runs, due.end));
        if let Some((&key, _)) = by_run.next() {
            return self.by_run.remove(&key);
        }
        let mut by_time = self.by_time.range(..(due.time, due.end));
        let (&key, _) = by_time.next()?;
        self.by_time.remove(&key)
    }
}

/// The functions that are due in a run.
struct Due {
    runs: u64,
    time: Duration,
    /// The number of the first function that was not delayed before.
    end: u64,
}

/// The delayed commands of a world: a resource that the first one inserts.
#[derive(Default)]
pub struct Delayed(Mutex<Queues>);

impl Delayed {
    /// Calls a function with the queues. It must not run user code.
    fn with<T>(&self, f: impl FnOnce(&mut Queues) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of waiting commands.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(|queues| queues.by_run.len() + queues.by_time.len())
    }

    /// Returns the functions that wait: first those for runs, then those for times, in the order in which they will be called.
    #[must_use]
    pub fn functions(&self) -> Vec<DelayedFunction> {
        self.with(|queues| {
            let waiting = queues.by_run.values().chain(queues.by_time.values());
            let functions = waiting.map(|waiting| DelayedFunction {
                name: waiting.function.name(),
                at: waiting.at,
            });
            functions.collect()
        })
    }

    /// Returns true if no command is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Clone for Delayed {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.with(|queues| queues.clone())))
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
    /// Defers a change by some runs or some time.
    ///
    /// Each run of a schedule counts the runs and the time (see [`Delay`]), and first makes the changes that are due: in an
    /// app at the start of a frame. A run inside of another schedule's run, in a step or by hand, does not count. A program
    /// that runs no schedule, or has its own clock, calls [`World::advance_delayed`]: from the first call on, only these
    /// calls count in this world.
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
    /// let mut app = App::new();
    /// app.add_systems(Startup, explode);
    /// let frame = Duration::from_millis(20);
    /// for _ in 0..3 {
    ///     app.update_by(frame); // It explodes in the first one, whose end is 20 ms.
    /// }
    /// assert_eq!(app.world().query::<&Explosion>().count(), 1);
    /// app.update_by(frame);
    /// assert_eq!(app.world().query::<&Explosion>().count(), 0);
    /// ```
    ///
    /// The delay begins when the command is applied. Snapshots copy the functions that wait, by their `Clone`: a closure has
    /// one if all values that it captures do. Functions cannot be written: a snapshot as bytes refuses them by name and place, or
    /// leaves them out (`Snapshotter::without_others`) with a list, and a save leaves them out. A change that has to
    /// survive a load is data instead: a component with a timer or a number, and a system that makes the change when it is due.
    ///
    /// If the command panics, the message names the system that delayed it, the place, and how long ago that was.
    #[track_caller]
    pub fn delay(
        &mut self,
        delay: Delay,
        command: impl FnOnce(&mut World) + Clone + Send + 'static,
    ) {
        let at = Location::caller();
        let function = Box::new(command);
        self.queue(move |world| world.delay_function(delay, Waiting::new(function, at)));
    }
}

impl World {
    /// Defers a change by some runs or some time; see [`Commands::delay`]. O(log commands that wait).
    #[track_caller]
    pub fn delay(
        &mut self,
        delay: Delay,
        command: impl FnOnce(&mut World) + Clone + Send + 'static,
    ) {
        let (function, at) = (Box::new(command), Location::caller());
        self.delay_function(delay, Waiting::new(function, at));
    }

    fn delay_function(&mut self, delay: Delay, mut waiting: Waiting) {
        waiting.step = self.nesting.step;
        self.look_for_delayed();
        let game = ClockReading::of_game(self);
        self.delayed().with(|queues| {
            match (game, queues.read) {
                _ if queues.by_hand => {}
                (Some(game), _) => queues.advance_to(Some(game)),
                #[cfg(feature = "std")]
                (None, Some(ClockReading::System(_))) => {
                    queues.advance_to(Some(ClockReading::System(Instant::now())));
                }
                (None, _) => {}
            }
            waiting.since = (queues.runs, queues.time);
            let number = queues.count;
            queues.count += 1;
            match delay {
                Delay::Runs(runs) => {
                    let run = queues.runs.saturating_add(runs);
                    queues.by_run.insert((run, number), waiting);
                }
                Delay::Time(time) => {
                    let time = queues.time.saturating_add(time);
                    queues.by_time.insert((time, number), waiting);
                }
            }
        });
    }

    /// Counts a run and the time since the last one, and makes the delayed changes that are due. Returns how many.
    ///
    /// Changes that wait for runs come first, in the order of their runs, and then changes that wait for times, in the order
    /// of these times. Changes for the same run or time are made in queue order. If a change delays
    /// another one, that waits at least for the next call.
    ///
    /// For programs that count by themselves: after the first call, runs of schedules no longer count in this world.
    ///
    /// ```
    /// use ecs_core::command::Delay;
    /// use ecs_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// let mut world = World::new();
    /// world.delay(Delay::Time(Duration::from_millis(30)), |world| _ = world.spawn(()));
    /// assert_eq!(world.advance_delayed(Duration::from_millis(20)), 0);
    /// assert_eq!(world.advance_delayed(Duration::from_millis(20)), 1);
    /// assert_eq!(world.len(), 1);
    /// ```
    ///
    /// # Panics
    /// If a change panics. That change is gone, and the next call makes the others.
    pub fn advance_delayed(&mut self, elapsed: Duration) -> usize {
        self.delayed().with(|queues| {
            queues.by_hand = true;
            queues.runs += 1;
            queues.time = queues.time.saturating_add(elapsed);
        });
        self.make_delayed()
    }

    /// Counts a run of a schedule, and makes the delayed changes that are due, unless the program does so. `frame` is the
    /// length of the frame, for worlds without a time of the game.
    #[inline(never)]
    pub(crate) fn count_run(&mut self, frame: Option<Duration>) {
        if !self.contains_resource::<Delayed>() {
            return;
        }
        let game = ClockReading::of_game(self);
        let now = match (game, frame) {
            (None, None) => ClockReading::of_system(),
            _ => game,
        };
        let counts = self.delayed().with(|queues| {
            if queues.by_hand {
                return false;
            }
            queues.runs += 1;
            match (now, frame) {
                (None, Some(frame)) => {
                    queues.time = queues.time.saturating_add(frame);
                    queues.read = None;
                }
                _ => queues.advance_to(now),
            }
            true
        });
        if counts {
            self.make_delayed();
        }
    }

    /// Makes runs look for delayed changes from now on.
    pub(crate) fn look_for_delayed(&mut self) {
        self.outer_run.get_or_insert_with(|| Weak::<()>::new());
    }

    /// Counts the time of delays from the clock's time now, which a load may have set.
    pub(crate) fn restart_delay_clock(&mut self) {
        let game = ClockReading::of_game(self);
        if let Some(delayed) = self.resources_mut().get_mut::<Delayed>() {
            delayed.with(|queues| queues.read = queues.read.and(game));
        }
    }

    /// Returns the delayed changes, which are a resource from now on.
    fn delayed(&mut self) -> &mut Delayed {
        if !self.contains_resource::<Delayed>() {
            self.insert_resource(Delayed::default());
        }
        let delayed = self.resources_mut().get_mut();
        delayed.expect("inserted above")
    }

    /// Makes the changes that are due, except changes that are delayed during this call.
    fn make_delayed(&mut self) -> usize {
        let due = self.delayed().with(|queues| Due {
            runs: queues.runs,
            time: queues.time,
            end: queues.count,
        });
        let mut made = 0;
        loop {
            let delayed = self.get_resource::<Delayed>();
            let Some(command) =
                delayed.and_then(|delayed| delayed.with(|queues| queues.take(&due)))
            else {
                return made;
            };
            let origin = Origin::of(&command, &due);
            // What it delays in turn is delayed by the same system.
            let outer = replace(&mut self.nesting.step, origin.step);
            let make = AssertUnwindSafe(|| command.function.make(self));
            let made_it = catch_unwind(make);
            self.nesting.step = outer;
            if let Err(panic) = made_it {
                origin.raise(panic, self);
            }
            made += 1;
        }
    }
}
