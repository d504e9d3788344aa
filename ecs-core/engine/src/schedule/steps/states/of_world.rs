//! States that were added to a world alone.
//!
//! A step makes the transitions of the states that it declares. If no step declares a state, each step that makes
//! transitions follows the requests to it, so none is ignored.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::despawn::despawn_with;
use super::typed::TypedState;
use super::{NextState, State, StateValue};
use crate::sync::PoisonError;
use crate::world::World;

/// A function that follows a request to a state.
type Follow = fn(&mut World);

/// The states of a world, kept among the states of systems.
#[derive(Default)]
struct WorldStates {
    /// Indexed by the types of their [`TypedState`]s.
    added: Vec<(TypeId, Follow)>,
    /// The states that a step declares.
    declared: Vec<TypeId>,
}

/// Notes that a state was added to the world.
#[inline]
pub(super) fn note_added<S: StateValue>(world: &mut World) {
    let states = of(world);
    let id = TypeId::of::<TypedState<S>>();
    if !states.added.iter().any(|(other, _)| *other == id) {
        states.added.push((id, follow::<S>));
    }
}

/// Notes that a step in a schedule of the world declares a state: a `TypedState`.
#[inline]
pub(super) fn note_declared(world: &mut World, state: &dyn Any) {
    let declared = &mut of(world).declared;
    if !declared.contains(&state.type_id()) {
        declared.push(state.type_id());
    }
}

/// Follows the requests to states that no step declares.
#[inline]
pub(super) fn follow_others(world: &mut World) {
    let WorldStates { added, declared } = of(world);
    if added.len() > declared.len() || added.iter().any(|(id, _)| !declared.contains(id)) {
        let others = added.iter().filter(|(id, _)| !declared.contains(id));
        let others: Vec<Follow> = others.map(|&(_, follow)| follow).collect();
        for follow in others {
            follow(world);
        }
    }
}

/// Follows a request like a step, for a state without handlers.
#[inline]
fn follow<S: StateValue>(world: &mut World) {
    let resources = world.resources_mut();
    let next = resources.bypass::<NextState<S>>();
    if next.is_none_or(|next| next.request.is_none()) {
        return;
    }
    let next = resources.get_mut::<NextState<S>>();
    let Some(request) = next.and_then(|next| next.request.take()) else {
        return;
    };
    let Some(old) = world
        .get_resource::<State<S>>()
        .map(|state| state.current.clone())
    else {
        return;
    };
    if request.again || request.state != old {
        despawn_with(&old, world);
        if let Some(mut state) = world.get_resource_mut::<State<S>>() {
            state.current = request.state;
        }
    }
}

#[inline]
fn of(world: &mut World) -> &mut WorldStates {
    let states = world.system_states.get_mut();
    let states = states.unwrap_or_else(PoisonError::into_inner);
    let id = TypeId::of::<WorldStates>();
    if !states.contains(id) {
        states.insert(id, Box::new(WorldStates::default()));
    }
    let states = states.get_mut(id).and_then(|state| state.downcast_mut());
    states.expect("was inserted above")
}

impl World {
    /// Returns true if states were added to the world.
    #[doc(hidden)]
    #[inline]
    pub fn has_states(&mut self) -> bool {
        // An app without states asks in each frame.
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        states.contains(TypeId::of::<WorldStates>()) && !of(self).added.is_empty()
    }
}
