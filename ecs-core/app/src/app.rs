//! The app: a world, its schedules, and what plugins add to them.

use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::{
    ErrorPolicy, Executor, IntoConfigs, Label, Schedule, ScheduleError, SetConfig, SetLabel,
};
use ecs_engine::system::FromWorld;
use ecs_engine::world::hooks::{IntoObserver, ObserverId};

use crate::build::Built;
use crate::clock::Clock;
use crate::error::{AppError, Problem};
use crate::exit::{AppExit, Exit};
use crate::lists::{Kind, Lists};
use crate::plugin::Plugins;
use crate::real_time::RealTime;
use crate::run::Runner;
use crate::states::States;
use crate::time::Time;

/// A program: a world, the schedules that run on it, and the plugins that it is made of.
///
/// # Schedules
/// `Startup` runs once. Then, in each frame, [`StateTransition`](crate::StateTransition), [`First`](crate::First),
/// [`PreUpdate`](crate::PreUpdate), [`FixedUpdate`](crate::FixedUpdate) (as often as its steps fit into the time that passed),
/// [`Update`](crate::Update), [`PostUpdate`](crate::PostUpdate) and [`Last`](crate::Last). What is before and after within one
/// of them is said by `before`, `after`, `chain` and sets, and otherwise by the order of adding.
///
/// All schedules of a frame are one list and one plan: the first systems of `Update` may run while the last ones of
/// `PreUpdate` do, if they do not conflict. The label of a schedule is a set, which constraints of later ones can name.
/// Everything is planned, checked and prepared before the first frame ([`build`](Self::build)), so all readers of events see
/// all events.
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
    pub(crate) lists: Lists,
    pub(crate) states: States,
    pub(crate) plugins: Plugins,
    pub(crate) finally: VecDeque<Finally>,
    /// What was found to be wrong so far.
    pub(crate) problems: Vec<Problem>,
    pub(crate) built: Option<Result<Built, AppError>>,
    /// True if nothing was added since it was built.
    pub(crate) is_ready: bool,
    /// True if `Startup` has run.
    pub(crate) has_started: bool,
    pub(crate) exit: Option<AppExit>,
    pub(crate) on_error: ErrorPolicy,
    pub(crate) clock: Clock,
    pub(crate) fixed_step: Duration,
    /// The length of a frame of `run`.
    pub(crate) frame: Option<Duration>,
    pub(crate) threads: Threads,
    pub(crate) runner: Option<Runner>,
}

/// The threads that systems run on.
pub(crate) enum Threads {
    /// Several, where that is faster.
    Choose,
    /// The one that runs the app.
    One,
    /// Those of an executor.
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

/// A function that is called after all plugins were added.
pub(crate) type Finally = Box<dyn FnOnce(&mut App) + Send>;

impl App {
    /// The length of a step of [`FixedUpdate`](crate::FixedUpdate), unless [`fixed_step`](Self::fixed_step) sets another one:
    /// 1/64 s.
    pub const DEFAULT_FIXED_STEP: Duration = Duration::from_nanos(15_625_000);

    /// Creates an app without systems.
    ///
    /// Its world has the resources [`Time`], [`RealTime`] and [`Exit`].
    #[must_use]
    pub fn new() -> Self {
        let mut world = World::new();
        world.insert_resource(Time::default());
        world.insert_resource(RealTime::default());
        world.insert_resource(Exit::default());
        Self {
            world,
            lists: Lists::new(),
            states: States::default(),
            plugins: Plugins::default(),
            finally: VecDeque::new(),
            problems: Vec::new(),
            built: None,
            is_ready: false,
            has_started: false,
            exit: None,
            on_error: ErrorPolicy::default(),
            clock: Clock::default(),
            fixed_step: Self::DEFAULT_FIXED_STEP,
            frame: None,
            threads: Threads::Choose,
            runner: None,
        }
    }

    /// Returns the world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world.
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Adds systems to a schedule, at the end of its list: one that every app has, such as [`Update`](crate::Update), or one
    /// of [your own](Self::insert_schedule_after), also if that is added later.
    ///
    /// Systems can also be added between frames; then what is new is planned before the next one. Only `Startup` cannot be
    /// added to when it has run.
    #[track_caller]
    pub fn add_systems<M>(
        &mut self,
        schedule: impl SetLabel,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        let (label, at) = (Label::new(schedule), Location::caller());
        self.is_ready = false;
        match &mut self.built {
            None => _ = self.lists.of(label, at).schedule.add(systems),
            Some(Ok(built)) => {
                let so_far = (self.has_started, self.fixed_step);
                let problem = built.add_systems(&mut self.world, so_far, label, at, systems);
                self.problems.extend(problem);
            }
            Some(Err(_)) => {}
        }
        self
    }

    /// Configures a set of systems: constraints and conditions for all systems that are in it, whichever plugin adds them. See
    /// [`Schedule::configure`].
    ///
    /// Sets are shared by all schedules that run each frame. `FixedUpdate` and those that are run by hand have their own.
    #[track_caller]
    pub fn configure(
        &mut self,
        schedule: impl SetLabel,
        set: impl SetLabel,
        configure: impl FnOnce(SetConfig) -> SetConfig,
    ) -> &mut Self {
        let (label, at) = (Label::new(schedule), Location::caller());
        self.is_ready = false;
        match &mut self.built {
            None => _ = self.lists.of(label, at).schedule.configure(set, configure),
            Some(_) => self.too_late(&label, at),
        }
        self
    }

