//! Functions of component types without their types.

/// Drops the given number of consecutive values from the pointer on.
///
/// The values count as moved out afterwards, also if one of their `Drop`s panicked; the others are dropped
/// nevertheless.
pub(crate) type DropFn = unsafe fn(*mut u8, usize);

/// A function pointer without its type.
pub(crate) type ErasedFn = unsafe fn();
