//! `Save::verify`: a save reports the data that serde writes but does not read back, instead of leaving that to the
//! load.

use std::collections::{BTreeMap, HashSet};

use ecs_core::data::{Dangling, Save, VerifyError};
use ecs_core::prelude::*;
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::DeferredWorld;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A component of any type of values.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(
    Of<Tagged> = "Tagged", Of<Keys> = "Keys", Of<Deep> = "Deep", Of<Skipped> = "Skipped", Of<Omitted> = "Omitted",
    Of<Flat> = "Flat", Of<f64> = "f64", Of<f32> = "f32", Of<i128> = "i128", Of<u128> = "u128", Of<Lossy> = "Lossy",
    Of<BTreeMap<(u8, u8), u8>> = "pairs", Of<Option<Option<()>>> = "options", Of<HashSet<u64>> = "set",
    Of<Option<Entity>> = "entity", Of<Bytes> = "Bytes",
))]
struct Of<T: Send + Sync + 'static>(T);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Big { number: u128 },
    Small { number: u8 },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Keys {
    Numbered(BTreeMap<u32, u8>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Deep(Option<Box<Deep>>, u8);

impl Deep {
    fn levels(levels: usize) -> Self {
        (0..levels).fold(Self(None, 1), |deep, _| Self(Some(Box::new(deep)), 1))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Skipped {
    #[serde(skip)]
    #[allow(dead_code, reason = "for the form alone")]
    cache: u8,
    now: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Omitted {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    list: Vec<u8>,
    last: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    rest: BTreeMap<String, u128>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bytes(Vec<u8>, String, char);

/// Reads a different value than it writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lossy {
    #[serde(serialize_with = "half")]
    value: u32,
    same: u8,
}

fn half<S: serde::Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(value / 2)
}

fn json(save: &Save<'_>) -> Result<(), VerifyError> {
    let text = serde_json::to_string(save).unwrap();
    save.verify_by(|loader, world| {
        loader.deserialize(world, &mut serde_json::Deserializer::from_str(&text))
    })
}

fn ron(save: &Save<'_>) -> Result<(), VerifyError> {
    let text = ron::to_string(save).unwrap();
    save.verify_by(|loader, world| {
        let mut read = ron::Deserializer::from_str(&text).map_err(|error| error.to_string())?;
        loader
            .deserialize(world, &mut read)
            .map_err(|error| error.to_string())
    })
}

fn columns(save: &Save<'_>) -> Result<(), VerifyError> {
    save.verify(&save.to_vec().unwrap())
}

/// Returns which of columns, JSON and RON restore the value.
fn verified<T>(value: T) -> [bool; 3]
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    Of<T>: Component,
{
    let mut world = World::new();
    let first = world.spawn(());
    let entity = world.spawn(Of(value));
    world.despawn(first).unwrap();
    let save = world.save();
    [columns(&save), json(&save), ron(&save)].map(|result| match result {
        Ok(()) => true,
        Err(VerifyError::Value { entity: named, .. }) => {
            assert_eq!(
                named,
                Some(entity),
                "the entity of the world that was saved"
            );
            false
        }
        Err(error) => {
            assert!(matches!(error, VerifyError::Load { .. }), "{error}");
            false
        }
    })
}

#[test]
fn what_comes_back_is_verified() {
    assert_eq!(verified(Of::<u8>::plain()), [true; 3]);
    assert_eq!(verified(1.5_f64), [true; 3]);
    assert_eq!(verified(f64::NAN), [true; 3]);
    assert_eq!(verified(f64::NEG_INFINITY), [true; 3]);
    assert_eq!(verified(f32::NAN), [true; 3]);
    assert_eq!(verified(i128::MIN), [true; 3]);
    assert_eq!(verified(u128::MAX), [true; 3]);
    assert_eq!(verified(Some(Some(()))), [true; 3]);
    assert_eq!(verified(Some(None::<()>)), [true; 3]);
    assert_eq!(verified(BTreeMap::from([((1_u8, 2_u8), 3_u8)])), [true; 3]);
    assert_eq!(verified((0..100_u64).collect::<HashSet<_>>()), [true; 3]);
    assert_eq!(
        verified(Skipped { cache: 3, now: 4 }),
        [true; 3],
        "it never writes the cache"
    );
    assert_eq!(verified(Tagged::Small { number: 3 }), [true; 3]);
    assert_eq!(verified(Deep::levels(10)), [true; 3]);
    assert_eq!(
        verified(Bytes(vec![0, 255], "a\"\n".into(), '\0')),
        [true; 3]
    );
    assert_eq!(verified(None::<Entity>), [true; 3]);
}

impl Of<u8> {
    fn plain() -> Omitted {
        Omitted {
            list: vec![1],
            last: 2,
        }
    }
}

#[test]
fn what_is_saved_and_cannot_be_loaded_is_found() {
    let big = Tagged::Big { number: u128::MAX };
    let numbered = Keys::Numbered([(1, 2)].into());
    let omitted = Omitted {
        list: Vec::new(),
        last: 2,
    };
    // In columns, in JSON and in RON.
    let found = [
        verified(big),
        verified(numbered),
        verified(Deep::levels(62)),
        verified(omitted),
        verified(Flat {
            rest: [("a".to_owned(), u128::MAX)].into(),
        }),
    ];
    let never = [false; 3];
    let all = [
        never,
        [true, false, true],
        [true, true, false],
        never,
        never,
    ];
    assert_eq!(found, all);
}

#[test]
fn a_value_that_comes_back_as_another_one_is_named_with_its_entity_and_field() {
    let mut world = World::new();
    world.spawn(Of(1_i128));
    let entity = world.spawn(Of(Lossy { value: 8, same: 1 }));
    for error in [json(&world.save()), columns(&world.save())] {
        let text = error.unwrap_err().to_string();
        assert!(text.contains("4 comes back as 2 at `value`"), "{text}");
    }
    let other = serde_json::to_string(&world.save())
        .unwrap()
        .replace("\"same\":1", "\"same\":5");
    let error = world.save().verify_by(|loader, world| {
        loader.deserialize(world, &mut serde_json::Deserializer::from_str(&other))
    });
    let error = error.unwrap_err();
    assert!(matches!(&error, VerifyError::Value { entity: found, .. } if *found == Some(entity)));
    let text = error.to_string();
    assert!(
        text.contains("`Lossy`") && text.contains("at `value`"),
        "{text}"
    );
}

#[test]
fn a_save_of_another_world_is_refused_and_relations_are_compared() {
    let mut world = World::new();
    let root = world.spawn(Of(None::<Entity>));
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world.spawn((Of(Some(root)), ChildOf.to(root)));
    world.spawn((Of(Some(gone)), ChildOf.to(root)));
    let save = world.save().dangling(Dangling::Dead);
    for verified in [columns(&save), json(&save), ron(&save)] {
        verified.unwrap();
    }
    let bytes = save.to_vec().unwrap();
    let mut more = world.try_clone().unwrap();
    more.spawn(());
    let error = more
        .save()
        .dangling(Dangling::Dead)
        .verify(&bytes)
        .unwrap_err();
    assert!(matches!(
        error,
        VerifyError::Entities {
            saved: 4,
            loaded: 3
        }
    ));
    let mut damaged = bytes;
    damaged[30] ^= 1;
    assert!(matches!(
        save.verify(&damaged),
        Err(VerifyError::Load { .. })
    ));
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "chosen")]
struct Chosen(Entity);

#[test]
fn keys_of_entities_that_are_not_saved_are_compared() {
    let mut world = World::new();
    world.register_data_resource::<Chosen>();
    let chosen = world.spawn(());
    world.insert_resource(Chosen(chosen));
    let [owner, target] = [(); 2].map(|()| world.spawn(()));
    let part = world.spawn((Of(Some(target)), ChildOf.to(owner)));
    let save = world.save().only([part]);
    let save = save.map_ids(|entity| Some(format!("key {}", entity.index())));
    for verified in [columns(&save), json(&save), ron(&save)] {
        verified.unwrap();
    }
    let text = serde_json::to_string(&save).unwrap();
    let swapped = |one: &str, other: &str| {
        let text = text.replace(one, "another").replace(other, one);
        let text = text.replace("another", other);
        let error = save.verify_by(|loader, world| {
            loader.deserialize(world, &mut serde_json::Deserializer::from_str(&text))
        });
        error.unwrap_err().to_string()
    };
    let error = swapped("key 2", "key 0");
    assert!(error.starts_with("entity 3v1, `entity`: "), "{error}");
    let error = swapped("key 1", "key 0");
    assert!(error.contains("ecs.child_of"), "{error}");
    let error = swapped("key 0", "key 9");
    assert!(error.starts_with("the save cannot be loaded: "), "{error}");
}

/// Has a hook that changes it, and needs a resource that is not data.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "hooked", on_insert = Hooked::count)]
struct Hooked(u32);

impl Hooked {
    fn count(mut world: DeferredWorld, entity: Entity) {
        *world.resource_mut::<u32>() += 1;
        world.get_mut::<Hooked>(entity).unwrap().0 += 1;
    }
}

#[test]
fn hooks_do_not_take_part() {
    let mut world = World::new();
    world.insert_resource(0_u32);
    world.spawn(Hooked(7));
    for verified in [
        columns(&world.save()),
        json(&world.save()),
        ron(&world.save()),
    ] {
        verified.unwrap();
    }
}
