//! Values of required components: made after the hooks that run before a change and before its first write, and moved in
//! with the bundle.

use crate::component::{ComponentId, Required, Value};
use crate::entity::{Entity, Location};
use crate::storage::{Frozen, Storage};

/// A value that a verb has made, because a component of its bundle requires it.
pub(super) struct RequiredValue {
    /// Invariant 1: the component of which `value` is one.
    component: ComponentId,
    value: Box<dyn Value>,
}

/// What a bundle requires.
pub(super) type Requirements = [(ComponentId, &'static Required)];

/// Makes what a bundle requires. Runs code of the user, which may panic.
pub(super) fn make_all(required: &Requirements) -> Vec<RequiredValue> {
    make(required, |_| true)
}

/// Makes what a bundle requires and the entity lacks. Runs code of the user, which may panic.
pub(super) fn make_missing(
    storage: Frozen<'_, Storage>,
    required: &Requirements,
    (entity, at): (Entity, Location),
) -> Vec<RequiredValue> {
    make(required, |component| {
        !storage.store(component).has(entity, at)
    })
}

fn make(required: &Requirements, is_lacking: impl Fn(ComponentId) -> bool) -> Vec<RequiredValue> {
    let mut made = Vec::with_capacity(required.len());
    for &(component, required) in required {
        if is_lacking(component) {
            made.push(RequiredValue {
                component,
                value: required.make(),
            });
        }
    }
    made
}

/// Moves the values to the entity, which has none of them.
///
/// # Safety
/// As for [`RequiredValue::put`], of each.
#[inline(never)]
pub(super) unsafe fn write_all(
    made: impl IntoIterator<Item = RequiredValue>,
    storage: &mut Storage,
    at: (Entity, Location),
) {
    for made in made {
        // SAFETY: the caller promises of each value what `put` asks for: the row, its table, room, and that there is none.
        unsafe { made.put(storage, at) };
    }
}

impl RequiredValue {
    pub(super) fn component(&self) -> ComponentId {
        self.component
    }

    /// Makes room for the edges of the value, if it is an end of a relation; see [`Storage::reserve_erased_edges`].
    pub(super) fn reserve_edges(&self, storage: &mut Storage, entity: Option<Entity>) {
        if let Some(link) = storage.store(self.component).info.link {
            // SAFETY: the value is one of the component (invariant 1), of which the link is.
            unsafe { storage.reserve_erased_edges(link, entity, self.value.as_ptr()) };
        }
    }

    /// Moves the value to the entity, which has none.
    ///
    /// # Safety
    /// The row `at` is the entity's, or will be, and is inside the memory of its table, which has the component unless it is
    /// sparse: then its set has room for a value. There is no value in its place.
    unsafe fn put(self, storage: &mut Storage, (entity, at): (Entity, Location)) {
        let Self { component, value } = self;
        let now = storage.clock.between();
        let store = storage.store_mut(component);
        let is_sparse = store.info.storage.is_sparse();
        let place = if is_sparse {
            store.set_mut().reserve_position(entity);
            // SAFETY: the caller promises room, and that the entity has no value; it is written below.
            unsafe { store.set_mut().push(entity) }
        } else {
            let place = store.row(at);
            place.expect("the table has what the bundle requires")
        };
        if let Some(stamps) = store.frozen().stamps_of(entity, at) {
            // SAFETY: the places are those of the value, and the storage is borrowed exclusively.
            unsafe { stamps.add(now) };
        }
        // SAFETY: the place is one for the component, of which the value is one (invariant 1), and free.
        unsafe { value.move_to(place) };
        if is_sparse {
            storage.enter_groups(component, entity);
        }
    }
}
