//! Sources that get a position, and sources that leave their target.

use alloc::vec::Vec;
use core::any::type_name;

use super::sealed::OutgoingOps as _;
use super::{RelateError, Relation, Sources, Target, ToOne};
use crate::command::{Commands, EntityCommands};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::hash::IdMap;
use crate::sort::sort_by_number;
use crate::storage::EdgeList;
use crate::world::{CommandQueue, EntityMut, NoSuchEntity, World};

/// If more than one in `MANY` sources move, the whole list is rebuilt.
const MANY: usize = 16;

impl World {
    /// Relates entities to `target`, and puts them at a position among its sources, next to each other and in the order of
    /// the slice.
    ///
    /// The index counts the other sources: as many of them come first, or all if there are fewer. An entity that is a source
    /// of `target` already is only moved, and its edge keeps its value. Another one gets a clone of `relation`, and leaves
    /// the target that it had, unless the relation has `#[relation(many)]`. An entity that occurs twice counts where it
    /// occurs first.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::relation::Sources;
    ///
    /// #[derive(Relation, Clone)]
    /// #[relation(tree)]
    /// struct ChildOf;
    ///
    /// let mut world = World::new();
    /// let list = world.spawn(());
    /// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf.to(list)));
    /// let [c, d] = [(); 2].map(|()| world.spawn(()));
    /// world.insert_sources_at(list, 1, ChildOf, &[c, d])?;
    /// assert_eq!(**world.get::<Sources<ChildOf>>(list).unwrap(), [a, c, d, b]);
    /// world.insert_sources_at(list, 0, ChildOf, &[b])?;
    /// assert_eq!(**world.get::<Sources<ChildOf>>(list).unwrap(), [b, a, c, d]);
    /// assert!(world.insert_sources_at(a, 0, ChildOf, &[b, list]).is_err(), "nothing has changed");
    /// # Ok::<(), ecs_core::relation::RelateError>(())
    /// ```
    ///
    /// O(n log n + sources of the target) for n entities, plus the checks of [`relate`](Self::relate).
    ///
    /// # Errors
    /// As for [`relate`](Self::relate), for the first entity that cannot be related; in that case nothing has changed.
    ///
    /// # Panics
    /// If the `Clone` of the relation or the `Drop` of a replaced value panics. Then the entities before it are related,
    /// after the other sources.
    pub fn insert_sources_at<R: Relation + Clone>(
        &mut self,
        target: Entity,
        index: usize,
        relation: R,
        sources: &[Entity],
    ) -> Result<(), RelateError> {
        self.register::<Sources<R>>();
        self.storage
            .locate(target)
            .ok_or(NoSuchEntity { entity: target })?;
        let component = ComponentId::of::<Sources<R>>();
        // No entity becomes an ancestor of the target by this, so the check of one stays valid after the others were
        // related.
        for &source in sources {
            self.storage
                .locate(source)
                .ok_or(NoSuchEntity { entity: source })?;
            if source == target {
                return Err(RelateError::itself::<R>(source));
            }
            if R::TREE && self.storage.closes_cycle(component, source, target) {
                return Err(RelateError::cycle::<R>(source, target));
            }
        }
        // As one change, so that no command of a hook comes between them.
        self.as_one_change(|world| {
            for &source in sources {
                if !R::Outgoing::is_related(world, source, target) {
                    R::Outgoing::relate(world, source, relation.clone(), target)?;
                }
            }
            world.put_at(component, target, index, sources);
            Ok(())
        })
    }

    /// Moves sources of a target to a position.
    #[inline]
    fn put_at(&mut self, component: ComponentId, target: Entity, index: usize, sources: &[Entity]) {
        let others = self
            .storage
            .list(component, target)
            .map_or(0, EdgeList::len);
        let mut positions = IdMap::<u32>::default();
        let mut unique = Vec::with_capacity(sources.len());
        for &source in sources {
            let next = unique.len() as u32;
            if *positions.entry(source.to_bits()).or_insert(next) == next {
                unique.push(source);
            }
        }
        if sources.len() * MANY < others {
            self.storage.move_sources(component, target, index, &unique);
            return;
        }
        let (mut moved, mut order) = (Vec::new(), Vec::new());
        for edge in self.storage.order(component, target) {
            match positions.get(&edge.0.to_bits()) {
                Some(&position) => moved.push((position, edge)),
                None => order.push(edge),
            }
        }
        sort_by_number(&mut moved, |&(position, _)| position.into());
        let at = index.min(order.len());
        order.splice(at..at, moved.into_iter().map(|(_, edge)| edge));
        self.storage.set_order(component, target, order);
    }

