//! Checks of the values that entities are about to get, before anything is changed.
//!
//! A component has a check if its [`Hooks`] do. Unlike a hook it sees the new value, and it may refuse it: then nothing has changed.
//! All ways into a world ask it, after the last user code that may change the world and before the first write: bundles and single
//! values one by one, and [commits](World::commit) and edits once for all of their values.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::mem::transmute;
use core::num::NonZeroU32;

use super::{NoSuchEntity, ValueTaken, World};
use crate::bundle::{Bundle, FieldVisitor};
use crate::component::{Component, ComponentId, ErasedFn, HookCheck, Hooks};
use crate::entity::Entity;
use crate::storage::ErasedColumn;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A check of the values of `T`.
#[doc(hidden)]
pub trait CheckValues<T> {
    /// Checks values that entities are about to get, and that the function returns by number. In the same change the entities for
    /// which `leaves` returns true lose the values that they have.
    ///
    /// # Errors
    /// If an entity cannot get its value.
    fn check<'a>(
        world: &World,
        values: &dyn Fn(usize) -> Option<(Entity, &'a T)>,
        leaves: &dyn Fn(Entity) -> bool,
    ) -> Result<(), ValueTaken>;
}

/// An insertion that is refused; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TryInsertError {
    /// The entity does not exist.
    NoSuchEntity(NoSuchEntity),
    /// Another entity has a value that is unique.
    Taken(ValueTaken),
}

