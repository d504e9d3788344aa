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
//! * A task that runs cannot be copied: a snapshot is [refused](crate::snapshot::SnapshotError) while there is one, unless it
//!   [leaves out](crate::snapshot::Snapshotter::without_others) the tasks and notes how many there are.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use core::any::TypeId;
use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;

use crate::meta::ConstTypeIdOf;
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
    /// By task: the result, and its number in the order of arrival.
    arrived: BTreeMap<TaskId, (u64, Deliver)>,
    /// The tasks of the results, in the order of arrival.
    arrivals: BTreeMap<u64, TaskId>,
    /// The number of the next arrival.
    next: u64,
    /// The tasks that were cancelled and have not ended yet.
    cancelled: BTreeSet<TaskId>,
    /// True once the [`Tasks`] are gone.
    closed: bool,
}

impl Inbox {
    fn add(&mut self, task: TaskId, deliver: Deliver) {
        self.arrived.insert(task, (self.next, deliver));
        self.arrivals.insert(self.next, task);
        self.next += 1;
    }

    /// Takes the result of a task, if it has arrived.
    fn remove(&mut self, task: TaskId) -> Option<Deliver> {
        let (arrival, deliver) = self.arrived.remove(&task)?;
        self.arrivals.remove(&arrival);
        Some(deliver)
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
    /// The tasks whose results were not passed on yet, in the order of their start.
    open: BTreeSet<TaskId>,
}

impl Tasks {
    /// Creates the resource, without tasks.
    #[must_use]
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
        self.open.last().copied()
    }

    /// Cancels a task: the function that waits for its result is not called, and later tasks do not wait for it. Returns
    /// false if its result was passed on, or it was cancelled before. O(log of results that have arrived).
    ///
    /// The work finds out by [`Promise::is_cancelled`]; if it still returns a result, that is dropped.
    pub fn cancel(&mut self, task: TaskId) -> bool {
        if !self.open.remove(&task) {
            return false;
        }
        let mut inbox = lock(&self.inbox);
        let arrived = inbox.remove(task);
        if arrived.is_none() {
            inbox.cancelled.insert(task);
        }
        // User values are dropped without the lock.
        drop(inbox);
        drop(arrived);
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
        let task = TaskId(NEXT.fetch_add(1, Ordering::Relaxed));
        self.open.insert(task);
        Promise {
            inbox: Arc::clone(&self.inbox),
            task,
            done: Mutex::new(Some(Box::new(done))),
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
    fn take(&mut self, end: TaskId) -> Option<Deliver> {
        let mut inbox = lock(&self.inbox);
        let task = match self.order {
            Order::Arrival => inbox.arrivals.values().copied().find(|&task| task < end)?,
            Order::Start => *self.open.first().filter(|&&task| task < end)?,
        };
        let deliver = inbox.remove(task)?;
        self.open.remove(&task);
        Some(deliver)
    }
}

impl Resource for Tasks {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::task::Tasks");
}

impl Drop for Tasks {
    fn drop(&mut self) {
        let mut inbox = lock(&self.inbox);
        inbox.closed = true;
        let arrivals = core::mem::take(&mut inbox.arrivals);
        let mut results = core::mem::take(&mut inbox.arrived);
        // User values are dropped without the lock, in the order of arrival.
        drop(inbox);
        for task in arrivals.values() {
            drop(results.remove(task));
        }
    }
}

impl fmt::Debug for Tasks {
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
    /// `None` once the result was delivered. Locked so that a promise can be shared, for example in a component.
    done: Mutex<Option<Done<T>>>,
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
        inbox.closed || inbox.cancelled.contains(&self.task)
    }

    fn deliver(&mut self, result: Result<T, Abandoned>) {
        let done = self.done.lock();
        let Some(done) = done.unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let task = self.task;
        let deliver: Deliver = Box::new(move |world| done(world, result));
        let mut inbox = lock(&self.inbox);
        if inbox.closed || inbox.cancelled.remove(&task) {
            // The result is dropped without the lock.
            drop(inbox);
            return;
        }
        inbox.add(task, deliver);
    }
}

impl<T: Send + 'static> Drop for Promise<T> {
    fn drop(&mut self) {
        self.deliver(Err(Abandoned));
    }
}

impl<T: Send + 'static> fmt::Debug for Promise<T> {
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
    pub fn flush_tasks(&mut self) -> usize {
        if !self.contains_resource::<Tasks>() {
            return 0;
        }
        let end = TaskId(NEXT.load(Ordering::Relaxed));
        let mut flushed = 0;
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
