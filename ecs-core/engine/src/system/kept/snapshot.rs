//! The memory in states, for snapshots, and observers that lend their states.

use core::any::Any;

use super::KeptStates;
use crate::system::{ObserverCondition, Remember, SystemParam};
use crate::world::hooks::Call;

/// Calls a function with each thing that states remember, without their type. Returns false if there are no states.
pub(crate) type RememberStates = fn(&mut (dyn Any + Send), &mut Remember<'_>) -> bool;

impl KeptStates {
    /// Calls a function with each thing that the states remember. Returns false if there are no states.
    pub(crate) fn remembered(&mut self, remember: &mut Remember<'_>) -> bool {
        match (&mut self.states, self.remembered) {
            (Some(states), Some(remembered)) => remembered(&mut **states, remember),
            _ => false,
        }
    }
}

pub(super) fn remembered_by<P: SystemParam>(
    states: &mut (dyn Any + Send),
    remember: &mut Remember<'_>,
) -> bool {
    let states = states.downcast_mut::<Option<P::State>>();
    let Some(states) = states.and_then(Option::as_mut) else {
        return false;
    };
    P::remembered(states, remember);
    true
}

/// Given to an observer in place of an event: it exchanges its states and its condition for these.
#[derive(Default)]
pub(crate) struct LentStates {
    pub(crate) states: KeptStates,
    /// The condition of the observer, if it has one.
    pub(crate) condition: Option<ObserverCondition>,
    /// True if the observer makes its states before, if it has none.
    pub(crate) makes: bool,
}

/// Exchanges the states of an observer for lent ones, if it was called for that.
pub(in crate::system) fn lend(
    mut call: Call<'_>,
    states: &mut KeptStates,
    make: impl FnOnce(&mut KeptStates),
) {
    if let Some(lent) = call.event_mut::<LentStates>() {
        if lent.makes {
            make(states);
        }
        core::mem::swap(&mut lent.states, states);
    }
}
