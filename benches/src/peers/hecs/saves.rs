//! Worlds that are written and read by columns, and entities that are copies of one.

use std::any::TypeId;

use hecs::serialize::column::{
    self, DeserializeContext, SerializeContext, deserialize_column, try_serialize, try_serialize_id,
};
use hecs::{Archetype, ColumnBatchBuilder, ColumnBatchType, EntityBuilderClone, World};
use postcard::ser_flavors::{AllocVec, Flavor as _};
use serde::de::SeqAccess;
use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize};

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::saves::{self, Place, Speed, Turn};

/// A component in the file.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Part {
    Place,
    Turn,
    Speed,
}

/// The components of the archetype that is read.
#[derive(Default)]
struct Context(Vec<Part>);

impl SerializeContext for Context {
    fn component_count(&self, archetype: &Archetype) -> usize {
        let known = [
            TypeId::of::<Place>(),
            TypeId::of::<Turn>(),
            TypeId::of::<Speed>(),
        ];
        let types = archetype.component_types();
        types.filter(|id| known.contains(id)).count()
    }

    fn serialize_component_ids<S: SerializeTuple>(
        &mut self,
        archetype: &Archetype,
        mut out: S,
    ) -> Result<S::Ok, S::Error> {
        try_serialize_id::<Place, _, _>(archetype, &Part::Place, &mut out)?;
        try_serialize_id::<Turn, _, _>(archetype, &Part::Turn, &mut out)?;
        try_serialize_id::<Speed, _, _>(archetype, &Part::Speed, &mut out)?;
        out.end()
    }

    fn serialize_components<S: SerializeTuple>(
        &mut self,
        archetype: &Archetype,
        mut out: S,
    ) -> Result<S::Ok, S::Error> {
        try_serialize::<Place, _>(archetype, &mut out)?;
        try_serialize::<Turn, _>(archetype, &mut out)?;
        try_serialize::<Speed, _>(archetype, &mut out)?;
        out.end()
    }
}

impl DeserializeContext for Context {
    fn deserialize_component_ids<'de, A: SeqAccess<'de>>(
        &mut self,
        mut ids: A,
    ) -> Result<ColumnBatchType, A::Error> {
        self.0.clear();
        let mut batch = ColumnBatchType::new();
        while let Some(part) = ids.next_element()? {
            match part {
                Part::Place => batch.add::<Place>(),
                Part::Turn => batch.add::<Turn>(),
                Part::Speed => batch.add::<Speed>(),
            };
            self.0.push(part);
        }
        Ok(batch)
    }

    fn deserialize_components<'de, A: SeqAccess<'de>>(
        &mut self,
        entities: u32,
        mut columns: A,
        batch: &mut ColumnBatchBuilder,
    ) -> Result<(), A::Error> {
        for part in &self.0 {
            match part {
                Part::Place => deserialize_column::<Place, _>(entities, &mut columns, batch)?,
                Part::Turn => deserialize_column::<Turn, _>(entities, &mut columns, batch)?,
                Part::Speed => deserialize_column::<Speed, _>(entities, &mut columns, batch)?,
            }
        }
        Ok(())
    }
}

fn world(entities: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..entities).map(saves::row));
    world
}

fn digest(world: &mut World) -> u64 {
    saves::digest(world.query_mut::<(&Place, &Turn, &Speed)>())
}

fn written(world: &World) -> Vec<u8> {
    let mut postcard = postcard::Serializer {
        output: AllocVec::new(),
    };
    let written = column::serialize(world, &mut Context::default(), &mut postcard);
    written.expect("floats can be written");
    postcard.output.finalize().expect("it is in memory")
}

fn read(bytes: &[u8]) -> World {
    let mut postcard = postcard::Deserializer::from_bytes(bytes);
    column::deserialize(&mut Context::default(), &mut postcard).expect("it was written")
}

pub(super) fn save(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "columns in postcard",
        move || (world(entities), Vec::new()),
        |(world, bytes)| *bytes = written(world),
        |(_, bytes)| digest(&mut read(bytes)),
    );
}

pub(super) fn load(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "columns in postcard",
        move || (written(&world(entities)), World::new()),
        |(bytes, world)| *world = read(bytes),
        |(_, world)| digest(world),
    );
}

pub(super) fn prefab(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "EntityBuilderClone",
        || {
            let mut builder = EntityBuilderClone::new();
            builder.add_bundle(saves::row(0));
            (builder.build(), World::new())
        },
        move |(built, world)| {
            *world = World::new();
            for _ in 0..entities {
                world.spawn(&*built);
            }
        },
        |(_, world)| digest(world),
    );
}

pub(super) fn prefab_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "spawn_batch",
        World::new,
        move |world| {
            *world = World::new();
            world.spawn_batch((0..entities).map(|_| saves::row(0)));
        },
        digest,
    );
}
