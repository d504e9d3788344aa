//! Work outside of the world, whose results come back at a point of the program's choice.
//!
//! A level that is loaded, a path that is searched for, a reply of a server: work that takes longer than a frame runs on a
//! thread or an executor of the program. The engine has none of its own. The resource [`Tasks`] starts the work, and
//! [`World::flush_tasks`] is the point where functions get the results and the world.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::task::{Order, Tasks};
//!
//! #[derive(Component)]
//! struct Tree(f32);
//!
//! #[system]
//! fn load(mut tasks: ResMut<Tasks>) {
//!     // Any thread, thread pool or executor.
//!     std::thread::spawn(tasks.work(
//!         || (1..=3).map(|n| n as f32).collect::<Vec<_>>(),
//!         |world, trees| match trees {
//!             Ok(trees) => {
//!                 world.spawn_batch(trees.into_iter().map(Tree));
//!             }
//!             Err(error) => eprintln!("the level is missing: {error}"),
//!         },
//!     ));
//! }
//!
//! let mut world = World::new();
//! world.insert_resource(Tasks::new(Order::Start));
//! load(&world);
//! while world.resource::<Tasks>().pending() > 0 {
//!     // The frames of the game; a schedule has `flush_tasks` in a step of its own.
//!     world.flush_tasks();
//!     # std::thread::yield_now();
//! }
//! assert_eq!(world.view::<Tree>().len(), 3);
//! ```
//!
//! # Order
//! [`Order::Arrival`] passes results on as they arrive, which depends on the speed of threads. [`Order::Start`] keeps a
//! result until the results of all earlier tasks have been passed on, so the order is the same in each run. The frame of a
//! result still depends on the time that the work takes; a game that has to be the same on several machines has to agree on
//! a frame by itself.
//!
//! # The end
//! * Work that panics, or whose [`Promise`] is dropped, has failed: its function gets an [`Abandoned`].
//! * [`Tasks::cancel`] ends the wait for one task: its function is dropped, and so is its result when it comes. With
//!   [`Order::Start`], a task that never ends holds back all later results until it is cancelled.
//! * When the [`Tasks`] are dropped, for example with the world, the functions and the results that have arrived are dropped
//!   too. Work that is still running finds out by [`Promise::is_cancelled`], and its result is dropped; futures of
//!   [`Tasks::future`] end when they are polled again.
//! * A task that runs cannot be copied: a snapshot is refused while there is one, unless it leaves out the tasks
//!   (`Snapshotter::without_others`) and notes how many there are.

mod log;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use hashbrown::HashMap;

#[doc(hidden)]
pub use log::{PassedResult, PassedValue, ResultCodec};

use self::log::{Repeat, TaskWatch};
use crate::hash::BuildIndexHasher;
use crate::meta::ConstTypeIdOf;
use crate::numbered_list::NumberedList;
use crate::resource::Resource;
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};
use crate::world::World;

/// The order of passing results on; see the [module](self#order).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order of their arrival.
    #[default]
    Arrival,
    /// The order of the tasks' start.
    Start,
}

/// The error of a task without a result: its work has panicked, or dropped its [`Promise`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abandoned;

impl fmt::Display for Abandoned {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the work of the task has ended without a result: it has panicked, or was dropped",
        )
    }
}

impl core::error::Error for Abandoned {}

/// Passes on a result, which it owns.
type Deliver = Box<dyn FnOnce(&mut World) + Send>;

/// A task of some [`Tasks`]. A process never uses an id twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(u64);

/// The number of the next task of the process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The results that have arrived.
#[derive(Default)]
struct Inbox {
    /// The results, in the order of arrival.
    arrived: NumberedList<(TaskId, ArrivedResult)>,
    /// The number of the next arrival.
    next: u64,
    /// For each task with a result the number of the arrival, and `None` for the cancelled ones that have not ended yet.
    tasks: HashMap<TaskId, Option<u64>, BuildIndexHasher>,
    /// True once the [`Tasks`] are gone.
    closed: bool,
    /// True if the values of results are noted.
    notes_values: bool,
}

