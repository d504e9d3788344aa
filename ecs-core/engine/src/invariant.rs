//! A marker for types that are identified by the `TypeId` of a parameter.

use core::marker::PhantomData;

/// A phantom parameter for types that hold a run-time borrow, an id, a column or an identity of `T`, but no value of
/// it.
///
/// `for<'a> fn(&'a u8)` is a subtype of `fn(&'static u8)`, and both are distinct types: two `TypeId`s, two components,
/// and perhaps two different impls of `Component`. If `Handle<T>` is covariant, as with `PhantomData<fn() -> T>` or
/// `PhantomData<&T>`, the handle of the one coerces to a handle of the other, and its content no longer matches its
/// type. If it is contravariant, the same happens in the other direction.
///
/// Covariance is right for a handle that is only a reference to a value (`Res<T>`, `Ref<T>`), and harmless for one that
/// is only a name to be looked up.
pub(crate) type Invariant<T> = PhantomData<fn(T) -> T>;
