//! Values of components that were defined by their fields.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::component_type::DynamicType;
use super::error::FieldError;
use super::kinds::{FieldMut, FieldRef, FieldType};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::view::{ErasedMut, ErasedRef};
use crate::world::{ErasedColumn, InsertErasedError, NoSuchEntity, World};

/// An owned value of a dynamic component.
///
/// ```
/// use ecs_core::dynamic::{DynamicComponent, DynamicMut, DynamicRef, DynamicValue, FieldKind};
/// use ecs_core::prelude::*;
///
/// let focus = DynamicComponent::new("mod.focus").field("now", FieldKind::F32).register()?;
/// let mut world = World::new();
/// let mage = world.spawn(());
/// world.insert_dynamic(mage, DynamicValue::new(focus)?.with("now", 2.5_f32)?)?;
///
/// let mut all = world.view_erased_mut(focus);
/// DynamicMut::of(all.get_mut(mage).unwrap())?.set("now", 4.0_f32)?;
/// assert_eq!(DynamicRef::of(all.get(mage).unwrap())?.get::<f32>("now"), Ok(&4.0));
/// drop(all);
/// assert_eq!(world.remove_erased(mage, focus), Ok(true));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct DynamicValue {
    ty: &'static DynamicType,
    /// Invariant 1: has one value, and is of the component of `ty`, which has fields.
    column: ErasedColumn,
}

impl DynamicValue {
    /// Creates a value of a component, whose fields are zero, false, empty or nothing.
    ///
    /// # Errors
    /// If the component was not defined by its fields.
    #[inline]
    pub fn new(component: ComponentId) -> Result<Self, FieldError> {
        let ty = type_of(component)?;
        let write = |place: *mut u8| {
            let place = NonNull::new(place).ok_or(())?;
            // SAFETY: the place is one for a value of the component, which has fields.
            let _ = unsafe { ty.write_default(place) };
            Ok(())
        };
        // SAFETY: `write` has written a value of the component if it returns `Ok`.
        Ok(unsafe { Self::written(ty, write) })
    }

    /// # Safety
    /// The type has fields. If the function returns `Ok`, it has written a value of it to the place.
    #[inline]
    unsafe fn written(
        ty: &'static DynamicType,
        write: impl FnOnce(*mut u8) -> Result<(), ()>,
    ) -> Self {
        let mut column = ErasedColumn::new(ty.component);
        // SAFETY: the function has written a value if it returns `Ok`, by the caller's contract.
        let written = unsafe { column.push_with(write) };
        written.expect("memory of a column is not null");
        Self { ty, column }
    }

    #[inline]
    fn pointer(&self) -> NonNull<u8> {
        let value = NonNull::new(self.column.as_ptr().cast_mut());
        value.expect("memory of a column is not null")
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
    /// If the component has no such field, or the field has a different type.
    #[inline]
    pub fn with<T: FieldType>(mut self, field: &str, value: T) -> Result<Self, FieldError> {
        self.as_mut().set(field, value)?;
        Ok(self)
    }

    /// Borrows the value for reading.
    #[must_use]
    #[inline]
    pub fn as_ref(&self) -> DynamicRef<'_> {
        // SAFETY: the column has a value of the type (invariant 1), and is borrowed as long as the result.
        unsafe { DynamicRef::new(self.ty, self.pointer()) }
    }

    /// Borrows the value for writing.
    #[must_use]
    #[inline]
    pub fn as_mut(&mut self) -> DynamicMut<'_> {
        // SAFETY: the column has a value of the type (invariant 1), and is borrowed exclusively as long as the result.
        unsafe { DynamicMut::new(self.ty, self.pointer()) }
    }
}

/// A column with the value.
impl From<DynamicValue> for ErasedColumn {
    #[inline]
    fn from(value: DynamicValue) -> Self {
        value.column
    }
}

