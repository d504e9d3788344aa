//! Values of required components. They are constructed after the hooks that run before a change, and before its first write.
//! They are moved in with the bundle.
//!
//! # Insert required components
//! `BundleInfo` resolves the components that its components require (`component/required.rs`) once, level by level. Its
//! spawn table and `after_insert` lead to tables with all of them, so an entity moves once. A structural change boxes
//! missing values after the `on_replace` hooks and before it writes anything (`world/required.rs`), and moves them in after
//! the bundle's values. A constant (`Bundle::MAY_REQUIRE`) is false for a bundle that requires nothing, so its structural
//! changes contain no code for this. A cycle of requirements is a cycle of constants, which the compiler rejects.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::{ComponentId, ComponentInfo, ErasedRequired, Required};
use crate::entity::{Entity, Location};
use crate::storage::{Frozen, Storage};

/// A value constructed by a structural change because a component of its bundle requires it.
pub(super) struct RequiredValue {
    /// Invariant 1: the component of `value`.
    component: ComponentId,
    value: Box<dyn ErasedRequired>,
}

/// The components that a bundle requires.
pub(super) type Requirements = [(ComponentId, &'static Required)];

/// Constructs all required values of a bundle. Runs user code, which may panic.
pub(super) fn make_all(required: &Requirements) -> Vec<RequiredValue> {
    make(required, |_| true)
}

/// Constructs the required values of a bundle that the entity lacks. Runs user code, which may panic.
pub(super) fn make_missing(
    storage: Frozen<'_, Storage>,
    required: &Requirements,
    (entity, at): (Entity, Location),
) -> Vec<RequiredValue> {
    make(required, |component| {
        !storage.store(component).has(entity, at)
    })
}

fn make(required: &Requirements, is_missing: impl Fn(ComponentId) -> bool) -> Vec<RequiredValue> {
    let mut made = Vec::with_capacity(required.len());
    for &(component, required) in required {
        if is_missing(component) {
            made.push(RequiredValue {
                component,
                value: required.make(),
            });
        }
    }
    made
}

/// Moves the values into the entity, which has none of their components.
///
/// # Safety
/// The contract of [`RequiredValue::write`] holds for each value.
#[inline(never)]
pub(super) unsafe fn write_all(
    made: impl IntoIterator<Item = RequiredValue>,
    storage: &mut Storage,
    at: (Entity, Location),
) {
    for made in made {
        // SAFETY: by the caller's contract the row, its table and the sets have room for each value, and the entity has none.
        unsafe { made.write(storage, at) };
    }
}

impl RequiredValue {
    pub(super) fn component(&self) -> ComponentId {
        self.component
    }

    /// Makes room for the edges of the value, if it is an end of a relation; see [`Storage::reserve_erased_edges`].
    pub(super) fn reserve_edges(&self, storage: &mut Storage, entity: Option<Entity>) {
        if let Some(link) = storage.store(self.component).info.link {
            // SAFETY: by invariant 1 the value belongs to the component, and so does `link`.
            unsafe { storage.reserve_erased_edges(link, entity, self.value.as_ptr()) };
        }
    }

    /// Moves the value into the entity.
    ///
    /// # Safety
    /// 1. The row `at` belongs, or will belong, to the entity, and is inside the memory of its table.
    /// 2. The table has the component, or the component is sparse and its set has room for a value.
    /// 3. The entity has no value of the component.
    unsafe fn write(self, storage: &mut Storage, (entity, at): (Entity, Location)) {
        let Self { component, value } = self;
        let ComponentInfo {
            storage: kind,
            tracked,
            disables,
            ..
        } = storage.store(component).info;
        if disables {
            storage.note_disabled();
        }
        let now = tracked.then(|| storage.clock.between());
        // SAFETY: clauses 1 to 3, and the value is written below.
        let place = unsafe { storage.place_new(component, kind, (entity, at), now) };
        // SAFETY: `place` is for a value of the component, and by invariant 1 `value` is one; by clause 3 the place is
        // free.
        unsafe { value.move_to(place) };
        storage.enter_groups(component, entity);
    }
}
