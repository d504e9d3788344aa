//! The part of a script that its futures share with the system that runs it.

use std::mem::{replace, swap};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use ecs_engine::{Entity, World};

/// Locks a value of a script. User code only runs under the lock of a reader of events, which that code cannot reach.
pub(super) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The runs and the time since the start of a script, in which it was neither disabled nor in another world.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScriptClock {
    pub(super) runs: u64,
    pub(super) time: Duration,
}

impl ScriptClock {
    /// Counts a run.
    #[inline]
    pub(super) fn advance(&mut self, delta: Duration) {
        self.runs += 1;
        self.time = self.time.saturating_add(delta);
    }
}

/// The next moment at which a wait of a script may be over.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextTurn {
    run: u64,
    time: Duration,
}

impl NextTurn {
    /// In the next run.
    pub(super) const NOW: Self = Self {
        run: 0,
        time: Duration::MAX,
    };

    /// Never.
    const NEVER: Self = Self {
        run: u64::MAX,
        time: Duration::MAX,
    };

    /// Returns true if it has come.
    #[inline]
    pub(super) fn has_come(&self, clock: &ScriptClock) -> bool {
        clock.runs >= self.run || clock.time >= self.time
    }

    fn until(self, wait: &ScriptWait) -> Self {
        match *wait {
            ScriptWait::Run(run) => Self {
                run: run.min(self.run),
                ..self
            },
            ScriptWait::Time(time) => Self {
                time: time.min(self.time),
                ..self
            },
            ScriptWait::Despawn(_)
            | ScriptWait::Check(_)
            | ScriptWait::InCheck
            | ScriptWait::Over => Self::NOW,
        }
    }
}

/// A function that returns true once a wait is over.
pub(super) type WaitCheck = Box<dyn FnMut(&mut World) -> bool + Send>;

/// A request of a future, before it is polled.
pub(super) enum NewWait {
    Frames(u64),
    Time(Duration),
    Despawn(Entity),
    Check(WaitCheck),
}

/// A wait of a script.
pub(super) enum ScriptWait {
    /// For a run of the script's clock.
    Run(u64),
    /// For a time of the script's clock.
    Time(Duration),
    Despawn(Entity),
    Check(WaitCheck),
    /// Its function is being called.
    InCheck,
    Over,
}

/// A wait whose future is still there.
struct PendingWait {
    id: u64,
    wait: ScriptWait,
    waker: Waker,
}

/// The part of a script that its futures share.
pub(super) struct SharedScript {
    /// The name of the function's type.
    pub(super) name: &'static str,
    /// The place where the script was made.
    pub(super) at: &'static Location<'static>,
    state: Mutex<ScriptState>,
}

#[derive(Default)]
struct ScriptState {
    /// The entity that it belongs to; `None` before its start.
    entity: Option<Entity>,
    clock: ScriptClock,
    /// The number of the next wait.
    next: u64,
    /// In the order of their numbers.
    waits: Vec<PendingWait>,
    is_over: bool,
}

impl ScriptState {
    fn position(&self, id: u64) -> Option<usize> {
        self.waits.binary_search_by_key(&id, |wait| wait.id).ok()
    }
}

impl SharedScript {
    pub(super) fn new(name: &'static str, at: &'static Location<'static>) -> Self {
        Self {
            name,
            at,
            state: Mutex::default(),
        }
    }

    /// Begins a turn.
    pub(super) fn begin(&self, entity: Entity, clock: ScriptClock) {
        let mut state = lock(&self.state);
        (state.entity, state.clock) = (Some(entity), clock);
    }

    /// Notes that the script has ended.
    pub(super) fn end(&self) {
        lock(&self.state).is_over = true;
    }

    pub(super) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    pub(super) fn entity(&self) -> Option<Entity> {
        lock(&self.state).entity
    }

    pub(super) fn elapsed(&self) -> Duration {
        lock(&self.state).clock.time
    }

    /// Returns true if no future waits.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.state).waits.is_empty()
    }

    /// Returns the next moment at which a wait may be over.
    pub(super) fn next_turn(&self) -> NextTurn {
        let state = lock(&self.state);
        let waits = state.waits.iter();
        waits.fold(NextTurn::NEVER, |next, wait| next.until(&wait.wait))
    }

    /// Asks the first wait from a number on whether it is over, and wakes its future if so. Returns its number and the answer;
    /// `None` if there is no such wait.
    pub(super) fn ask(&self, world: &mut World, from: u64) -> Option<(u64, bool)> {
        let mut state = lock(&self.state);
        let clock = state.clock;
        let place = state.waits.partition_point(|pending| pending.id < from);
        let pending = state.waits.get_mut(place)?;
        let (id, mut wait) = (pending.id, replace(&mut pending.wait, ScriptWait::InCheck));
        drop(state);
        let is_over = match &mut wait {
            ScriptWait::Run(run) => clock.runs >= *run,
            ScriptWait::Time(time) => clock.time >= *time,
            ScriptWait::Despawn(entity) => !world.contains(*entity),
            ScriptWait::Check(check) => check(world),
            ScriptWait::InCheck => false,
            ScriptWait::Over => true,
        };
        if is_over {
            wait = ScriptWait::Over;
        }
        let mut state = lock(&self.state);
        // Otherwise the function has dropped the future.
        if let Some(place) = state.position(id) {
            let pending = &mut state.waits[place];
            pending.wait = wait;
            let waker = is_over.then(|| replace(&mut pending.waker, Waker::noop().clone()));
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
        Some((id, is_over))
    }

    /// Adds a wait; returns its number, or `None` if it is over.
    pub(super) fn add(&self, wait: NewWait, waker: Waker) -> Option<u64> {
        let mut state = lock(&self.state);
        let clock = state.clock;
        let wait = match wait {
            NewWait::Frames(0) | NewWait::Time(Duration::ZERO) => return None,
            NewWait::Frames(frames) => ScriptWait::Run(clock.runs.saturating_add(frames)),
            NewWait::Time(time) => ScriptWait::Time(clock.time.saturating_add(time)),
            NewWait::Despawn(entity) => ScriptWait::Despawn(entity),
            NewWait::Check(check) => ScriptWait::Check(check),
        };
        let id = state.next;
        state.next += 1;
        state.waits.push(PendingWait { id, wait, waker });
        Some(id)
    }

    /// Removes a wait if it is over; otherwise it wakes another waker from now on.
    pub(super) fn finish(&self, id: u64, mut waker: Waker) -> bool {
        let mut state = lock(&self.state);
        let Some(place) = state.position(id) else {
            return true;
        };
        let pending = &mut state.waits[place];
        if matches!(pending.wait, ScriptWait::Over) {
            let pending = state.waits.remove(place);
            drop(state);
            drop(pending);
            return true;
        }
        swap(&mut pending.waker, &mut waker);
        drop(state);
        false
    }

    /// Removes the wait of a future that is dropped.
    pub(super) fn cancel(&self, id: u64) {
        let mut state = lock(&self.state);
        let pending = state.position(id).map(|place| state.waits.remove(place));
        drop(state);
        // User code may run in here.
        drop(pending);
    }
}