/// A result, and its value as a recorder notes it.
struct ArrivedResult {
    deliver: Deliver,
    value: PassedValue,
}

impl Inbox {
    #[inline]
    fn add(&mut self, task: TaskId, result: ArrivedResult) {
        self.arrived.push(self.next, (task, result));
        self.tasks.insert(task, Some(self.next));
        self.next += 1;
    }

    /// Takes the result of a task, if it has arrived.
    fn remove(&mut self, task: TaskId) -> Option<ArrivedResult> {
        let arrival = (*self.tasks.get(&task)?)?;
        self.tasks.remove(&task);
        let (_, result) = self.arrived.remove(arrival)?;
        Some(result)
    }

    /// Takes the result of a task that is cancelled. If there is none yet, it is dropped when it arrives.
    fn cancel(&mut self, task: TaskId) -> Option<ArrivedResult> {
        let arrived = self.remove(task);
        if arrived.is_none() {
            self.tasks.insert(task, None);
        }
        arrived
    }
}

/// Locks the results. No user code runs while they are locked.
fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts work outside of the world, and keeps its results until [`World::flush_tasks`]; a resource. See the [module](self).
#[derive(Default)]
pub struct Tasks {
    inbox: Arc<Mutex<Inbox>>,
    order: Order,
    /// The tasks whose results were not passed on yet, in the order of their start. In a replay with the functions of those whose
    /// values the recording may have.
    open: NumberedList<Option<Repeat>>,
    watch: TaskWatch,
}

impl Tasks {
    /// Creates the resource, without tasks.
    #[must_use]
    #[inline]
    pub fn new(order: Order) -> Self {
        let mut tasks = Self::default();
        tasks.order = order;
        tasks
    }

