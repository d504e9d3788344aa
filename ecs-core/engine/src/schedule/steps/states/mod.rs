//! States of a program, and systems that run when they change.
//!
//! [`Transitions`] collects states (`declared`) and their handlers, and becomes a step with a schedule for each event. The
//! step (`driver`) knows its states without their types (`erased`). `typed` has the rules that change one state.

mod declared;
mod despawn;
mod driver;
mod erased;
mod loaded;
mod of_world;
mod origin;
#[cfg(feature = "data")]
mod serde;
mod transitions;
mod typed;

pub use despawn::DespawnOnExit;
#[cfg(feature = "snapshot")]
pub(crate) use driver::PendingTransition;
use erased::Change;
pub(crate) use loaded::{Leaving, leaving};
pub use transitions::Transitions;

use core::fmt::Debug;
use core::hash::Hash;

use crate::data_type::DataTypeOf;
use crate::meta::{ConstTypeId, ConstTypeIdOf};
use crate::resource::Resource;
use crate::world::World;

/// A value that describes the current mode of a program: in the menu, in the game, ...
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

/// The description of a type whose values snapshots copy, and which a program may name.
const fn copied<T: Clone + Debug + Send + Sync + 'static>() -> DataTypeOf<T> {
    DataTypeOf::new("", 1).cloned().printed()
}

/// The current state; a resource that [`World::add_state`] inserts and [`Transitions`] changes.
///
/// For a sub state or computed state, the resource exists only while the state does.
#[derive(Clone, Debug)]
pub struct State<S> {
    current: S,
}

impl<S: StateValue> Resource for State<S> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_core::State", "State")
        .with_data(const { &[copied::<Self>().resource().erased()] });
}

impl<S> State<S> {
    /// Returns the state.
    #[must_use]
    #[inline]
    pub fn get(&self) -> &S {
        &self.current
    }
}

/// Compares the current state with a value.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::State;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
///
/// let mut world = World::new();
/// world.add_state(Screen::Menu);
/// let screen = world.resource::<State<Screen>>();
/// assert!(*screen == Screen::Menu && *screen != Screen::Game);
/// ```
impl<S: PartialEq> PartialEq<S> for State<S> {
    fn eq(&self, other: &S) -> bool {
        self.current == *other
    }
}

/// The requested state; a resource that [`World::add_state`] inserts.
///
/// For a sub state, the resource exists only while the state does. A computed state has none.
#[derive(Clone, Debug)]
pub struct NextState<S> {
    request: Option<Request<S>>,
    /// True if the systems for entering the first state have run.
    entered: bool,
}

/// A requested state.
#[derive(Clone, Debug)]
struct Request<S> {
    state: S,
    /// True if the current state is left and entered again.
    again: bool,
}

/// The part of a transition that a step remembers for one state.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct StateMemory<S> {
    /// The request from before this run.
    request: Option<Request<S>>,
    change: Change,
    /// The state before the change. `None` if it did not exist, or its first value is not entered yet.
    old: Option<S>,
    /// The state after the change.
    new: Option<S>,
}

impl<S: StateValue> Resource for NextState<S> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic("ecs_core::NextState", "NextState")
            .with_data(const { &[copied::<Self>().resource().erased()] });
}

/// Returns true for the resources of a state: [`State`] and [`NextState`].
#[doc(hidden)]
#[must_use]
pub fn is_state(resource: &ConstTypeId) -> bool {
    let states = [
        State::<()>::IDENTITY.ident(),
        NextState::<()>::IDENTITY.ident(),
    ];
    states.iter().any(|state| state.hash() == resource.hash())
}

impl<S> NextState<S> {
    #[inline]
    fn new(entered: bool) -> Self {
        Self {
            request: None,
            entered,
        }
    }

    /// Requests a transition to `state`. The next run of [`Transitions`], a step of a schedule, makes it.
    ///
    /// The last call before that counts. Requesting the current state does nothing, and cancels an earlier request.
    ///
    /// If no such step has the state, nothing takes the request. [`Transitions::add_state`] adds a state without handlers.
    #[inline]
    pub fn set(&mut self, state: S) {
        self.request = Some(Request {
            state,
            again: false,
        });
    }

    /// Requests a transition to `state` even if it is the current one, which is then left and entered again: to restart a
    /// level, for example.
    ///
    /// The last call before the transition counts, as for [`set`](Self::set).
    #[inline]
    pub fn enter_again(&mut self, state: S) {
        self.request = Some(Request { state, again: true });
    }

    /// Returns the state that was requested since the last transition.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<&S> {
        self.request.as_ref().map(|request| &request.state)
    }
}

impl World {
    /// Adds the resources [`State<S>`] and [`NextState<S>`]; does nothing if there is a state of the type.
    ///
    /// The first run of [`Transitions`] runs the systems for entering `first`. Each step of `Transitions` in the world's
    /// schedules also changes states without handlers. A schedule without such a step makes no transitions.
    #[inline]
    pub fn add_state<S: StateValue>(&mut self, first: S) {
        loaded::make_known::<S>(self);
        of_world::note_added::<S>(self);
        if !self.contains_resource::<State<S>>() {
            self.insert_resource(State { current: first });
            self.insert_resource(NextState::<S>::new(false));
        }
    }
}
