//! Reordering of sources.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::{Relation, Sources};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::world::{EntityRef, World};

impl World {
    /// Returns the sources of a target, to reorder them; `None` if it has none.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation)] struct ChildOf;
    /// #[derive(Component)]
    /// struct Depth(i32);
    ///
    /// let mut world = World::new();
    /// let layer = world.spawn(());
    /// let near = world.spawn((Depth(1), ChildOf.to(layer)));
    /// let far = world.spawn((Depth(9), ChildOf.to(layer)));
    /// let mut children = world.sources_mut::<ChildOf>(layer).unwrap();
    /// children.sort_by_key(|child| child.get::<Depth>().map(|depth| -depth.0));
    /// assert_eq!(*children, [far, near]);
    /// children.move_to(near, 0);
    /// assert_eq!(*children, [near, far]);
    /// ```
    #[must_use]
    pub fn sources_mut<R: Relation>(&mut self, target: Entity) -> Option<SourcesMut<'_, R>> {
        self.register::<Sources<R>>();
        let component = ComponentId::of::<Sources<R>>();
        self.storage.list(component, target)?;
        Some(SourcesMut {
            world: self,
            target,
            component,
            of: PhantomData,
        })
    }
}

/// The sources of a target, to be reordered; from [`World::sources_mut`].
pub struct SourcesMut<'w, R> {
    world: &'w mut World,
    /// Invariant 1: has the component `component`, which is `Sources<R>`.
    target: Entity,
    component: ComponentId,
    of: Invariant<R>,
}

impl<R: Relation> SourcesMut<'_, R> {
    /// Sorts the sources with a comparison function. The sort is stable. O(n log n).
    ///
    /// If `compare` panics nothing has changed.
    pub fn sort_by(&mut self, mut compare: impl FnMut(EntityRef<'_>, EntityRef<'_>) -> Ordering) {
        let world = &*self.world;
        let of = |entity| world.entity(entity).expect("a source exists");
        let mut order = world.storage.order(self.component, self.target);
        order.sort_by(|&(a, _), &(b, _)| compare(of(a), of(b)));
        self.set(order);
    }

    /// Sorts the sources by a key, which is computed once for each. The sort is stable. O(n log n).
    ///
    /// If `key` panics nothing has changed.
    pub fn sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(EntityRef<'_>) -> K) {
        let world = &*self.world;
        let mut order = world.storage.order(self.component, self.target);
        order
            .sort_by_cached_key(|&(entity, _)| key(world.entity(entity).expect("a source exists")));
        self.set(order);
    }

    /// Moves a source to a position, shifting the others; to the end if there are fewer. Returns false if it is not one
    /// of the sources. O(n).
    pub fn move_to(&mut self, source: Entity, position: usize) -> bool {
        let storage = &mut self.world.storage;
        storage.move_sources(self.component, self.target, position, &[source]) > 0
    }

    fn set(&mut self, order: Vec<(Entity, Option<usize>)>) {
        self.world
            .storage
            .set_order(self.component, self.target, order);
    }
}

impl<R> Deref for SourcesMut<'_, R> {
    type Target = [Entity];

    fn deref(&self) -> &[Entity] {
        let list = self.world.storage.list(self.component, self.target);
        list.map_or(&[], |list| list.as_slice())
    }
}

impl<R> fmt::Debug for SourcesMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}
