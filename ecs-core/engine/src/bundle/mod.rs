//! Bundles: sets of components that are inserted or removed together.

mod builder;
mod distinct;
mod effects;
mod info;
mod option;
mod tuple;

#[doc(hidden)]
pub use crate::meta::Components;
pub use builder::BundleBuilder;
#[doc(hidden)]
pub use distinct::refuse_field;
pub(crate) use effects::Effects;
pub(crate) use info::{BundleIndex, BundleInfo, Bundles, InfoFn, required_by};

use alloc::vec::Vec;
use core::any::Any;

use crate::component::{Component, for_each_required};
use crate::entity::Entity;
use crate::storage::ErasedColumn;

/// A set of component values that are inserted or removed together.
///
/// A component is a bundle of one; tuples of bundles (nested to any depth) are bundles, and so are structs with
/// `#[derive(Bundle)]`, whose fields are bundles. The empty tuple is the empty bundle. A
/// [`SpawnRelated`](crate::relation::SpawnRelated) in a bundle spawns further entities.
///
/// An `Option` of a bundle is a bundle, wherever one may stand: `None` adds nothing, and `Some` is the same as the bundle
/// itself. A [`BundleBuilder`] has components that are known only at run time.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component, Debug, PartialEq)]
/// struct Weapon(u32);
///
/// let mut world = World::new();
/// let [guard, cook] = [true, false].map(|armed| world.spawn((Position(0.0), armed.then_some(Weapon(3)))));
/// assert!(world.has::<Weapon>(guard) && !world.has::<Weapon>(cook));
///
/// // An option takes its component if the entity has it.
/// let (_, weapon) = world.take::<(Position, Option<Weapon>)>(guard)?;
/// assert_eq!(weapon, Some(Weapon(3)));
/// let (_, weapon) = world.take::<(Position, Option<Weapon>)>(cook)?;
/// assert_eq!(weapon, None);
/// # Ok::<(), ecs_core::world::TakeError>(())
/// ```
///
/// [`remove`](crate::World::remove) removes the same components for `Option<B>` as for `B`, and skips missing ones.
/// [`take`](crate::World::take) returns `Some` if the entity has all components of `B`; else `None`, and those that it has stay.
/// An entity [has](crate::world::EntityRef::has) a bundle if it has all that is not optional.
///
/// A component type must not occur twice in a bundle. In a `#[derive(Bundle)]` that is a compile error at the field. In
/// another bundle the error is where the bundle is spawned or inserted; `cargo build` reports it, but `cargo check` does
/// not. Instances of generic components are compared by the world, which panics with a message that names the component.
///
/// # Safety
/// [`types`](Self::types), [`fields`](Self::fields) and [`read`](Self::read) visit the same component types in the same
/// order, each exactly as often as the type has a field of it. A part that `types` announces as
/// [optional](TypeVisitor::optional) is visited as a whole or not at all: by `fields` if the value has it, and by `read` if the
/// source does. Values of [unknown type](FieldVisitor::visit_erased) are visited by `fields` alone. And
///
/// * `fields` passes pointers to the initialised fields of `*this`, which together are everything that `Self` owns once its
///   effects were taken (forgetting `Self` after all fields were moved out leaks nothing then),
/// * `read` builds `Self` only from the values that the source returns,
/// * none of them panics or runs code that the visitor does not contain.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bundle of components",
    label = "not a component, nor a tuple or struct of components",
    note = "add `#[derive(Component)]` to a component, or `#[derive(Bundle)]` to a struct whose fields are components; a generic one needs `T: Send + Sync + 'static`",
    note = "a relation is inserted with its target: `ChildOf.to(parent)`"
)]
pub unsafe trait Bundle: Send + Sync + Sized + 'static {
    /// True if this is one sparse component without hooks and requirements, which is inserted and removed without
    /// looking at tables or the cached info of the bundle.
    ///
    /// Part of the contract: `true` only for such a component.
    #[doc(hidden)]
    const IS_SPARSE_COMPONENT: bool = false;

    /// True if any of the components may [require](crate::component::Required) others, or be an end of a
    /// [relation](crate::relation); otherwise structural changes do not check for these.
    ///
    /// Part of the contract: `false` only if none of them does or is.
    #[doc(hidden)]
    const MAY_REQUIRE: bool = true;

    /// True if the bundle has [effects](EffectVisitor); otherwise structural changes do not look for them.
    ///
    /// Part of the contract: `types` calls [`TypeVisitor::effect`] if it is true.
    #[doc(hidden)]
    const HAS_EFFECTS: bool = false;

    /// True if a value may lack some of the `types`, or have components that are not among them.
    ///
    /// Part of the contract: `false` only if no part is optional or has [values of unknown type](FieldVisitor::visit_erased).
    /// A bundle that has such values has effects, too.
    #[doc(hidden)]
    const IS_VARIABLE: bool = false;

    /// The component types, as far as they are known in a constant.
    #[doc(hidden)]
    const COMPONENTS: &'static Components = &Components::All(&[]);

    /// Fails to compile if a component type is known to occur twice.
    #[doc(hidden)]
    const DISTINCT: () = distinct::refuse_duplicate(Self::COMPONENTS);

    /// Passes each component type to the visitor, optional parts included.
    fn types<V: TypeVisitor>(visitor: &mut V);

    /// Passes a pointer to each component value inside `this` to the visitor.
    ///
    /// # Safety
    /// `this` points to an initialised `Self`. The visitor may move the values out, so the caller must not drop `*this`.
    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V);

    /// Moves the effects of the bundle to the visitor, in order; there are none left afterwards.
    #[doc(hidden)]
    #[inline]
    fn take_effects<V: EffectVisitor>(&mut self, visitor: &mut V) {
        let _ = visitor;
    }

    /// Builds a bundle of values that `source` moves out of a storage.
    ///
    /// # Safety
    /// `source` has one initialised value for each of the component types, in order, except for those of optional parts that it
    /// lacks.
    unsafe fn read<S: FieldSource>(source: &mut S) -> Self;
}

