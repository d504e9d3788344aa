//! The handle by which a script waits, and reaches the world.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use ecs_engine::{Entity, World};

use super::events::{ScriptEvents, new_cursor};
use super::state::{NewWait, SharedScript};
use super::wait::{WaitFuture, found};

/// The handle by which a [script](super) waits for something, and reaches the world; the argument of its function.
///
/// Each method returns a future, which begins when it is first awaited. A clone is another handle of the same script.
///
/// ```
/// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
/// use ecs_core::prelude::*;
/// use std::time::Duration;
///
/// #[derive(Component)]
/// struct Door { open: bool }
///
/// async fn creak(script: ScriptContext) {
///     let door = script.entity();
///     script.frames(2).await;
///     script.world(move |world| world.get_mut::<Door>(door).unwrap().open = true).await;
///     script.time(Duration::from_millis(30)).await;
///     script.world(move |world| world.get_mut::<Door>(door).unwrap().open = false).await;
/// }
///
/// let mut app = App::new();
/// app.add_systems(Update, run_scripts);
/// let door = app.world_mut().spawn((Door { open: false }, Script::new(creak)));
/// let mut is_open = || {
///     app.update_by(Duration::from_millis(20));
///     app.world().get::<Door>(door).unwrap().open
/// };
/// assert_eq!([(); 6].map(|()| is_open()), [false, false, true, true, false, false]);
/// ```
#[derive(Clone)]
pub struct ScriptContext {
    shared: Arc<SharedScript>,
}

impl ScriptContext {
    pub(super) fn new(shared: &Arc<SharedScript>) -> Self {
        Self {
            shared: Arc::clone(shared),
        }
    }

    /// Returns the entity that the script belongs to.
    ///
    /// It is another one after the [`Script`](super::Script) was taken from it and inserted into that one.
    #[must_use]
    pub fn entity(&self) -> Entity {
        let entity = self.shared.entity();
        entity.expect("a script gets its context when it starts")
    }

