//! `Sources`: the component of a target.

use core::fmt;
use core::ops::Deref;

use super::Relation;
use crate::component::{
    Component, ComponentId, End, IdSlot, Link, OneSlice, StorageKind, Untracked,
};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::meta::ConstTypeIdOf;
use crate::storage::{EdgeList, ListIter};

/// The component of an entity that others are related to: their ids, from the first one related to the last. Never empty.
///
/// Derefs to a slice. The world adds and removes it along with the edges; removing it cuts all its edges.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Sources;
///
/// #[derive(Relation)]
/// struct ChildOf;
/// #[derive(Component)]
/// struct Weight(u32);
///
/// #[system]
/// fn carried(parent: Entity, children: Comp<Sources<ChildOf>>, weights: Comp<Weight>) -> u32 {
///     let children = children.get(parent).into_iter().flatten();
///     children.filter_map(|child| weights.get(child)).map(|weight| weight.0).sum()
/// }
///
/// let mut world = World::new();
/// let cart = world.spawn(());
/// world.spawn_batch([3, 4].map(|weight| (Weight(weight), ChildOf.to(cart))));
/// assert_eq!(carried(cart, &world), 7);
/// assert_eq!(world.get::<Sources<ChildOf>>(cart).unwrap().len(), 2);
/// ```
// `storage::links` relies on the layout.
#[doc(alias = "Children")]
#[repr(transparent)]
pub struct Sources<R> {
    list: EdgeList,
    of: Invariant<R>,
}

impl<R: Relation> Sources<R> {
    /// Returns the sources as a slice. O(1), but O(sources) for the first call after one was removed from the middle.
    #[must_use]
    pub fn as_slice(&self) -> &[Entity] {
        self.list.as_slice()
    }

    /// Iterates over the sources in order, without making a [slice](Self::as_slice).
    #[inline]
    pub fn iter(&self) -> ListIter<'_> {
        self.list.iter()
    }

    /// The number of sources. O(1).
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The first source. O(1).
    #[must_use]
    pub fn first(&self) -> Option<Entity> {
        self.iter().next()
    }

    /// The last source. O(1).
    #[must_use]
    pub fn last(&self) -> Option<Entity> {
        self.iter().next_back()
    }
}

impl<R: Relation> OneSlice for Sources<R> {}

#[diagnostic::do_not_recommend]
impl<R: Relation> Component for Sources<R> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::relation::Sources")
            .with_argument(R::RELATION.argument())
            .with_data_of::<R>(R::DATA);
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;
    const LINK: Option<Link<Self>> = {
        let end = End::Sources {
            despawned: R::DESPAWNS_SOURCES,
        };
        // SAFETY: `Sources` is `repr(transparent)` over an `EdgeList`, which is the layout that `End::Sources` names.
        Some(unsafe { Link::new(end, |_| ComponentId::of::<R::Outgoing>()) })
    };

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        R::slots().map(|slots| &slots.sources)
    }
}

impl<R: Relation> Deref for Sources<R> {
    type Target = [Entity];

    fn deref(&self) -> &[Entity] {
        self.as_slice()
    }
}

impl<'a, R: Relation> IntoIterator for &'a Sources<R> {
    type Item = Entity;
    type IntoIter = ListIter<'a>;

    fn into_iter(self) -> ListIter<'a> {
        self.iter()
    }
}

impl<R> fmt::Debug for Sources<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}
