//! Copies of resources.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::ResourceMap;
use crate::data_type::DataType;

type Value = dyn Any + Send + Sync;

/// Copies the resource of one type.
#[derive(Clone, Copy)]
pub(crate) struct ResourceCopier {
    /// The functions of its type, whose values can be cloned and made in a box.
    data: &'static DataType,
}

impl ResourceCopier {
    /// Returns the copier of the resources of a type; `None` if they cannot be cloned, or it is no resource.
    pub(crate) fn of(data: &'static DataType) -> Option<Self> {
        let is_copied = data.is_resource() && data.is_clone();
        is_copied.then_some(Self { data })
    }

    /// The type.
    pub(crate) fn type_id(&self) -> TypeId {
        self.data.type_id()
    }

    /// Clones a value over another one, or into a new box.
    ///
    /// # Panics
    /// If the `Clone` or the `Drop` of the replaced value panics.
    fn copy(&self, from: &Value, into: &mut Option<Box<Value>>) {
        let id = self.data.type_id();
        assert!((*from).type_id() == id, "a value of the copier's type");
        let from = core::ptr::from_ref(from).cast::<u8>();
        match into.as_deref_mut() {
            Some(into) => {
                assert!((*into).type_id() == id, "a value of the copier's type");
                let into = core::ptr::from_mut(into).cast();
                // SAFETY: both point to a value of the type, see the check above, in two places.
                unsafe { self.data.clone_values_from(from, into, 1) };
            }
            None => {
                let mut write = |place| {
                    // SAFETY: `from` points to a value of the type, see the check above, and `place` to memory for one.
                    unsafe { self.data.clone_values(from, place, 1) };
                    true
                };
                // SAFETY: the function has written a value of the type.
                *into = unsafe { self.data.boxed(&mut write) };
            }
        }
    }
}

/// A copy of some resources of a map.
#[derive(Default)]
pub(crate) struct ResourcesCopy {
    values: Vec<ResourceCopy>,
}

struct ResourceCopy {
    copier: ResourceCopier,
    name: &'static str,
    added: u64,
    changed: u64,
    value: Option<Box<Value>>,
    /// A value that will be exchanged for the map's, or the map's former value.
    staged: Option<Box<Value>>,
}

impl ResourceMap {
    /// Copies the resources that have a copier, into the memory of an earlier copy.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; in that case the copy is incomplete.
    pub(crate) fn copy_to(
        &mut self,
        copy: &mut ResourcesCopy,
        copier: &dyn Fn(TypeId) -> Option<ResourceCopier>,
    ) {
        let mut count = 0;
        for (id, cell) in self.values.iter_mut() {
            let Some(copier) = copier(id) else {
                continue;
            };
            let mut known = copy.values[count..].iter();
            match known.position(|known| known.copier.type_id() == id) {
                Some(known) => copy.values.swap(count, count + known),
                None => copy.values.insert(
                    count,
                    ResourceCopy {
                        copier,
                        name: cell.name,
                        added: 0,
                        changed: 0,
                        value: None,
                        staged: None,
                    },
                ),
            }
            let copied = &mut copy.values[count];
            (copied.added, copied.changed) = (cell.added, *cell.changed.get_mut());
            copied
                .copier
                .copy(&**cell.value.get_mut(), &mut copied.value);
            count += 1;
        }
        copy.values.truncate(count);
    }

    /// Returns to a copy. Resources in the copy get its values, resources that have a copier but are not in it are removed,
    /// and others stay. Returns the removed values, to be dropped.
    ///
    /// If the copy was [staged](ResourcesCopy::stage) just before, this runs no user code.
    pub(crate) fn return_to(
        &mut self,
        copy: &mut ResourcesCopy,
        copier: &dyn Fn(TypeId) -> Option<ResourceCopier>,
    ) -> Vec<Box<Value>> {
        let mut gone = Vec::new();
        let is_new = |id| {
            let mut copied = copy.values.iter();
            copier(id).is_some() && copied.all(|copied| copied.copier.type_id() != id)
        };
        for id in self.values.ids_if(&is_new) {
            gone.extend(self.values.remove(id).map(|cell| cell.value.into_inner()));
        }
        for copied in &mut copy.values {
            let id = copied.copier.type_id();
            let mut staged = copied.staged.take().expect("values were staged");
            match self.values.get_mut(id) {
                Some(cell) => {
                    let value = cell.value.get_mut();
                    match copied.copier.data.events() {
                        // Part of a value belongs to the world, and not to a copy.
                        Some(events) => (events.exchange)(&mut **value, &mut *staged),
                        None => core::mem::swap(value, &mut staged),
                    }
                    copied.staged = Some(staged);
                }
                None => drop(self.put(id, copied.name, staged)),
            }
            if let Some(cell) = self.values.get_mut(id) {
                cell.added = copied.added;
                *cell.changed.get_mut() = copied.changed;
            }
        }
        gone
    }

    /// Returns the names of the resources that the function accepts, in the order of insertion.
    pub(crate) fn names_if(&self, is_named: &dyn Fn(TypeId) -> bool) -> Vec<&'static str> {
        let ids = self.values.ids_if(is_named).into_iter();
        ids.filter_map(|id| Some(self.values.get(id)?.name))
            .collect()
    }
}

impl ResourcesCopy {
    /// Prepares the [return](ResourceMap::return_to) to the copy: does everything that may panic.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(crate) fn stage(&mut self) {
        for copied in &mut self.values {
            let value = copied.value.as_deref().expect("the copy is complete");
            copied.copier.copy(value, &mut copied.staged);
        }
    }
}
