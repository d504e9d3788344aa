//! Resources that a load has set: states and times, whose steps have to follow.
//!
//! A load replaces resources behind the backs of the steps that keep the same values. So the world counts loads, and remembers
//! the last one. A step compares the number at the start of each run, and follows a load that it has not seen.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;

use super::fixed_time::FixedTime;
use super::states::Leaving;
use crate::data_type::DataType;
use crate::sync::{Ordering, PoisonError, StaticAtomicU64};
use crate::world::World;

/// The number of the next load.
static NEXT: StaticAtomicU64 = StaticAtomicU64::new(1);

/// The last load of a world, kept among the states of systems.
#[derive(Clone, Default)]
pub(crate) struct LastLoad {
    /// The types of the loaded resources.
    types: Vec<TypeId>,
    /// True if the systems for entering the loaded states run.
    pub(super) enters: bool,
    pub(super) fixed: Option<FixedTime>,
}

#[cfg(feature = "snapshot")]
impl LastLoad {
    /// Returns its parts, from which [`of_parts`](Self::of_parts) makes it again.
    pub(crate) fn parts(&self) -> (&[TypeId], bool, Option<FixedTime>) {
        (&self.types, self.enters, self.fixed)
    }

    /// Makes a load of its parts.
    pub(crate) fn of_parts(types: Vec<TypeId>, enters: bool, fixed: Option<FixedTime>) -> Self {
        Self {
            types,
            enters,
            fixed,
        }
    }

    /// Makes later loads have higher numbers than one that another process has made.
    pub(crate) fn reach(number: u64) {
        NEXT.fetch_max(number + 1, Ordering::Relaxed);
    }
}

impl LastLoad {
    /// Returns true if a resource of the type was loaded.
    pub(super) fn has(&self, id: TypeId) -> bool {
        self.types.contains(&id)
    }
}

/// A load that is about to set resources; the default one leaves no state.
#[doc(hidden)]
#[derive(Default)]
pub struct Load {
    leaving: Vec<Leaving>,
}

impl core::fmt::Debug for Load {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Load").finish_non_exhaustive()
    }
}

impl World {
    /// Notes which entities belong to the current states, before a load that sets resources.
    #[doc(hidden)]
    #[must_use]
    pub fn begin_load(&mut self) -> Load {
        Load {
            leaving: super::states::leaving(self),
        }
    }

    /// Tells the steps of the world's schedules that resources of these types were loaded. Despawns the entities of states
    /// that have changed, among those that existed before. With `enters`, the systems for entering the loaded states will run.
    #[doc(hidden)]
    pub fn finish_load(&mut self, load: Load, loaded: &[&'static DataType], enters: bool) {
        let types: Vec<TypeId> = loaded.iter().map(|data| data.type_id()).collect();
        let fixed = self.get_resource::<FixedTime>().map(|time| *time);
        let last = LastLoad {
            fixed: fixed.filter(|_| types.contains(&TypeId::of::<FixedTime>())),
            types,
            enters,
        };
        self.return_to_load((NEXT.fetch_add(1, Ordering::Relaxed), last));
        self.restart_delays();
        for leave in load.leaving {
            leave(self);
        }
    }

    /// Returns the number of the last load, and the load.
    pub(crate) fn last_load(&mut self) -> (u64, LastLoad) {
        let number = self.loads;
        if number == 0 {
            return (0, LastLoad::default());
        }
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let last = states.get(TypeId::of::<LastLoad>());
        let last = last.and_then(|last| last.downcast_ref::<LastLoad>());
        (number, last.cloned().unwrap_or_default())
    }

    /// Makes a load the last one, as in a snapshot.
    pub(crate) fn return_to_load(&mut self, (number, last): (u64, LastLoad)) {
        self.loads = number;
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        states.insert(TypeId::of::<LastLoad>(), Box::new(last));
    }
}
