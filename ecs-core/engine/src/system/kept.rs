//! The states of a system's parameters between two runs, without their types: of observers, and of systems that are called as
//! functions.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use core::any::Any;

#[cfg(feature = "snapshot")]
pub(crate) use snapshot::LentStates;
#[cfg(feature = "snapshot")]
use snapshot::RememberStates;
#[cfg(feature = "snapshot")]
pub(super) use snapshot::lend;

use super::param::SystemParam;

/// The states of a list of parameters `P`.
#[derive(Default)]
pub(crate) struct KeptStates {
    /// An `Option<P::State>`, which is empty during a run and after a run that panicked; `None` before the first run.
    states: Option<Box<dyn Any + Send>>,
    #[cfg(feature = "snapshot")]
    remembered: Option<RememberStates>,
}

impl KeptStates {
    /// Returns the place of the states.
    #[inline]
    pub(super) fn of<P: SystemParam>(&mut self) -> &mut Option<P::State> {
        #[cfg(feature = "snapshot")]
        {
            self.remembered = Some(snapshot::remembered_by::<P>);
        }
        let states = &mut self.states;
        let states = states.get_or_insert_with(|| Box::new(None::<P::State>));
        let states = states.downcast_mut::<Option<P::State>>();
        states.expect("a system has one list of parameters")
    }
}

/// The memory of a system that is called as a function, in the world.
#[derive(Default)]
pub(crate) struct CalledSystem {
    #[cfg(feature = "snapshot")]
    pub(crate) name: &'static str,
    pub(crate) states: KeptStates,
}
