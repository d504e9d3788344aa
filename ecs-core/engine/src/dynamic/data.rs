//! Dynamic components as data: cloned, printed, saved and loaded without their types.

use core::any::TypeId;
use core::convert::Infallible;
use core::fmt;
use core::ptr::NonNull;

use super::component_type::{DynamicLayout, DynamicType};
use super::value::DynamicMut;
use crate::data_type::{DataType, DynamicValues};
#[cfg(feature = "data")]
use crate::value_codec::ValueCodec;
use crate::world::ErasedColumn;

impl DynamicType {
    /// Describes the values; `None` if they cannot be cloned.
    ///
    /// Only values of fields can be saved: the package `ecs-data` finds this type in the description.
    #[inline]
    pub(super) fn data(&'static self, name: &'static str, type_id: TypeId) -> Option<DataType> {
        let (copy, codec) = match self.values {
            DynamicLayout::Fields(_) => {
                #[cfg(feature = "data")]
                let codec: Option<&'static dyn ValueCodec> = Some(self);
                #[cfg(not(feature = "data"))]
                let codec = None;
                (!self.begins_with_type(), codec)
            }
            DynamicLayout::Raw { clone: None, .. } => return None,
            DynamicLayout::Raw { clone: Some(_), .. } => (false, None),
        };
        Some(DataType::dynamic(name, type_id, self, copy, codec))
    }

    /// Writes a value whose fields are zero, false, empty or nothing, and returns it.
    ///
    /// # Safety
    /// The component was defined by its fields. `place` is aligned memory for a value, which holds none, and is accessed
    /// through the result alone as long as `'a`.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub unsafe fn write_default<'a>(&'static self, place: NonNull<u8>) -> DynamicMut<'a> {
        if self.begins_with_type() {
            // SAFETY: the place is one for a value that begins with a reference to its type.
            unsafe { place.cast::<&'static Self>().write(self) };
        }
        for field in self.fields() {
            // SAFETY: the field is one of the component, and the place is one for a value of it.
            let place = unsafe { field.of(place) };
            // SAFETY: the place belongs to the field, which is not initialised.
            unsafe { field.kind.write_default(place) };
        }
        // SAFETY: all of the value was written, and the rest is the contract of this function.
        unsafe { DynamicMut::new(self, place) }
    }
}

// SAFETY: all functions are for values of the component whose number `index` returns, and do as described.
unsafe impl DynamicValues for DynamicType {
    #[inline]
    fn index(&self) -> usize {
        self.component.index()
    }

    #[inline]
    unsafe fn clone_values(&self, from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the contracts are the same.
        unsafe { Self::clone_values(self, from, to, len) };
    }

    #[inline]
    unsafe fn clone_values_from(&self, from: *const u8, to: *mut u8, len: usize) {
        let size = self.layout.size();
        if matches!(self.values, DynamicLayout::Fields(_)) && !self.begins_with_type() {
            // SAFETY: both are memory for `len` values, apart from each other, by the caller's contract; values whose fields
            // need no drop are cloned by their bytes.
            return unsafe { to.copy_from_nonoverlapping(from, len * size) };
        }
        for row in 0..len {
            // SAFETY: there are `len` values, by the caller's contract.
            let from = unsafe { from.add(row * size) };
            // SAFETY: there are `len` values, by the caller's contract.
            let to = unsafe { to.add(row * size) };
            let DynamicLayout::Fields(fields) = &self.values else {
                // SAFETY: both are values of the component, in two places, by the caller's contract.
                unsafe { self.replace(from, to) };
                continue;
            };
            let [from, to] = [from.cast_mut(), to].map(NonNull::new);
            let (from, to) = from.zip(to).expect("pointers to values are not null");
            for field in fields {
                // SAFETY: the field is one of this component, and `from` is a value.
                let from = unsafe { field.of(from) };
                // SAFETY: the field is one of this component, and `to` is a value.
                let to = unsafe { field.of(to) };
                // SAFETY: both are initialised fields of the kind, of two values.
                unsafe { field.kind.clone_over(from, to) };
            }
        }
    }

    #[inline]
    unsafe fn debug_value(&self, value: *const u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_raw() {
            return f.write_str("..");
        }
        let value = NonNull::new(value.cast_mut()).expect("a pointer to a value");
        let mut shown = f.debug_map();
        for field in self.fields() {
            // SAFETY: the field belongs to this component, and this is a value of it by the caller's contract.
            let place = unsafe { field.of(value) };
            // SAFETY: the field is initialised, and not written during the call, by the caller's contract.
            let value = unsafe { field.kind.reference(place) };
            shown.entry(&format_args!("{}", field.name), &format_args!("{value}"));
        }
        shown.finish()
    }
}

impl DynamicType {
    /// Replaces a value by a clone of another one, which is dropped. If the clone panics, the value stays.
    ///
    /// # Safety
    /// Both are values of the component, in two places, and the second one is accessed through this alone.
    #[inline]
    unsafe fn replace(&self, from: *const u8, to: *mut u8) {
        let mut column = ErasedColumn::new(self.component);
        let clone = |place: *mut u8| {
            // SAFETY: `from` is a value by the caller's contract, and the place is one for another.
            unsafe { Self::clone_values(self, from, place, 1) };
            Ok::<(), Infallible>(())
        };
        // SAFETY: the function has written a value of the component.
        let Ok(()) = unsafe { column.push_with(clone) };
        // SAFETY: both are values of the component, and the first is in the column alone.
        unsafe { core::ptr::swap_nonoverlapping(column.as_mut_ptr(), to, self.layout.size()) };
    }
}