/// Visits the component types of a [`Bundle`].
#[doc(hidden)]
pub trait TypeVisitor: Sized {
    /// Visits the next component type.
    fn visit<T: Component>(&mut self);

    /// Visits a part of a bundle that values may lack. By default like any other part.
    #[inline]
    fn optional<B: Bundle>(&mut self) {
        B::types(self);
    }

    /// Called for a part of a bundle that has effects and no components.
    #[inline]
    fn effect(&mut self) {}
}

/// Applies an effect to an entity. The second argument is the `World`, which is in a higher layer.
#[doc(hidden)]
pub type ApplyEffect<E> = fn(E, &mut dyn Any, Entity);

/// Receives the effects of a [`Bundle`]: changes of the world, such as spawning the entity's children, that are made once
/// the entity has the bundle's components.
#[doc(hidden)]
pub trait EffectVisitor {
    /// Receives the next effect.
    fn visit<E: Send + Sync + 'static>(&mut self, effect: E, apply: ApplyEffect<E>);
}

/// Visits the component values of a [`Bundle`].
#[doc(hidden)]
pub trait FieldVisitor {
    /// Visits the next component value.
    ///
    /// # Safety
    /// `value` points to an initialised `T` which may be moved out.
    unsafe fn visit<T: Component>(&mut self, value: *mut T);

    /// Visits further values, of components that are known only at run time. A visitor that moves values out takes the columns.
    ///
    /// By default for visitors that meet no bundle with effects.
    ///
    /// # Safety
    /// Each column has one value, of its component, and no two have the same component.
    unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
        unreachable!("{} values are in a bundle without effects", values.len());
    }
}

/// A source of component values for building a [`Bundle`].
#[doc(hidden)]
pub trait FieldSource {
    /// Returns the next component value.
    ///
    /// # Safety
    /// Called once per component type of the bundle that the source was made for, in the order of its types, except for those
    /// of optional parts that it lacks.
    unsafe fn take<T: Component>(&mut self) -> T;

    /// Returns true if the source has the next optional part. Called once per such part, before its components are taken, but
    /// not for a part of one that it lacks.
    fn has_optional(&mut self) -> bool;
}

// SAFETY: one component type, one field that is the whole of `Self`, visited once in each function.
unsafe impl<T: Component> Bundle for T {
    const IS_SPARSE_COMPONENT: bool =
        T::STORAGE.is_by_entity() && T::HOOKS.observed().is_nothing() && !Self::MAY_REQUIRE;

    const MAY_REQUIRE: bool =
        !T::REQUIRED.is_empty() || T::LINK.is_some() || T::HOOKS.check().is_some();

    const COMPONENTS: &'static Components = &Components::One {
        ident: T::IDENT,
        required: for_each_required::<T>,
    };

    #[inline]
    fn types<V: TypeVisitor>(visitor: &mut V) {
        visitor.visit::<T>();
    }

    #[inline]
    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V) {
        // SAFETY: `this` points to an initialised `T`, the only field, which may be moved out, by the caller's
        // contract.
        unsafe { visitor.visit::<T>(this) }
    }

    #[inline]
    unsafe fn read<S: FieldSource>(source: &mut S) -> Self {
        // SAFETY: called once for the one type of the bundle that the source was made for, by the caller's contract.
        unsafe { source.take::<T>() }
    }
}
