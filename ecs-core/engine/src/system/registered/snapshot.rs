//! The memory of registered systems, for snapshots.

use core::any::{Any, TypeId};

use super::{Registered, Seat};
use crate::sync::PoisonError;
use crate::system::Remember;
use crate::world::World;

/// Calls a function with each thing that the system in a seat remembers. Returns false if it runs, so that the seat is empty.
pub(super) type RememberSeat = fn(&(dyn Any + Send + Sync), &mut Remember<'_>) -> bool;

pub(super) fn remember_seat<In: 'static, Out: 'static>(
    seat: &(dyn Any + Send + Sync),
    remember: &mut Remember<'_>,
) -> bool {
    let Some(seat) = seat.downcast_ref::<Seat<In, Out>>() else {
        return false;
    };
    let mut seat = seat.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(runner) = &mut *seat else {
        return false;
    };
    runner.system.remembered(remember);
    true
}

impl World {
    /// Calls a function with the number and the name of each registered system, in the order of registration, and with a function
    /// that visits its memory, and returns false if the system runs.
    pub(crate) fn each_registered(
        &self,
        mut f: impl FnMut(u64, &'static str, &mut dyn FnMut(&mut Remember<'_>) -> bool),
    ) {
        let states = self.system_states.lock();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let registered = states.get(TypeId::of::<Registered>());
        let registered = registered.and_then(|kept| kept.downcast_ref::<Registered>());
        for (number, entry) in registered.into_iter().flat_map(|kept| kept.systems.iter()) {
            f(number, entry.meta.name, &mut |remember| {
                (entry.remembered)(&*entry.seat, remember)
            });
        }
    }
}