    /// Removes the edge from `source` to its target and drops its value; returns the target, or `None` if there was none.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation)] struct ChildOf;
    /// # let mut world = World::new();
    /// # let parent = world.spawn(());
    /// let child = world.spawn(ChildOf.to(parent));
    /// assert_eq!(world.detach::<ChildOf>(child), Ok(Some(parent)));
    /// assert_eq!(world.detach::<ChildOf>(child), Ok(None));
    /// ```
    ///
    /// The sources of `source` stay with it. O(1).
    ///
    /// # Errors
    /// If `source` does not exist.
    ///
    /// # Panics
    /// If the `Drop` of the value panics; the edge is removed nevertheless.
    #[doc(alias = "remove_parent")]
    pub fn detach<R: ToOne>(&mut self, source: Entity) -> Result<Option<Entity>, NoSuchEntity> {
        let target = self.get::<Target<R>>(source).map(|target| target.entity());
        self.remove::<Target<R>>(source)?;
        Ok(target)
    }
}

impl EntityMut<'_> {
    /// Relates entities to this one, and puts them at a position among its sources; see [`World::insert_sources_at`].
    ///
    /// # Errors
    /// As for [`World::insert_sources_at`].
    pub fn insert_sources_at<R: Relation + Clone>(
        &mut self,
        index: usize,
        relation: R,
        sources: &[Entity],
    ) -> Result<&mut Self, RelateError> {
        let target = self.id();
        self.world_mut()
            .insert_sources_at(target, index, relation, sources)?;
        Ok(self)
    }

    /// Removes the edge from the entity to its target, if there is one; see [`World::detach`].
    ///
    /// # Panics
    /// If the entity no longer exists, or the `Drop` of the value panics.
    pub fn detach<R: ToOne>(&mut self) -> &mut Self {
        self.remove::<Target<R>>()
    }
}

impl<D> Commands<'_, D> {
    /// Relates entities to `target`, and puts them at a position among its sources; see [`World::insert_sources_at`]. Those
    /// that do not exist when the command is applied are left out; it does nothing if one of the others cannot be related.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::relation::Sources;
    /// # #[derive(Relation, Clone)] struct ChildOf;
    /// #[system]
    /// fn raise(window: Entity, desk: Entity, mut commands: Commands) {
    ///     commands.insert_sources_at(desk, 0, ChildOf, &[window]);
    /// }
    ///
    /// let mut world = World::new();
    /// let desk = world.spawn(());
    /// let [a, b] = [(); 2].map(|()| world.spawn(ChildOf.to(desk)));
    /// raise(b, desk, &world);
    /// world.flush();
    /// assert_eq!(**world.get::<Sources<ChildOf>>(desk).unwrap(), [b, a]);
    /// ```
    pub fn insert_sources_at<R: Relation + Clone>(
        &mut self,
        target: Entity,
        index: usize,
        relation: R,
        sources: &[Entity],
    ) {
        insert_at(self.queue_mut(), target, index, relation, sources);
    }

    /// Removes the edge from `source` to its target, if there is one; see [`World::detach`].
    pub fn detach<R: ToOne>(&mut self, source: Entity) {
        self.remove::<Target<R>>(source);
    }
}

impl EntityCommands<'_> {
    /// Relates entities to this one, and puts them at a position among its sources; see [`Commands::insert_sources_at`].
    pub fn insert_sources_at<R: Relation + Clone>(
        &mut self,
        index: usize,
        relation: R,
        sources: &[Entity],
    ) -> &mut Self {
        let target = self.id();
        insert_at(self.queue_mut(), target, index, relation, sources);
        self
    }

    /// Removes the edge from the entity to its target, if there is one; see [`World::detach`].
    pub fn detach<R: ToOne>(&mut self) -> &mut Self {
        self.remove::<Target<R>>()
    }
}

fn insert_at<R: Relation + Clone>(
    queue: &mut CommandQueue,
    target: Entity,
    index: usize,
    relation: R,
    sources: &[Entity],
) {
    let mut sources = sources.to_vec();
    queue.push(move |world: &mut World| {
        sources.retain(|&source| world.contains(source));
        if let Err(error) = world.insert_sources_at(target, index, relation, &sources) {
            world.command_failed("insert_sources_at", type_name::<R>(), target, error);
        }
    });
}
