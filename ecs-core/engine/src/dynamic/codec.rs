//! Dynamic components as values of saves: their fields, and the entities that these name.

use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::ptr::NonNull;

use super::component_type::DynamicType;
use super::kinds::{FieldKind, FieldMut, FieldRef};
use super::value::DynamicRef;
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::entity::session::{self, IdError, Number};
use crate::value_codec::{ValueCodec, WrongValue};

impl DynamicType {
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

fn write_number(entity: Entity, row: usize, bytes: &mut Vec<u8>) -> Result<(), WrongValue> {
    let number = match session::write(entity) {
        Ok(Number::Dense(number)) => number,
        // Such a session is none for rows.
        Ok(_) => 0,
        Err(error) => return Err(wrong(error, row)),
    };
    bytes.extend(number.to_le_bytes());
    Ok(())
}

fn read_number(number: u32, row: usize) -> Result<Entity, WrongValue> {
    session::read(number).map_err(|error| wrong(error, row))
}

fn wrong(error: IdError, row: usize) -> WrongValue {
    let message = format!("{error}");
    WrongValue { row, message }
}