    /// Adds a schedule that the program runs by hand, with [`World::run_schedule`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::ScheduleError;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// struct Turn;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    /// #[system]
    /// fn two_turns(world: &mut World) -> Result<(), ScheduleError> {
    ///     world.run_schedule(Turn)?;
    ///     world.run_schedule(Turn)
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32);
    /// app.add_schedule(Turn).add_systems(Turn, think).add_systems(Update, two_turns);
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 2);
    /// ```
    #[track_caller]
    pub fn add_schedule(&mut self, schedule: impl SetLabel) -> &mut Self {
        let (label, at) = (Label::new(schedule), Location::caller());
        if self.built.is_some() {
            self.too_late(&label, at);
            return self;
        }
        let named = self.lists.of(label, at);
        if named.kind == Kind::Unknown {
            named.kind = Kind::ByHand;
        } else {
            let label = format!("{:?}", named.label);
            self.problems.push(Problem::ScheduleTwice { label, at });
        }
        self
    }

    /// Adds a schedule that runs once a frame, directly after another one.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// struct Combat;
    ///
    /// #[system]
    /// fn fight(mut log: ResMut<String>) { log.push('f') }
    /// #[system]
    /// fn walk(mut log: ResMut<String>) { log.push('w') }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(String::new());
    /// app.insert_schedule_after(Update, Combat);
    /// app.add_systems(Combat, fight).add_systems(Update, walk);
    /// app.update();
    /// assert_eq!(*app.world().resource::<String>(), "wf");
    /// ```
    #[track_caller]
    pub fn insert_schedule_after(
        &mut self,
        other: impl SetLabel,
        schedule: impl SetLabel,
    ) -> &mut Self {
        self.place(
            Label::new(schedule),
            true,
            Label::new(other),
            Location::caller(),
        )
    }

    /// Adds a schedule that runs once a frame, directly before another one.
    #[track_caller]
    pub fn insert_schedule_before(
        &mut self,
        other: impl SetLabel,
        schedule: impl SetLabel,
    ) -> &mut Self {
        self.place(
            Label::new(schedule),
            false,
            Label::new(other),
            Location::caller(),
        )
    }

    fn place(
        &mut self,
        label: Label,
        after: bool,
        other: Label,
        at: &'static Location<'static>,
    ) -> &mut Self {
        if self.built.is_some() {
            self.too_late(&label, at);
        } else {
            self.lists.place(label, after, other, at);
        }
        self
    }

    pub(crate) fn too_late(&mut self, to: &dyn fmt::Debug, at: &'static Location<'static>) {
        self.is_ready = false;
        self.problems.push(Problem::TooLate {
            to: format!("{to:?}"),
            at,
        });
    }

    /// Inserts a resource, in place of the one that there is.
    pub fn insert_resource<R: Send + Sync + 'static>(&mut self, resource: R) -> &mut Self {
        self.world.insert_resource(resource);
        self
    }

    /// Inserts a resource made by its [`Default`], or by `FromWorld`, unless there is one.
    ///
    /// So a plugin gives defaults, whether the game sets the resource before or after it adds the plugin.
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
    pub fn add_event<E: Send + Sync + 'static>(&mut self) -> &mut Self {
        self.world.add_event::<E>();
        self
    }

    /// Registers an observer; see [`World::observe`].
    pub fn observe<M>(&mut self, observer: impl IntoObserver<M>) -> &mut Self {
        let _: ObserverId = self.world.observe(observer);
        self
    }

    /// Sets the length of a step of [`FixedUpdate`](crate::FixedUpdate).
    ///
    /// A frame runs at most 8 steps.
    ///
    /// # Panics
    /// If `step` is zero, and after the app was built.
    #[track_caller]
    pub fn fixed_step(&mut self, step: Duration) -> &mut Self {
        assert!(
            !step.is_zero(),
            "the length of a fixed step must not be zero; help: use at least a nanosecond"
        );
        assert!(
            self.built.is_none(),
            "the app is built, so the length of its fixed step cannot change; help: set it before the first frame"
        );
        self.fixed_step = step;
        self
    }

    /// Sets what happens if a system returns an error; at first the app [ends](ErrorPolicy::Exit).
    pub fn on_error(&mut self, policy: ErrorPolicy) -> &mut Self {
        self.on_error = policy;
        self
    }

    /// Replaces the clock that [`update`](Self::update) and [`run`](Self::run) measure frames by.
    pub fn set_clock(&mut self, clock: Clock) -> &mut Self {
        self.clock = clock;
        self
    }

    /// Runs all systems on the thread that runs the app, if `on`; otherwise on several where that is faster, which is what an
    /// app does at first. The results are the same.
    pub fn single_threaded(&mut self, on: bool) -> &mut Self {
        self.threads = if on { Threads::One } else { Threads::Choose };
        self.world.run_schedules_on_one_thread(on);
        self
    }

    /// Makes an executor of your own run the systems of each frame; see [`Executor`].
    pub fn set_executor(&mut self, executor: impl Executor + Send + 'static) -> &mut Self {
        self.threads = Threads::By(Box::new(executor));
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
