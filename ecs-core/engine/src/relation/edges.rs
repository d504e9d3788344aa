//! The edges of an entity in all relations.

use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;

use super::Relation;
use crate::component::{ComponentId, EdgeValues, End};
use crate::entity::Entity;
use crate::storage::Storage;
use crate::world::World;

/// An edge from one entity to another, of any relation; from [`World::edges_from`] and [`World::edges_to`].
#[derive(Clone, Copy)]
pub struct Edge {
    relation: &'static EdgeValues,
    component: ComponentId,
    source: Entity,
    target: Entity,
}

impl Edge {
    /// The entity that is related to the target.
    #[must_use]
    #[inline]
    pub fn source(&self) -> Entity {
        self.source
    }

    /// The entity that the source is related to.
    #[must_use]
    #[inline]
    pub fn target(&self) -> Entity {
        self.target
    }

    /// Returns true if it is an edge of the relation `R`.
    #[must_use]
    pub fn is<R: Relation>(&self) -> bool {
        (self.relation.type_id)() == TypeId::of::<R>()
    }

    /// Returns the full path of the relation's type, or the name of a relation that was defined at run time.
    #[must_use]
    #[inline]
    pub fn relation_name(&self) -> &'static str {
        #[cfg(feature = "data")]
        if let Some(data) = self.component.relation()
            && data.is_dynamic_relation()
        {
            return data.name();
        }
        (self.relation.type_name)()
    }

    /// The component of the source: the [`Target`](super::Target) or [`Targets`](super::Targets) of the relation.
    #[must_use]
    #[inline]
    pub fn component(&self) -> ComponentId {
        self.component
    }
}

impl fmt::Debug for Edge {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, target) = (self.source, self.target);
        write!(f, "{source} -{}-> {target}", self.relation_name())
    }
}

impl World {
    /// Returns the edges from an entity to others, in all relations: one relation after the other, and the targets of each
    /// in their order. Returns no edge if the entity does not exist.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Relation)]
    /// struct ChildOf;
    /// #[derive(Relation)]
    /// #[relation(many)]
    /// struct Likes;
    ///
    /// let mut world = World::new();
    /// let [ann, bob, eve] = [(); 3].map(|()| world.spawn(()));
    /// world.relate(bob, ChildOf, ann)?;
    /// world.relate(bob, Likes, ann)?;
    /// world.relate(bob, Likes, eve)?;
    /// world.relate(eve, Likes, ann)?;
    /// let liked: Vec<Entity> =
    ///     world.edges_from(bob).filter(|edge| edge.is::<Likes>()).map(|edge| edge.target()).collect();
    /// assert_eq!(liked, [ann, eve]);
    /// assert_eq!(world.edges_from(bob).count(), 3);
    /// assert!(world.edges_to(ann).map(|edge| edge.source()).eq([bob, bob, eve]));
    /// # Ok::<(), ecs_core::relation::RelateError>(())
    /// ```
    ///
    /// O(components of the entity + edges). To visit all edges of one relation, iterate over its
    /// [`Target`](super::Target)s or [`Targets`](super::Targets).
    #[inline]
    pub fn edges_from(&self, entity: Entity) -> impl Iterator<Item = Edge> + use<> {
        let mut edges = Vec::new();
        for (component, outgoing, relation) in self.ends_of(entity) {
            if outgoing != component {
                continue;
            }
            each_target(&self.storage, component, entity, &mut |target| {
                edges.push(Edge {
                    relation,
                    component,
                    source: entity,
                    target,
                });
            });
        }
        edges.into_iter()
    }

    /// Returns the edges to an entity from others, in all relations: one relation after the other, and the sources of each
    /// in their order. Returns no edge if the entity does not exist; [`edges_from`](Self::edges_from) has an example.
    ///
    /// O(components of the entity + edges).
    #[inline]
    pub fn edges_to(&self, entity: Entity) -> impl Iterator<Item = Edge> + use<> {
        let mut edges = Vec::new();
        for (component, outgoing, relation) in self.ends_of(entity) {
            if outgoing == component {
                continue;
            }
            let sources = self.storage.list(component, entity);
            let sources = sources.into_iter().flat_map(|sources| sources.iter());
            edges.extend(sources.map(|source| Edge {
                relation,
                component: outgoing,
                source,
                target: entity,
            }));
        }
        edges.into_iter()
    }

    /// Returns the components of an entity that are ends of relations, each with the component of sources and the description
    /// of the relation.
    #[inline]
    fn ends_of(
        &self,
        entity: Entity,
    ) -> impl Iterator<Item = (ComponentId, ComponentId, &'static EdgeValues)> {
        let components = self
            .entity(entity)
            .into_iter()
            .flat_map(|entity| entity.components());
        components.filter_map(|component| {
            let component = component.id();
            let (outgoing, relation) = relation_of(&self.storage, component)?;
            Some((component, outgoing, relation))
        })
    }
}

/// Returns the component of sources of the relation that a component is an end of, and its description; `None` for other
/// components.
#[inline]
fn relation_of(
    storage: &Storage,
    component: ComponentId,
) -> Option<(ComponentId, &'static EdgeValues)> {
    let link = component.info().link?;
    if let Some(values) = link.end.edge_values() {
        return Some((component, values));
    }
    let outgoing = link.other();
    let values = storage.component(outgoing)?.info.link?.end.edge_values();
    Some((outgoing, values?))
}

/// Calls `f` with the targets of an entity.
#[inline]
fn each_target(
    storage: &Storage,
    component: ComponentId,
    entity: Entity,
    f: &mut dyn FnMut(Entity),
) {
    if let Some(End::Target { .. }) = component.info().link.map(|link| link.end) {
        let link = storage.target_link(component, entity);
        return link.into_iter().for_each(|link| f(link.target));
    }
    let list = storage.list(component, entity);
    list.into_iter().flat_map(|list| list.iter()).for_each(f);
}
