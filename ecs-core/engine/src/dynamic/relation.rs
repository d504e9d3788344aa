//! Relations that are defined at run time.

use alloc::format;
use alloc::string::String;
use core::convert::Infallible;

use super::component_type::TYPES;
use super::define::check_name;
use super::error::DefineError;
use crate::component::{ComponentId, End, NamedEnd};
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::relation::{RelateError, Sources, Target, Targets};
use crate::staging::RelationInfo;
use crate::storage::EdgeList;
use crate::sync::PoisonError;
use crate::world::{ErasedColumn, InsertErasedError, NoSuchEntity, World};

/// The description of a relation at run time: a kind of edge between entities, without a Rust type.
///
/// It's a [relation](crate::relation) like any other: both ends are consistent, edges end with their entities, and text queries,
/// saves, clones and snapshots know it by its name. Its id is the one of the component of sources, which is passed to the methods of
/// [`World`] here, and to a [`Term`](super::Term). Edges have no values.
///
/// ```
/// use ecs_core::dynamic::DynamicRelation;
/// use ecs_core::prelude::*;
///
/// let likes = DynamicRelation::new("mod.likes").many().register()?;
/// let mut world = World::new();
/// let [ann, bob, eve] = [(); 3].map(|()| world.spawn(()));
/// world.relate_dynamic(ann, likes, bob)?;
/// world.relate_dynamic(ann, likes, eve)?;
/// world.relate_dynamic(bob, likes, eve)?;
/// assert!(world.targets_dynamic(ann, likes).eq([bob, eve]));
/// assert!(world.sources_dynamic(eve, likes).eq([ann, bob]));
///
/// world.despawn(bob)?;
/// assert!(world.targets_dynamic(ann, likes).eq([eve]));
/// assert_eq!(world.unrelate_dynamic(ann, likes, eve), Ok(true));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// Without [`many`](Self::many), a source has one target, which the next one replaces. So such a relation is a group of states that
/// exclude each other, too, with an entity for each state:
///
/// ```
/// # use ecs_core::dynamic::DynamicRelation;
/// # use ecs_core::prelude::*;
/// let stance = DynamicRelation::new("mod.stance").register()?;
/// let mut world = World::new();
/// let [sitting, walking, hero] = [(); 3].map(|()| world.spawn(()));
/// world.relate_dynamic(hero, stance, sitting)?;
/// world.relate_dynamic(hero, stance, walking)?;
/// assert!(!world.is_related_dynamic(hero, stance, sitting));
/// assert!(world.sources_dynamic(walking, stance).eq([hero]));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "does nothing until it is registered"]
pub struct DynamicRelation {
    name: String,
    many: bool,
    tree: bool,
    despawns_sources: bool,
}

