//! The app: a world, its schedules, and the additions of plugins.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::{ErrorPolicy, Executor, Fixed, Schedule, ScheduleError, Transitions};
#[cfg(feature = "snapshot")]
use ecs_engine::snapshot::Snapshotter;
use ecs_engine::world::FromWorld;
use ecs_engine::world::hooks::{IntoObserver, ObserverId};

use crate::built::{BuiltApp, FixedRate};
use crate::clock::Clock;
use crate::error::{AppError, Problem};
use crate::exit::{AppExit, Exit};
use crate::hooks::Door;
use crate::lists::AppSchedules;
use crate::plugins::Plugins;
use crate::real_time::RealTime;
use crate::time::Time;

/// A program: a world, the schedules that run on it, and the plugins that it is made of.
///
/// # Schedules
/// `Startup` runs once. Then, in each frame, [`StateTransition`](crate::StateTransition), [`First`](crate::First),
/// [`PreUpdate`](crate::PreUpdate), [`FixedUpdate`](crate::FixedUpdate) (as often as its steps fit into the time that passed),
/// [`Update`](crate::Update), [`PostUpdate`](crate::PostUpdate) and [`Last`](crate::Last). Within one of them, `before`,
/// `after`, `chain` and sets decide the order, and otherwise the order of adding does.
///
/// All schedules of a frame are one list and one plan: the first systems of `Update` may run while the last ones of
/// `PreUpdate` do, if they do not conflict. The label of a schedule is a set, and constraints of later schedules can name
/// it. Everything is planned, checked and prepared before the first frame ([`build`](Self::build)), so all readers of events
/// see all events.
///
/// # Frames
/// [`run`](Self::run) runs frames until a system asks for the end through [`Exit`], or an error ends the app.
/// [`update`](Self::update) runs one by the clock, and [`update_by`](Self::update_by) one of a given length: for tests, and
/// for the loop of a window, which may belong to a library.
///
/// ```
/// use std::time::Duration;
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system]
/// fn throw(mut commands: Commands) {
///     commands.spawn((Position(0.0), Velocity(3.0)));
/// }
///
/// #[system(for_each)]
/// fn movement(position: &mut Position, velocity: &Velocity, time: Res<Time>) {
///     position.0 += velocity.0 * time.delta_secs();
/// }
///
/// fn physics(app: &mut App) {
///     app.add_systems(Update, movement);
/// }
///
/// let mut app = App::new();
/// app.add_plugin(physics).add_systems(Startup, throw);
/// app.update_by(Duration::from_millis(250));
/// app.update_by(Duration::from_millis(250));
/// assert_eq!(app.world().view::<Position>().iter().next().unwrap().0, 1.5);
/// ```
pub struct App {
    pub(crate) world: World,
    pub(crate) lists: AppSchedules,
    pub(crate) states: Option<Transitions>,
    pub(crate) plugins: Plugins,
    pub(crate) finally: VecDeque<Finally>,
    /// The mistakes found so far.
    pub(crate) problems: Vec<Problem>,
    pub(crate) built: Option<Result<BuiltApp, AppError>>,
    /// True if nothing was added since it was built.
    pub(crate) is_ready: bool,
    /// True if `Startup` has run.
    pub(crate) has_started: bool,
    /// True in a frame, also between two of its systems, and after one that panicked.
    pub(crate) is_running: bool,
    pub(crate) exit: Option<AppExit>,
    pub(crate) on_error: ErrorPolicy,
    pub(crate) clock: Clock,
    pub(crate) fixed: FixedRate,
    /// The length of a frame of `run`.
    pub(crate) frame: Option<Duration>,
    pub(crate) threads: Threads,
    pub(crate) runner: Option<Runner>,
    #[cfg(feature = "snapshot")]
    pub(crate) snapshotter: Snapshotter,
    /// Hooks and the pause; `None` without them.
    pub(crate) door: Option<Box<Door<Self>>>,
}

/// The threads that systems run on.
pub(crate) enum Threads {
    /// Several, where that is faster.
    Choose,
    /// The one that runs the app.
    One,
    /// The threads of an executor.
    By(Box<dyn Executor + Send>),
}