impl fmt::Display for TryInsertError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::Taken(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TryInsertError {}

type ErasedValues<'a> = &'a dyn Fn(usize) -> Option<(Entity, *const u8)>;
type ErasedCheck = unsafe fn(&World, ErasedValues<'_>, Leaves<'_>) -> Result<(), ValueTaken>;
type Leaves<'a> = &'a dyn Fn(Entity) -> bool;

/// # Safety
/// The values are initialised `T`s, and are not written meanwhile.
unsafe fn check_erased<T: Component, C: CheckValues<T>>(
    world: &World,
    values: ErasedValues<'_>,
    leaves: Leaves<'_>,
) -> Result<(), ValueTaken> {
    let values = |number| {
        let (entity, value) = values(number)?;
        // SAFETY: the value is an initialised `T` that is not written meanwhile, by the caller's contract.
        Some((entity, unsafe { &*value.cast::<T>() }))
    };
    C::check(world, &values, leaves)
}

impl Hooks {
    /// Adds a check of new values of `T`, the component that has the hooks.
    #[doc(hidden)]
    #[must_use]
    pub const fn checked<T: Component, C: CheckValues<T>>(self) -> Self {
        let check: ErasedCheck = check_erased::<T, C>;
        // SAFETY: all function pointers have the same layout, and the erased one is not called before it is transmuted back.
        let function = unsafe { transmute::<ErasedCheck, ErasedFn>(check) };
        // SAFETY: `function` was transmuted from an `ErasedCheck` of values of `T`.
        unsafe { self.with_check(HookCheck::new(TypeId::of::<T>, function)) }
    }
}

impl World {
    /// Checks values of a component by its check, if it has one.
    ///
    /// # Safety
    /// The values are initialised values of the component, and are not written meanwhile.
    pub(super) unsafe fn check_values(
        &self,
        component: ComponentId,
        values: ErasedValues<'_>,
        leaves: Leaves<'_>,
    ) -> Result<(), ValueTaken> {
        let more = component.info().more;
        let Some(check) = more.hooks.check() else {
            return Ok(());
        };
        assert_eq!(
            check.type_id(),
            more.ident.type_id(),
            "the check is of the component that has it"
        );
        // SAFETY: by invariant 1 of `HookCheck` it is an `ErasedCheck`.
        let function = unsafe { transmute::<ErasedFn, ErasedCheck>(check.function()) };
        // SAFETY: by invariant 1 of `HookCheck` it checks values of the type, which is the component's; the values are such, and
        // are not written meanwhile, by the caller's contract.
        unsafe { function(self, values, leaves) }
    }

    /// Checks one value of a component.
    ///
    /// # Safety
    /// As for [`check_values`](Self::check_values).
    pub(super) unsafe fn check_value(
        &self,
        component: ComponentId,
        entity: Entity,
        value: *const u8,
    ) -> Result<(), ValueTaken> {
        let values = |number| (number == 0).then_some((entity, value));
        // SAFETY: by the caller's contract.
        unsafe { self.check_values(component, &values, &|_| false) }
    }

    /// Checks the values of a bundle that an entity is about to get.
    pub(super) fn check_bundle<B: Bundle>(
        &self,
        entity: Entity,
        bundle: &B,
    ) -> Result<(), ValueTaken> {
        struct BundleCheck<'a>(&'a World, Entity, Result<(), ValueTaken>);

        impl FieldVisitor for BundleCheck<'_> {
            #[inline]
            unsafe fn visit<T: Component>(&mut self, value: *mut T) {
                if T::HOOKS.check().is_some() && self.2.is_ok() {
                    let component = ComponentId::of::<T>();
                    // SAFETY: `value` is an initialised `T` by the contract of `visit`, and is not written meanwhile.
                    self.2 = unsafe { self.0.check_value(component, self.1, value.cast()) };
                }
            }

            unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
                for column in values {
                    if let (Some(value), true) = (column.get(0), self.2.is_ok()) {
                        // SAFETY: the value belongs to the column's component, and is not written meanwhile.
                        self.2 = unsafe { self.0.check_value(column.component(), self.1, value) };
                    }
                }
            }
        }

        let mut check = BundleCheck(self, entity, Ok(()));
        // SAFETY: the bundle is initialised, and the visitor only reads it and moves nothing out.
        unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut check) };
        check.2
    }

    /// Checks the values of a bundle that an entity is about to get: this one, or the next one to be spawned.
    ///
    /// # Panics
    /// If it cannot get one of them.
    #[inline]
    pub(super) fn check_new<B: Bundle>(&mut self, entity: Option<Entity>, bundle: &B) {
        if let Err(taken) = self.try_check_new(entity, bundle) {
            panic!("{taken}");
        }
    }

    /// Like [`check_new`](Self::check_new), but returns an error.
    fn try_check_new<B: Bundle>(
        &mut self,
        entity: Option<Entity>,
        bundle: &B,
    ) -> Result<(), ValueTaken> {
        match entity.or_else(|| self.storage.entities.next_id()) {
            Some(entity) => self.check_bundle(entity, bundle),
            // The id is only known when the entity has it, and then nothing is checked any more.
            None => {
                let unknown = Entity::new(u32::MAX, NonZeroU32::MIN);
                self.as_checked_edit(|world| world.check_bundle(unknown, bundle))
            }
        }
    }

    /// Checks values that entities are about to get, in columns with an entity for each value. In the same change the entities for
    /// which `leaves` returns true lose the values that they have.
    ///
    /// # Errors
    /// If an entity cannot get its value.
    #[doc(hidden)]
    pub fn check_columns(
        &self,
        columns: &[(&ErasedColumn, Cow<'_, [Entity]>)],
        leaves: &dyn Fn(ComponentId, Entity) -> bool,
    ) -> Result<(), ValueTaken> {
        let mut checked: Vec<ComponentId> = Vec::new();
        for (column, _) in columns {
            let component = column.component();
            if checked.contains(&component) {
                continue;
            }
            checked.push(component);
            let mut values: Vec<(Entity, *const u8)> = Vec::new();
            for (column, entities) in columns {
                if column.component() == component {
                    // The values of one copy stand for all copies.
                    let rows = (0..column.len()).cycle().filter_map(|row| column.get(row));
                    values.extend(entities.iter().copied().zip(rows));
                }
            }
            let values = |number: usize| values.get(number).copied();
            let leaves = |entity| leaves(component, entity);
            // SAFETY: the values are initialised ones of the component, in columns that are borrowed.
            unsafe { self.check_values(component, &values, &leaves) }?;
        }
        Ok(())
    }

    /// Calls a function that checks the values of an edit and makes it. Values may be equal for a moment until it is done.
    #[doc(hidden)]
    pub fn as_checked_edit<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.nesting.edit;
        if outer.is_none() {
            self.nesting.edits += 1;
            self.nesting.edit = Some(self.nesting.edits);
        }
        let result = catch_unwind(AssertUnwindSafe(|| f(self)));
        self.nesting.edit = outer;
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Returns the number of the outermost [edit](Self::as_checked_edit) that runs.
    #[doc(hidden)]
    #[must_use]
    pub fn checked_edit(&self) -> Option<u64> {
        self.nesting.edit
    }

    /// Spawns an entity like [`spawn`](Self::spawn), unless another entity has one of its values that are unique.
    ///
    /// # Errors
    /// If another entity has the value; nothing has changed, and the bundle is dropped.
    ///
    /// # Panics
    /// In the same cases as `spawn`.
    pub fn try_spawn<B: Bundle>(&mut self, bundle: B) -> Result<Entity, ValueTaken> {
        let () = B::DISTINCT;
        self.try_check_new(None, &bundle)?;
        // No user code has run since then.
        Ok(self.spawn_in_full(None, bundle, true))
    }

    /// Inserts a bundle like [`insert`](Self::insert), unless another entity has one of its values that are unique.
    ///
    /// # Errors
    /// If the entity does not exist, or another one has the value; nothing has changed, and the bundle is dropped.
    ///
    /// # Panics
    /// In the same cases as `insert`.
    pub fn try_insert<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle: B,
    ) -> Result<(), TryInsertError> {
        let () = B::DISTINCT;
        if self.storage.locate(entity).is_none() {
            return Err(TryInsertError::NoSuchEntity(NoSuchEntity { entity }));
        }
        self.check_bundle(entity, &bundle)
            .map_err(TryInsertError::Taken)?;
        // No user code has run since then.
        self.insert_in_full(entity, bundle, true);
        Ok(())
    }
}
