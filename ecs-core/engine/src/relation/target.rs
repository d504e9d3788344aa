//! `Target`: the component of a source with one target.

use alloc::boxed::Box;
use core::fmt;
use core::ptr::NonNull;

use super::{Outgoing, RelateError, Sources, ToOne, sealed::OutgoingOps};
use crate::component::{
    CloneValue, Component, ComponentId, EdgeFns, EdgeValues, End, IdSlot, Link, OneSlice,
    StorageKind, Untracked,
};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::storage::TargetLink;
use crate::world::{NoSuchEntity, World};

/// The component of an entity that is related to one target; returned by [`Relation::to`](super::Relation::to).
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Target;
///
/// #[derive(Relation)]
/// struct OrbitOf { radius: f32 }
///
/// #[system]
/// fn widest(orbits: Comp<Target<OrbitOf>>) -> f32 {
///     orbits.iter().map(|orbit| orbit.value().radius).fold(0.0, f32::max)
/// }
///
/// let mut world = World::new();
/// let sun = world.spawn(());
/// world.spawn_batch([1.0, 1.5].map(|radius| OrbitOf { radius }.to(sun)));
/// assert_eq!(widest(&world), 1.5);
/// ```
// `storage::links` relies on the layout.
#[doc(alias = "Parent")]
#[repr(C)]
pub struct Target<R> {
    link: TargetLink,
    relation: R,
}

impl<R: ToOne> Target<R> {
    /// The target.
    #[inline]
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.link.target
    }

    /// The value of the edge.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &R {
        &self.relation
    }

    /// Converts into the value of the edge.
    #[must_use]
    pub fn into_value(self) -> R {
        self.relation
    }
}

impl<R: 'static> Target<R> {
    pub(crate) const fn new(relation: R, target: Entity) -> Self {
        let link = TargetLink::new(target);
        Self { link, relation }
    }

    /// The end of a relation whose sources have this component: `Target` is `repr(C)` and begins with a `TargetLink`, and the
    /// functions are for it.
    pub(crate) const fn end(acyclic: bool) -> End {
        End::Target {
            acyclic,
            values: EdgeFns {
                take: take::<Self>,
                free: free::<Self>,
                compact: |_| {},
                edge: const {
                    // SAFETY: the functions are for `Target<R>`, the component of sources.
                    &unsafe { EdgeValues::new::<R>(make::<R>, value::<R>, |_| {}, clone::<R>) }
                },
            },
        }
    }
}

impl<R: ToOne> OneSlice for Target<R> {}

#[diagnostic::do_not_recommend]
impl<R: ToOne> Component for Target<R> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::relation::Target")
            .with_argument(R::RELATION.argument())
            .with_data_of::<R>(R::DATA);
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;
    // SAFETY: the end is for `Self`.
    const LINK: Option<Link<Self>> =
        Some(unsafe { Link::new(Self::end(R::TREE), |_| ComponentId::of::<Sources<R>>()) });

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        R::slots().map(|slots| &slots.outgoing)
    }
}

impl<R: ToOne> Outgoing<R> for Target<R> {}

impl<R: ToOne> OutgoingOps<R> for Target<R> {
    fn single(relation: R, target: Entity) -> Self {
        Self::new(relation, target)
    }

    fn relate(
        world: &mut World,
        source: Entity,
        relation: R,
        target: Entity,
    ) -> Result<(), RelateError> {
        world.register::<Self>();
        let sources = ComponentId::of::<Sources<R>>();
        if R::TREE && world.storage.closes_cycle(sources, source, target) {
            return Err(RelateError::cycle::<R>(source, target));
        }
        Ok(world.insert(source, relation.to(target))?)
    }

    fn unrelate(world: &mut World, source: Entity, target: Entity) -> Result<bool, NoSuchEntity> {
        let is_related = Self::is_related(world, source, target);
        if is_related {
            world.remove::<Self>(source)?;
        }
        Ok(is_related)
    }

    fn is_related(world: &World, source: Entity, target: Entity) -> bool {
        let component = ComponentId::of::<Self>();
        let is_known = world.storage.component(component).is_some();
        let link = is_known.then(|| world.storage.target_link(component, source));
        link.flatten().is_some_and(|link| link.target == target)
    }

    #[inline]
    fn any_target(&self, mut passes: impl FnMut(Entity) -> bool) -> bool {
        passes(self.link.target)
    }
}

/// Makes a `Target<R>` of a `TargetLink` and a value.
///
/// # Safety
/// `link` points to a `TargetLink`, `relation` to an `R`, which is not used afterwards, and `place` to aligned memory for a
/// `Target<R>`.
unsafe fn make<R>(link: *const u8, relation: *const u8, place: *mut u8) {
    // SAFETY: `link` points to a `TargetLink` by the caller's contract.
    let link = unsafe { link.cast::<TargetLink>().read() };
    // SAFETY: `relation` points to an `R`, which is not used afterwards, by the caller's contract.
    let relation = unsafe { relation.cast::<R>().read() };
    // SAFETY: `place` is aligned memory for a `Target<R>` by the caller's contract.
    unsafe { place.cast::<Target<R>>().write(Target { link, relation }) };
}

/// Returns a pointer to the value of the edge.
///
/// # Safety
/// `target` points to a `Target<R>`.
unsafe fn value<R>(target: *const u8, _: usize) -> *const u8 {
    // SAFETY: `target` points to a `Target<R>` by the caller's contract.
    unsafe { &raw const (*target.cast::<Target<R>>()).relation }.cast()
}

/// Writes a copy of a component, whose value the function copies.
///
/// # Safety
/// `from` points to a `Target<R>`, and `place` to aligned memory for one. The function writes an `R` to its second pointer,
/// which is aligned memory for one, if the first one points to an `R`.
unsafe fn clone<R>(from: *const u8, place: *mut u8, clone: CloneValue<'_>) {
    let place = place.cast::<Target<R>>();
    // SAFETY: `from` points to a `Target<R>` by the caller's contract.
    let from = unsafe { &*from.cast::<Target<R>>() };
    // SAFETY: `place` is memory for a `Target<R>` by the caller's contract, so this is memory for its value.
    let value = unsafe { &raw mut (*place).relation };
    clone((&raw const from.relation).cast(), value.cast());
    // SAFETY: `place` is memory for a `Target<R>` by the caller's contract, so this is memory for its link.
    let link = unsafe { &raw mut (*place).link };
    // SAFETY: the pointer is aligned, and to memory for a link.
    unsafe { link.write(from.link) };
}

/// Moves a value into a box, if it needs to be dropped.
///
/// # Safety
/// `value` points to an initialised `T`, which is not used afterwards.
unsafe fn take<T>(value: *mut u8, _: usize) -> Option<NonNull<u8>> {
    if !core::mem::needs_drop::<T>() {
        return None;
    }
    // SAFETY: `value` points to an initialised `T`, which is not used afterwards, by the caller's contract.
    Some(boxed(unsafe { value.cast::<T>().read() }))
}

pub(super) fn boxed<T>(value: T) -> NonNull<u8> {
    NonNull::from(Box::leak(Box::new(value))).cast()
}

/// # Safety
/// `value` was returned by [`boxed`] for a `T`, and is not used afterwards.
pub(super) unsafe fn free<T>(value: *mut u8, _: usize) {
    // SAFETY: `value` comes from `Box::leak` of a `Box<T>`, and is not used afterwards, by the caller's contract.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
}

impl<R: ToOne + fmt::Debug> fmt::Debug for Target<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target")
            .field(&self.entity())
            .field(&self.relation)
            .finish()
    }
}