    /// Returns the number of tasks whose results were not passed on yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.open.len()
    }

    /// Returns the task that was started last, among those whose results were not passed on yet.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::task::Tasks;
    ///
    /// let mut world = World::new();
    /// let mut tasks = Tasks::default();
    /// let work = tasks.work(|| 7, |_, _| panic!("it was cancelled"));
    /// let id = tasks.newest().unwrap();
    /// assert!(tasks.cancel(id) && !tasks.cancel(id));
    /// world.insert_resource(tasks);
    /// work();
    /// assert_eq!(world.flush_tasks(), 0);
    /// ```
    #[must_use]
    pub fn newest(&self) -> Option<TaskId> {
        let (newest, _) = self.open.iter().next_back()?;
        Some(TaskId(newest))
    }

    /// Cancels a task: the function that waits for its result is not called, and later tasks do not wait for it. Returns
    /// false if its result was passed on, or it was cancelled before. O(log of results that have arrived).
    ///
    /// The work finds out by [`Promise::is_cancelled`]; if it still returns a result, that is dropped.
    pub fn cancel(&mut self, task: TaskId) -> bool {
        let Some(repeat) = self.open.remove(task.0) else {
            return false;
        };
        // User values are dropped without the lock.
        let arrived = lock(&self.inbox).cancel(task);
        drop((arrived, repeat));
        true
    }

    /// Starts a task that ends when the promise is [kept](Promise::keep), by any code on any thread. `done` then gets the
    /// value, in [`World::flush_tasks`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::task::Tasks;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Tasks::default());
    /// let promise = world.resource_mut::<Tasks>().promise(|world, name: Result<String, _>| {
    ///     world.insert_resource(name.expect("the promise is kept"));
    /// });
    /// promise.keep(String::from("level 1"));
    /// assert!(!world.contains_resource::<String>());
    /// world.flush_tasks();
    /// assert_eq!(*world.resource::<String>(), "level 1");
    /// ```
    pub fn promise<T: Send + 'static>(
        &mut self,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> Promise<T> {
        self.promise_with(None, done)
    }

    /// Like [`promise`](Self::promise), for a value that a recorder writes.
    #[doc(hidden)]
    pub fn promise_with<T: Send + 'static>(
        &mut self,
        codec: Option<ResultCodec<T>>,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> Promise<T> {
        let task = TaskId(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut repeat = None;
        let done: Done<T> = Box::new(done);
        let done = Arc::new(Mutex::new(Some(done)));
        if let (TaskWatch::Script { .. }, Some(codec)) = (&self.watch, codec) {
            let done = Arc::clone(&done);
            let again: Repeat = Box::new(move |bytes| {
                let value = match bytes {
                    Some(bytes) => Ok((codec.read)(bytes)?),
                    None => Err(Abandoned),
                };
                let deliver: Deliver = Box::new(move |world| pass_on(&done, world, value));
                Ok(deliver)
            });
            repeat = Some(again);
        }
        self.open.push(task.0, repeat);
        Promise {
            inbox: Arc::clone(&self.inbox),
            task,
            codec,
            is_kept: false,
            done,
        }
    }

    /// Notes from now on which results are passed on.
    #[doc(hidden)]
    pub fn log_results(&mut self) {
        if !matches!(self.watch, TaskWatch::Log { .. }) {
            self.watch = TaskWatch::Log {
                flushes: 0,
                passed: Vec::new(),
            };
            lock(&self.inbox).notes_values = true;
        }
    }

    /// Returns the results that were passed on since the last call.
    #[doc(hidden)]
    pub fn take_log(&mut self) -> Vec<PassedResult> {
        match &mut self.watch {
            TaskWatch::Log { flushes, passed } => {
                *flushes = 0;
                core::mem::take(passed)
            }
            _ => Vec::new(),
        }
    }

    /// Passes on only these results, up to the next call. A result that the work makes again is waited for.
    #[doc(hidden)]
    pub fn repeat_results(&mut self, results: Vec<PassedResult>) {
        self.watch = TaskWatch::Script {
            flushes: 0,
            next: results.into(),
            error: None,
        };
    }

    /// Returns the reason why a result could not be passed on again.
    #[doc(hidden)]
    pub fn repeat_error(&mut self) -> Option<String> {
        match &mut self.watch {
            TaskWatch::Script { next, error, .. } => error.take().or_else(|| {
                let left = next.len();
                next.clear();
                (left > 0).then(|| format!("{left} results of tasks were not passed on again"))
            }),
            _ => None,
        }
    }

    /// Takes the next result that the recording passes on here.
    #[inline]
    fn take_scripted(&mut self) -> Option<Deliver> {
        let TaskWatch::Script {
            flushes,
            next,
            error,
        } = &mut self.watch
        else {
            return None;
        };
        next.front().filter(|result| result.flush == *flushes)?;
        let PassedResult {
            position, value, ..
        } = next.pop_front()?;
        let Some((number, _)) = self.open.iter().nth(position as usize) else {
            *error = Some(String::from(
                "a task whose result was passed on was not started again",
            ));
            return None;
        };
        let repeat = self.open.remove(number).flatten();
        let task = TaskId(number);
        let bytes = match &value {
            PassedValue::Again => None,
            PassedValue::Abandoned => Some(None),
            PassedValue::Bytes(bytes) => Some(Some(&**bytes)),
        };
        if let Some(bytes) = bytes
            && let Some(repeat) = repeat
        {
            let arrived = lock(&self.inbox).cancel(task);
            drop(arrived);
            return repeat(bytes).map_err(|message| *error = Some(message)).ok();
        }
        match wait_for(&self.inbox, task) {
            Some(result) => Some(result.deliver),
            None => {
                *error = Some(String::from(
                    "the result of a task has not come again within a minute; help: record its value, with `data_promise`",
                ));
                None
            }
        }
    }

    /// Makes a task of a function, to be called on any thread: `std::thread::spawn(tasks.work(..))`, or the `spawn` of a
    /// thread pool. `done` gets the result of `work`.
    ///
    /// Work that is [cancelled](Self::cancel) before it begins is not called. Work that should stop in the middle needs a
    /// [`promise`](Self::promise), which it can ask.
    pub fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let promise = self.promise(done);
        move || {
            if !promise.is_cancelled() {
                promise.keep(work());
            }
        }
    }

    /// Makes a task from a future, to be spawned on any executor. `done` gets the output of `future`.
    ///
    /// Returns a future without an output, which is `Send` if `future` is. It ends without polling `future` again once the
    /// task is [cancelled](Promise::is_cancelled).
    ///
    /// ```
    /// use std::task::{Context, Waker};
    ///
    /// use ecs_core::prelude::*;
    /// use ecs_core::task::Tasks;
    ///
    /// # async fn download() -> u32 { 7 }
    /// let mut world = World::new();
    /// world.insert_resource(Tasks::default());
    /// let task = world.resource_mut::<Tasks>().future(download(), |world, size| {
    ///     world.insert_resource(size.unwrap_or(0));
    /// });
    /// // The simplest possible executor.
    /// assert!(Box::pin(task).as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    /// world.flush_tasks();
    /// assert_eq!(*world.resource::<u32>(), 7);
    /// ```
    pub fn future<F, G>(&mut self, future: F, done: G) -> impl Future<Output = ()> + use<F, G>
    where
        F: Future<Output: Send + 'static>,
        G: FnOnce(&mut World, Result<F::Output, Abandoned>) + Send + 'static,
    {
        let promise = self.promise(done);
        async move {
            let mut future = pin!(future);
            let output = poll_fn(|context| {
                if promise.is_cancelled() {
                    return Poll::Ready(None);
                }
                future.as_mut().poll(context).map(Some)
            });
            if let Some(output) = output.await {
                promise.keep(output);
            }
        }
    }

    /// Returns the type of the resource, and the number of tasks whose results were not passed on yet.
    pub(crate) fn waiting_in(world: &World) -> Option<(TypeId, usize)> {
        let tasks = world.get_resource::<Self>()?;
        Some((TypeId::of::<Self>(), tasks.pending()))
    }

    /// Takes the next result to be passed on, among tasks before `end`.
    #[inline]
    fn take(&mut self, end: TaskId) -> Option<Deliver> {
        if let TaskWatch::Script { .. } = self.watch {
            return self.take_scripted();
        }
        let mut inbox = lock(&self.inbox);
        let task = match self.order {
            Order::Arrival => {
                let mut arrived = inbox.arrived.iter();
                arrived.find_map(|(_, (task, _))| (*task < end).then_some(*task))?
            }
            Order::Start => {
                let (first, _) = self.open.iter().next()?;
                Some(TaskId(first)).filter(|&task| task < end)?
            }
        };
        let ArrivedResult { deliver, value } = inbox.remove(task)?;
        if let TaskWatch::Log { flushes, passed } = &mut self.watch {
            passed.push(PassedResult {
                flush: *flushes,
                position: self
                    .open
                    .iter()
                    .take_while(|&(open, _)| open < task.0)
                    .count() as u32,
                value,
            });
        }
        self.open.remove(task.0);
        Some(deliver)
    }
}

