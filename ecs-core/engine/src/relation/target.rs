//! `Target`: the one at the other end.

use core::fmt;
use core::ptr::NonNull;

use super::{Outgoing, RelateError, Sources, ToOne, sealed::Verbs};
use crate::component::{Component, ComponentId, End, IdSlot, Link, StorageKind, Untracked, Values};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::storage::TargetLink;
use crate::world::{NoSuchEntity, World};

/// The component of an entity that is related to one target; made by [`Relation::to`](super::Relation::to).
///
/// ```
/// use ecs_core::prelude::*;
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
// The layout is what `storage::links` relies on.
#[repr(C)]
pub struct Target<R: ToOne> {
    toward: TargetLink,
    relation: R,
}

impl<R: ToOne> Target<R> {
    /// The other end.
    #[inline]
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.toward.target
    }

    /// What the edge carries.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &R {
        &self.relation
    }

    /// What the edge carries.
    #[must_use]
    pub fn into_value(self) -> R {
        self.relation
    }
}

#[diagnostic::do_not_recommend]
impl<R: ToOne> Component for Target<R> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic("ecs_core", "ecs_core::relation::Target");
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;
    const LINK: Option<Link<Self>> = {
        let end = End::Target {
            acyclic: R::TREE,
            values: Values {
                take: take::<Self>,
                free: free::<Self>,
                compact: |_| {},
            },
        };
        // SAFETY: a `Target` begins with a `TargetLink`, as it is `repr(C)`, and the functions are those for `Self`.
        Some(unsafe { Link::new(end, ComponentId::of::<Sources<R>>) })
    };

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        R::slots().map(|slots| &slots.outgoing)
    }
}

impl<R: ToOne> Outgoing<R> for Target<R> {}

impl<R: ToOne> Verbs<R> for Target<R> {
    fn one(relation: R, target: Entity) -> Self {
        Self {
            toward: TargetLink::new(target),
            relation,
        }
    }

    fn relate(
        world: &mut World,
        source: Entity,
        relation: R,
        target: Entity,
    ) -> Result<(), RelateError> {
        world.register::<Self>();
        let sources = ComponentId::of::<Sources<R>>();
        if R::TREE && world.storage.is_ancestor(sources, source, target) {
            return Err(RelateError::circle::<R>(source, target));
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
        let toward = is_known.then(|| world.storage.toward(component, source));
        toward
            .flatten()
            .is_some_and(|toward| toward.target == target)
    }
}

/// Moves a value into a box, if it needs drop.
///
/// # Safety
/// `value` points to an initialised `T`, which is given up.
unsafe fn take<T>(value: *mut u8, _: usize) -> Option<NonNull<u8>> {
    if !core::mem::needs_drop::<T>() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(boxed(unsafe { value.cast::<T>().read() }))
}

pub(super) fn boxed<T>(value: T) -> NonNull<u8> {
    NonNull::from(Box::leak(Box::new(value))).cast()
}

/// # Safety
/// `value` was returned by [`boxed`] for a `T`, and is given up.
pub(super) unsafe fn free<T>(value: *mut u8, _: usize) {
    // SAFETY: the caller's promise.
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
