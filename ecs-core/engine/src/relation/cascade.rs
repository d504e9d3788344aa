//! `Cascade`: the edges of a relation, targets before their sources, kept between uses.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use hashbrown::HashMap;

use super::{Target, ToOne};
use crate::entity::Entity;
use crate::hash::BuildIndexHasher;
use crate::invariant::Invariant;
use crate::query::{Item, Query, QueryData, QueryFilter};
use crate::view::Comp;

/// The level of entities that are on a cycle, or related to one.
const NO_LEVEL: u32 = u32::MAX;

/// An order where every target comes before its sources, such as parents before their children. It is kept from use to use,
/// and rebuilt when an edge has changed.
///
/// Keep it in a [`Local`](crate::Local). [`Query::for_each_cascade`] visits the entities of a query in this order, each one
/// together with its target; [`update`](Self::update) returns the edges themselves.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::{Cascade, Target};
///
/// #[derive(Relation)]
/// #[relation(tree)]
/// struct ChildOf;
/// #[derive(Component)]
/// struct Offset(f32);
/// #[derive(Component, Default)]
/// struct Place(f32);
///
/// #[system]
/// fn propagate(
///     mut order: Local<Cascade<ChildOf>>,
///     parents: Comp<Target<ChildOf>>,
///     mut nodes: Query<(&Offset, &mut Place)>,
/// ) {
///     nodes.for_each_cascade(&mut order, &parents, |parent, (offset, place)| {
///         place.0 = parent.map_or(0.0, |(_, place)| place.0) + offset.0;
///     });
/// }
///
/// let mut world = World::new();
/// let root = world.spawn((Offset(1.0), Place::default()));
/// let leaf = world.spawn((Offset(4.0), Place::default()));
/// let node = world.spawn((Offset(2.0), Place::default(), ChildOf.to(root)));
/// world.insert(leaf, ChildOf.to(node))?;
/// propagate(&world);
/// assert_eq!(world.get::<Place>(leaf).unwrap().0, 7.0);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// The order is breadth first: all entities of a level come before the next level. Within a level they come in the order in
/// the relation's storage. In a relation that is not a tree, entities on a cycle, and entities related to one, come last.
///
/// # Cost
/// An update compares all edges with the last update's, which is a walk over two lists. Only if one differs, the order is
/// rebuilt: O(edges), with a hash map. Nothing is noted when edges change, so a program without it pays nothing.
pub struct Cascade<R> {
    /// The edges as they were stored at the last update: sources and targets.
    seen: Vec<(Entity, Entity)>,
    /// The same edges, targets first.
    edges: Vec<(Entity, Entity)>,
    /// The end of each level in `edges`.
    ends: Vec<usize>,
    of: Invariant<R>,
}

impl<R: ToOne> Cascade<R> {
    /// Creates an order without edges.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seen: Vec::new(),
            edges: Vec::new(),
            ends: Vec::new(),
            of: PhantomData,
        }
    }

    /// Brings the order up to date, and returns all edges: sources with their targets, the edge of a target before the edges
    /// of its sources.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::relation::{Cascade, Target};
    /// # #[derive(Relation)] #[relation(tree)] struct ChildOf;
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn(()));
    /// world.relate(c, ChildOf, b)?;
    /// world.relate(b, ChildOf, a)?;
    /// let mut order = Cascade::<ChildOf>::new();
    /// assert_eq!(order.update(&world.view()), [(b, a), (c, b)]);
    /// # Ok::<(), ecs_core::relation::RelateError>(())
    /// ```
    pub fn update(&mut self, targets: &Comp<'_, Target<R>>) -> &[(Entity, Entity)] {
        let stored = || {
            let edges = targets.as_entities().iter().zip(targets.as_slice());
            edges.map(|(&source, target)| (source, target.entity()))
        };
        if !stored().eq(self.seen.iter().copied()) {
            // Counts as empty until the end, so that a panic for lack of memory does not leave half of the edges.
            self.seen.clear();
            self.ends.clear();
            self.edges.clear();
            let seen = stored().collect::<Vec<_>>();
            self.sort(&seen);
            self.seen = seen;
        }
        &self.edges
    }

    /// The edges of the last [`update`](Self::update) level by level: first the edges to entities that have no target
    /// themselves, then the edges to their sources, and so on.
    ///
    /// The entities of a level do not depend on each other.
    #[inline]
    pub fn levels(&self) -> impl Iterator<Item = &[(Entity, Entity)]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        let levels = starts.zip(&self.ends);
        levels.map(|(start, &end)| &self.edges[start..end])
    }

    /// Sorts the edges by level: a counting sort, so that edges of one level keep their order.
    fn sort(&mut self, edges: &[(Entity, Entity)]) {
        let Some(&any) = edges.first() else { return };
        let levels = levels(edges);
        let last = levels.iter().filter(|&&level| level != NO_LEVEL).max();
        let cyclic = last.map_or(0, |&last| last as usize + 1);
        let place = |level: u32| cyclic.min(level as usize);
        let mut next = alloc::vec![0; cyclic + 2];
        for &level in &levels {
            next[place(level) + 1] += 1;
        }
        for level in 1..next.len() {
            next[level] += next[level - 1];
        }
        let ends = next[1..].iter().copied();
        self.ends.extend(ends.take(cyclic + 1));
        if self.ends.last() == self.ends.iter().nth_back(1) {
            // The last level is empty if nothing is on a cycle.
            self.ends.pop();
        }
        self.edges.resize(edges.len(), any);
        for (&edge, &level) in edges.iter().zip(&levels) {
            let next = &mut next[place(level)];
            self.edges[*next] = edge;
            *next += 1;
        }
    }
}

