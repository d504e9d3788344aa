//! Traversals along a relation, without recursion.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use super::{Relation, Sources, Target, ToOne};
use crate::entity::{Entity, EntityMarks};
use crate::view::Comp;
use crate::world::World;

/// The entities that a traversal has visited, if the relation may have cycles.
struct Visited(Option<EntityMarks>);

impl Visited {
    fn new<R: Relation>(start: Entity) -> Self {
        if R::TREE {
            return Self(None);
        }
        let mut seen = EntityMarks::default();
        seen.insert(start);
        Self(Some(seen))
    }

    /// Returns true if the entity is visited for the first time.
    #[inline]
    fn is_new(&mut self, entity: Entity) -> bool {
        match &mut self.0 {
            Some(seen) => seen.insert(entity),
            None => true,
        }
    }
}

/// Iterator over the sources of an entity, their sources, and so on, depth first; see [`World::descendants`].
pub struct Descendants<'w, R> {
    sources: Comp<'w, Sources<R>>,
    /// The entities to visit, the next one last.
    pending: Vec<Entity>,
    seen: Visited,
}

impl<'w, R: Relation> Descendants<'w, R> {
    fn new(sources: Comp<'w, Sources<R>>, root: Entity) -> Self {
        let mut walk = Self {
            sources,
            pending: Vec::new(),
            seen: Visited::new::<R>(root),
        };
        walk.enter(root);
        walk
    }

    #[inline]
    fn enter(&mut self, entity: Entity) {
        if let Some(sources) = self.sources.get(entity) {
            self.pending.extend(sources.iter().rev());
        }
    }
}

impl<R: Relation> Iterator for Descendants<'_, R> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        loop {
            let next = self.pending.pop()?;
            if self.seen.is_new(next) {
                self.enter(next);
                return Some(next);
            }
        }
    }
}

/// Iterator over the sources of an entity, then their sources, and so on, breadth first; see
/// [`World::descendants_breadth_first`].
pub struct DescendantsBreadthFirst<'w, R> {
    sources: Comp<'w, Sources<R>>,
    pending: VecDeque<Entity>,
    seen: Visited,
}

impl<'w, R: Relation> DescendantsBreadthFirst<'w, R> {
    fn new(sources: Comp<'w, Sources<R>>, root: Entity) -> Self {
        let mut walk = Self {
            sources,
            pending: VecDeque::new(),
            seen: Visited::new::<R>(root),
        };
        walk.enter(root);
        walk
    }

    #[inline]
    fn enter(&mut self, entity: Entity) {
        if let Some(sources) = self.sources.get(entity) {
            self.pending.extend(sources.iter());
        }
    }
}

impl<R: Relation> Iterator for DescendantsBreadthFirst<'_, R> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        loop {
            let next = self.pending.pop_front()?;
            if self.seen.is_new(next) {
                self.enter(next);
                return Some(next);
            }
        }
    }
}

/// Iterator over the target of an entity, its target, and so on; see [`World::ancestors`].
pub struct Ancestors<'w, R: ToOne> {
    targets: Comp<'w, Target<R>>,
    current: Entity,
    seen: Visited,
}

impl<'w, R: ToOne> Ancestors<'w, R> {
    fn new(targets: Comp<'w, Target<R>>, of: Entity) -> Self {
        Self {
            targets,
            current: of,
            seen: Visited::new::<R>(of),
        }
    }
}

impl<R: ToOne> Iterator for Ancestors<'_, R> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        self.current = self.targets.get(self.current)?.entity();
        self.seen.is_new(self.current).then_some(self.current)
    }
}

impl<R: ToOne> core::iter::FusedIterator for Ancestors<'_, R> {}
impl<R: Relation> core::iter::FusedIterator for Descendants<'_, R> {}
impl<R: Relation> core::iter::FusedIterator for DescendantsBreadthFirst<'_, R> {}

