//! Declaration of states and of the systems that run when they change.

use alloc::string::String;
use alloc::vec::Vec;
use core::panic::Location;

use super::StateValue;
use super::declared::DeclaredStates;
use super::driver::Changes;
use super::origin::StateOrigin;
use super::typed::TransitionMoment;
use crate::schedule::Schedule;
use crate::schedule::declare::{Configs, Inner, IntoConfigs, ListedStep, StateError};
use crate::schedule::steps::Nested;
use crate::type_name::type_name;
use crate::world::World;

/// The states of a program, and the systems that run when they change. It is a step of a schedule, and makes the
/// transitions.
///
/// # States
/// * A state is added with its first value, by [`add_state`](Self::add_state) or by [`World::add_state`]. It changes by
///   requests to [`NextState`](super::NextState).
/// * A [sub state](Self::add_sub_state) exists only while another state, its parent, has a certain value. It changes by
///   requests too.
/// * A [computed state](Self::add_computed_state) follows from the value of its parent.
///
/// Parents can have parents. You can add handlers before the state, several times for a value, and in different parts of a
/// program. The systems for one event run in the order they were added, in a schedule of their own.
///
/// # A run
/// A run of the step makes the transitions of all states together:
///
/// 1. It finds the new values, parents first. A state gets the value that was requested since the last run. A computed state
///    gets the value computed from its parent's new value. A sub state begins with its first value when its parent enters
///    the value that it lives in, even if the parent enters it again. It ends when its parent leaves that value, and
///    requests for it are forgotten.
/// 2. The systems of [`on_exit`](Self::on_exit) run, children before parents, and see all old values in
///    [`State`](super::State). After the systems of a value, the entities with its [`DespawnOnExit`](super::DespawnOnExit)
///    are despawned.
/// 3. All `State` resources change. The resources of sub states and computed states are inserted when the states begin, and
///    removed when they end. So is the `NextState` of a sub state.
/// 4. The systems of [`on_transition`](Self::on_transition) run, parents before children. They are the systems for the
///    pair of the old and the new value, which are the same if a value is entered again. A sub state that begins, ends, or
///    begins anew has none.
/// 5. The systems of [`on_enter`](Self::on_enter) run, parents before children.
///
/// States without parent, and children of the same depth, go in the order they were first named. The first run enters the
/// first values before it looks at requests. If a system requests a state while the step runs, the next run makes the
/// transition, so each run ends.
///
/// # Errors and panics
/// If systems return errors, the others still run and the states still change.
///
/// A panic in a system stops the transition at that point. The next run of the step first makes the rest of it, without the
/// other systems of the same value. So no system runs twice, and each state is left and entered alternately. A panic in a
/// comparison of values, or in a function that computes one, changes nothing, and the requests of that run are forgotten.
///
/// A state that was added only to the world, and that no `Transitions` names, follows requests too: at the start of each
/// step of `Transitions` in the schedules of that world.
///
/// If a state has handlers or children but was added to neither the `Transitions` nor the world, each run of the step fails
/// with a [`StateError`]; [`errors`](Self::errors) finds it earlier. Contradictions among states, such as two different
/// first values, are errors of the plan. So is a second `Transitions` for a state in a schedule, at any depth. If two
/// schedules of a world do not know each other and both have one, the schedule that runs first follows a request.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{NextState, State, Transitions};
/// use ecs_core::schedule::conditions::in_state;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
///
/// /// Exists while the screen is the game.
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Pause { Running, Paused }
///
/// #[system]
/// fn load(mut log: ResMut<String>) { log.push_str("load ") }
/// #[system]
/// fn save(mut log: ResMut<String>) { log.push_str("save ") }
/// #[system]
/// fn start(mut next: ResMut<NextState<Screen>>) { next.set(Screen::Game) }
/// #[system]
/// fn play(mut log: ResMut<String>, mut next: ResMut<NextState<Pause>>) {
///     log.push_str("play ");
///     next.set(Pause::Paused);
/// }
///
/// let mut states = Transitions::new();
/// states
///     .on_enter(Screen::Game, load)
///     .on_enter(Pause::Paused, save)
///     .add_state(Screen::Menu)
///     .add_sub_state(Pause::Running, Screen::Game);
/// let mut frame = Schedule::new();
/// frame.add((
///     states,
///     start.run_if(in_state(Screen::Menu)),
///     play.run_if(in_state(Pause::Running)),
/// ));
///
/// let mut world = World::new();
/// world.insert_resource(String::new());
/// for _ in 0..4 {
///     frame.run(&mut world)?;
/// }
/// assert_eq!(*world.resource::<State<Pause>>().get(), Pause::Paused);
/// assert_eq!(*world.resource::<String>(), "load play save ");
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[must_use = "does nothing until it is added to a schedule"]
#[derive(Default)]
pub struct Transitions {
    states: DeclaredStates,
    /// In the order they were added and are dropped.
    handlers: Vec<(String, Schedule)>,
}

impl Transitions {
    /// Tells the world which data the systems name; see `Schedule::make_known`.
    #[doc(hidden)]
    pub fn make_known(&self, world: &mut World) {
        for (_, schedule) in &self.handlers {
            schedule.make_known(world, (0, 0));
        }
    }

    /// Creates transitions without states.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state with its first value. The value is inserted into the world before the first run of the schedule, unless
    /// the world already has a state of the type.
    ///
    /// Adding it again with the same value does nothing; with another value it is an error of the plan.
    #[track_caller]
    #[inline]
    pub fn add_state<S: StateValue>(&mut self, first: S) -> &mut Self {
        let added_as = format!("`{first:?}`");
        let at = Location::caller();
        self.states
            .add(StateOrigin::First(first), None, added_as, at);
        self
    }

