//! Looks up entities by their paths, and paths of entities.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::{ChildOf, FindError, Name};
use crate::entity::Entity;
use crate::join::Join as _;
use crate::relation::{Sources, Target};
use crate::view::Comp;
use crate::world::{EntityRef, World};

impl World {
    /// Returns the entity at a path, such as `"ship/turret"`; see [paths](crate::tree#paths).
    ///
    /// O(names of roots + names of children on the way): there is no index.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// let mut world = World::new();
    /// world.spawn((Name::new("ship"), children![Name::new("turret")]));
    /// let turret = world.find("ship/turret").unwrap();
    /// assert_eq!(world.path_of(turret).unwrap(), "ship/turret");
    /// assert!(world.find("ship/turet").unwrap_err().to_string().contains("turret"));
    /// ```
    ///
    /// # Errors
    /// If there is none. The error names the first part that was not found, and the closest names.
    ///
    /// # Panics
    /// If names are being written through a view or query.
    #[inline]
    pub fn find(&self, path: &str) -> Result<Entity, FindError> {
        let names = self.view::<Name>();
        let parents = self.view::<Target<ChildOf>>();
        let (first, rest) = first_and_rest(path);
        let roots = || (&names).exclude(&parents).with_entity();
        let named = roots().iter().filter(|(_, name)| name.as_str() == first);
        let found: Vec<Entity> = named.map(|(entity, _)| entity).collect();
        if found.is_empty() {
            let names = roots();
            let names: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
            return Err(FindError::new(None, first, &names));
        }
        self.find_below(&names, found, rest, &|rest| {
            path[..path.len() - rest.len() - 1].into()
        })
    }

    /// Returns the first entity with a path below one of the entities, at least one; without a path, the first of them.
    ///
    /// `parent` returns the path of the entities whose children have the first name of `rest`.
    #[inline]
    fn find_below(
        &self,
        names: &Comp<'_, Name>,
        mut found: Vec<Entity>,
        mut path: Option<&str>,
        parent: &dyn Fn(&str) -> String,
    ) -> Result<Entity, FindError> {
        let children = self.view::<Sources<ChildOf>>();
        while let Some(rest) = path {
            let (name, below) = first_and_rest(rest);
            let mut next = Vec::new();
            let mut others = Vec::new();
            for list in found.iter().filter_map(|&entity| children.get(entity)) {
                for child in list {
                    match names.get(child) {
                        Some(other) if other.as_str() == name => next.push(child),
                        Some(other) if next.is_empty() => others.push(other.as_str()),
                        _ => {}
                    }
                }
            }
            if next.is_empty() {
                return Err(FindError::new(Some(parent(rest)), name, &others));
            }
            (found, path) = (next, below);
        }
        Ok(found[0])
    }

    /// Returns all entities with a name, with a parent or not, in the order of a query of [`Name`]; without
    /// [disabled](crate::Disabled) ones. O(names).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::tree::{Name, children};
    /// let mut world = World::new();
    /// world.spawn((Name::new("a"), children![Name::new("b"), Name::new("a")]));
    /// assert_eq!(world.named("a").len(), 2);
    /// assert!(world.named("c").is_empty());
    /// ```
    ///
    /// # Panics
    /// If names are being written through a view or query.
    #[must_use]
    #[inline]
    pub fn named(&self, name: &str) -> Vec<Entity> {
        let names = self.view::<Name>();
        let all = (&names).with_entity();
        let named = all.iter().filter(|(_, other)| other.as_str() == name);
        named.map(|(entity, _)| entity).collect()
    }

    /// Returns the path of an entity: the names from its root to itself. `None` if the entity or one of its ancestors has no
    /// name. O(ancestors).
    ///
    /// [`find`](Self::find) returns the entity for this path, unless another one has the same path, a name has a `/` in it,
    /// or the root is [disabled](crate::Disabled).
    ///
    /// # Panics
    /// If names are being written through a view or query.
    #[must_use]
    #[inline]
    pub fn path_of(&self, entity: Entity) -> Option<String> {
        let names = self.view::<Name>();
        let mut path = String::new();
        let mut parts = vec![names.get(entity)?.as_str()];
        for parent in self.ancestors::<ChildOf>(entity) {
            parts.push(names.get(parent)?.as_str());
        }
        for (n, part) in parts.into_iter().rev().enumerate() {
            path.push_str(if n > 0 { "/" } else { "" });
            path.push_str(part);
        }
        Some(path)
    }

    /// Returns a value that prints an entity with its name: `ship (12v3)`, or `12v3` if it has none.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::tree::Name;
    /// let mut world = World::new();
    /// let ship = world.spawn(Name::new("ship"));
    /// let other = world.spawn(());
    /// assert_eq!(world.display(ship).to_string(), "ship (0v1)");
    /// assert_eq!(world.display(other).to_string(), "1v1");
    /// ```
    ///
    /// Costs one look-up and no allocation. Prints only the id if the entity does not exist, or while a view or query is
    /// writing names.
    #[must_use]
    #[inline]
    pub fn display(&self, entity: Entity) -> DisplayEntity<'_> {
        DisplayEntity {
            world: self,
            entity,
        }
    }
}

impl EntityRef<'_> {
    /// Returns the entity at a path that begins with a child of this one, such as `"turret/barrel"`; see
    /// [paths](crate::tree#paths).
    ///
    /// O(names of children on the way).
    ///
    /// # Errors
    /// If there is none. The error names the first part that was not found, and the closest names.
    ///
    /// # Panics
    /// If names are being written through a view or query.
    #[inline]
    pub fn find(&self, path: &str) -> Result<Entity, FindError> {
        let world = self.world();
        let names = world.view::<Name>();
        world.find_below(&names, vec![self.id()], Some(path), &|rest| {
            let mut parent = world.display(self.id()).to_string();
            if rest.len() < path.len() {
                parent = format!("{parent}/{}", &path[..path.len() - rest.len() - 1]);
            }
            parent
        })
    }
}

/// Splits a path at its first slash.
#[inline]
fn first_and_rest(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}

/// Prints an entity with its name; returned by [`World::display`].
#[derive(Clone, Copy)]
pub struct DisplayEntity<'w> {
    world: &'w World,
    entity: Entity,
}

impl fmt::Display for DisplayEntity<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entity = self.world.entity(self.entity).ok();
        match entity.and_then(|entity| entity.try_get::<Name>().ok()) {
            Some(name) => write!(f, "{} ({})", name.as_str(), self.entity),
            None => self.entity.fmt(f),
        }
    }
}

impl fmt::Debug for DisplayEntity<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
