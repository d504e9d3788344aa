//! The marker of what is known by a type's `TypeId`.

use core::marker::PhantomData;

/// For what holds a run-time borrow, an id, a column or an identity of `T`, and no value of it.
///
/// `for<'a> fn(&'a u8)` is a subtype of `fn(&'static u8)`, and both are types of their own: two `TypeId`s, two components, and
/// perhaps two impls of `Component` that differ in all they say. Where `Handle<T>` is covariant, as with
/// `PhantomData<fn() -> T>` or `PhantomData<&T>`, the handle of the one becomes a handle of the other by itself, and
/// what it holds is not what it says. (The other way round where it is contravariant.)
///
/// Covariant is right where a handle is a reference to a value and nothing else (`Res<T>`, `Ref<T>`), and of no matter where it
/// is nothing but a name that is looked up when it is used.
pub(crate) type Invariant<T> = PhantomData<fn(T) -> T>;