/// Waits for the result of a task, and takes it; `None` if it does not come in a minute, or there is no clock.
#[inline]
fn wait_for(inbox: &Mutex<Inbox>, task: TaskId) -> Option<ArrivedResult> {
    #[cfg(feature = "std")]
    for _ in 0..600_000 {
        if let Some(result) = lock(inbox).remove(task) {
            return Some(result);
        }
        std::thread::sleep(core::time::Duration::from_micros(100));
    }
    lock(inbox).remove(task)
}

impl Resource for Tasks {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::task::Tasks");
}

impl Drop for Tasks {
    #[inline]
    fn drop(&mut self) {
        let mut inbox = lock(&self.inbox);
        inbox.closed = true;
        let arrived = core::mem::take(&mut inbox.arrived);
        // User values are dropped without the lock, in the order of arrival.
        drop(inbox);
        drop(arrived);
    }
}

impl fmt::Debug for Tasks {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Tasks");
        fields.field("order", &self.order);
        fields.field("pending", &self.pending()).finish()
    }
}

/// The function that gets the result of a task.
type Done<T> = Box<dyn FnOnce(&mut World, Result<T, Abandoned>) + Send>;

/// The other side of a task: code that has a promise delivers its result. Dropping it means that there is no result.
#[must_use = "a promise that is dropped has failed"]
pub struct Promise<T: Send + 'static> {
    inbox: Arc<Mutex<Inbox>>,
    task: TaskId,
    codec: Option<ResultCodec<T>>,
    /// True once the result was delivered.
    is_kept: bool,
    done: SharedDone<T>,
}

