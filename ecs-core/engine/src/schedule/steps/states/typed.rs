//! The rules by which a state of one type changes.
//!
//! # Change states
//! `Transitions` (`schedule/steps/states`) keeps each state with its type (`states/typed.rs`) behind a trait without one
//! (`states/erased.rs`), because the states of a program have many types and depend on each other. A transition has two
//! parts. First all states decide on their changes, parents first, from requests and the parent's new value. Only this part
//! compares and computes values, with the user's functions. Then the driver has a list of tasks: schedules to run, entities
//! to despawn, resources to change. A task is removed before it runs, so after a panic the next run does the rest, and
//! nothing twice.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::despawn::despawn_with;
use super::erased::{Change, ErasedState, FoundRequest, TransitionPhase};
use super::loaded::{make_computed_known, make_known};
use super::origin::StateOrigin;
use super::{NextState, State, StateMemory, StateValue};
use crate::system::{Remember, Remembered};
use crate::type_name::type_name;
use crate::world::World;

/// A state of a step, and the transition that it makes.
pub(super) struct TypedState<S> {
    pub(super) origin: StateOrigin<S>,
    /// The moments of the step that run schedules, with their positions.
    pub(super) moments: Vec<(TransitionMoment<S>, usize)>,
    memory: StateMemory<S>,
}

/// The moment of a schedule's run.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum TransitionMoment<S> {
    Enter(S),
    Exit(S),
    Between(S, S),
}

impl<S: StateValue> TransitionMoment<S> {
    /// Returns the name of a schedule: `on_enter(game::Screen::Menu)`.
    #[inline]
    pub(super) fn name(&self) -> String {
        match self {
            Self::Enter(state) => format!("on_enter({})", path(state)),
            Self::Exit(state) => format!("on_exit({})", path(state)),
            Self::Between(from, to) => format!("on_transition({}, {})", path(from), path(to)),
        }
    }
}

/// Returns a value written as code, with the path of its type: a variant of an enum, or a struct.
#[inline]
fn path<S: StateValue>(value: &S) -> String {
    let (of, value) = (type_name::<S>(), format!("{value:?}"));
    let (module, last) = of.rsplit_once("::").unwrap_or(("", of));
    let is_struct = value.strip_prefix(last).is_some_and(|rest| {
        let is_longer = |c: char| c.is_alphanumeric() || c == '_';
        !rest.starts_with(is_longer)
    });
    match (is_struct, module) {
        (false, _) => format!("{of}::{value}"),
        (true, "") => value,
        (true, module) => format!("{module}::{value}"),
    }
}

impl<S: StateValue> TypedState<S> {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            origin: StateOrigin::World,
            moments: Vec::new(),
            memory: StateMemory {
                request: None,
                change: Change::Stay,
                old: None,
                new: None,
            },
        }
    }

    /// True if the state has no parent, so it always exists.
    #[inline]
    fn is_root(&self) -> bool {
        matches!(self.origin, StateOrigin::World | StateOrigin::First(_))
    }

    /// Takes the request that `current` has to follow, if any.
    #[inline]
    fn requested(&mut self, current: &S) -> Option<S> {
        let request = self.memory.request.take();
        let request = request.filter(|request| request.again || request.state != *current);
        request.map(|request| request.state)
    }

    #[inline]
    fn switch(&mut self, old: S, new: Option<S>) {
        match new {
            Some(new) => self.set(Change::Switch, Some(old), Some(new)),
            None => self.memory.new = Some(old),
        }
    }

    #[inline]
    fn set(&mut self, change: Change, old: Option<S>, new: Option<S>) {
        self.memory.change = change;
        self.memory.old = old;
        self.memory.new = new;
    }
}

impl<S: StateValue> ErasedState for TypedState<S> {
    fn set_up(&self, world: &mut World) {
        make_known::<S>(world);
        match &self.origin {
            StateOrigin::First(first) => world.add_state(first.clone()),
            StateOrigin::Computed { .. } => make_computed_known::<S>(world),
            StateOrigin::World | StateOrigin::Sub { .. } => {}
        }
    }

    #[inline]
    fn is_added(&self, world: &World) -> bool {
        !matches!(self.origin, StateOrigin::World) || world.contains_resource::<State<S>>()
    }

    #[inline]
    fn take_request(&mut self, world: &World, keep: bool) -> Option<FoundRequest> {
        if let StateOrigin::Computed { .. } = self.origin {
            return Some(FoundRequest::default());
        }
        let Some(mut next) = world.get_resource_mut::<NextState<S>>() else {
            return (!self.is_root()).then(FoundRequest::default);
        };
        // Without marking it as changed.
        let next = next.bypass();
        if next.request.is_some() || !keep {
            self.memory.request = next.request.take();
        }
        Some(FoundRequest {
            requested: self.memory.request.is_some(),
            is_new: !next.entered,
        })
    }