impl DynamicRelation {
    /// Describes a relation of sources to one target each.
    #[inline]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            many: false,
            tree: false,
            despawns_sources: false,
        }
    }

    /// Lets sources have many targets, like `#[relation(many)]`.
    ///
    /// # Panics
    /// If it is a [tree](Self::tree).
    #[inline]
    #[track_caller]
    pub fn many(mut self) -> Self {
        self.many = true;
        self.checked()
    }

    /// Refuses cycles, like `#[relation(tree)]`.
    ///
    /// # Panics
    /// If sources have [many](Self::many) targets.
    #[inline]
    #[track_caller]
    pub fn tree(mut self) -> Self {
        self.tree = true;
        self.checked()
    }

    /// Despawns sources with their target, like `#[relation(sources = "despawn")]`.
    #[inline]
    pub fn despawns_sources(mut self) -> Self {
        self.despawns_sources = true;
        self
    }

    #[track_caller]
    fn checked(self) -> Self {
        assert!(
            !(self.many && self.tree),
            "relation `{}` cannot be a tree: its sources have many targets; help: remove `many` or `tree`",
            self.name
        );
        self
    }

    /// Registers the relation with the process, and returns the component of its sources. A relation that was registered with the
    /// same description has the same id. O(component types).
    ///
    /// # Errors
    /// If another component or relation of the process has the name, or it is empty or has a character other than letters, digits,
    /// `_`, `.`, `-` and `:`.
    pub fn register(self) -> Result<ComponentId, DefineError> {
        check_name(&self.name)?;
        let Self {
            name,
            many,
            tree,
            despawns_sources,
        } = self;
        // Only one component or relation is defined at a time.
        let _types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
        let mut named = ComponentId::of_relation_named(&name);
        let same = named.iter().copied().find(|&known| {
            RelationInfo::of(known).is_some_and(|info| {
                is_dynamic(known)
                    && (info.is_many(), info.is_tree()) == (many, tree)
                    && info.despawns_sources() == despawns_sources
            })
        });
        if let Some(known) = same {
            return Ok(known);
        }
        named.extend(ComponentId::named(&name));
        if !named.is_empty() {
            return Err(DefineError::NameTaken { name });
        }
        let outgoing = if many {
            // SAFETY: the end is for `Targets<()>`.
            unsafe { NamedEnd::new::<Targets<()>>(format!("Targets<{name}>"), Targets::<()>::END) }
        } else {
            let end = Target::<()>::end(tree);
            // SAFETY: the end is for `Target<()>`.
            unsafe { NamedEnd::new::<Target<()>>(format!("Target<{name}>"), end) }
        };
        let despawned = despawns_sources;
        let end = End::Sources { despawned };
        // SAFETY: `Sources` is `repr(transparent)` over an `EdgeList`, which is the layout that `End::Sources` names.
        let incoming = unsafe { NamedEnd::new::<Sources<()>>(format!("Sources<{name}>"), end) };
        let name: &'static str = name.leak();
        let data = |number| DataType::dynamic_relation(name, number);
        Ok(ComponentId::allocate_ends([outgoing, incoming], data))
    }
}

/// Returns true if it is the component of the sources of a relation that was defined at run time. Its values are `Target<()>` or
/// `Targets<()>`.
fn is_dynamic(relation: ComponentId) -> bool {
    let data = relation.relation();
    data.is_some_and(|data| data.is_dynamic_relation() && data.component_id() == Some(relation))
}

impl World {
    /// Relates `source` to `target`, by a relation that was [defined at run time](crate::dynamic::DynamicRelation): [`relate`](Self::relate)
    /// without a type.
    ///
    /// # Errors
    /// As for [`relate`](Self::relate).
    ///
    /// # Panics
    /// If `relation` is not the id that [`register`](crate::dynamic::DynamicRelation::register) has returned.
    #[track_caller]
    pub fn relate_dynamic(
        &mut self,
        source: Entity,
        relation: ComponentId,
        target: Entity,
    ) -> Result<(), RelateError> {
        let info = known(relation);
        for entity in [source, target] {
            self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        }
        let name = info.name();
        if source == target {
            return Err(RelateError::Itself {
                entity: source,
                relation: name,
            });
        }
        self.storage.register(relation);
        if !info.is_many() {
            let sources = info.incoming();
            if info.is_tree() && self.storage.closes_cycle(sources, source, target) {
                return Err(RelateError::Cycle {
                    source,
                    target,
                    relation: name,
                });
            }
            // SAFETY: the relation has one target, so values of its component are `Target<()>`s.
            return unsafe { self.insert_end(source, relation, Target::new((), target)) };
        }
        if self.storage.list(relation, source).is_none() {
            // SAFETY: the relation has many targets, so values of its component are `Targets<()>`s.
            return unsafe { self.insert_end(source, relation, Targets::new((), target)) };
        }
        if self.storage.edge(relation, source, target).is_some() {
            return Ok(());
        }
        self.storage.reserve_edge(relation, source, target);
        let store = self.storage.store(relation).frozen_shared();
        let value = store.set().get(source).expect("the source has a list");
        // SAFETY: values of the component are `Targets<()>`s, and the world is borrowed exclusively.
        let targets = unsafe { &mut *value.cast::<Targets<()>>() };
        targets.push_value(());
        self.storage.add_edge(relation, source, target);
        Ok(())
    }