impl World {
    /// Inserts a value of a dynamic component into an entity; an existing value is replaced and dropped.
    ///
    /// [`has_erased`](Self::has_erased), [`remove_erased`](Self::remove_erased) and [`view_erased`](Self::view_erased) are
    /// for dynamic components too.
    ///
    /// # Errors
    /// If the entity does not exist; the value is dropped.
    ///
    /// # Panics
    /// As for [`insert`](Self::insert).
    #[inline]
    pub fn insert_dynamic(
        &mut self,
        entity: Entity,
        value: DynamicValue,
    ) -> Result<(), NoSuchEntity> {
        match self.insert_erased(entity, &mut value.into()) {
            Ok(()) => Ok(()),
            Err(InsertErasedError::NoSuchEntity(error)) => Err(error),
            Err(error) => {
                unreachable!("there is one value, which is not an end of a relation: {error}")
            }
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
    pub(super) unsafe fn new(ty: &'static DynamicType, value: NonNull<u8>) -> Self {
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
    /// If the component has no such field, or the field has a different type.
    #[inline]
    pub fn get<T: FieldType>(self, field: &str) -> Result<&'a T, FieldError> {
        let field = self.ty.typed_field::<T>(field)?;
        // SAFETY: the field belongs to the component, and this is a value of it (invariant 1).
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

    /// Returns the field at a position in the definition of the component.
    ///
    /// # Panics
    /// If there are fewer fields.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn field_at(self, position: usize) -> FieldRef<'a> {
        let field = &self.ty.fields()[position];
        // SAFETY: the field belongs to the component, and this is a value of it (invariant 1).
        let place = unsafe { field.of(self.value) };
        // SAFETY: the field is initialised, and not written as long as `'a` (invariant 1).
        unsafe { field.kind.reference(place) }
    }

    /// Iterates over the names and values of all fields, in the order of their definition.
    #[inline]
    pub fn fields(self) -> impl Iterator<Item = (&'static str, FieldRef<'a>)> {
        let fields = self.ty.fields().iter().enumerate();
        fields.map(move |(position, field)| (&*field.name, self.field_at(position)))
    }

    /// Clones the value.
    #[must_use]
    #[inline]
    pub fn to_owned(self) -> DynamicValue {
        let clone = |place: *mut u8| {
            // SAFETY: this is a value of the type (invariant 1), and `place` is memory for another one.
            unsafe { self.ty.clone_values(self.value.as_ptr(), place, 1) };
            Ok(())
        };
        // SAFETY: `clone` has written a value of the type, which has fields.
        unsafe { DynamicValue::written(self.ty, clone) }
    }
}

impl<'a> DynamicMut<'a> {
    /// # Safety
    /// `value` points to a value of `ty`, which has fields; it is accessed through the result alone as long as `'a`.
    #[inline]
    pub(super) unsafe fn new(ty: &'static DynamicType, value: NonNull<u8>) -> Self {
        Self {
            ty,
            value,
            of: PhantomData,
        }
    }

    /// Returns the value of an erased view. Counts as a change.
    ///
    /// # Errors
    /// If the component was not defined by its fields; in that case nothing counts as changed.
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
    /// If the component has no such field, or the field has a different type.
    #[inline]
    pub fn get_mut<T: FieldType>(&mut self, field: &str) -> Result<&mut T, FieldError> {
        let field = self.ty.typed_field::<T>(field)?;
        // SAFETY: the field belongs to the component, and this is a value of it (invariant 1).
        let place = unsafe { field.of(self.value) };
        // SAFETY: the field has the kind of `T`, and so a `T`; it is accessed through this alone (invariant 1), which is
        // borrowed exclusively as long as the result.
        Ok(unsafe { place.cast::<T>().as_mut() })
    }

    /// Sets a field. O(fields).
    ///
    /// # Errors
    /// If the component has no such field, or the field has a different type.
    #[inline]
    pub fn set<T: FieldType>(&mut self, field: &str, value: T) -> Result<(), FieldError> {
        *self.get_mut(field)? = value;
        Ok(())
    }

    /// Iterates over the names and values of all fields for writing, in the order of their definition.
    #[inline]
    pub fn fields_mut(&mut self) -> impl Iterator<Item = (&'static str, FieldMut<'_>)> {
        self.ty.fields().iter().map(|field| {
            // SAFETY: the field belongs to the component, and this is a value of it (invariant 1).
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
