//! Bundles: several components given or taken together.

mod distinct;
mod info;
mod tuple;

#[doc(hidden)]
pub use distinct::{Components, refuse_field};
pub(crate) use info::{BundleInfo, Bundles, InfoFn};

use crate::component::Component;

/// A set of component values that are inserted or removed together.
///
/// A component is a bundle of one; tuples of bundles (nested as deep as you like) are bundles, and so are structs
/// with `#[derive(Bundle)]`, whose fields are bundles. The empty tuple is the empty bundle.
///
/// A component type must not occur twice in a bundle. A `#[derive(Bundle)]` with one twice is a compile error at the field;
/// another bundle is one where it is spawned or inserted, which `cargo build` shows and `cargo check` does not. Instances
/// of generic components are told apart by the world, which refuses the bundle with a panic that names the component.
///
/// # Safety
/// [`types`](Self::types), [`fields`](Self::fields) and [`read`](Self::read) go through the same component types in
/// the same order, each exactly as often as the type has a field of it, and
///
/// * `fields` passes pointers to the initialised fields of `*this`, which together are all that `Self` owns
///   (forgetting `Self` after all fields were moved out leaks nothing),
/// * `read` builds `Self` only from the values that the source hands out,
/// * none of them panics or runs code that the visitor does not contain.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bundle of components",
    label = "not a component, nor a tuple or struct of components",
    note = "add `#[derive(Component)]` to a component, or `#[derive(Bundle)]` to a struct whose fields are components"
)]
pub unsafe trait Bundle: Send + Sync + Sized + 'static {
    /// Whether this is one sparse component without hooks that requires nothing: inserting and removing it asks neither tables nor what the
    /// world knows of the bundle.
    ///
    /// Part of the contract: `true` only of such a component.
    #[doc(hidden)]
    const IS_SPARSE_COMPONENT: bool = false;

    /// Whether any of the components may [require](crate::component::Required) others, or be an end of a
    /// [relation](crate::relation); verbs do not look otherwise.
    ///
    /// Part of the contract: `false` only if none of them does or is.
    #[doc(hidden)]
    const MAY_REQUIRE: bool = true;

    /// The component types, as far as a constant can name them.
    #[doc(hidden)]
    const COMPONENTS: &'static Components = &Components::All(&[]);

    /// Fails where a component type is known to occur twice.
    #[doc(hidden)]
    const DISTINCT: () = distinct::refuse_twice(Self::COMPONENTS);

    /// Names the component types.
    fn types<V: TypeVisitor>(visitor: &mut V);

    /// Hands out a pointer to each component value inside `this`.
    ///
    /// # Safety
    /// `this` points to an initialised `Self`. The visitor may move the values out, after which the caller must not
    /// drop `*this`.
    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V);

    /// Builds a bundle of values that `source` moves out of a storage.
    ///
    /// # Safety
    /// `source` has one initialised value for each of the component types, in order.
    unsafe fn read<S: FieldSource>(source: &mut S) -> Self;
}

/// Is shown the component types of a [`Bundle`].
pub trait TypeVisitor {
    /// The next component type.
    fn visit<T: Component>(&mut self);
}

/// Is shown the component values of a [`Bundle`].
pub trait FieldVisitor {
    /// The next component value.
    ///
    /// # Safety
    /// `value` points to an initialised `T` which may be moved out.
    unsafe fn visit<T: Component>(&mut self, value: *mut T);
}

/// Hands out component values, from which a [`Bundle`] is put together.
pub trait FieldSource {
    /// The next component value.
    ///
    /// # Safety
    /// Called once per component type of the bundle that the source was made for, in the order of its types.
    unsafe fn take<T: Component>(&mut self) -> T;
}

// SAFETY: one component type, one field that is the whole of `Self`, visited once in each function.
unsafe impl<T: Component> Bundle for T {
    const IS_SPARSE_COMPONENT: bool =
        T::STORAGE.is_sparse() && T::HOOKS.watch().is_nothing() && !Self::MAY_REQUIRE;

    const MAY_REQUIRE: bool = !T::REQUIRED.is_empty() || T::LINK.is_some();

    const COMPONENTS: &'static Components = &Components::One(T::IDENTITY.ident());

    #[inline]
    fn types<V: TypeVisitor>(visitor: &mut V) {
        visitor.visit::<T>();
    }

    #[inline]
    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V) {
        // SAFETY: the caller vouches for `this`, which is the field.
        unsafe { visitor.visit::<T>(this) }
    }

    #[inline]
    unsafe fn read<S: FieldSource>(source: &mut S) -> Self {
        // SAFETY: one call for the one type; the caller vouches for the source.
        unsafe { source.take::<T>() }
    }
}