/// Returns for each edge the number of edges between its target and the end of the path from there; [`NO_LEVEL`] if that
/// path has no end.
#[inline]
fn levels(edges: &[(Entity, Entity)]) -> Vec<u32> {
    let mut edge_of = HashMap::with_capacity_and_hasher(edges.len(), BuildIndexHasher::default());
    for (edge, (source, _)) in edges.iter().enumerate() {
        edge_of.insert(source.index(), edge);
    }
    let mut levels: Vec<Option<u32>> = alloc::vec![None; edges.len()];
    let mut path = Vec::new();
    for start in 0..edges.len() {
        let mut at = Some(start);
        let end = loop {
            let Some(edge) = at else { break None };
            if let Some(level) = levels[edge] {
                break Some(level);
            }
            // If the path returns here before it ends, it is a cycle.
            levels[edge] = Some(NO_LEVEL);
            path.push(edge);
            at = edge_of.get(&edges[edge].1.index()).copied();
        };
        let mut level = match end {
            None => Some(0),
            Some(NO_LEVEL) => None,
            Some(level) => Some(level + 1),
        };
        while let Some(edge) = path.pop() {
            levels[edge] = Some(level.unwrap_or(NO_LEVEL));
            level = level.map(|level| level + 1);
        }
    }
    let level = |level: Option<u32>| level.unwrap_or(NO_LEVEL);
    levels.into_iter().map(level).collect()
}

// A method of the query because closures infer the lifetimes of the items of `Self` alone.
impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Calls `f` with the items of each entity and of its target: targets before their sources, such as parents before
    /// children. Both may be changed.
    ///
    /// The first argument is `None` for entities that are related to none, or to one that the query does not match. Entities
    /// without a target come first, in the order of the query. `order` is [updated](Cascade::update) first;
    /// [`Cascade`] has an example.
    pub fn for_each_cascade<R: ToOne, C>(
        &mut self,
        order: &mut Cascade<R>,
        targets: &Comp<'_, Target<R>>,
        mut f: C,
    ) where
        C: FnMut(Option<Item<'_, D>>, Item<'_, D>),
    {
        order.update(targets);
        self.for_each_with_entity(|entity, items| {
            if !targets.contains(entity) {
                f(None, items);
            }
        });
        for &(source, target) in &order.edges {
            if self.leaves_out(source) {
                continue;
            }
            if let (Some(items), of_target) = self.get_pair_mut(source, target) {
                f(of_target, items);
            }
        }
    }
}

impl<R: ToOne> Default for Cascade<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Clone for Cascade<R> {
    fn clone(&self) -> Self {
        Self {
            seen: self.seen.clone(),
            edges: self.edges.clone(),
            ends: self.ends.clone(),
            of: self.of,
        }
    }
}

impl<R> fmt::Debug for Cascade<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.edges).finish()
    }
}