impl Threads {
    pub(crate) fn run(
        &mut self,
        schedule: &mut Schedule,
        world: &mut World,
    ) -> Result<(), ScheduleError> {
        match self {
            Self::Choose => schedule.run(world),
            Self::One => schedule.run_seq(world),
            Self::By(executor) => schedule.run_with(world, &mut **executor),
        }
    }
}

/// A function that runs an app to its end.
pub(crate) type Runner = Box<dyn FnOnce(App) -> AppExit + Send>;

/// A function that is called after all plugins were added.
pub(crate) type Finally = Box<dyn FnOnce(&mut App) + Send>;

impl App {
    /// The length of a step of [`FixedUpdate`](crate::FixedUpdate), unless [`fixed_step`](Self::fixed_step) sets another one:
    /// 1/64 s.
    pub const DEFAULT_FIXED_STEP: Duration = Duration::from_nanos(15_625_000);

    /// Creates an app without systems.
    ///
    /// Its world has the resources [`Time`], [`RealTime`] and [`Exit`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut app = App::new();
    /// app.add_systems(Update, |time: Res<Time>| println!("{:?}", time.delta()));
    /// app.update();
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let mut world = World::new();
        world.insert_resource(Time::default());
        world.insert_resource(RealTime::default());
        world.insert_resource(Exit::default());
        #[cfg(feature = "snapshot")]
        crate::data::make_known(&mut world);
        Self {
            world,
            lists: AppSchedules::new(),
            states: None,
            plugins: Plugins::default(),
            finally: VecDeque::new(),
            problems: Vec::new(),
            built: None,
            is_ready: false,
            has_started: false,
            is_running: false,
            exit: None,
            on_error: ErrorPolicy::default(),
            clock: Clock::default(),
            fixed: FixedRate {
                step: Self::DEFAULT_FIXED_STEP,
                max_steps: Fixed::DEFAULT_MAX_STEPS,
            },
            frame: None,
            threads: Threads::Choose,
            runner: None,
            #[cfg(feature = "snapshot")]
            snapshotter: Snapshotter::new(),
            door: None,
        }
    }

    /// Returns the world.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut app = App::new();
    /// app.insert_resource(7_u32);
    /// assert_eq!(*app.world().resource::<u32>(), 7);
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut app = App::new();
    /// app.world_mut().spawn(());
    /// assert_eq!(app.world().len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        if !self.is_ready {
            self.make_known();
        }
        &mut self.world
    }

    /// Makes the types of systems known that are not prepared yet, since you may load values of them.
    #[cold]
    fn make_known(&mut self) {
        self.lists.make_known(&mut self.world);
        if let Some(states) = &self.states {
            states.make_known(&mut self.world);
        }
    }

    /// Inserts a resource, in place of an existing one.
    pub fn insert_resource<R: Send + Sync + 'static>(&mut self, resource: R) -> &mut Self {
        self.world.insert_resource(resource);
        self
    }

    /// Inserts a resource made by its [`Default`], or by `FromWorld`, unless there is one.
    ///
    /// So a plugin gives defaults, and the game may set the resource before or after it adds the plugin.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut app = App::new();
    /// app.insert_resource(7_u32);
    /// app.init_resource::<u32>().init_resource::<u64>();
    /// assert_eq!((*app.world().resource::<u32>(), *app.world().resource::<u64>()), (7, 0));
    /// ```
    pub fn init_resource<R: FromWorld + Send + Sync + 'static>(&mut self) -> &mut Self {
        self.init_resource_with(|world| R::from_world(world))
    }

    /// Inserts a resource made by a function, unless there is one.
    pub fn init_resource_with<R: Send + Sync + 'static>(
        &mut self,
        make: impl FnOnce(&mut World) -> R,
    ) -> &mut Self {
        if !self.world.contains_resource::<R>() {
            let resource = make(&mut self.world);
            self.world.insert_resource(resource);
        }
        self
    }

    /// Adds the events of a type; does nothing if the world has them.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// struct Hit(u32);
    ///
    /// let mut app = App::new();
    /// app.add_event::<Hit>().insert_resource(0_u32).add_systems(
    ///     Update,
    ///     (
    ///         |mut hits: EventWriter<Hit>| hits.send(Hit(3)),
    ///         |mut hits: EventReader<Hit>, mut sum: ResMut<u32>| hits.read().for_each(|hit| *sum += hit.0),
    ///     ),
    /// );
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 3);
    /// ```
    #[doc(alias = "add_message")]
    #[doc(alias = "register_event")]
    pub fn add_event<E: Send + Sync + 'static>(&mut self) -> &mut Self {
        self.world.add_event::<E>();
        self
    }

    /// Registers an observer; see [`World::observe`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Bell;
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).observe(|_: Trigger<Bell>, mut rung: ResMut<u32>| *rung += 1);
    /// app.world_mut().trigger(Bell);
    /// assert_eq!(*app.world().resource::<u32>(), 1);
    /// ```
    #[doc(alias = "add_observer")]
    pub fn observe<M>(&mut self, observer: impl IntoObserver<M>) -> &mut Self {
        let _: ObserverId = self.world.observe(observer);
        self
    }

    /// Sets the length of a step of [`FixedUpdate`](crate::FixedUpdate).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// let mut app = App::new();
    /// app.fixed_step(Duration::from_millis(10));
    /// app.insert_resource(0_u32).add_systems(FixedUpdate, |mut steps: ResMut<u32>| *steps += 1);
    /// app.update_by(Duration::from_millis(35));
    /// assert_eq!(*app.world().resource::<u32>(), 3);
    /// ```
    ///
    /// # Panics
    /// If `step` is zero, and after the app was built.
    #[track_caller]
    pub fn fixed_step(&mut self, step: Duration) -> &mut Self {
        assert!(
            !step.is_zero(),
            "the length of a fixed step must not be zero; help: use at least a nanosecond"
        );
        self.assert_unbuilt();
        self.fixed.step = step;
        self
    }

    /// Sets the greatest number of steps of [`FixedUpdate`](crate::FixedUpdate) in a frame, at first 8. Raise it if you
    /// [scale](Time::set_scale) the time up. See [`Fixed::max_steps`].
    ///
    /// # Panics
    /// After the app was built.
    #[track_caller]
    pub fn max_fixed_steps(&mut self, steps: u32) -> &mut Self {
        self.assert_unbuilt();
        self.fixed.max_steps = steps;
        self
    }

    #[track_caller]
    pub(crate) fn assert_unbuilt(&self) {
        assert!(
            self.built.is_none(),
            "the app is built, so its fixed rate cannot change; help: set it before the first frame"
        );
    }

    /// Chooses the reaction to a system that returns an error; at first the app [ends](ErrorPolicy::Exit).
    pub fn on_error(&mut self, policy: ErrorPolicy) -> &mut Self {
        self.on_error = policy;
        self
    }

    /// Replaces the clock that [`update`](Self::update) and [`run`](Self::run) measure frames by.
    pub fn set_clock(&mut self, clock: Clock) -> &mut Self {
        self.clock = clock;
        self
    }

    /// Runs all systems on the thread that runs the app, if `on`. Otherwise, and by default, runs them on several threads
    /// where that is faster. The results are the same.
    pub fn single_threaded(&mut self, on: bool) -> &mut Self {
        self.threads = if on { Threads::One } else { Threads::Choose };
        self.world.run_schedules_on_one_thread(on);
        self
    }

    /// Makes an executor of your own run the systems of each frame, including systems of schedules that these run
    /// by hand; see [`Executor`].
    pub fn set_executor(&mut self, executor: impl Executor + Send + 'static) -> &mut Self {
        self.threads = Threads::By(Box::new(executor));
        self.world.run_schedules_on_one_thread(false);
        self
    }
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("built", &self.built.as_ref().is_some_and(Result::is_ok))
            .field("exit", &self.exit)
            .finish_non_exhaustive()
    }
}
