//! Values of components that were defined by their fields.

use alloc::alloc::{alloc, dealloc, handle_alloc_error};
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::component_type::{DynamicType, Values, drop_with_fields};
use super::error::FieldError;
use super::kinds::{FieldMut, FieldRef, FieldType};
use crate::component::ComponentId;
use crate::view::{ErasedMut, ErasedRef};

/// An owned value of a dynamic component.
///
/// See [`dynamic`](super) for an example.
pub struct DynamicValue {
    ty: &'static DynamicType,
    /// Invariant 1: points to a value of `ty`, which has fields; allocated with its layout unless that is empty.
    value: NonNull<u8>,
}

// SAFETY: the fields of a value are `Send`, and this owns them.
unsafe impl Send for DynamicValue {}
// SAFETY: the fields of a value are `Sync`, and a shared value gives shared references to them.
unsafe impl Sync for DynamicValue {}

impl DynamicValue {
    /// Creates a value of a component, whose fields are zero, false, empty or nothing.
    ///
    /// # Errors
    /// If the component was not defined by its fields.
    #[inline]
    pub fn new(component: ComponentId) -> Result<Self, FieldError> {
        let ty = type_of(component)?;
        let value = Self::memory(ty);
        if begins_with_type(ty) {
            // SAFETY: the memory is that of a value of a component whose fields have to be dropped, which begins with a
            // reference to its type.
            unsafe { value.cast::<&'static DynamicType>().write(ty) };
        }
        for field in ty.fields() {
            // SAFETY: the field is one of the component, and the memory is for a value of it.
            let place = unsafe { field.of(value) };
            // SAFETY: the place is that of the field, which is not initialised.
            unsafe { field.kind.write_default(place) };
        }
        Ok(Self { ty, value })
    }

    /// Allocates the memory of a value.
    #[inline]
    fn memory(ty: &DynamicType) -> NonNull<u8> {
        if ty.layout.size() == 0 {
            return ty.layout.dangling_ptr();
        }
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc(ty.layout) };
        NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(ty.layout))
    }

    /// Returns the component.
    #[must_use]
    #[inline]
    pub fn component(&self) -> ComponentId {
        self.ty.component
    }

    /// Sets a field, and returns the value.
    ///
    /// # Errors
    /// If the component has no such field, or it has another type.
    #[inline]
    pub fn with<T: FieldType>(mut self, field: &str, value: T) -> Result<Self, FieldError> {
        self.as_mut().set(field, value)?;
        Ok(self)
    }

    /// Borrows the value for reading.
    #[must_use]
    #[inline]
    pub fn as_ref(&self) -> DynamicRef<'_> {
        // SAFETY: the value is one of the type (invariant 1), and borrowed as long as the result.
        unsafe { DynamicRef::new(self.ty, self.value) }
    }

    /// Borrows the value for writing.
    #[must_use]
    #[inline]
    pub fn as_mut(&mut self) -> DynamicMut<'_> {
        // SAFETY: the value is one of the type (invariant 1), and borrowed exclusively as long as the result.
        unsafe { DynamicMut::new(self.ty, self.value) }
    }

    /// Passes a pointer to the value to a function, which moves the value out or drops it, and frees the memory.
    ///
    /// # Safety
    /// The function, whether it returns or panics, does not leave a value there that is used afterwards.
    #[inline]
    pub unsafe fn move_out<R>(self, take: impl FnOnce(*mut u8) -> R) -> R {
        let value = ManuallyDrop::new(self);
        let _memory = Memory {
            ty: value.ty,
            value: value.value,
        };
        take(value.value.as_ptr())
    }
}

/// The memory of a value that was moved out.
struct Memory {
    ty: &'static DynamicType,
    /// Invariant 1: allocated with the layout of `ty` unless that is empty, and owned by this.
    value: NonNull<u8>,
}

impl Drop for Memory {
    #[inline]
    fn drop(&mut self) {
        if self.ty.layout.size() > 0 {
            // SAFETY: the memory was allocated with this layout, and is not used afterwards (invariant 1).
            unsafe { dealloc(self.value.as_ptr(), self.ty.layout) };
        }
    }
}