impl<R: Relation> Comp<'_, Sources<R>> {
    /// Iterates over the sources of `root`, their sources, and so on: depth first, in pre-order, siblings in order.
    /// Excludes `root`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::relation::{Sources, Target};
    ///
    /// #[derive(Relation)]
    /// #[relation(tree)]
    /// struct ChildOf;
    /// #[derive(Component)]
    /// struct Offset(f32);
    /// #[derive(Component, Default)]
    /// struct Place(f32);
    ///
    /// /// Each node's place, parents before children.
    /// #[system]
    /// fn place(
    ///     root: Entity,
    ///     children: Comp<Sources<ChildOf>>,
    ///     parents: Comp<Target<ChildOf>>,
    ///     offsets: Comp<Offset>,
    ///     mut places: CompMut<Place>,
    /// ) {
    ///     for node in children.descendants(root) {
    ///         let from = parents.get(node).and_then(|parent| places.get(parent.entity()));
    ///         let from = from.map_or(0.0, |place| place.0);
    ///         if let (Some(place), Some(offset)) = (places.get_mut(node), offsets.get(node)) {
    ///             place.0 = from + offset.0;
    ///         }
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let root = world.spawn(Place(1.0));
    /// let node = world.spawn((Offset(2.0), Place::default(), ChildOf.to(root)));
    /// let leaf = world.spawn((Offset(3.0), Place::default(), ChildOf.to(node)));
    /// place(root, &world);
    /// assert_eq!(world.get::<Place>(leaf).unwrap().0, 6.0);
    /// ```
    #[must_use]
    pub fn descendants(&self, root: Entity) -> Descendants<'_, R> {
        Descendants::new(self.reborrow(), root)
    }

    /// Iterates over the sources of `root`, then their sources, and so on: breadth first, siblings in order. Excludes
    /// `root`.
    #[must_use]
    pub fn descendants_breadth_first(&self, root: Entity) -> DescendantsBreadthFirst<'_, R> {
        DescendantsBreadthFirst::new(self.reborrow(), root)
    }
}

impl<R: ToOne> Comp<'_, Target<R>> {
    /// Iterates over the entity's target, its target, and so on. Ends before an entity repeats.
    #[must_use]
    pub fn ancestors(&self, of: Entity) -> Ancestors<'_, R> {
        Ancestors::new(self.reborrow(), of)
    }

    /// Returns the last of the [ancestors](Self::ancestors), or the entity itself if it has no target.
    #[must_use]
    pub fn root(&self, of: Entity) -> Entity {
        self.ancestors(of).last().unwrap_or(of)
    }
}

impl World {
    /// Iterates over the sources of `root`, their sources, and so on: depth first, in pre-order, siblings in order.
    /// Excludes `root`, and visits each entity once, even if there are cycles.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation)] #[relation(tree)] struct ChildOf;
    /// let mut world = World::new();
    /// let root = world.spawn(());
    /// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf.to(root)));
    /// let under_a = world.spawn(ChildOf.to(a));
    /// assert!(world.descendants::<ChildOf>(root).eq([a, under_a, b]));
    /// assert!(world.descendants_breadth_first::<ChildOf>(root).eq([a, b, under_a]));
    /// assert!(world.ancestors::<ChildOf>(under_a).eq([a, root]));
    /// assert_eq!(world.root::<ChildOf>(under_a), root);
    /// ```
    #[doc(alias = "iter_descendants")]
    #[must_use]
    pub fn descendants<R: Relation>(&self, root: Entity) -> Descendants<'_, R> {
        Descendants::new(self.view(), root)
    }

    /// Iterates over the sources of `root`, then their sources, and so on: breadth first; otherwise like
    /// [`descendants`](Self::descendants).
    #[must_use]
    pub fn descendants_breadth_first<R: Relation>(
        &self,
        root: Entity,
    ) -> DescendantsBreadthFirst<'_, R> {
        DescendantsBreadthFirst::new(self.view(), root)
    }

    /// Iterates over the entity's target, its target, and so on. Ends before an entity repeats.
    #[doc(alias = "iter_ancestors")]
    #[must_use]
    pub fn ancestors<R: ToOne>(&self, of: Entity) -> Ancestors<'_, R> {
        Ancestors::new(self.view(), of)
    }

    /// Returns the last of the [ancestors](Self::ancestors), or the entity itself if it has no target.
    #[must_use]
    pub fn root<R: ToOne>(&self, of: Entity) -> Entity {
        self.ancestors::<R>(of).last().unwrap_or(of)
    }
}

macro_rules! debug {
    ($($name:ident $bound:ident)*) => {$(
        impl<R: $bound> fmt::Debug for $name<'_, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

debug!(Descendants Relation DescendantsBreadthFirst Relation Ancestors ToOne);
