//! Copies of resources.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::ResourceMap;
use crate::data_type::{DataType, DataTypeOf, EventKind};

type Value = dyn Any + Send + Sync;

/// Copies the resource, or the `Local`, of one type.
#[derive(Clone, Copy)]
pub(crate) struct ResourceCopier {
    /// The functions of its type, whose values can be cloned and made in a box.
    data: &'static DataType,
}

impl ResourceCopier {
    /// Returns the copier of the values of a type; `None` if they cannot be cloned, or made in a box.
    pub(crate) fn of(data: &'static DataType) -> Option<Self> {
        let is_copied = data.is_boxed() && data.is_clone();
        is_copied.then_some(Self { data })
    }

    /// Returns the copier of a type that need not be data.
    pub(crate) fn of_type<T: Clone + Send + Sync + 'static>() -> Self {
        let data = const { &DataTypeOf::<T>::new("", 1).in_boxes().cloned().erased() };
        Self { data }
    }

    /// The type.
    pub(crate) fn type_id(&self) -> TypeId {
        self.data.type_id()
    }

    /// The description of the type.
    pub(crate) fn data(&self) -> &'static DataType {
        self.data
    }

    /// Clones a value over another one, or into a new box.
    ///
    /// # Panics
    /// If the `Clone` or the `Drop` of the replaced value panics.
    pub(crate) fn copy(&self, from: &dyn Any, into: &mut Option<Box<Value>>) {
        match into.as_deref_mut() {
            Some(into) => self.copy_over(from, into),
            None => *into = Some(self.copied(from)),
        }
    }

    /// Clones a value over another one.
    ///
    /// # Panics
    /// If the `Clone` or the `Drop` of the replaced value panics.
    pub(crate) fn copy_over(&self, from: &dyn Any, into: &mut dyn Any) {
        assert!((*into).type_id() == self.type_id(), "{SAME_TYPE}");
        let into = core::ptr::from_mut(into).cast();
        // SAFETY: both point to a value of the type, see the checks here and in `value`, in two places.
        unsafe { self.data.clone_values_from(self.value(from), into, 1) };
    }

    /// Clones a value into a new box.
    ///
    /// # Panics
    /// If the `Clone` panics.
    pub(crate) fn copied(&self, from: &dyn Any) -> Box<Value> {
        let from = self.value(from);
        let mut write = |place| {
            // SAFETY: `from` points to a value of the type, see `value`, and `place` to memory for one.
            unsafe { self.data.clone_values(from, place, 1) };
            true
        };
        // SAFETY: the function has written a value of the type.
        let value = unsafe { self.data.boxed(&mut write) };
        value.expect("values are made in boxes")
    }

    /// Returns a pointer to a value of the type.
    fn value(&self, value: &dyn Any) -> *const u8 {
        assert!(value.type_id() == self.type_id(), "{SAME_TYPE}");
        core::ptr::from_ref(value).cast()
    }
}

const SAME_TYPE: &str = "a value of the copier's type";

/// Exchanges two values of one type, without the type.
pub(crate) fn swap_erased(one: &mut dyn Any, other: &mut dyn Any) {
    assert!((*one).type_id() == (*other).type_id(), "of one type");
    let size = size_of_val(one);
    let one = core::ptr::from_mut(one).cast::<u8>();
    let other = core::ptr::from_mut(other).cast::<u8>();
    // SAFETY: both are borrowed, so they do not overlap, and have the type that the size is of.
    unsafe { core::ptr::swap_nonoverlapping(one, other, size) };
}

/// A copy of some resources of a map.
#[derive(Default)]
pub(crate) struct ResourcesCopy {
    /// The number of writes so far, which are the ticks of resources.
    pub(crate) writes: u64,
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
        copy.writes = *self.writes.get_mut();
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
                .copy(&**cell.value.get_mut() as &dyn Any, &mut copied.value);
            count += 1;
        }
        copy.values.truncate(count);
    }

    /// Returns to a copy. Resources in the copy get its values, resources that have a copier but are not in it are removed,
    /// and others stay. Returns the removed values, to be dropped.
    ///
    /// If the copy was [staged](ResourcesCopy::stage) just before, this runs no user code. The world's kinds of events are for events that were
    /// copied like any resource.
    pub(crate) fn return_to(
        &mut self,
        copy: &mut ResourcesCopy,
        copier: &dyn Fn(TypeId) -> Option<ResourceCopier>,
        kinds: &[EventKind],
    ) -> Vec<Box<Value>> {
        // A copy that was read may be of another world, which had more writes.
        let writes = self.writes.get_mut();
        *writes = (*writes).max(copy.writes);
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
                    let mut kinds = kinds.iter();
                    let kind = copied.copier.data.events();
                    match kind.or_else(|| kinds.find(|kind| kind.type_id == id).copied()) {
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
    /// The copied resources: the copier, the name, the ticks of the insertion and the last change, and the value.
    pub(crate) fn iter(
        &self,
    ) -> impl Iterator<Item = (ResourceCopier, &'static str, [u64; 2], &Value)> {
        self.values.iter().filter_map(|copied| {
            let value = copied.value.as_deref()?;
            let ticks = [copied.added, copied.changed];
            Some((copied.copier, copied.name, ticks, value))
        })
    }

    /// Returns the copy of a resource.
    pub(crate) fn value_mut<R: 'static>(&mut self) -> Option<&mut R> {
        let mut values = self.values.iter_mut();
        values.find_map(|copied| copied.value.as_deref_mut()?.downcast_mut())
    }

    /// Adds a resource, unless it has one of the type. The value has the copier's type.
    ///
    /// Returns false if it is not added.
    pub(crate) fn add(
        &mut self,
        copier: ResourceCopier,
        [added, changed]: [u64; 2],
        value: Box<Value>,
    ) -> bool {
        let id = copier.type_id();
        let mut known = self.values.iter();
        let is_new = known.all(|known| known.copier.type_id() != id) && (*value).type_id() == id;
        if is_new {
            self.values.push(ResourceCopy {
                copier,
                name: copier.data.name(),
                added,
                changed,
                value: Some(value),
                staged: None,
            });
        }
        is_new
    }

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