    /// Inserts an end of a relation, which was checked.
    ///
    /// # Safety
    /// `T` is the type of the values of the component.
    unsafe fn insert_end<T>(
        &mut self,
        source: Entity,
        component: ComponentId,
        end: T,
    ) -> Result<(), RelateError> {
        let mut column = ErasedColumn::new(component);
        let write = |place: *mut u8| {
            // SAFETY: the place is one for a value of the component, which is a `T` by the caller's contract.
            unsafe { place.cast::<T>().write(end) };
            Ok::<(), Infallible>(())
        };
        // SAFETY: the function has written a value of the component.
        let Ok(()) = unsafe { column.push_with(write) };
        match self.insert_erased(source, &mut column) {
            Ok(()) => Ok(()),
            Err(InsertErasedError::NoSuchEntity(error)) => Err(error.into()),
            Err(error) => unreachable!("the edge was checked: {error}"),
        }
    }

    /// Removes the edge from `source` to `target`; returns true if there was one. It is [`unrelate`](Self::unrelate) without a type.
    ///
    /// # Errors
    /// If `source` does not exist.
    ///
    /// # Panics
    /// As for [`relate_dynamic`](Self::relate_dynamic).
    #[track_caller]
    pub fn unrelate_dynamic(
        &mut self,
        source: Entity,
        relation: ComponentId,
        target: Entity,
    ) -> Result<bool, NoSuchEntity> {
        let info = known(relation);
        let located = self.storage.locate(source);
        located.ok_or(NoSuchEntity { entity: source })?;
        if !info.is_many() {
            let is_related = self.is_related_dynamic(source, relation, target);
            return Ok(is_related && self.remove_erased(source, relation)?);
        }
        let is_registered = self.storage.component(relation).is_some();
        let edge = || self.storage.edge(relation, source, target);
        let Some(slot) = is_registered.then(edge).flatten() else {
            return Ok(false);
        };
        let mut drops = self.storage.take_drops();
        self.storage.cut(relation, source, slot, &mut drops);
        self.storage.run(drops);
        Ok(true)
    }

    /// Returns true if there is an edge from `source` to `target`. O(edges of the entity that has fewer).
    ///
    /// # Panics
    /// As for [`relate_dynamic`](Self::relate_dynamic).
    #[must_use]
    #[track_caller]
    pub fn is_related_dynamic(
        &self,
        source: Entity,
        relation: ComponentId,
        target: Entity,
    ) -> bool {
        let info = known(relation);
        if self.storage.component(relation).is_none() {
            return false;
        }
        if info.is_many() {
            return self.storage.edge(relation, source, target).is_some();
        }
        let link = self.storage.target_link(relation, source);
        link.is_some_and(|link| link.target == target)
    }

    /// Returns the targets of an entity in their order; none if it does not exist.
    ///
    /// # Panics
    /// As for [`relate_dynamic`](Self::relate_dynamic).
    #[track_caller]
    pub fn targets_dynamic(
        &self,
        source: Entity,
        relation: ComponentId,
    ) -> impl Iterator<Item = Entity> {
        let is_many = known(relation).is_many();
        let is_registered = self.storage.component(relation).is_some();
        let link = || self.storage.target_link(relation, source);
        let one = (is_registered && !is_many).then(link).flatten();
        let list = || self.storage.list(relation, source);
        let many = (is_registered && is_many).then(list).flatten();
        let many = many.into_iter().flat_map(EdgeList::iter);
        one.map(|link| link.target).into_iter().chain(many)
    }

    /// Returns the sources of an entity in their order; none if it does not exist.
    ///
    /// # Panics
    /// As for [`relate_dynamic`](Self::relate_dynamic).
    #[track_caller]
    pub fn sources_dynamic(
        &self,
        target: Entity,
        relation: ComponentId,
    ) -> impl Iterator<Item = Entity> {
        let incoming = known(relation).incoming();
        let is_registered = self.storage.component(incoming).is_some();
        let list = is_registered.then(|| self.storage.list(incoming, target));
        list.flatten().into_iter().flat_map(EdgeList::iter)
    }
}

/// Returns the relation that was defined at run time.
#[track_caller]
fn known(relation: ComponentId) -> RelationInfo {
    let info = is_dynamic(relation).then(|| RelationInfo::of(relation));
    info.flatten().unwrap_or_else(|| {
        panic!(
            "`{}` is not a relation that was defined at run time; help: pass the id that `DynamicRelation::register` returns",
            relation.name()
        )
    })
}
