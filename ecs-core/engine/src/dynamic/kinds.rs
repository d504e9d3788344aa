//! The types that fields of a dynamic component can have.

use alloc::string::String;
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use crate::entity::Entity;

/// Defines everything that depends on the list of types.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $type:ty, $name:literal;)*) => {
        /// The type of a field of a dynamic component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FieldKind {
            $($(#[$doc])* $kind,)*
        }

        /// A field of a dynamic component, for reading.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum FieldRef<'a> {
            $($(#[$doc])* $kind(&'a $type),)*
        }

        /// A field of a dynamic component, for writing.
        #[derive(Debug, PartialEq)]
        #[non_exhaustive]
        pub enum FieldMut<'a> {
            $($(#[$doc])* $kind(&'a mut $type),)*
        }

        impl FieldKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Returns the name of the type, for messages.
            #[must_use]
            #[inline]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Returns the size and alignment of values.
            #[must_use]
            #[inline]
            pub const fn layout(self) -> Layout {
                match self {
                    $(Self::$kind => Layout::new::<$type>(),)*
                }
            }

            /// Returns true if values have to be dropped.
            #[inline]
            pub(super) const fn needs_drop(self) -> bool {
                match self {
                    $(Self::$kind => core::mem::needs_drop::<$type>(),)*
                }
            }

            /// Writes the default value: zero, false, empty, nothing.
            ///
            /// # Safety
            /// `place` is valid for writing a value of the kind, and holds none that has to be dropped.
            #[inline]
            pub(super) unsafe fn write_default(self, place: NonNull<u8>) {
                match self {
                    $(Self::$kind => {
                        // SAFETY: the place is for a value of the kind, by the caller's contract.
                        unsafe { place.cast::<$type>().write(<$type>::default()) };
                    })*
                }
            }

            /// Writes a clone of a value.
            ///
            /// # Safety
            /// `from` points to a value of the kind. `place` is valid for writing one, and holds none that has to be dropped.
            #[inline]
            pub(super) unsafe fn clone_to(self, from: NonNull<u8>, place: NonNull<u8>) {
                match self {
                    $(Self::$kind => {
                        // SAFETY: `from` points to a value of the kind, by the caller's contract.
                        let value = unsafe { from.cast::<$type>().as_ref() }.clone();
                        // SAFETY: the place is for a value of the kind, by the caller's contract.
                        unsafe { place.cast::<$type>().write(value) };
                    })*
                }
            }

            /// Replaces a value by a clone of another one.
            ///
            /// # Safety
            /// `from` and `to` point to values of the kind, two different ones; the second one is accessed through this alone.
            #[inline]
            pub(super) unsafe fn clone_over(self, from: NonNull<u8>, to: NonNull<u8>) {
                match self {
                    $(Self::$kind => {
                        // SAFETY: `from` points to a value of the kind, by the caller's contract.
                        let from = unsafe { from.cast::<$type>().as_ref() };
                        // SAFETY: `to` points to another one, by the caller's contract.
                        unsafe { to.cast::<$type>().as_mut() }.clone_from(from);
                    })*
                }
            }

            /// Drops a value.
            ///
            /// # Safety
            /// `value` points to a value of the kind, which is not used afterwards.
            #[inline]
            pub(super) unsafe fn drop_in_place(self, value: NonNull<u8>) {
                match self {
                    $(Self::$kind => {
                        // SAFETY: the pointer leads to a value of the kind that is not used afterwards, by the caller's
                        // contract.
                        unsafe { value.cast::<$type>().drop_in_place() };
                    })*
                }
            }

            /// Returns a reference to a value.
            ///
            /// # Safety
            /// `value` points to a value of the kind, which is not written as long as `'a`.
            #[inline]
            pub(super) unsafe fn reference<'a>(self, value: NonNull<u8>) -> FieldRef<'a> {
                match self {
                    $(Self::$kind => {
                        // SAFETY: the pointer leads to a value of the kind, not written as long as `'a`, by the caller's
                        // contract.
                        FieldRef::$kind(unsafe { value.cast::<$type>().as_ref() })
                    })*
                }
            }

            /// Returns a mutable reference to a value.
            ///
            /// # Safety
            /// `value` points to a value of the kind, which is accessed through the result alone as long as `'a`.
            #[inline]
            pub(super) unsafe fn mutable<'a>(self, value: NonNull<u8>) -> FieldMut<'a> {
                match self {
                    $(Self::$kind => {
                        // SAFETY: the pointer leads to a value of the kind, not accessed otherwise as long as `'a`, by the
                        // caller's contract.
                        FieldMut::$kind(unsafe { value.cast::<$type>().as_mut() })
                    })*
                }
            }
        }

        impl FieldRef<'_> {
            /// Returns the type of the field.
            #[must_use]
            #[inline]
            pub const fn kind(self) -> FieldKind {
                match self {
                    $(Self::$kind(_) => FieldKind::$kind,)*
                }
            }
        }

        /// Prints the value alone.
        impl fmt::Display for FieldRef<'_> {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind(value) => fmt::Debug::fmt(value, f),)*
                }
            }
        }

        $(
            impl sealed::Sealed for $type {}
            impl FieldType for $type {
                const KIND: FieldKind = FieldKind::$kind;
            }
        )*
    };
}

kinds! {
    /// A `bool`.
    Bool bool, "bool";
    /// A signed number of 8 bits.
    I8 i8, "i8";
    /// A signed number of 16 bits.
    I16 i16, "i16";
    /// A signed number of 32 bits.
    I32 i32, "i32";
    /// A signed number of 64 bits.
    I64 i64, "i64";
    /// A number of 8 bits.
    U8 u8, "u8";
    /// A number of 16 bits.
    U16 u16, "u16";
    /// A number of 32 bits.
    U32 u32, "u32";
    /// A number of 64 bits.
    U64 u64, "u64";
    /// A floating point number of 32 bits.
    F32 f32, "f32";
    /// A floating point number of 64 bits.
    F64 f64, "f64";
    /// A character.
    Char char, "char";
    /// A text.
    String String, "String";
    /// An entity, or `None`.
    Entity Option<Entity>, "Option<Entity>";
}

/// The Rust type of a [`FieldKind`]: `bool`, the numbers of 8 to 64 bits, `char`, `String`, `Option<Entity>`.
#[diagnostic::on_unimplemented(
    message = "a field of a dynamic component cannot be a `{Self}`",
    label = "not the type of a field",
    note = "fields are `bool`, numbers of 8 to 64 bits, `char`, `String` and `Option<Entity>`"
)]
pub trait FieldType: sealed::Sealed + Sized {
    /// The kind.
    const KIND: FieldKind;
}

mod sealed {
    pub trait Sealed {}
}

impl fmt::Display for FieldKind {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
