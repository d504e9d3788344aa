//! Dynamic components as data: cloned, printed, saved and loaded without their types.

use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::convert::Infallible;
use core::fmt;
use core::ptr::NonNull;

use super::component_type::{DynamicLayout, DynamicType};
use super::kinds::{FieldKind, FieldMut, FieldRef};
use super::value::{DynamicMut, DynamicRef};
use crate::data_type::{DataType, DynamicValues};
use crate::entity::Entity;
use crate::value_codec::{ValueCodec, WrongValue};
use crate::world::ErasedColumn;

impl DynamicType {
    /// Describes the values; `None` if they cannot be cloned.
    ///
    /// Only values of fields can be saved: the package `ecs-data` finds this type in the description.
    #[inline]
    pub(super) fn data(&'static self, name: &'static str, type_id: TypeId) -> Option<DataType> {
        let (copy, codec) = match self.values {
            DynamicLayout::Fields(_) => {
                let codec: &'static dyn ValueCodec = self;
                (!self.begins_with_type(), Some(codec))
            }
            DynamicLayout::Raw { clone: None, .. } => return None,
            DynamicLayout::Raw { clone: Some(_), .. } => (false, None),
        };
        Some(DataType::dynamic(name, type_id, self, copy, codec))
    }

    /// Returns the type that a description belongs to; `None` unless it is a component that was defined by its fields.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn of_data(data: &DataType) -> Option<&'static Self> {
        if !data.is_dynamic() {
            return None;
        }
        let codec: &'static dyn Any = data.codec()?;
        codec.downcast_ref()
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

    /// Returns a value behind a pointer.
    ///
    /// # Safety
    /// The component was defined by its fields. `value` points to a value of it, which is not written as long as `'a`.
    ///
    /// # Panics
    /// If the pointer is null.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub unsafe fn value<'a>(&'static self, value: *const u8) -> DynamicRef<'a> {
        let value = NonNull::new(value.cast_mut()).expect("a pointer to a value");
        // SAFETY: this is the contract of this function.
        unsafe { DynamicRef::new(self, value) }
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

/// The bytes are the numbers of entities alone; all else is cloned.
// SAFETY: it clones the originals, which are values of the component, and counts them.
unsafe impl ValueCodec for DynamicType {
    #[inline]
    fn value_type(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    #[inline]
    fn may_name_entities(&self) -> bool {
        let mut fields = self.fields().iter();
        !self.is_raw() && fields.any(|field| field.kind() == FieldKind::Entity)
    }

    #[inline]
    unsafe fn write_values(
        &self,
        runs: &[(*const u8, usize)],
        bytes: &mut Vec<u8>,
    ) -> Result<(), WrongValue> {
        let mut row = 0;
        for &(first, len) in runs {
            for at in 0..len {
                // SAFETY: there are `len` values, by the caller's contract.
                let value = unsafe { first.add(at * self.layout.size()) };
                let place = NonNull::new(value.cast_mut()).expect("a pointer to a value");
                for field in self.fields() {
                    // SAFETY: the field belongs to this component, and this is a value of it by the caller's contract.
                    let place = unsafe { field.of(place) };
                    // SAFETY: the field is initialised, and not written during the call, by the caller's contract.
                    if let FieldRef::Entity(&Some(entity)) = unsafe { field.kind.reference(place) }
                    {
                        write_number(entity, row, bytes)?;
                    }
                }
                row += 1;
            }
        }
        Ok(())
    }

    #[inline]
    unsafe fn read_values(
        &self,
        bytes: &[u8],
        originals: *const u8,
        place: *mut u8,
        rows: usize,
        written: &mut usize,
    ) -> Result<(), WrongValue> {
        // SAFETY: both are memory for as many values, and the originals are values, by the caller's contract.
        unsafe { Self::clone_values(self, originals, place, rows) };
        *written = rows;
        let (numbers, _) = bytes.as_chunks();
        let mut numbers = numbers.iter();
        for row in 0..rows {
            // SAFETY: there are as many values, by the caller's contract.
            let value = unsafe { place.add(row * self.layout.size()) };
            let value = NonNull::new(value).expect("a pointer to a value");
            for field in self.fields() {
                // SAFETY: the field belongs to this component, and this is a value of it.
                let place = unsafe { field.of(value) };
                // SAFETY: the field is initialised, and nothing else accesses it.
                if let FieldMut::Entity(Some(entity)) = unsafe { field.kind.mutable(place) } {
                    let number = numbers.next().copied().unwrap_or_default();
                    *entity = read_number(u32::from_le_bytes(number), row)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(feature = "serde")]
fn write_number(entity: Entity, row: usize, bytes: &mut Vec<u8>) -> Result<(), WrongValue> {
    use crate::entity::session::{Number, write};
    let number = match write(entity) {
        Ok(Number::Dense(number)) => number,
        // Such a session is none for rows.
        Ok(_) => 0,
        Err(error) => return Err(wrong(error, row)),
    };
    bytes.extend(number.to_le_bytes());
    Ok(())
}

#[cfg(feature = "serde")]
fn read_number(number: u32, row: usize) -> Result<Entity, WrongValue> {
    crate::entity::session::read(number).map_err(|error| wrong(error, row))
}

#[cfg(feature = "serde")]
fn wrong(error: crate::entity::session::IdError, row: usize) -> WrongValue {
    let message = alloc::format!("{error}");
    WrongValue { row, message }
}

/// Without sessions, ids stay as they are.
#[cfg(not(feature = "serde"))]
fn write_number(_: Entity, _: usize, _: &mut Vec<u8>) -> Result<(), WrongValue> {
    Ok(())
}

#[cfg(not(feature = "serde"))]
fn read_number(_: u32, row: usize) -> Result<Entity, WrongValue> {
    let message = alloc::string::String::new();
    Err(WrongValue { row, message })
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
