//! Component types that were defined at run time, and the list of them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use super::define::{CloneValues, DropValues};
use super::error::FieldError;
use super::kinds::{FieldKind, FieldType};
use crate::component::ComponentId;
use crate::sync::{PoisonError, RwLock};

/// A component type that was defined at run time. It exists for the rest of the program.
pub struct DynamicType {
    pub(super) component: ComponentId,
    pub(super) layout: Layout,
    pub(super) values: DynamicLayout,
}

/// The values of a dynamic component.
pub(super) enum DynamicLayout {
    /// Fields.
    /// Invariant 1: a value has an initialised field of its kind at the offset of each, inside of the layout and aligned;
    /// they do not overlap. If any has to be dropped, a value begins with a `&'static DynamicType` to this type.
    Fields(Box<[Field]>),
    /// Bytes that only the code that defined them understands.
    /// Invariant 2: the functions are for values of the component.
    Raw {
        drop: Option<DropValues>,
        clone: Option<CloneValues>,
    },
}

/// A field of a dynamic component.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    pub(super) name: Box<str>,
    pub(super) kind: FieldKind,
    pub(super) offset: usize,
}

impl Field {
    /// Returns the name.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> FieldKind {
        self.kind
    }

    /// Returns the distance from the start of a value in bytes.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns a pointer to the field of a value.
    ///
    /// # Safety
    /// The field belongs to a component, and `value` points to memory for a value of it.
    #[inline]
    pub(super) unsafe fn of(&self, value: NonNull<u8>) -> NonNull<u8> {
        // SAFETY: the offset is inside of a value by invariant 1 of `DynamicLayout`.
        unsafe { value.add(self.offset) }
    }
}

/// All types in the order of their ids. Ids of dynamic components are allocated under this lock alone.
pub(super) static TYPES: RwLock<Vec<&'static DynamicType>> = RwLock::new(Vec::new());

