//! `Targets`: the component of a source with many targets.

use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::target::{boxed, free};
use super::{Outgoing, RelateError, Sources, ToMany, sealed::OutgoingOps};
use crate::component::{
    CloneValue, Component, ComponentId, EdgeFns, EdgeValues, End, IdSlot, Link, OneSlice,
    StorageKind, Untracked,
};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::storage::{EdgeList, ListIter};
use crate::world::{NoSuchEntity, World};

/// The component of an entity that is related to many targets: the targets, from the first one related to the last, with a
/// value for each.
///
/// [`World::relate`] adds it, and it is removed with its last edge. To spawn or insert one, use
/// [`Relation::to`](super::Relation::to) and [`and`](Self::and). Inserting one replaces all existing edges.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Targets;
///
/// #[derive(Relation)]
/// #[relation(many)]
/// struct Likes(u32);
///
/// let mut world = World::new();
/// let [cat, dog] = [(); 2].map(|()| world.spawn(()));
/// let ann = world.spawn(Likes(3).to(cat).and(Likes(1), dog));
/// world.relate(ann, Likes(4), dog)?;
/// let likes = world.get::<Targets<Likes>>(ann).unwrap();
/// assert!(likes.iter().map(|(pet, likes)| (pet, likes.0)).eq([(cat, 3), (dog, 4)]));
/// # Ok::<(), ecs_core::relation::RelateError>(())
/// ```
// `storage::links` relies on the layout.
#[repr(C)]
pub struct Targets<R> {
    list: EdgeList,
    /// By slot of the list; `None` in gaps and past its end.
    values: Vec<Option<R>>,
}

impl<R: 'static> Targets<R> {
    /// The end of a relation whose sources have this component: `Targets` is `repr(C)` and begins with an `EdgeList`, and the
    /// functions are for it.
    pub(crate) const END: End = End::Targets {
        values: EdgeFns {
            take: take::<R>,
            free: free::<R>,
            compact: compact::<R>,
            edge: const {
                // SAFETY: the functions are for `Targets<R>`, the component of sources.
                &unsafe { EdgeValues::new::<R>(make::<R>, value::<R>, release::<R>, clone::<R>) }
            },
        },
    };

    pub(crate) fn new(relation: R, target: Entity) -> Self {
        let mut targets = Self {
            list: EdgeList::default(),
            values: Vec::new(),
        };
        targets.push_value(relation);
        targets.list.push_unlinked(target);
        targets
    }

    /// Appends the value of the next edge.
    pub(crate) fn push_value(&mut self, relation: R) {
        self.values.truncate(self.list.end());
        self.values.push(Some(relation));
    }
}

impl<R: ToMany> Targets<R> {
    /// The number of targets. O(1).
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the value of the edge to `target`; `None` if there is none. O(targets).
    #[must_use]
    pub fn get(&self, target: Entity) -> Option<&R> {
        self.values[self.list.find(target)?].as_ref()
    }

    /// Returns true if there is an edge to `target`. O(targets).
    #[must_use]
    pub fn contains(&self, target: Entity) -> bool {
        self.list.find(target).is_some()
    }

    /// Returns the targets in order. O(1), but O(targets) for the first call after one was removed from the middle.
    /// Several threads may call it concurrently.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        self.list.as_slice()
    }

    /// Iterates over the targets in order, with the values of the edges.
    pub fn iter(&self) -> TargetsIter<'_, R> {
        TargetsIter {
            entities: self.list.iter(),
            values: self.values.iter(),
        }
    }

    /// Adds a target, or replaces the value if it has that target already. O(targets).
    #[must_use]
    pub fn and(mut self, relation: R, target: Entity) -> Self {
        match self.list.find(target) {
            Some(slot) => self.values[slot] = Some(relation),
            None => {
                self.push_value(relation);
                self.list.push_unlinked(target);
            }
        }
        self
    }
}

/// Iterator over the targets of an entity, with the values of the edges; see [`Targets::iter`].
pub struct TargetsIter<'a, R> {
    entities: ListIter<'a>,
    values: core::slice::Iter<'a, Option<R>>,
}

impl<'a, R> Iterator for TargetsIter<'a, R> {
    type Item = (Entity, &'a R);

    fn next(&mut self) -> Option<Self::Item> {
        // The gaps in both are at the same slots.
        let value = self.values.find_map(Option::as_ref);
        self.entities.next().zip(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entities.size_hint()
    }
}

impl<R> ExactSizeIterator for TargetsIter<'_, R> {}

impl<'a, R: ToMany> IntoIterator for &'a Targets<R> {
    type Item = (Entity, &'a R);
    type IntoIter = TargetsIter<'a, R>;

    fn into_iter(self) -> TargetsIter<'a, R> {
        self.iter()
    }
}

impl<R: ToMany> OneSlice for Targets<R> {}

#[diagnostic::do_not_recommend]
impl<R: ToMany> Component for Targets<R> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::relation::Targets")
            .with_argument(R::RELATION.argument())
            .with_data_of::<R>(R::DATA);
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;
    // SAFETY: the end is for `Self`.
    const LINK: Option<Link<Self>> =
        Some(unsafe { Link::new(Self::END, |_| ComponentId::of::<Sources<R>>()) });

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        R::slots().map(|slots| &slots.outgoing)
    }
}