    #[inline]
    fn decide(&mut self, world: &World, parent: Option<&dyn ErasedState>, with_requests: bool) {
        self.set(Change::Stay, None, None);
        let current = world.get_resource::<State<S>>();
        let current = current.map(|state| state.current.clone());
        let Some(parent) = parent else {
            let Some(current) = current else { return };
            let next = world.get_resource::<NextState<S>>();
            if next.is_some_and(|next| !next.entered) {
                self.set(Change::Begin, None, Some(current));
            } else {
                let new = with_requests.then(|| self.requested(&current)).flatten();
                self.switch(current, new);
            }
            return;
        };
        let value = parent
            .next()
            .and_then(|parent| self.origin.value_in(parent));
        let is_computed = matches!(self.origin, StateOrigin::Computed { .. });
        match (current, value) {
            (None, None) => {}
            (None, new) => self.set(Change::Begin, None, new),
            (old, None) => self.set(Change::End, old, None),
            (Some(old), Some(new)) if is_computed => {
                let new = (new != old).then_some(new);
                self.switch(old, new);
            }
            (old, new) if parent.change().enters() => self.set(Change::Restart, old, new),
            (Some(old), _) => {
                let new = with_requests.then(|| self.requested(&old)).flatten();
                self.switch(old, new);
            }
        }
        if self.memory.change != Change::Stay {
            // The request was for the state that ends here.
            self.memory.request = None;
        }
    }

    fn decide_loaded(&mut self, world: &World, parent: Option<&dyn ErasedState>) {
        let current = world.get_resource::<State<S>>();
        let current = current.map(|state| state.current.clone());
        let Some(parent) = parent else {
            let next = world.get_resource::<NextState<S>>();
            // A value that is not entered yet begins as in a new world, and its children do.
            let is_entered = next.is_none_or(|next| next.entered);
            return self.set(Change::Stay, None, current.filter(|_| is_entered));
        };
        let value = parent
            .next()
            .and_then(|parent| self.origin.value_in(parent));
        let is_computed = matches!(self.origin, StateOrigin::Computed { .. });
        match (current, value) {
            (None, None) => self.set(Change::Stay, None, None),
            (None, new) => self.set(Change::Begin, None, new),
            (old, None) => self.set(Change::End, old, None),
            (Some(old), Some(new)) if is_computed && old != new => {
                self.set(Change::Switch, Some(old), Some(new));
            }
            (old, _) => self.set(Change::Stay, None, old),
        }
    }

    fn value_of<'a>(&self, state: &'a dyn Any) -> Option<&'a dyn Any> {
        let state = state.downcast_ref::<State<S>>()?;
        Some(&state.current)
    }

    fn computed(&self, parent: &dyn Any) -> Option<Box<dyn Any + Send + Sync>> {
        let StateOrigin::Computed { .. } = self.origin else {
            return None;
        };
        let current = self.origin.value_in(parent)?;
        Some(Box::new(State { current }))
    }

    fn state_type(&self) -> TypeId {
        TypeId::of::<State<S>>()
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.memory));
    }

    #[inline]
    fn change(&self) -> Change {
        self.memory.change
    }

    #[inline]
    fn next(&self) -> Option<&dyn Any> {
        self.memory.new.as_ref().map(|new| new as &dyn Any)
    }

    #[inline]
    fn schedule(&self, phase: TransitionPhase) -> Option<usize> {
        let is_now = |moment: &TransitionMoment<S>| match (phase, moment) {
            (TransitionPhase::Exit, TransitionMoment::Exit(state)) => {
                self.memory.old.as_ref() == Some(state)
            }
            (TransitionPhase::Between, TransitionMoment::Between(from, to)) => {
                self.memory.old.as_ref() == Some(from) && self.memory.new.as_ref() == Some(to)
            }
            (TransitionPhase::Enter, TransitionMoment::Enter(state)) => {
                self.memory.new.as_ref() == Some(state)
            }
            _ => false,
        };
        let found = self.moments.iter().find(|(moment, _)| is_now(moment));
        found.map(|&(_, schedule)| schedule)
    }

    #[inline]
    fn despawn(&self, world: &mut World) {
        if let Some(old) = &self.memory.old {
            despawn_with(old, world);
        }
    }

    #[inline]
    fn apply(&self, world: &mut World) {
        let Some(new) = &self.memory.new else {
            if self.memory.change == Change::End {
                world.remove_resource::<NextState<S>>();
                world.remove_resource::<State<S>>();
            }
            return;
        };
        if self.memory.change == Change::Switch
            && let Some(mut state) = world.get_resource_mut::<State<S>>()
        {
            state.current = new.clone();
            return;
        }
        if self.is_root()
            && let Some(mut next) = world.get_resource_mut::<NextState<S>>()
        {
            // The world already has the first state. Not marked as changed.
            next.bypass().entered = true;
            return;
        }
        if !matches!(self.origin, StateOrigin::Computed { .. }) {
            world.insert_resource(NextState::<S>::new(true));
        }
        world.insert_resource(State {
            current: new.clone(),
        });
    }
}
