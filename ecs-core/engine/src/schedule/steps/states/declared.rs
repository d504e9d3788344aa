//! The declared states, and how they depend on each other.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::panic::Location;

use super::StateValue;
use super::driver::Driven;
use super::erased::ErasedState;
use super::origin::StateOrigin;
use super::typed::TypedState;
use crate::schedule::declare::{StateError, StateType};
use crate::sort::sort_by_number;
use crate::type_name::type_name;
use crate::world::World;

/// All states of a step.
#[derive(Default)]
pub(super) struct DeclaredStates {
    /// In the order they were first named.
    states: Vec<Declared>,
    /// States that were added twice.
    contradictions: Vec<StateError>,
}

struct Declared {
    of: StateType,
    /// The place that named it first.
    used_at: &'static Location<'static>,
    /// The way it was added (with a first value, or a parent), and the place.
    added: Option<(String, &'static Location<'static>)>,
    /// The position of its parent.
    parent: Option<usize>,
    /// A `TypedState`.
    state: Box<dyn ErasedState>,
}

impl DeclaredStates {
    /// Returns the position of a state that is named at this place.
    #[inline]
    pub(super) fn declare<S: StateValue>(&mut self, at: &'static Location<'static>) -> usize {
        let of = StateType {
            id: TypeId::of::<S>(),
            name: type_name::<S>(),
        };
        let known = self.states.iter().position(|state| state.of.id == of.id);
        known.unwrap_or_else(|| {
            self.states.push(Declared {
                of,
                used_at: at,
                added: None,
                parent: None,
                state: Box::new(TypedState::<S>::new()),
            });
            self.states.len() - 1
        })
    }

    /// Returns a state of the type `S` by its position.
    #[inline]
    pub(super) fn typed<S: StateValue>(&mut self, state: usize) -> &mut TypedState<S> {
        let state: &mut dyn Any = &mut *self.states[state].state;
        state.downcast_mut().expect("declared with this type")
    }

    /// Notes how a state was added, and describes it in words. If it is added again, both ways have to be the same.
    #[inline]
    pub(super) fn add<S: StateValue>(
        &mut self,
        origin: StateOrigin<S>,
        parent: Option<usize>,
        added_as: String,
        at: &'static Location<'static>,
    ) {
        let index = self.declare::<S>(at);
        let is_same = self.typed::<S>(index).origin.is_same(&origin);
        let declared = &mut self.states[index];
        match &declared.added {
            None => {
                declared.parent = parent;
                declared.added = Some((added_as, at));
                self.typed(index).origin = origin;
            }
            Some(_) if is_same => {}
            Some((first, first_at)) => self.contradictions.push(StateError::AddedTwice {
                state: declared.of.name,
                first: first.clone(),
                first_at,
                second: added_as,
                second_at: at,
            }),
        }
    }

    /// Returns all errors. With a world, includes the states that are missing there.
    #[inline]
    pub(super) fn errors(&self, world: Option<&World>) -> Vec<StateError> {
        let mut errors = self.contradictions.clone();
        errors.extend(self.cycle());
        for state in &self.states {
            if world.is_some_and(|world| !state.state.is_added(world)) {
                errors.push(state.missing());
            }
        }
        errors
    }

    #[inline]
    pub(super) fn types(&self) -> Vec<StateType> {
        self.states.iter().map(|state| state.of).collect()
    }

    /// Converts into the states of a step: parents come first, and states of the same depth in the order they were first
    /// named.
    #[inline]
    pub(super) fn into_driven(self) -> Vec<Driven> {
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        sort_by_number(&mut order, |&state| self.ancestors(state).count() as u64);
        let mut driven = Vec::with_capacity(order.len());
        let mut states: Vec<Option<Declared>> = self.states.into_iter().map(Some).collect();
        for &index in &order {
            let declared = states[index].take().expect("each index comes once");
            let place = |parent| order.iter().position(|&index| index == parent);
            driven.push(Driven {
                missing: declared.missing(),
                parent: declared.parent.and_then(place),
                state: declared.state,
            });
        }
        driven
    }

    /// Returns the ancestors of a state, the closest first. In a cycle, some of them come again and again.
    #[inline]
    fn ancestors(&self, state: usize) -> impl Iterator<Item = usize> {
        let parents = core::iter::successors(Some(state), |&state| self.states[state].parent);
        parents.skip(1).take(self.states.len() + 1)
    }

    /// Returns the error if states depend on each other.
    #[inline]
    fn cycle(&self) -> Option<StateError> {
        let mut all = 0..self.states.len();
        let first = all.find(|&state| self.ancestors(state).any(|above| above == state))?;
        let mut states = vec![self.states[first].of.name];
        let others = self.ancestors(first).take_while(|&above| above != first);
        states.extend(others.map(|above| self.states[above].of.name));
        Some(StateError::Cycle { states })
    }
}

impl Declared {
    /// Returns the error if the state is missing.
    #[inline]
    fn missing(&self) -> StateError {
        StateError::NotAdded {
            state: self.of.name,
            used_at: self.used_at,
        }
    }
}
