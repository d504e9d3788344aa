//! The saves of hecs; entities keep their ids in them.

use std::any::TypeId;

use ::hecs::serialize::{column, row};
use ::hecs::{
    Archetype, ColumnBatchBuilder, ColumnBatchType, Component, Entity, EntityBuilder, EntityRef,
    World,
};
use postcard::ser_flavors::{AllocVec, Flavor as _};
use serde::de::{MapAccess, SeqAccess};
use serde::ser::{SerializeMap, SerializeTuple};
use serde::{Deserialize, Serialize};

use crate::model::{Plan, Row, Rows};

#[derive(Clone, Serialize, Deserialize)]
struct Key(usize);

#[derive(Clone, Serialize, Deserialize)]
struct Place(f32);

#[derive(Clone, Serialize, Deserialize)]
struct Name(String);

#[derive(Clone, Serialize, Deserialize)]
struct Link(Entity);

#[derive(Clone, Serialize, Deserialize)]
struct Parent(Entity);

/// Declares the names of the components in saves, and their functions.
macro_rules! context {
    ($($part:ident)*) => {
        #[derive(Clone, Copy, Serialize, Deserialize)]
        enum Part { $($part),* }

        /// The components of the archetype that is read.
        #[derive(Default)]
        struct Context(Vec<Part>);

        impl column::SerializeContext for Context {
            fn component_count(&self, archetype: &Archetype) -> usize {
                let known = [$(TypeId::of::<$part>()),*];
                archetype.component_types().filter(|id| known.contains(id)).count()
            }

            fn serialize_component_ids<S: SerializeTuple>(
                &mut self,
                archetype: &Archetype,
                mut out: S,
            ) -> Result<S::Ok, S::Error> {
                $(column::try_serialize_id::<$part, _, _>(archetype, &Part::$part, &mut out)?;)*
                out.end()
            }

            fn serialize_components<S: SerializeTuple>(
                &mut self,
                archetype: &Archetype,
                mut out: S,
            ) -> Result<S::Ok, S::Error> {
                $(column::try_serialize::<$part, _>(archetype, &mut out)?;)*
                out.end()
            }
        }

        impl column::DeserializeContext for Context {
            fn deserialize_component_ids<'de, A: SeqAccess<'de>>(
                &mut self,
                mut ids: A,
            ) -> Result<ColumnBatchType, A::Error> {
                self.0.clear();
                let mut batch = ColumnBatchType::new();
                while let Some(part) = ids.next_element()? {
                    match part { $(Part::$part => batch.add::<$part>(),)* };
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
                        $(Part::$part => column::deserialize_column::<$part, _>(entities, &mut columns, batch)?,)*
                    }
                }
                Ok(())
            }
        }

        impl row::SerializeContext for Context {
            fn serialize_entity<S: SerializeMap>(
                &mut self,
                entity: EntityRef<'_>,
                mut map: S,
            ) -> Result<S::Ok, S::Error> {
                $(row::try_serialize::<$part, _, _>(&entity, &Part::$part, &mut map)?;)*
                map.end()
            }
        }

        impl row::DeserializeContext for Context {
            fn deserialize_entity<'de, M: MapAccess<'de>>(
                &mut self,
                mut map: M,
                entity: &mut EntityBuilder,
            ) -> Result<(), M::Error> {
                while let Some(part) = map.next_key()? {
                    match part {
                        $(Part::$part => { entity.add::<$part>(map.next_value()?); })*
                    }
                }
                Ok(())
            }
        }
    };
}
context!(Key Place Name Link Parent);

fn world(plan: &Plan) -> World {
    let mut world = World::new();
    let mut ids = Vec::new();
    for (position, node) in plan.nodes.iter().enumerate() {
        for _ in 0..node.gap {
            let gap = world.spawn(());
            world.despawn(gap).unwrap();
        }
        ids.push(world.spawn((Key(position),)));
    }
    for (&entity, node) in ids.iter().zip(&plan.nodes) {
        if let Some(place) = node.place {
            world.insert_one(entity, Place(place)).unwrap();
        }
        if let Some(name) = &node.name {
            world.insert_one(entity, Name(name.clone())).unwrap();
        }
        if let Some(link) = node.link {
            world.insert_one(entity, Link(ids[link])).unwrap();
        }
        if let Some(parent) = node.parent {
            world.insert_one(entity, Parent(ids[parent])).unwrap();
        }
    }
    world
}

fn rows(world: &World) -> Rows {
    fn get<T: Component, R>(world: &World, entity: Entity, map: impl Fn(&T) -> R) -> Option<R> {
        world.get::<&T>(entity).ok().map(|value| map(&value))
    }
    let key = |entity: Entity| {
        let key = get(world, entity, |key: &Key| key.0);
        (key.expect("all entities have keys"), false)
    };
    let mut rows = Rows::new();
    for entity in world.iter().map(|entity| entity.entity()) {
        let row = Row {
            place: get(world, entity, |place: &Place| place.0),
            name: get(world, entity, |name: &Name| name.0.clone()),
            link: get(world, entity, |link: &Link| key(link.0)),
            parent: get(world, entity, |parent: &Parent| key(parent.0)),
        };
        assert!(
            rows.insert(key(entity), row).is_none(),
            "each key occurs once"
        );
    }
    rows
}

pub(crate) fn saved_and_loaded(plan: &Plan) -> Vec<(&'static str, Rows)> {
    let world = world(plan);
    let mut postcard = postcard::Serializer {
        output: AllocVec::new(),
    };
    column::serialize(&world, &mut Context::default(), &mut postcard).unwrap();
    let bytes = postcard.output.finalize().unwrap();
    let mut postcard = postcard::Deserializer::from_bytes(&bytes);
    let columns = column::deserialize(&mut Context::default(), &mut postcard).unwrap();
    let mut text = Vec::new();
    let mut json = serde_json::Serializer::new(&mut text);
    row::serialize(&world, &mut Context::default(), &mut json).unwrap();
    let mut json = serde_json::Deserializer::from_slice(&text);
    let from_rows = row::deserialize(&mut Context::default(), &mut json).unwrap();
    vec![("columns", rows(&columns)), ("rows", rows(&from_rows))]
}