/// The function of a task, until it is called. A replay calls it with another result than the promise.
type SharedDone<T> = Arc<Mutex<Option<Done<T>>>>;

fn pass_on<T>(done: &SharedDone<T>, world: &mut World, result: Result<T, Abandoned>) {
    let done = done.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(done) = done {
        done(world, result);
    }
}

impl<T: Send + 'static> Promise<T> {
    /// Delivers the result. It is dropped if the task is [cancelled](Self::is_cancelled).
    pub fn keep(mut self, value: T) {
        self.deliver(Ok(value));
    }

    /// Returns the task.
    #[must_use]
    pub fn task(&self) -> TaskId {
        self.task
    }

    /// Returns true if no code waits for the result any more: the task was [cancelled](Tasks::cancel), or the [`Tasks`] were
    /// dropped, for example with the world.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let inbox = lock(&self.inbox);
        inbox.closed || inbox.tasks.get(&self.task) == Some(&None)
    }

    fn deliver(&mut self, result: Result<T, Abandoned>) {
        if core::mem::replace(&mut self.is_kept, true) {
            return;
        }
        let task = self.task;
        let value = match (&result, self.codec) {
            (Ok(value), Some(codec)) if lock(&self.inbox).notes_values => {
                (codec.write)(value).map_or(PassedValue::Again, PassedValue::Bytes)
            }
            (Err(Abandoned), Some(_)) => PassedValue::Abandoned,
            _ => PassedValue::Again,
        };
        let done = Arc::clone(&self.done);
        let deliver: Deliver = Box::new(move |world| pass_on(&done, world, result));
        let mut inbox = lock(&self.inbox);
        if inbox.closed || inbox.tasks.remove(&task).is_some() {
            // The result is dropped without the lock.
            drop(inbox);
            return;
        }
        inbox.add(task, ArrivedResult { deliver, value });
    }
}

impl<T: Send + 'static> Drop for Promise<T> {
    #[inline]
    fn drop(&mut self) {
        self.deliver(Err(Abandoned));
    }
}

impl<T: Send + 'static> fmt::Debug for Promise<T> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise").finish_non_exhaustive()
    }
}

/// Passes on the results of tasks that have arrived: the step of a schedule that brings them back, see
/// [`World::flush_tasks`].
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::system::from_fn;
/// use ecs_core::task::{self, Tasks};
///
/// let mut world = World::new();
/// world.insert_resource(Tasks::default());
/// let promise = world.resource_mut::<Tasks>().promise(|world, _: Result<(), _>| {
///     world.spawn(());
/// });
/// promise.keep(());
///
/// let mut frame = Schedule::new();
/// frame.add(from_fn(task::flush));
/// frame.run(&mut world)?;
/// assert_eq!(world.len(), 1);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[inline]
pub fn flush(world: &mut World) {
    world.flush_tasks();
}

impl World {
    /// Passes on the results of [tasks](crate::task) that have arrived: calls their functions with the world. Returns how
    /// many.
    ///
    /// Nothing happens in a world without [`Tasks`]. Results of tasks that these functions start wait for the next call. In a
    /// schedule, [`flush`] is a step.
    ///
    /// # Panics
    /// If a function panics. Its result is gone, and the others wait for the next call.
    #[inline]
    pub fn flush_tasks(&mut self) -> usize {
        if !self.contains_resource::<Tasks>() {
            return 0;
        }
        let end = TaskId(NEXT.load(Ordering::Relaxed));
        let mut flushed = 0;
        if let Some(mut tasks) = self.get_resource_mut::<Tasks>() {
            tasks.watch.begin_flush();
        }
        loop {
            let next = self.get_resource_mut::<Tasks>();
            let Some(deliver) = next.and_then(|mut tasks| tasks.take(end)) else {
                return flushed;
            };
            deliver(self);
            flushed += 1;
        }
    }
}