impl Drop for DynamicValue {
    #[inline]
    fn drop(&mut self) {
        let _memory = Memory {
            ty: self.ty,
            value: self.value,
        };
        if begins_with_type(self.ty) {
            // SAFETY: the value is one of the type, of which a field has to be dropped, and is not used afterwards
            // (invariant 1).
            unsafe { drop_with_fields(self.value.as_ptr(), 1) };
        }
    }
}

impl Clone for DynamicValue {
    #[inline]
    fn clone(&self) -> Self {
        self.as_ref().to_owned()
    }
}

/// A value of a dynamic component, borrowed for reading.
#[derive(Clone, Copy)]
pub struct DynamicRef<'a> {
    ty: &'static DynamicType,
    /// Invariant 1: points to a value of `ty`, which has fields; not written as long as `'a`.
    value: NonNull<u8>,
    of: PhantomData<&'a u8>,
}

/// A value of a dynamic component, borrowed for writing.
pub struct DynamicMut<'a> {
    ty: &'static DynamicType,
    /// Invariant 1: points to a value of `ty`, which has fields; accessed through this alone as long as `'a`.
    value: NonNull<u8>,
    of: PhantomData<&'a mut u8>,
}

// SAFETY: it gives shared references to fields, which are `Sync`.
unsafe impl Send for DynamicRef<'_> {}
// SAFETY: it gives shared references to fields, which are `Sync`.
unsafe impl Sync for DynamicRef<'_> {}
// SAFETY: it gives references to fields, which are `Send`.
unsafe impl Send for DynamicMut<'_> {}
// SAFETY: a shared one gives shared references to fields, which are `Sync`.
unsafe impl Sync for DynamicMut<'_> {}

impl<'a> DynamicRef<'a> {
    /// # Safety
    /// `value` points to a value of `ty`, which has fields; it is not written as long as `'a`.
    #[inline]
    unsafe fn new(ty: &'static DynamicType, value: NonNull<u8>) -> Self {
        Self {
            ty,
            value,
            of: PhantomData,
        }
    }

    /// Returns the value of an erased view.
    ///
    /// # Errors
    /// If the component was not defined by its fields.
    #[inline]
    pub fn of(value: ErasedRef<'a>) -> Result<Self, FieldError> {
        let ty = type_of(value.component())?;
        let value = NonNull::new(value.as_ptr().cast_mut()).expect("a pointer to a value");
        // SAFETY: the value is one of the component, and is not written as long as `'a`.
        Ok(unsafe { Self::new(ty, value) })
    }

    /// Returns the type of the value.
    #[must_use]
    #[inline]
    pub fn dynamic_type(self) -> &'static DynamicType {
        self.ty
    }

    /// Returns a field. O(fields).
    ///
    /// # Errors
    /// If the component has no such field, or it has another type.
    #[inline]
    pub fn get<T: FieldType>(self, field: &str) -> Result<&'a T, FieldError> {
        let field = self.ty.typed_field::<T>(field)?;
        // SAFETY: the field is one of the component, of which this is a value (invariant 1).
        let place = unsafe { field.of(self.value) };
        // SAFETY: the field has the kind of `T`, and so a `T`, which is not written as long as `'a` (invariant 1).
        Ok(unsafe { place.cast::<T>().as_ref() })
    }

    /// Returns a field of any type; `None` if there is none of this name. O(fields).
    #[must_use]
    #[inline]
    pub fn field(self, name: &str) -> Option<FieldRef<'a>> {
        self.fields()
            .find(|field| field.0 == name)
            .map(|field| field.1)
    }

    /// Iterates over the names and values of all fields, in the order in which they were listed.
    #[inline]
    pub fn fields(self) -> impl Iterator<Item = (&'static str, FieldRef<'a>)> {
        self.ty.fields().iter().map(move |field| {
            // SAFETY: the field is one of the component, of which this is a value (invariant 1).
            let place = unsafe { field.of(self.value) };
            // SAFETY: the field is initialised, and not written as long as `'a` (invariant 1).
            (&*field.name, unsafe { field.kind.reference(place) })
        })
    }

    /// Clones the value.
    #[must_use]
    #[inline]
    pub fn to_owned(self) -> DynamicValue {
        let value = DynamicValue::memory(self.ty);
        let memory = Memory { ty: self.ty, value };
        // SAFETY: this is a value of the type (invariant 1), and `value` is new memory for one.
        unsafe { self.ty.clone_values(self.value.as_ptr(), value.as_ptr(), 1) };
        core::mem::forget(memory);
        DynamicValue { ty: self.ty, value }
    }
}