impl DynamicType {
    /// Returns the dynamic component with the id; `None` if it is a Rust type. O(log types).
    #[must_use]
    #[inline]
    pub fn of(component: ComponentId) -> Option<&'static Self> {
        let types = TYPES.read().unwrap_or_else(PoisonError::into_inner);
        Self::among(&types, component)
    }

    /// Returns the type of a component, among all of them.
    #[inline]
    pub(super) fn among(types: &[&'static Self], component: ComponentId) -> Option<&'static Self> {
        let found = types.binary_search_by_key(&component.index(), |ty| ty.component.index());
        Some(types[found.ok()?])
    }

    /// Returns the dynamic component with the name. O(log types).
    #[must_use]
    #[inline]
    pub fn named(name: &str) -> Option<&'static Self> {
        let mut named = ComponentId::named(name).into_iter();
        named.find_map(Self::of)
    }

    /// Returns the id.
    #[must_use]
    #[inline]
    pub fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns the name.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &'static str {
        self.component.name()
    }

    /// Returns the size and alignment of values.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the fields in the order of their definition; none of a [raw](super::DynamicComponent::raw) component.
    #[must_use]
    #[inline]
    pub fn fields(&self) -> &[Field] {
        match &self.values {
            DynamicLayout::Fields(fields) => fields,
            DynamicLayout::Raw { .. } => &[],
        }
    }

    /// Returns true if the component was defined by its memory, and not by its fields.
    #[must_use]
    #[inline]
    pub fn is_raw(&self) -> bool {
        matches!(self.values, DynamicLayout::Raw { .. })
    }

    /// Returns true if values can be cloned.
    #[must_use]
    #[inline]
    pub fn is_clone(&self) -> bool {
        match self.values {
            DynamicLayout::Fields(_) => true,
            DynamicLayout::Raw { clone, .. } => clone.is_some(),
        }
    }

    /// Clones values to memory that holds none.
    ///
    /// # Safety
    /// `from` points to `len` values of the component, and `to` to aligned memory for as many, elsewhere.
    ///
    /// # Panics
    /// If values cannot be [cloned](Self::is_clone), or the function that clones them panics.
    #[inline]
    pub unsafe fn clone_values(&self, from: *const u8, to: *mut u8, len: usize) {
        let fields = match &self.values {
            DynamicLayout::Fields(fields) => fields,
            DynamicLayout::Raw { clone, .. } => {
                let clone = clone.expect("values of the component can be cloned");
                // SAFETY: the function is for values of the component (invariant 2), and the rest is the contract of this
                // function.
                return unsafe { clone(from, to, len) };
            }
        };
        if !self.begins_with_type() {
            // SAFETY: both are memory for `len` values, apart from each other, by the caller's contract; a value whose
            // fields need no drop is cloned by its bytes.
            return unsafe { to.copy_from_nonoverlapping(from, len * self.layout.size()) };
        }
        for row in 0..len {
            // SAFETY: there are `len` values, by the caller's contract.
            let from = unsafe { from.add(row * self.layout.size()) };
            // SAFETY: there is memory for `len` values, by the caller's contract.
            let to = unsafe { to.add(row * self.layout.size()) };
            // SAFETY: `to` is memory for a value, which begins with a reference to a type (invariant 1), as does the
            // other value.
            unsafe { to.copy_from_nonoverlapping(from, size_of::<&Self>()) };
            let [from, to] = [from.cast_mut(), to].map(NonNull::new);
            let (from, to) = from.zip(to).expect("pointers to values are not null");
            for field in fields {
                // SAFETY: the field is one of this component, and `from` is a value.
                let from = unsafe { field.of(from) };
                // SAFETY: the field is one of this component, and `to` is memory for a value.
                let to = unsafe { field.of(to) };
                // SAFETY: both are places of the field, and the first is initialised. Clones of fields do not panic, so no
                // value is left half written.
                unsafe { field.kind.clone_to(from, to) };
            }
        }
    }

    /// Returns true if values have to be dropped; they then begin with a reference to their type.
    #[inline]
    pub(super) fn begins_with_type(&self) -> bool {
        match &self.values {
            DynamicLayout::Fields(fields) => fields.iter().any(|field| field.kind.needs_drop()),
            DynamicLayout::Raw { .. } => false,
        }
    }

    /// Returns the field with the name, which must have the type `T`.
    ///
    /// # Errors
    /// If there is no such field, or the field has a different type.
    #[inline]
    pub(super) fn typed_field<T: FieldType>(&self, name: &str) -> Result<&Field, FieldError> {
        let component = self.component;
        let Some(field) = self.fields().iter().find(|field| &*field.name == name) else {
            let field = name.into();
            return Err(FieldError::Missing { component, field });
        };
        if field.kind == T::KIND {
            Ok(field)
        } else {
            Err(FieldError::WrongType {
                component,
                field: name.into(),
                is: field.kind,
                wanted: T::KIND,
            })
        }
    }
}

/// Drops values that begin with a reference to their type.
///
/// # Safety
/// `values` points to `len` values of one dynamic component with fields. At least one field needs to be dropped, and the
/// values are not used afterwards.
#[inline]
pub(super) unsafe fn drop_with_fields(values: *mut u8, len: usize) {
    let Some(values) = NonNull::new(values).filter(|_| len > 0) else {
        return;
    };
    // SAFETY: the first value begins with a reference to its type, by invariant 1 and the caller's contract.
    let ty = unsafe { values.cast::<&'static DynamicType>().read() };
    for row in 0..len {
        // SAFETY: there are `len` values, by the caller's contract.
        let value = unsafe { values.add(row * ty.layout.size()) };
        for field in ty.fields() {
            // SAFETY: the field belongs to the component, and `value` is a value of it.
            let field_of_value = unsafe { field.of(value) };
            // SAFETY: the field is initialised (invariant 1), and not used afterwards. Drops of fields do not panic.
            unsafe { field.kind.drop_in_place(field_of_value) };
        }
    }
}

impl fmt::Debug for DynamicType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicType({}", self.name())?;
        for (index, field) in self.fields().iter().enumerate() {
            let before = if index == 0 { ":" } else { "," };
            write!(f, "{before} {}: {}", field.name, field.kind)?;
        }
        f.write_str(")")
    }
}
