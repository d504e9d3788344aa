//! The states of an app.

use std::fmt::Debug;
use std::panic::Location;

use ecs_engine::schedule::{IntoConfigs, StateValue, Transitions};

use crate::app::App;

/// States: the active part of a program, and systems that run when it changes.
///
/// Any plugin can add them, in any order and any number of times: the systems for one event run in the order they were
/// added. See [`Transitions`] for when they run.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{DespawnOnExit, NextState};
/// use ecs_core::schedule::conditions::in_state;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
/// #[derive(Component)]
/// struct Button;
///
/// #[system]
/// fn show_menu(mut commands: Commands) {
///     commands.spawn((Button, DespawnOnExit(Screen::Menu)));
/// }
/// #[system]
/// fn menu(mut next: ResMut<NextState<Screen>>) { next.set(Screen::Game) }
///
/// fn menus(app: &mut App) {
///     app.on_enter(Screen::Menu, show_menu);
///     app.add_systems(Update, menu.run_if(in_state(Screen::Menu)));
/// }
///
/// let mut app = App::new();
/// app.add_plugin(menus).add_state(Screen::Menu);
/// app.update();
/// assert_eq!(app.world().view::<Button>().len(), 1);
/// app.update();
/// assert_eq!(app.world().view::<Button>().len(), 0);
/// ```
impl App {
    /// Adds a state with its first value, which is entered after `Startup`; if the world already has a state of the type,
    /// it stays.
    ///
    /// Adding it again with the same value does nothing; with another one it is an error of [`build`](Self::build) that
    /// names both places.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::schedule::{NextState, State};
    ///
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// enum Screen {
    ///     Menu,
    ///     Game,
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_state(Screen::Menu);
    /// app.add_systems(Update, |mut next: ResMut<NextState<Screen>>| next.set(Screen::Game));
    /// app.update();
    /// app.update(); // the next frame changes the state
    /// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
    /// ```
    #[track_caller]
    #[doc(alias = "init_state")]
    #[doc(alias = "insert_state")]
    #[doc(alias = "add_sub_state")]
    #[doc(alias = "add_computed_state")]
    pub fn add_state<S: StateValue>(&mut self, first: S) -> &mut Self {
        if let Some(transitions) = self.transitions(&first, Location::caller()) {
            transitions.add_state(first);
        }
        self
    }

    #[doc(hidden)]
    pub fn init_state<S: InitStateIsAddState>(&mut self) -> &mut Self {
        self
    }

    /// Adds a state that exists only while another one has the value `while_in`; see
    /// [`Transitions::add_sub_state`].
    #[track_caller]
    pub fn add_sub_state<S: StateValue, P: StateValue>(
        &mut self,
        first: S,
        while_in: P,
    ) -> &mut Self {
        if let Some(transitions) = self.transitions(&first, Location::caller()) {
            transitions.add_sub_state(first, while_in);
        }
        self
    }

    /// Adds a state that is computed from another one; see [`Transitions::add_computed_state`].
    #[track_caller]
    pub fn add_computed_state<S: StateValue, P: StateValue>(
        &mut self,
        compute: impl Fn(&P) -> Option<S> + Send + Sync + 'static,
    ) -> &mut Self {
        if let Some(transitions) = self.transitions(&"a computed state", Location::caller()) {
            transitions.add_computed_state(compute);
        }
        self
    }

    /// Adds systems that run when `state` is entered.
    #[track_caller]
    #[doc(alias = "OnEnter")]
    pub fn on_enter<S: StateValue, M>(
        &mut self,
        state: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        if let Some(transitions) = self.transitions(&state, Location::caller()) {
            transitions.on_enter(state, systems);
        }
        self
    }

    /// Adds systems that run when `state` is left.
    #[track_caller]
    pub fn on_exit<S: StateValue, M>(
        &mut self,
        state: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        if let Some(transitions) = self.transitions(&state, Location::caller()) {
            transitions.on_exit(state, systems);
        }
        self
    }

    /// Adds systems that run after `from` was left and before `to` is entered.
    #[track_caller]
    pub fn on_transition<S: StateValue, M>(
        &mut self,
        from: S,
        to: S,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        if let Some(transitions) = self.transitions(&from, Location::caller()) {
            transitions.on_transition(from, to, systems);
        }
        self
    }

    /// Returns the states, if they can still be changed.
    fn transitions(
        &mut self,
        to: &dyn Debug,
        at: &'static Location<'static>,
    ) -> Option<&mut Transitions> {
        if self.built.is_some() {
            self.too_late(to, at);
            return None;
        }
        Some(self.states.get_or_insert_default())
    }
}

/// Implemented by no type: if you call `init_state`, the name in other libraries, the error shows the name here.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "there is no method `init_state` of `App`",
    label = "write `add_state` with the first value, such as `add_state({Self}::Menu)`"
)]
pub trait InitStateIsAddState {}