    /// Adds a state that exists only while another one, its parent, has the value `while_in`. It begins with `first`
    /// whenever the parent enters that value.
    ///
    /// Its resources `State` and `NextState` exist only then, so systems may take them as an `Option`.
    ///
    /// Adding it again with the same values does nothing; with others it is an error of the plan.
    #[track_caller]
    #[inline]
    pub fn add_sub_state<S: StateValue, P: StateValue>(
        &mut self,
        first: S,
        while_in: P,
    ) -> &mut Self {
        let at = Location::caller();
        let added_as = format!("`{first:?}` while in `{while_in:?}`");
        let parent = self.states.declare::<P>(at);
        let origin = StateOrigin::sub(first, while_in);
        self.states.add(origin, Some(parent), added_as, at);
        self
    }

    /// Adds a state that follows from another one, its parent. Its value is the one that `compute` returns for the parent's
    /// value. It does not exist while `compute` returns `None` or the parent does not exist.
    ///
    /// It has a `State` only while it exists, and no `NextState`. It is left and entered when the computed value changes.
    /// `compute` is called when the parent may have changed, and has to return equal results for equal values.
    ///
    /// Adding it again with the same function, if that captures nothing, does nothing; with another one it is an error of
    /// the plan.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::schedule::{NextState, Transitions};
    /// use ecs_core::schedule::conditions::in_state;
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// enum Screen { Menu, Level(u8), Bonus }
    ///
    /// /// In any level or bonus level.
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// struct InGame;
    ///
    /// #[system]
    /// fn play(mut frames: ResMut<u32>) { *frames += 1 }
    ///
    /// let mut states = Transitions::new();
    /// states.add_state(Screen::Menu).add_computed_state(|screen: &Screen| {
    ///     matches!(screen, Screen::Level(_) | Screen::Bonus).then_some(InGame)
    /// });
    /// let mut frame = Schedule::new();
    /// frame.add((states, play.run_if(in_state(InGame))));
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// frame.run(&mut world)?;
    /// for next in [Screen::Level(1), Screen::Bonus] {
    ///     world.resource_mut::<NextState<Screen>>().set(next);
    ///     frame.run(&mut world)?;
    /// }
    /// assert_eq!(*world.resource::<u32>(), 2);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    #[track_caller]
    #[inline]
    pub fn add_computed_state<S: StateValue, P: StateValue>(
        &mut self,
        compute: impl Fn(&P) -> Option<S> + Send + Sync + 'static,
    ) -> &mut Self {
        let at = Location::caller();
        let added_as = format!("computed from `{}`", type_name::<P>());
        let parent = self.states.declare::<P>(at);
        let origin = StateOrigin::computed(compute);
        self.states.add(origin, Some(parent), added_as, at);
        self
    }

    /// Adds systems that run when `state` is entered.
    #[track_caller]
    #[inline]
    pub fn on_enter<S: StateValue, M>(
        &mut self,
        state: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        let at = Location::caller();
        self.schedule_at(TransitionMoment::Enter(state), at)
            .add(systems);
        self
    }

    /// Adds systems that run when `state` is left.
    #[track_caller]
    #[inline]
    pub fn on_exit<S: StateValue, M>(
        &mut self,
        state: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        let at = Location::caller();
        self.schedule_at(TransitionMoment::Exit(state), at)
            .add(systems);
        self
    }

    /// Adds systems that run after `from` is left and before `to` is entered.
    #[track_caller]
    #[inline]
    pub fn on_transition<S: StateValue, M>(
        &mut self,
        from: S,
        to: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        let at = Location::caller();
        let moment = TransitionMoment::Between(from, to);
        self.schedule_at(moment, at).add(systems);
        self
    }

    /// Returns all errors of the states, for a run in `world`: contradictions, and states that were added neither here nor
    /// to the world. Empty if there are none.
    ///
    /// The plan and the first run report the same errors, one at a time.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::Transitions;
    ///
    /// #[system]
    /// fn connect() {}
    ///
    /// let mut states = Transitions::new();
    /// states.on_enter(true, connect);
    /// let mut world = World::new();
    /// assert_eq!(states.errors(&world).len(), 1);
    /// world.add_state(false);
    /// assert!(states.errors(&world).is_empty());
    /// ```
    #[must_use]
    #[inline]
    pub fn errors(&self, world: &World) -> Vec<StateError> {
        self.states.errors(Some(world))
    }

    /// Returns the schedule that runs when a state is entered, left or changed.
    #[inline]
    fn schedule_at<S: StateValue>(
        &mut self,
        moment: TransitionMoment<S>,
        at: &'static Location<'static>,
    ) -> &mut Schedule {
        let state = self.states.declare::<S>(at);
        let typed = self.states.typed::<S>(state);
        let known = typed.moments.iter().find(|(known, _)| *known == moment);
        let index = match known {
            Some(&(_, index)) => index,
            None => {
                let index = self.handlers.len();
                self.handlers.push((moment.name(), Schedule::new()));
                typed.moments.push((moment, index));
                index
            }
        };
        &mut self.handlers[index].1
    }
}

#[diagnostic::do_not_recommend]
impl IntoConfigs<Nested> for Transitions {
    #[inline]
    fn into_configs(self) -> Configs {
        let mut schedules = Vec::with_capacity(self.handlers.len());
        for (name, schedule) in self.handlers {
            schedules.push(schedule.into_inner(name));
        }
        let (types, error) = (
            self.states.types(),
            self.states.errors(None).into_iter().next(),
        );
        let changes = Changes::new(self.states.into_driven(), schedules.len());
        let mut inner = Inner::new(schedules, changes);
        inner.states = types;
        inner.state_error = error;
        Configs::of(ListedStep::with_inner::<Self>("Transitions", inner))
    }
}
