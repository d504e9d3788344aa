//! The entities that a shard knows by their `Gid`.

use std::collections::HashMap;

use ecs_engine::__private::BuildIndexHasher;
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::query::{AndDisabled, Without};
use ecs_engine::resource::Resource;
use ecs_engine::rows::{Rows, TakeRowsError};
use ecs_engine::world::ReadOnlyWorld;
use ecs_engine::world::hooks::{DeferredWorld, OnRemove};
use ecs_engine::{Disabled, Entity, World};

use crate::gid::{Gid, Stub};
use crate::gid_set::GidSet;

/// A map by `Gid`. No stranger chooses the numbers.
pub(crate) type GidMap<T> = HashMap<Gid, T, BuildIndexHasher>;

/// A map by the entities of this shard.
pub(crate) type EntityMap<T> = HashMap<Entity, T, BuildIndexHasher>;

/// The entities of a shard by their `Gid`.
#[derive(Default)]
pub(crate) struct KnownEntities {
    /// Those that live here.
    own: GidSet,
    /// The same by their `Gid`, from the first time on when one is looked up: where no value names an entity, none ever is.
    own_entities: Option<GidMap<Entity>>,
    /// The stubs of those that live elsewhere.
    pub(crate) stubs: GidMap<Entity>,
}

impl KnownEntities {
    /// Returns those that live here.
    pub(crate) fn own(&self) -> &GidSet {
        &self.own
    }

    /// Adds one that lives here; returns false if it is known already.
    pub(crate) fn insert(&mut self, gid: Gid, entity: Entity) -> bool {
        if let Some(entities) = &mut self.own_entities {
            entities.insert(gid, entity);
        }
        self.own.insert(gid)
    }

    /// Forgets one that lived here.
    pub(crate) fn remove(&mut self, gid: Gid) {
        if let Some(entities) = &mut self.own_entities {
            entities.remove(&gid);
        }
        self.own.remove(gid);
    }

    /// Finds all entities of a world anew.
    pub(crate) fn of(world: &World) -> Self {
        let mut known = Self::default();
        let query = world.query_filtered::<(Entity, &Gid, Option<&Stub>), AndDisabled>();
        for (entity, &gid, stub) in query.iter() {
            match stub {
                None => _ = known.own.insert(gid),
                Some(_) => _ = known.stubs.insert(gid, entity),
            }
        }
        known
    }

    /// Makes entities findable that live here. O(world) for the first time.
    pub(crate) fn index(&mut self, world: &World) {
        self.own_entities.get_or_insert_with(|| {
            let query = world.query_filtered::<(&Gid, Entity), Own>();
            query.iter().map(|(&gid, entity)| (gid, entity)).collect()
        });
    }

    /// Returns an entity that lives here, if they are [findable](Self::index).
    pub(crate) fn own_entity(&self, gid: Gid) -> Option<Entity> {
        self.own_entities.as_ref()?.get(&gid).copied()
    }

    /// Returns an entity that lives here, if they are [findable](Self::index), or the stub of one.
    pub(crate) fn get(&self, gid: Gid) -> Option<Entity> {
        let stub = || self.stubs.get(&gid).copied();
        self.own_entity(gid).or_else(stub)
    }
}

/// The number of stubs that are kept without a look at whether anything names them.
pub(crate) const FEW_STUBS: usize = 1024;

/// The components of the stub of an entity.
pub(crate) fn stub(key: u64) -> (Gid, Stub, Disabled) {
    (Gid(key), Stub, Disabled)
}

/// The entities that live here, also disabled ones.
pub(crate) type Own = (Without<Stub>, AndDisabled);

/// Returns the entities that live here.
pub(crate) fn own_entities(world: &World) -> Vec<Entity> {
    world.query_filtered::<Entity, Own>().iter().collect()
}

/// Returns the number under which an entity moves to another world.
pub(crate) fn key_of(world: ReadOnlyWorld<'_>, entity: Entity) -> Option<u64> {
    world.get::<Gid>(entity).map(|gid| gid.0)
}

/// Takes entities out of a world, and leaves stubs of them if asked: where the world [can name](World::can_name_entities) entities.
pub(crate) fn take_out(
    world: &mut World,
    entities: &[Entity],
    leaves_stubs: bool,
    key: impl FnMut(ReadOnlyWorld<'_>, Entity) -> Option<u64>,
) -> Result<Rows, TakeRowsError> {
    match leaves_stubs {
        true => world.take_rows_leaving_stubs(entities, key, stub),
        false => world.take_rows(entities, key),
    }
}

/// Returns the shard to which an entity leaves; `leaving` is in the order of ids. O(log list).
pub(crate) fn new_shard(leaving: &[(Entity, usize)], entity: Entity) -> Option<usize> {
    let place = leaving.binary_search_by_key(&entity, |&(leaving, _)| leaving);
    place.ok().map(|place| leaving[place].1)
}

/// Despawns stubs; their entities live on elsewhere, or have died there.
pub(crate) fn despawn_stubs(world: &mut World, stubs: impl IntoIterator<Item = Entity>) {
    world.resource_mut::<Departures>().are_stubs_swept = true;
    for stub in stubs {
        _ = world.despawn(stub);
    }
    world.resource_mut::<Departures>().are_stubs_swept = false;
}

/// The entities that were despawned since the last tick ended.
#[derive(Default)]
pub(crate) struct Departures {
    pub(crate) dead: Vec<Gid>,
    /// Entities of other shards, whose stubs a system has despawned.
    pub(crate) foreign: Vec<Gid>,
    /// True while stubs are swept.
    pub(crate) are_stubs_swept: bool,
}

impl Resource for Departures {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_shard::Departures", "Departures");
}

/// Notes the death of an entity.
pub(crate) fn note_death(event: OnRemove<Gid>, world: DeferredWorld<'_>) {
    let entity = event.entity();
    let Some(gid) = world.get::<Gid>(entity).map(|gid| *gid) else {
        return;
    };
    let is_stub = world.get::<Stub>(entity).is_some();
    let mut departures = world.resource_mut::<Departures>();
    match is_stub {
        false => departures.dead.push(gid),
        true if departures.are_stubs_swept => {}
        true => departures.foreign.push(gid),
    }
}
