//! Hashes by a component that identifies entities, instead of by their ids.

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::{Entity, World};

use super::keys::EntityKeys;
use super::{HashError, WorldHasher};
use crate::types;

/// The component that identifies entities.
#[derive(Clone, Copy)]
pub(super) struct KeyComponent {
    component: ComponentId,
    /// Leaves out entities that lack it.
    only: bool,
}

impl WorldHasher {
    /// Identifies entities by their `K`, not by their ids: in values that name them too. So worlds that have the same entities
    /// under other ids, in another order, have the same hash: a world and a replica, or one world and the sum of its parts on
    /// several machines.
    ///
    /// ```
    /// use ecs_core::data::WorldHasher;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.gid")]
    /// struct Gid(u64);
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.aims_at")]
    /// struct AimsAt(Entity);
    ///
    /// let mut one = World::new();
    /// let fox = one.spawn(Gid(7));
    /// one.spawn((Gid(8), AimsAt(fox)));
    ///
    /// let mut other = World::new();
    /// let hound = other.spawn(Gid(8));
    /// let fox = other.spawn(Gid(7));
    /// other.insert(hound, AimsAt(fox))?;
    ///
    /// let mut hasher = WorldHasher::new().by::<Gid>();
    /// assert_eq!(hasher.world(&one)?, hasher.world(&other)?);
    /// assert_ne!(one.hash()?, other.hash()?);
    ///
    /// other.spawn(Gid(7));
    /// let error = hasher.world(&other).unwrap_err();
    /// assert!(error.to_string().ends_with("have the same `game.gid`"), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// An entity without a `K` is an error, whether it is hashed or named; see [`only_by`](Self::only_by). An id that names no
    /// entity is the same as any other such id. The order of a target's sources does not count, because it depends on the order in
    /// which they came. The hashes of the parts of a world add up (`wrapping_add`) if each entity and the edges that start at it are
    /// in one part, and each resource too. So an edge to an entity that is not [selected](Self::entities) is hashed, with the
    /// key of that entity.
    ///
    /// # Panics
    /// If `K` is not data.
    #[track_caller]
    #[must_use]
    pub fn by<K: Component>(mut self) -> Self {
        types::component::<K>();
        self.key = Some(KeyComponent {
            component: ComponentId::of::<K>(),
            only: false,
        });
        self
    }

    /// Identifies entities by their `K`, like [`by`](Self::by), and leaves out those without one, with the edges to them. In
    /// values they count as entities that do not exist.
    ///
    /// # Panics
    /// If `K` is not data.
    #[track_caller]
    #[must_use]
    pub fn only_by<K: Component>(mut self) -> Self {
        self = self.by::<K>();
        if let Some(key) = &mut self.key {
            key.only = true;
        }
        self
    }

    /// Finds the keys of a world, and leaves out the entities without one if that was asked for.
    pub(super) fn find_keys(&mut self, world: &World) -> Result<(), HashError> {
        self.writer.keys = None;
        let Some(KeyComponent { component, only }) = self.key else {
            return Ok(());
        };
        let mut found = EntityKeys::default();
        let name = component.name();
        let of_type = self.data(component.data(), name)?;
        let view = world.try_view_erased(component)?;
        for chunk in view.chunks() {
            let Some(of_type) = &of_type else {
                break;
            };
            for (entity, value) in chunk.iter() {
                // SAFETY: the value belongs to the component, whose data `of_type` is, and the view keeps it borrowed.
                let key = unsafe { self.writer.key(of_type, value.as_ptr()) };
                let key = key.map_err(|error| of_type.failed(Some(entity), &error))?;
                found.keys.insert(entity, key);
            }
        }
        drop(view);
        let mut members = Vec::with_capacity(found.keys.len());
        for (entities, _) in world.tables_with_rows() {
            for &entity in entities {
                match found.keys.get(&entity) {
                    Some(&key) if self.has(entity) => members.push((key, entity)),
                    Some(_) => {}
                    None if only => {}
                    None if self.has(entity) => {
                        return Err(HashError::NoKey {
                            entity,
                            key: name,
                            named_by: None,
                        });
                    }
                    None => _ = found.keyless.insert(entity),
                }
            }
        }
        members.sort_unstable();
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let entities = [pair[0].1, pair[1].1];
            return Err(HashError::SameKey {
                entities,
                key: name,
            });
        }
        if only {
            self.members = Some(members.into_iter().map(|(_, entity)| entity).collect());
        }
        self.writer.keys = Some(found);
        Ok(())
    }

    /// Returns true if an edge counts that leads to an entity that is not hashed: a key stands for the entity.
    pub(super) fn is_named(
        &self,
        entity: Entity,
        relation: &'static str,
    ) -> Result<bool, HashError> {
        let (Some(key), Some(keys)) = (self.key, &self.writer.keys) else {
            return Ok(false);
        };
        match keys.keys.contains_key(&entity) {
            false if !key.only => Err(HashError::NoKey {
                entity,
                key: key.component.name(),
                named_by: Some(relation),
            }),
            has_key => Ok(has_key),
        }
    }

    /// Explains an error by the entity without a key that a value names, if it does.
    pub(super) fn explained<T>(&self, result: Result<T, HashError>) -> Result<T, HashError> {
        let keys = self.writer.keys.as_ref();
        let named = keys.and_then(|keys| keys.named.take());
        result.map_err(|error| match (error, named, self.key) {
            (HashError::Value { name, .. }, Some(entity), Some(key)) => HashError::NoKey {
                entity,
                key: key.component.name(),
                named_by: Some(name),
            },
            (error, ..) => error,
        })
    }
}
