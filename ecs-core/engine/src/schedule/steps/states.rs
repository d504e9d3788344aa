//! States of a program, and systems that run when they change.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use super::nested::Nested;
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;
use crate::schedule::Schedule;
use crate::schedule::declare::{Configs, Driver, Inner, IntoConfigs, Listed};
use crate::system::BoxError;
use crate::type_name::type_name;
use crate::world::World;

/// A value for what a program is doing: in the menu, in the game, ...
///
/// Implemented for every type that is `Clone + Debug + Hash + Eq` and can be shared between threads; usually an enum.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a state",
    label = "not a state",
    note = "add `#[derive(Clone, Debug, PartialEq, Eq, Hash)]` to the type"
)]
pub trait StateValue: Clone + Debug + Hash + Eq + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<S: Clone + Debug + Hash + Eq + Send + Sync + 'static> StateValue for S {}

/// The current state; a resource that [`World::add_state`] inserts and [`Transitions`] changes.
#[derive(Clone, Debug)]
pub struct State<S> {
    current: S,
    /// True if the systems for entering the first state have run.
    entered: bool,
}

impl<S: StateValue> Resource for State<S> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_core::State", "State");
}

impl<S> State<S> {
    /// Returns the state.
    #[must_use]
    pub fn get(&self) -> &S {
        &self.current
    }
}

/// The requested state; a resource that [`World::add_state`] inserts.
#[derive(Clone, Debug)]
pub struct NextState<S> {
    next: Option<S>,
}

impl<S: StateValue> Resource for NextState<S> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic("ecs_core::NextState", "NextState");
}

impl<S> NextState<S> {
    /// Requests a transition to `state`, which the next run of [`Transitions`] makes.
    ///
    /// The last call before that counts. Requesting the current state cancels an earlier request.
    pub fn set(&mut self, state: S) {
        self.next = Some(state);
    }

    /// Returns the state that was requested since the last transition.
    #[must_use]
    pub fn get(&self) -> Option<&S> {
        self.next.as_ref()
    }
}

impl World {
    /// Adds the resources [`State<S>`] and [`NextState<S>`]; does nothing if there is a state of the type.
    ///
    /// The first run of [`Transitions`] runs the systems for entering `first`.
    pub fn add_state<S: StateValue>(&mut self, first: S) {
        if !self.contains_resource::<State<S>>() {
            self.insert_resource(State {
                current: first,
                entered: false,
            });
            self.insert_resource(NextState::<S> { next: None });
        }
    }
}

/// Runs systems when a state is left and another one entered; a step of a schedule, which makes the transitions.
///
/// A run of the step makes the transition that was requested through [`NextState`] since the last run, if it is to
/// another state:
///
/// 1. the systems for leaving the old state run, and still see the old one in [`State`];
/// 2. `State` becomes the new one;
/// 3. the systems for this pair of states run;
/// 4. the systems for entering the new state run.
///
/// There can be one `Transitions` for a type of state in a schedule, at all depths: a second one is an error of the plan.
///
/// The first run enters the first state before that. Transitions that these systems request are made by the next run,
/// so each run ends. The systems for one state run in the order in which they were added, as a schedule of their own.
///
/// If systems return errors, the others still run and the state still changes. A panic stops the transition at that
/// point.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{NextState, State, Transitions};
/// use ecs_core::schedule::conditions::in_state;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
///
/// #[derive(Component)]
/// struct Button;
///
/// #[system]
/// fn show_menu(mut commands: Commands) { _ = commands.spawn(Button) }
/// #[system]
/// fn hide_menu(world: &mut World) { world.despawn_all::<With<Button>>() }
/// #[system]
/// fn menu(buttons: Comp<Button>, mut next: ResMut<NextState<Screen>>) {
///     assert_eq!(buttons.len(), 1);
///     next.set(Screen::Game);
/// }
/// #[system]
/// fn play(buttons: Comp<Button>, mut rounds: ResMut<u32>) {
///     assert!(buttons.is_empty());
///     *rounds += 1;
/// }
///
/// let mut screens = Transitions::new();
/// screens.on_enter(Screen::Menu, show_menu).on_exit(Screen::Menu, hide_menu);
/// let mut frame = Schedule::new();
/// frame.add((screens, menu.run_if(in_state(Screen::Menu)), play.run_if(in_state(Screen::Game))));
///
/// let mut world = World::new();
/// world.add_state(Screen::Menu);
/// world.insert_resource(0_u32);
/// frame.run(&mut world)?;
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<State<Screen>>().get(), Screen::Game);
/// assert_eq!(*world.resource::<u32>(), 1);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[must_use = "does nothing until it is added to a schedule"]
pub struct Transitions<S> {
    /// In the order in which they were added, which is also the order in which they are dropped.
    handlers: Vec<(Moment<S>, Schedule)>,
}

