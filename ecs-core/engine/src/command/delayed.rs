//! Commands that are applied after a number of runs, or after some time.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Weak;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;
use core::mem::replace;
use core::panic::Location;
use core::time::Duration;

#[cfg(feature = "snapshot")]
pub(crate) use snapshot::DelayCounts;

use super::Commands;
#[cfg(feature = "std")]
use crate::clock::Instant;
use crate::data_type::{DelayClock, DelayKind, DueAt};
use crate::due_queue::DueQueue;
use crate::event::{Events, delay_kinds};
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

/// A function that returns the time of the game in a world that has one: at the start of the last frame, and now.
type GameClock = fn(&World) -> Option<[Duration; 2]>;

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
        let [_, now] = Self::of_frame(world)?;
        Some(now)
    }

    /// Returns the time of the game at the start of the last frame, and now.
    fn of_frame(world: &World) -> Option<[Self; 2]> {
        let clock = GAME_CLOCK.get()?;
        Some(clock(world)?.map(Self::Game))
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
    /// The numbers when it was delayed.
    since: DelayClock,
}

impl Waiting {
    #[inline]
    fn new(function: WaitingFunction, at: &'static Location<'static>) -> Self {
        Self {
            function,
            at,
            step: None,
            since: DelayClock::default(),
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
        let DelayClock { runs, time } = waiting.since;
        Self {
            at: waiting.at,
            step: waiting.step,
            runs: due.now.runs.saturating_sub(runs),
            time: due.now.time.saturating_sub(time),
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
    #[inline]
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

/// The functions that wait for a run or a time, and the numbers for them and for delayed events.
#[derive(Clone, Default)]
struct Queues {
    now: DelayClock,
    /// The reading of the clock when the time was last counted.
    read: Option<ClockReading>,
    /// In a copy, the time between that reading and the copy.
    #[cfg(feature = "snapshot")]
    age: Option<Duration>,
    /// True if the program itself counts runs and time.
    by_hand: bool,
    /// The number of functions and events so far, which orders those for the same run or time.
    count: u64,
    waiting: DueQueue<Waiting>,
}

impl Queues {
    /// Counts the time up to a reading.
    fn advance_to(&mut self, now: Option<ClockReading>) {
        self.now.time = self.time_at(now);
        self.read = now;
    }

    /// Returns the time at a reading.
    fn time_at(&self, now: Option<ClockReading>) -> Duration {
        let since = match (self.read, now) {
            (Some(earlier), Some(now)) => now.since(earlier),
            _ => Duration::ZERO,
        };
        self.now.time.saturating_add(since)
    }
}

/// The end of everything that is due in a run.
struct Due {
    now: DelayClock,
    /// The number of the first function or event that was not delayed before. It comes in this run or a later one.
    end: u64,
}

impl Due {
    fn includes(&self, due: DueAt) -> bool {
        match due {
            DueAt::Run(run, number) => (run, number) < (self.now.runs, self.end),
            DueAt::Time(time, number) => (time, number) < (self.now.time, self.end),
        }
    }
}

/// The delayed commands of a world: a resource that the first one inserts.
#[derive(Default)]
pub struct Delayed(Mutex<Queues>);

impl Delayed {
    /// Calls a function with the queues. It must not run user code.
    fn with<T>(&self, f: impl FnOnce(&mut Queues) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of waiting commands. Delayed events have a number [of their own](crate::event::Events::delayed).
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.with(|queues| queues.waiting.len())
    }

    /// Returns the functions that wait: first those for runs, then those for times, in the order in which they will be called.
    #[must_use]
    pub fn functions(&self) -> Vec<DelayedFunction> {
        self.with(|queues| {
            let functions = queues.waiting.sorted().into_iter();
            let functions = functions.map(|(_, waiting)| DelayedFunction {
                name: waiting.function.name(),
                at: waiting.at,
            });
            functions.collect()
        })
    }

    /// Returns true if no command is waiting.
    #[must_use]
    #[inline]
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
    #[inline]
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
    /// for _ in 0..2 {
    ///     app.update_by(frame); // It explodes before the first one, at 0 ms.
    /// }
    /// assert_eq!(app.world().query::<&Explosion>().count(), 1);
    /// app.update_by(frame);
    /// assert_eq!(app.world().query::<&Explosion>().count(), 0);
    /// ```
    ///
    /// The delay begins when the command is applied. Snapshots copy the functions that wait, by their `Clone`: a closure has
    /// one if all values that it captures do. Functions cannot be written: a snapshot as bytes refuses them by name and place, or
    /// leaves them out (`Snapshotter::without_others`) with a list, and a save leaves them out. Something that has to survive a load is
    /// data instead: a [delayed event](Self::delay_event), and a system that reads it and makes the change.
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

    /// Sends an event after some runs or some time.
    ///
    /// The delay is counted as for [`delay`](Self::delay), and events and functions for the same moment come in queue order. Until it
    /// is sent, the event belongs to [`Events<E>`](crate::event::Events), and readers do not see it. In a world that gets this
    /// resource in any way, such as by `insert_resource`, the event waits as long as it still had to; outside of worlds, nothing
    /// counts. If its type is data (`#[event(data = "..")]`), it is in saves, copies of worlds, differences and hashes, with the rest
    /// of the delay, and in snapshots as bytes. So a change that has to survive a load is a delayed event, and a system that reads it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ecs_core::command::Delay;
    /// use ecs_core::prelude::*;
    ///
    /// struct Explodes {
    ///     damage: u32,
    /// }
    ///
    /// #[system]
    /// fn drop_bomb(mut commands: Commands) {
    ///     commands.delay_event(Delay::Time(Duration::from_secs(3)), Explodes { damage: 7 });
    /// }
    ///
    /// #[system]
    /// fn explode(mut bombs: EventReader<Explodes>) -> u32 {
    ///     bombs.read().map(|bomb| bomb.damage).sum()
    /// }
    ///
    /// let mut world = World::new();
    /// world.add_event::<Explodes>();
    /// drop_bomb(&world);
    /// world.flush();
    /// world.advance_delayed(Duration::from_secs(2));
    /// assert_eq!(explode(&world), 0);
    /// world.advance_delayed(Duration::from_secs(1));
    /// assert_eq!(explode(&world), 7);
    /// ```
    pub fn delay_event<E: Send + Sync + 'static>(&mut self, delay: Delay, event: E) {
        self.queue(move |world| world.delay_event(delay, event));
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

    #[inline]
    fn delay_function(&mut self, delay: Delay, mut waiting: Waiting) {
        waiting.step = self.nesting.step;
        let (since, due) = self.begin_delay(delay);
        waiting.since = since;
        self.delayed()
            .with(|queues| queues.waiting.push(due, waiting));
    }

    /// Sends an event after some runs or some time; see [`Commands::delay_event`]. O(log events that wait).
    pub fn delay_event<E: Send + Sync + 'static>(&mut self, delay: Delay, event: E) {
        self.add_event::<E>();
        // Before that, for those that wait and have got here in another way.
        let now = self.delayed().with(|queues| queues.now);
        self.count_for_events(Events::<E>::DELAYS, [now, now]);
        let (_, due) = self.begin_delay(delay);
        let events = self.resources_mut().get_mut::<Events<E>>();
        events.expect("added above").delay(now, due, event);
    }

    /// Returns the numbers now, and the moment when something delayed from now on is due.
    #[inline]
    fn begin_delay(&mut self, delay: Delay) -> (DelayClock, DueAt) {
        self.look_for_delayed();
        let game = ClockReading::of_game(self);
        self.delayed().with(|queues| {
            let reading = match (game, queues.read) {
                _ if queues.by_hand => None,
                #[cfg(feature = "std")]
                (None, Some(ClockReading::System(_))) => ClockReading::of_system(),
                _ => game,
            };
            if queues.read.is_none() {
                queues.read = reading;
            }
            let mut since = queues.now;
            since.time = queues.time_at(reading);
            let number = queues.count;
            queues.count += 1;
            let due = match delay {
                Delay::Runs(runs) => DueAt::Run(since.runs.saturating_add(runs), number),
                Delay::Time(time) => DueAt::Time(since.time.saturating_add(time), number),
            };
            (since, due)
        })
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
    #[inline]
    pub fn advance_delayed(&mut self, elapsed: Duration) -> usize {
        self.count_delays(|queues| {
            queues.by_hand = true;
            queues.now.runs += 1;
            queues.now.time = queues.now.time.saturating_add(elapsed);
            true
        });
        self.make_delayed()
    }

    /// Makes the program count from now on, without counting now.
    #[doc(hidden)]
    #[inline]
    pub fn count_delays_by_hand(&mut self) {
        self.delayed().with(|queues| queues.by_hand = true);
    }

    /// Counts a run of a schedule, and makes the delayed changes that are due, unless the program does so. `frame` is the
    /// length of the frame, for worlds without a time of the game.
    #[inline(never)]
    pub(crate) fn count_run(&mut self, frame: Option<Duration>) {
        let [last, game] = ClockReading::of_frame(self).map_or([None; 2], |read| read.map(Some));
        if !self.contains_resource::<Delayed>() && !self.settle_at(last) {
            return;
        }
        let now = match (game, frame) {
            (None, None) => ClockReading::of_system(),
            _ => game,
        };
        let counts = self.count_delays(|queues| {
            if queues.by_hand {
                return false;
            }
            queues.now.runs += 1;
            match (now, frame) {
                (None, Some(frame)) => {
                    queues.now.time = queues.now.time.saturating_add(frame);
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

    /// Returns true if a run has to look for something delayed.
    #[inline]
    pub(crate) fn has_delays(&self) -> bool {
        self.outer_run.is_some() || delay_kinds().next().is_some()
    }

    /// Makes runs look for delayed changes from now on.
    pub(crate) fn look_for_delayed(&mut self) {
        self.outer_run.get_or_insert_with(|| Weak::<()>::new());
    }

    /// Counts on for functions and events that wait, and returns whether the function has counted.
    fn count_delays(&mut self, count: impl FnOnce(&mut Queues) -> bool) -> bool {
        let (counts, counted) = self.delayed().with(|queues| {
            let from = queues.now;
            (count(queues), [from, queues.now])
        });
        for kind in delay_kinds() {
            self.count_for_events(kind, counted);
        }
        counts
    }

    /// Counts on for the events of a kind that wait.
    fn count_for_events(&mut self, kind: DelayKind, counted: [DelayClock; 2]) {
        let mut count = self.delayed().with(|queues| queues.count);
        if let Some(events) = self.resources_mut().bypass_erased(kind.type_id) {
            (kind.count)(events, counted, &mut count);
            self.delayed().with(|queues| queues.count = count);
        }
    }

    /// Counts the time of delays from the clock's time now, which a load may have set.
    pub(crate) fn restart_delays(&mut self) {
        self.settle_delays();
        let game = ClockReading::of_game(self);
        if let Some(delayed) = self.resources_mut().get_mut::<Delayed>() {
            delayed.with(|queues| queues.read = queues.read.and(game));
        }
    }

    /// Lets events that wait, and did not get here by a delay, wait from now on. Otherwise the next run does so.
    #[doc(hidden)]
    pub fn settle_delays(&mut self) {
        self.settle_at(ClockReading::of_game(self));
    }

    /// Does the same at a reading of the game's clock. Returns true if any event waits.
    fn settle_at(&mut self, game: Option<ClockReading>) -> bool {
        let resources = self.resources_mut();
        let waits = delay_kinds().any(|kind| {
            let events = resources.bypass_erased(kind.type_id);
            events.is_some_and(|events| (kind.len)(events) > 0)
        });
        if waits {
            self.count_delays(|queues| {
                queues.read = queues.read.or(game);
                true
            });
        }
        waits
    }

    /// Returns the delayed changes, which are a resource from now on.
    fn delayed(&mut self) -> &mut Delayed {
        if !self.contains_resource::<Delayed>() {
            self.insert_resource(Delayed::default());
        }
        // Not noted as a change, which would be the only one of a return to a snapshot.
        let delayed = self.resources_mut().bypass_erased(TypeId::of::<Delayed>());
        let delayed = delayed.and_then(|delayed| delayed.downcast_mut());
        delayed.expect("inserted above")
    }

    /// Returns the moment of the next function or event that is due; of an event also its kind.
    fn next_delayed(&mut self, due: &Due) -> Option<(DueAt, Option<DelayKind>)> {
        let (now, functions) = self
            .get_resource::<Delayed>()?
            .with(|queues| (queues.now, queues.waiting.next()));
        if now != due.now {
            // A function has counted by itself, which made all changes that were due, or returned to a snapshot.
            return None;
        }
        let mut next = functions.map(|next| next.map(|due| (due, None)));
        for kind in delay_kinds() {
            let events = self.resources_mut().bypass_erased(kind.type_id);
            let events = events.and_then(|events| (kind.next)(events, now));
            for (next, event) in next.iter_mut().zip(events.unwrap_or_default()) {
                let event = event.map(|due| (due, Some(kind)));
                *next = [*next, event]
                    .into_iter()
                    .flatten()
                    .min_by_key(|(due, _)| *due);
            }
        }
        let mut next = next.into_iter().flatten();
        next.find(|(at, _)| due.includes(*at))
    }

    /// Makes the changes and sends the events that are due, except those that are delayed during this call. Returns their number.
    fn make_delayed(&mut self) -> usize {
        let due = self.delayed().with(|queues| Due {
            now: queues.now,
            end: queues.count,
        });
        let mut made = 0;
        while let Some((at, events)) = self.next_delayed(&due) {
            match events {
                Some(kind) => self.send_delayed(kind, at),
                None => self.make_function(at, &due),
            }
            made += 1;
        }
        made
    }

    fn make_function(&mut self, at: DueAt, due: &Due) {
        let Some(command) = self.delayed().with(|queues| queues.waiting.pop(at)) else {
            return;
        };
        let origin = Origin::of(&command, due);
        // What it delays in turn is delayed by the same system.
        let outer = replace(&mut self.nesting.step, origin.step);
        let make = AssertUnwindSafe(|| command.function.make(self));
        let made_it = catch_unwind(make);
        self.nesting.step = outer;
        if let Err(panic) = made_it {
            origin.raise(panic, self);
        }
    }

    /// Sends the next event of a kind.
    fn send_delayed(&mut self, kind: DelayKind, due: DueAt) {
        if let Some(events) = self.resources_mut().get_mut_erased(kind.type_id) {
            (kind.send_next)(events, due);
        }
    }
}
