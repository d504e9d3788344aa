//! Entities that go from one world to another with all their values.

mod as_bytes;
mod dead;
mod kinds;
mod panics;
mod random;
mod refusals;
mod stubs;
mod ticks;

use std::collections::HashMap;

use ecs_core::prelude::*;
use ecs_core::rows::{PutRows, Rows};
use ecs_core::world::ReadOnlyWorld;
use serde::{Deserialize, Serialize};

/// The id of an entity in all worlds.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "rows.gid")]
pub(crate) struct Gid(pub(crate) u64);

/// Marks stubs.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "rows.elsewhere", storage = "sparse")]
pub(crate) struct Elsewhere;

/// Names entities.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "rows.party")]
pub(crate) struct Party(pub(crate) Vec<Entity>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "rows.aim", storage = "sparse", track)]
pub(crate) struct Aim(pub(crate) Option<Entity>);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
pub(crate) struct Tracked(pub(crate) String);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Loose(pub(crate) u16);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse", immediate)]
pub(crate) struct Burning(pub(crate) u8);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(toggle)]
pub(crate) struct Shield(pub(crate) u32);

#[derive(Relation, Clone, Debug, PartialEq)]
#[relation(tree)]
pub(crate) struct PartOf;

/// Its values name entities.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "rows.knows", many)]
pub(crate) struct Knows(pub(crate) u8, pub(crate) Option<Entity>);

/// A world with the keys of its entities, stubs included.
#[derive(Default)]
pub(crate) struct Place {
    pub(crate) world: World,
    pub(crate) by_gid: HashMap<u64, Entity>,
}

impl Place {
    pub(crate) fn spawn(&mut self, gid: u64, bundle: impl Bundle) -> Entity {
        let entity = self.world.spawn(bundle);
        self.world.insert(entity, Gid(gid)).unwrap();
        self.by_gid.insert(gid, entity);
        entity
    }

    /// The keys of entities, stubs included.
    pub(crate) fn keys(&self) -> HashMap<Entity, u64> {
        let pairs = self.by_gid.iter();
        pairs.map(|(&gid, &entity)| (entity, gid)).collect()
    }

    pub(crate) fn take(&mut self, gids: &[u64]) -> Rows {
        let keys = self.keys();
        let list: Vec<Entity> = gids.iter().map(|gid| self.by_gid[gid]).collect();
        let key = |_: ReadOnlyWorld<'_>, entity| keys.get(&entity).copied();
        let rows = self.world.take_rows(&list, key).unwrap();
        gids.iter().for_each(|gid| _ = self.by_gid.remove(gid));
        self.world.check_invariants();
        rows
    }

    pub(crate) fn take_leaving_stubs(&mut self, gids: &[u64]) -> Rows {
        let keys = self.keys();
        let list: Vec<Entity> = gids.iter().map(|gid| self.by_gid[gid]).collect();
        let key = |_: ReadOnlyWorld<'_>, entity| keys.get(&entity).copied();
        let rows = self.world.take_rows_leaving_stubs(&list, key, |_| ());
        let rows = rows.unwrap();
        self.world.check_invariants();
        rows
    }

    pub(crate) fn put(&mut self, rows: Rows) -> PutRows {
        let gids: Vec<u64> = rows.keys().collect();
        let put = self
            .world
            .put_rows(rows, |gid| self.by_gid.get(&gid).copied());
        let put = put.unwrap();
        self.by_gid
            .extend(gids.into_iter().zip(put.entities.iter().copied()));
        self.by_gid.extend(put.stubs.iter().copied());
        self.world.check_invariants();
        put
    }
}