/// When the systems of a schedule run.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Moment<S> {
    Enter(S),
    Exit(S),
    Between(S, S),
}

impl<S: Debug> Moment<S> {
    fn name(&self) -> String {
        match self {
            Self::Enter(state) => format!("on_enter({state:?})"),
            Self::Exit(state) => format!("on_exit({state:?})"),
            Self::Between(from, to) => format!("on_transition({from:?}, {to:?})"),
        }
    }
}

impl<S: StateValue> Transitions<S> {
    /// Creates transitions that only change the state.
    pub fn new() -> Self {
        Self {
            handlers: Vec::new(),
        }
    }

    fn add<M>(&mut self, moment: Moment<S>, systems: impl IntoConfigs<M>) -> &mut Self {
        let known = self.handlers.iter().position(|(known, _)| *known == moment);
        let index = known.unwrap_or_else(|| {
            self.handlers.push((moment, Schedule::new()));
            self.handlers.len() - 1
        });
        self.handlers[index].1.add(systems);
        self
    }

    /// Adds systems that run when `state` is entered.
    pub fn on_enter<M>(&mut self, state: S, systems: impl IntoConfigs<M>) -> &mut Self {
        self.add(Moment::Enter(state), systems)
    }

    /// Adds systems that run when `state` is left.
    pub fn on_exit<M>(&mut self, state: S, systems: impl IntoConfigs<M>) -> &mut Self {
        self.add(Moment::Exit(state), systems)
    }

    /// Adds systems that run after `from` was left and before `to` is entered.
    pub fn on_transition<M>(&mut self, from: S, to: S, systems: impl IntoConfigs<M>) -> &mut Self {
        self.add(Moment::Between(from, to), systems)
    }
}

impl<S: StateValue> Default for Transitions<S> {
    fn default() -> Self {
        Self::new()
    }
}

#[diagnostic::do_not_recommend]
impl<S: StateValue> IntoConfigs<Nested> for Transitions<S> {
    fn into_configs(self) -> Configs {
        let (mut moments, mut schedules) = (Vec::new(), Vec::new());
        for (moment, schedule) in self.handlers {
            schedules.push(schedule.into_inner(moment.name()));
            moments.push(moment);
        }
        let changes = Changes {
            moments,
            pending: VecDeque::new(),
        };
        let mut inner = Inner::new(schedules, changes);
        inner.is_of_state = true;
        Configs::of(Listed::with_inner::<Self>(type_name::<Self>(), inner))
    }
}

/// Makes the transition that was requested, and names the schedules that run on it.
struct Changes<S> {
    /// Of each schedule.
    moments: Vec<Moment<S>>,
    /// The rest of the transition.
    pending: VecDeque<Change<S>>,
}

enum Change<S> {
    /// The schedule of a moment runs, if there is one.
    Run(Moment<S>),
    /// The state becomes another one.
    Switch(S),
}

impl<S: StateValue> Driver for Changes<S> {
    fn start(&mut self, world: &mut World) -> Result<(), BoxError> {
        let Some(mut state) = world.get_resource_mut::<State<S>>() else {
            let state = type_name::<S>();
            return Err(format!(
                "there is no state of the type `{state}`; help: add the first one with `world.add_state`"
            )
            .into());
        };
        // A panic stopped it.
        self.pending.clear();
        let old = state.current.clone();
        // Without marking it as changed otherwise.
        if !state.entered {
            state.entered = true;
            self.pending
                .push_back(Change::Run(Moment::Enter(old.clone())));
        }
        drop(state);
        let next = world.get_resource_mut::<NextState<S>>();
        let next = next.and_then(|mut next| next.bypass().next.take());
        if let Some(new) = next.filter(|new| *new != old) {
            self.pending.extend([
                Change::Run(Moment::Exit(old.clone())),
                Change::Switch(new.clone()),
                Change::Run(Moment::Between(old, new.clone())),
                Change::Run(Moment::Enter(new)),
            ]);
        }
        Ok(())
    }

    fn next(&mut self, world: &mut World) -> Option<usize> {
        loop {
            match self.pending.pop_front()? {
                Change::Switch(new) => world.resource_mut::<State<S>>().current = new,
                Change::Run(moment) => {
                    let found = self.moments.iter().position(|known| *known == moment);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
    }
}