impl<'a> DynamicMut<'a> {
    /// # Safety
    /// `value` points to a value of `ty`, which has fields; it is accessed through the result alone as long as `'a`.
    #[inline]
    unsafe fn new(ty: &'static DynamicType, value: NonNull<u8>) -> Self {
        Self {
            ty,
            value,
            of: PhantomData,
        }
    }

    /// Returns the value of an erased view. Counts as a change.
    ///
    /// # Errors
    /// If the component was not defined by its fields; then nothing counts as changed.
    #[inline]
    pub fn of(mut value: ErasedMut<'a>) -> Result<Self, FieldError> {
        let ty = type_of(value.component())?;
        let value = NonNull::new(value.as_mut_ptr()).expect("a pointer to a value");
        // SAFETY: the value is one of the component, and `value`, which is used up, was the only access to it.
        Ok(unsafe { Self::new(ty, value) })
    }

    /// Reborrows the value for reading.
    #[must_use]
    #[inline]
    pub fn as_ref(&self) -> DynamicRef<'_> {
        // SAFETY: the value is accessed through this alone (invariant 1), which is borrowed as long as the result.
        unsafe { DynamicRef::new(self.ty, self.value) }
    }

    /// Returns the type of the value.
    #[must_use]
    #[inline]
    pub fn dynamic_type(&self) -> &'static DynamicType {
        self.ty
    }

    /// Returns a field for writing. O(fields).
    ///
    /// # Errors
    /// If the component has no such field, or it has another type.
    #[inline]
    pub fn get_mut<T: FieldType>(&mut self, field: &str) -> Result<&mut T, FieldError> {
        let field = self.ty.typed_field::<T>(field)?;
        // SAFETY: the field is one of the component, of which this is a value (invariant 1).
        let place = unsafe { field.of(self.value) };
        // SAFETY: the field has the kind of `T`, and so a `T`; it is accessed through this alone (invariant 1), which is
        // borrowed exclusively as long as the result.
        Ok(unsafe { place.cast::<T>().as_mut() })
    }

    /// Sets a field. O(fields).
    ///
    /// # Errors
    /// If the component has no such field, or it has another type.
    #[inline]
    pub fn set<T: FieldType>(&mut self, field: &str, value: T) -> Result<(), FieldError> {
        *self.get_mut(field)? = value;
        Ok(())
    }

    /// Iterates over the names and values of all fields for writing, in the order in which they were listed.
    #[inline]
    pub fn fields_mut(&mut self) -> impl Iterator<Item = (&'static str, FieldMut<'_>)> {
        self.ty.fields().iter().map(|field| {
            // SAFETY: the field is one of the component, of which this is a value (invariant 1).
            let place = unsafe { field.of(self.value) };
            // SAFETY: the field is initialised, and accessed through this alone (invariant 1), which is borrowed
            // exclusively as long as the items; each field is returned once, and they do not overlap.
            (&*field.name, unsafe { field.kind.mutable(place) })
        })
    }
}

/// Returns the type of a component that was defined by its fields.
#[inline]
fn type_of(component: ComponentId) -> Result<&'static DynamicType, FieldError> {
    let ty = DynamicType::of(component).filter(|ty| !ty.is_raw());
    ty.ok_or(FieldError::NoFields { component })
}

/// Returns true if a value has to be dropped, and so begins with a reference to its type.
#[inline]
fn begins_with_type(ty: &DynamicType) -> bool {
    match &ty.values {
        Values::Fields(fields) => fields.iter().any(|field| field.kind.needs_drop()),
        Values::Raw { .. } => false,
    }
}

impl PartialEq for DynamicRef<'_> {
    /// Compares the components and all fields.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let fields = || self.fields().map(|field| field.1);
        self.ty.component == other.ty.component && fields().eq(other.fields().map(|field| field.1))
    }
}

impl fmt::Debug for DynamicRef<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(self.ty.name());
        for (name, field) in self.fields() {
            shown.field(name, &format_args!("{field}"));
        }
        shown.finish()
    }
}

impl PartialEq for DynamicValue {
    /// Compares the components and all fields.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl fmt::Debug for DynamicValue {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl fmt::Debug for DynamicMut<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}