    /// Returns the time since the start of the script, as [`time`](Self::time) counts it.
    ///
    /// A wait ends with the first frame after its time, so a loop of waits falls behind. One that counts from here does not:
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// async fn shoot(script: ScriptContext) {
    ///     for shot in 1.. {
    ///         let next = shot * Duration::from_millis(100);
    ///         script.time(next.saturating_sub(script.elapsed())).await;
    ///         script.world(|world| *world.resource_mut::<u32>() += 1).await;
    ///     }
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, run_scripts);
    /// app.world_mut().spawn(Script::new(shoot));
    /// app.update_times(101, Duration::from_millis(70)); // it starts in the first one, and 7 seconds follow
    /// assert_eq!(*app.world().resource::<u32>(), 70);
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.shared.elapsed()
    }

    /// Waits for a number of runs of [`run_scripts`](super::run_scripts), which are frames if it is listed in
    /// [`Update`](crate::Update). For 0 runs it does not wait.
    pub fn frames(&self, frames: u64) -> impl Future<Output = ()> + Send + use<> {
        WaitFuture::new(&self.shared, NewWait::Frames(frames))
    }

    /// Waits until this much time has passed: the sum of [`Time::delta`](crate::Time::delta) in the runs that follow. For a time
    /// of zero it does not wait.
    ///
    /// So it follows the time of the game, which is paused and scaled, and stands still while `run_scripts` does not run.
    pub fn time(&self, time: Duration) -> impl Future<Output = ()> + Send + use<> {
        WaitFuture::new(&self.shared, NewWait::Time(time))
    }

    /// Waits until an entity is despawned. For one that is not alive it does not wait.
    pub fn despawned(&self, entity: Entity) -> impl Future<Output = ()> + Send + use<> {
        WaitFuture::new(&self.shared, NewWait::Despawn(entity))
    }

    /// Waits until a condition is true. It is asked at once, and then once a run.
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// async fn retreat(script: ScriptContext) {
    ///     let boss = script.entity();
    ///     script.until(move |world| world.get::<Health>(boss).unwrap().0 < 30).await;
    ///     script.world(move |world| world.despawn(boss)).await.unwrap();
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// let boss = world.spawn((Health(40), Script::new(retreat)));
    /// world.run(run_scripts);
    /// assert!(world.contains(boss));
    /// world.get_mut::<Health>(boss).unwrap().0 = 20;
    /// world.run(run_scripts);
    /// assert!(!world.contains(boss));
    /// ```
    pub fn until<F>(&self, mut condition: F) -> impl Future<Output = ()> + Send + use<F>
    where
        F: FnMut(&World) -> bool + Send + 'static,
    {
        let check = Box::new(move |world: &mut World| condition(world));
        WaitFuture::new(&self.shared, NewWait::Check(check))
    }

    /// Waits until a function finds a value, and returns it. The function is called at once, and then once a run.
    ///
    /// For example for the result of work on a thread:
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    /// use ecs_core::task::Tasks;
    ///
    /// #[derive(Resource, Clone)]
    /// struct Level(u32);
    ///
    /// async fn load(script: ScriptContext) {
    ///     script.world(|world| {
    ///         let mut tasks = world.resource_mut::<Tasks>();
    ///         std::thread::spawn(tasks.work(
    ///             || Level(42),
    ///             |world, level| _ = world.insert_resource(level.unwrap()),
    ///         ));
    ///     }).await;
    ///     let level = script.until_some(|world| world.get_resource::<Level>().map(|level| level.clone()));
    ///     let Level(number) = level.await;
    ///     script.world(move |world| world.insert_resource(format!("level {number}"))).await;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// world.insert_resource(Tasks::default());
    /// world.spawn(Script::new(load));
    /// while !world.contains_resource::<String>() {
    ///     world.flush_tasks();
    ///     world.run(run_scripts);
    ///     # std::thread::yield_now();
    /// }
    /// assert_eq!(*world.resource::<String>(), "level 42");
    /// ```
    pub fn until_some<T, F>(&self, mut find: F) -> impl Future<Output = T> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnMut(&World) -> Option<T> + Send + 'static,
    {
        found(&self.shared, move |world| find(world))
    }

    /// Calls a function with the world, in the same run, and returns its result.
    ///
    /// The function is the only way to the world: it may spawn and despawn, run systems and schedules, and start other scripts,
    /// which run from the next run on. If it despawns the script's own entity, the script ends here.
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Rat;
    ///
    /// #[system]
    /// fn rats(rats: Query<&Rat>) -> usize { rats.count() }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// world.spawn(Script::new(async |script: ScriptContext| {
    ///     while script.world(|world| rats(world)).await < 3 {
    ///         script.world(|world| world.spawn(Rat)).await;
    ///     }
    /// }));
    /// world.run(run_scripts);
    /// assert_eq!(rats(&world), 3);
    /// ```
    pub fn world<T, F>(&self, call: F) -> impl Future<Output = T> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&mut World) -> T + Send + 'static,
    {
        let mut call = Some(call);
        found(&self.shared, move |world| {
            call.take().map(|call| call(world))
        })
    }

    /// Waits for the next event, and returns a copy. It sees events from the moment on when it is first awaited; a loop that must
    /// not miss any uses [`events`](Self::events).
    pub fn event<E: Clone + Send + Sync + 'static>(
        &self,
    ) -> impl Future<Output = E> + Send + use<E> {
        let events = self.events::<E>();
        async move { events.await.next_event().await }
    }

    /// Returns a reader that sees each event from now on. It does not wait. Adds the events to the world if they are missing.
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Clone)]
    /// struct Coin(u32);
    ///
    /// async fn save_up(script: ScriptContext) {
    ///     let mut coins = script.events::<Coin>().await;
    ///     let mut sum = 0;
    ///     while sum < 6 {
    ///         sum += coins.next_event().await.0;
    ///     }
    ///     script.world(move |world| world.insert_resource(sum)).await;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// world.send_event(Coin(100)); // before its start
    /// world.spawn(Script::new(save_up));
    /// for coin in 1..=3 {
    ///     world.run(run_scripts);
    ///     assert!(!world.contains_resource::<u32>());
    ///     world.send_event(Coin(coin));
    /// }
    /// world.run(run_scripts);
    /// assert_eq!(*world.resource::<u32>(), 6);
    /// ```
    ///
    /// Events are kept until all their readers have read them: drop a reader that is no longer needed.
    pub fn events<E: Send + Sync + 'static>(
        &self,
    ) -> impl Future<Output = ScriptEvents<E>> + Send + use<E> {
        let shared = Arc::clone(&self.shared);
        let cursor = self.world(new_cursor);
        async move { ScriptEvents::new(shared, cursor.await) }
    }
}

impl fmt::Debug for ScriptContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ScriptContext");
        debug.field("entity", &self.shared.entity());
        debug.field("name", &self.shared.name).finish()
    }
}