/// Makes a `Targets<R>` of a list of targets and as many values.
///
/// # Safety
/// `list` points to an `EdgeList` without gaps, which is not used afterwards, `values` to an `R` for each of its entities,
/// which are not used afterwards, and `place` to aligned memory for a `Targets<R>`.
unsafe fn make<R>(list: *const u8, values: *const u8, place: *mut u8) {
    // SAFETY: `list` points to an `EdgeList`, which is not used afterwards, by the caller's contract.
    let list = unsafe { list.cast::<EdgeList>().read() };
    let mut all = Vec::with_capacity(list.len());
    for edge in 0..list.len() {
        // SAFETY: there are as many values as targets by the caller's contract.
        let value = unsafe { values.cast::<R>().add(edge) };
        // SAFETY: `value` points to an `R`, which is not used afterwards, by the caller's contract.
        all.push(Some(unsafe { value.read() }));
    }
    let values = all;
    // SAFETY: `place` is aligned memory for a `Targets<R>` by the caller's contract.
    unsafe { place.cast::<Targets<R>>().write(Targets { list, values }) };
}

/// Returns a pointer to the value of the edge in a slot; null if there is none.
///
/// # Safety
/// `targets` points to a `Targets<R>`.
unsafe fn value<R>(targets: *const u8, slot: usize) -> *const u8 {
    // SAFETY: `targets` points to a `Targets<R>` by the caller's contract.
    let targets = unsafe { &*targets.cast::<Targets<R>>() };
    let value = targets.values.get(slot).and_then(Option::as_ref);
    value.map_or(core::ptr::null(), |value| core::ptr::from_ref(value).cast())
}

/// Frees a component whose values were moved out.
///
/// # Safety
/// `targets` points to a `Targets<R>`, which is not used afterwards, and whose values are not used either.
unsafe fn release<R>(targets: *mut u8) {
    // SAFETY: `targets` points to a `Targets<R>`, which is not used afterwards, by the caller's contract.
    let targets = unsafe { targets.cast::<Targets<R>>().read() };
    for value in targets.values {
        core::mem::forget(value);
    }
}

/// Writes a copy of a component, whose values the function copies.
///
/// # Safety
/// `from` points to a `Targets<R>`, and `place` to aligned memory for one. The function writes an `R` to its second pointer,
/// which is aligned memory for one, if the first one points to an `R`.
unsafe fn clone<R>(from: *const u8, place: *mut u8, clone: CloneValue<'_>) {
    // SAFETY: `from` points to a `Targets<R>` by the caller's contract.
    let from = unsafe { &*from.cast::<Targets<R>>() };
    let mut values = Vec::with_capacity(from.values.len());
    for value in &from.values {
        values.push(value.as_ref().map(|value| {
            let mut copy = MaybeUninit::<R>::uninit();
            clone(core::ptr::from_ref(value).cast(), copy.as_mut_ptr().cast());
            // SAFETY: the function has written an `R` by the caller's contract.
            unsafe { copy.assume_init() }
        }));
    }
    let list = from.list.clone();
    // SAFETY: `place` is aligned memory for a `Targets<R>` by the caller's contract.
    unsafe { place.cast::<Targets<R>>().write(Targets { list, values }) };
}

/// Takes out the value of an edge, in a box if it needs to be dropped.
///
/// # Safety
/// `targets` points to a `Targets<R>` that has no reference, with an edge in the slot.
unsafe fn take<R>(targets: *mut u8, slot: usize) -> Option<NonNull<u8>> {
    // SAFETY: `targets` points to a `Targets<R>` without another reference to it, by the caller's contract.
    let targets = unsafe { &mut *targets.cast::<Targets<R>>() };
    let value = targets.values[slot].take()?;
    // A value that needs no drop is not kept.
    core::mem::needs_drop::<R>().then(|| boxed(value))
}

/// Closes the gaps of the values.
///
/// # Safety
/// `targets` points to a `Targets<R>` that has no reference.
unsafe fn compact<R>(targets: *mut u8) {
    // SAFETY: `targets` points to a `Targets<R>` without another reference to it, by the caller's contract.
    let targets = unsafe { &mut *targets.cast::<Targets<R>>() };
    targets.values.retain(Option::is_some);
}

impl<R: ToMany> Outgoing<R> for Targets<R> {}

impl<R: ToMany> OutgoingOps<R> for Targets<R> {
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
        let component = ComponentId::of::<Self>();
        let slot = world.storage.edge(component, source, target);
        let Some(targets) = world.end_mut::<Self>(source) else {
            return Ok(world.insert(source, relation.to(target))?);
        };
        match slot {
            Some(slot) => {
                let old = targets.values[slot].replace(relation);
                drop(old);
            }
            None => {
                world.storage.reserve_edge(component, source, target);
                let targets = world.end_mut::<Self>(source);
                targets
                    .expect("the source has targets")
                    .push_value(relation);
                world.storage.add_edge(component, source, target);
            }
        }
        Ok(())
    }

    fn unrelate(world: &mut World, source: Entity, target: Entity) -> Result<bool, NoSuchEntity> {
        world.register::<Self>();
        let component = ComponentId::of::<Self>();
        let slot = world.storage.edge(component, source, target);
        if let Some(slot) = slot {
            let mut drops = world.storage.take_drops();
            world.storage.cut(component, source, slot, &mut drops);
            world.storage.run(drops);
        }
        Ok(slot.is_some())
    }

    fn is_related(world: &World, source: Entity, target: Entity) -> bool {
        let component = ComponentId::of::<Self>();
        let is_known = world.storage.component(component).is_some();
        is_known && world.storage.edge(component, source, target).is_some()
    }

    #[inline]
    fn any_target(&self, passes: impl FnMut(Entity) -> bool) -> bool {
        self.list.iter().any(passes)
    }
}

impl<R: ToMany + fmt::Debug> fmt::Debug for Targets<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
