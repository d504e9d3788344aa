//! Writing a value of unknown type to its place in an entity.

use core::ptr;

use crate::entity::{Entity, Location};
use crate::storage::{DropList, ErasedColumn, Storage};

/// Moves the last value of a column to its place in an entity, or swaps it with the value that the entity has, which the list
/// receives.
///
/// # Safety
/// 1. The entity is alive and at `at`, and was at `from` before the change. Its table has the component, or the component's set
///    has room.
/// 2. The column has a value. It lives, and gets no other one, until the list was run.
pub(super) unsafe fn write_erased(
    storage: &mut Storage,
    (entity, (from, at)): (Entity, (Location, Location)),
    column: &mut ErasedColumn,
    drops: &mut DropList,
) {
    let component = column.component();
    let value = column.take_last().expect("the column has a value");
    let component_info = storage.store(component).info;
    // SAFETY: by clause 1 there is a place for the value, which is written below.
    let (place, replaces) =
        unsafe { storage.place(component, component_info.storage, entity, (from, at)) };
    if component_info.tracked
        && let Some(turned) = (component_info.more.turned)()
    {
        // SAFETY: `place` holds a value of the component.
        let old = replaces.then(|| unsafe { turned.is_on(place) });
        // SAFETY: this is the value that was taken out of the column.
        let new = unsafe { turned.is_on(value) };
        storage.note_toggle(entity, [turned.component(), component], old, new);
    }
    if component_info.tracked {
        let now = storage.clock.between();
        if component_info.disables {
            storage.note_disabled();
        }
        if let Some(ticks) = storage.store_mut(component).frozen().ticks_of(entity, at) {
            if replaces {
                // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
                unsafe { ticks.change(now) };
            } else {
                // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
                unsafe { ticks.add(now) };
            }
        }
    }
    let size = component_info.layout.size();
    if replaces {
        // SAFETY: `place` holds a value of the component in the storage, `value` holds one in the column: different memory.
        unsafe { ptr::swap_nonoverlapping(place, value, size) };
        // SAFETY: the old value is in the column's memory now, which is not used before the list is run (clause 2). `take_last` has taken the value out of the list of values, so no other code drops it.
        unsafe { drops.push(component_info.drop, value, 1) };
    } else {
        // SAFETY: `value` was taken out of the column, so it may be moved. `place` is for a value of the component, and
        // holds none.
        unsafe { ptr::copy_nonoverlapping(value, place, size) };
        storage.enter_groups(component, entity);
    }
}
