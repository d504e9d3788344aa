//! A proof that all bytes of a value belong to its fields, so that values can be compared as bytes.

use std::marker::PhantomData;

use ecs_engine::Entity;

/// A type whose values are bytes that can be read, and that only its owner changes.
///
/// # Safety
/// All bytes of a value are initialised, whatever the value is. No part of it can be changed through a shared reference.
pub unsafe trait PlainField {}

/// The types of the fields of a struct, as nested pairs: `(f32, (u32, ()))`.
///
/// # Safety
/// All of them are [plain](PlainField), and `SIZE` is the sum of their sizes.
pub unsafe trait PlainFields {
    /// The number of bytes.
    const SIZE: usize;
}

// SAFETY: there are no bytes.
unsafe impl PlainFields for () {
    const SIZE: usize = 0;
}

// SAFETY: the first field is plain, and the rest by the contract of the trait; `SIZE` adds the size of the first.
unsafe impl<F: PlainField, R: PlainFields> PlainFields for (F, R) {
    const SIZE: usize = size_of::<F>() + R::SIZE;
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        // SAFETY: a number, a letter, a truth value or an id has no padding and no cell.
        unsafe impl PlainField for $ty {}
    )*};
}
// The id of an entity is an index and a generation.
const _: () = assert!(size_of::<Entity>() == 2 * size_of::<u32>());
plain!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char Entity);

// SAFETY: an array has its elements, without gaps.
unsafe impl<F: PlainField, const N: usize> PlainField for [F; N] {}

/// The number of bytes of some fields, which are [plain](PlainFields).
pub struct PlainSize<S> {
    pub(crate) size: usize,
    /// So that the fields are not taken for others of a related type.
    fields: PhantomData<fn(S) -> S>,
}

/// Finds out if fields are plain, where their types are written: `PlainProbe::<(f32, ())>::PLAIN_SIZE` is the inherent constant for
/// plain types, and otherwise the constant of the trait [`NotPlain`], which has to be in scope.
///
/// The name of a type says too little because programs may have types of their own with that name. The constant has a name that no
/// trait of a program is likely to have.
pub struct PlainProbe<S>(PhantomData<S>);

impl<S: PlainFields> PlainProbe<S> {
    /// The number of bytes.
    pub const PLAIN_SIZE: Option<PlainSize<S>> = Some(PlainSize {
        size: S::SIZE,
        fields: PhantomData,
    });
}

/// See [`PlainProbe`].
pub trait NotPlain<S> {
    /// They are not known to be plain.
    const PLAIN_SIZE: Option<PlainSize<S>> = None;
}

impl<S> NotPlain<S> for PlainProbe<S> {}
