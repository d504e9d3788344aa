//! Saves from untrusted sources: each is an error that leaves the world unchanged, or a consistent world that can be saved
//! and loaded again.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use arbitrary::{Arbitrary, Unstructured};
use ecs_core::data::__private::seal;
use ecs_core::data::{Loaded, Loader, Unknown};
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;
use ecs_tests::counting::{Counting, peak_of};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parts::{Chosen, Key, Mark, Tag, build, loader, save};

/// Counts allocations, to check that no save takes more memory than its length justifies.
#[global_allocator]
static COUNTING: Counting = Counting;

/// A save, and options for loading it.
pub struct Input {
    /// The lowest three bits are the format, the others are options; see [`run`].
    how: u8,
    save: Vec<u8>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = bytes.arbitrary()?;
        // Not by `Arbitrary`, because it uses some bytes for the length.
        let save = bytes.bytes(bytes.len())?.to_vec();
        Ok(Self { how, save })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010b} {}", self.how, self.save.escape_ascii())
    }
}

/// Bytes, which serde writes as a list otherwise.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;

        impl Visitor<'_> for Visit {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }

        deserializer.deserialize_bytes(Visit)
    }
}

/// Returns the columns with the right checksum.
fn sealed(columns: &[u8]) -> Vec<u8> {
    let mut columns = columns.to_vec();
    seal(&mut columns);
    columns
}

/// Loads a save of the format with the number.
fn load(loader: &Loader, world: &mut World, format: u8, bytes: &[u8]) -> Result<Loaded, String> {
    fn text(error: impl Display) -> String {
        error.to_string()
    }
    match format {
        0 => {
            let mut json = serde_json::Deserializer::from_slice(bytes);
            loader.deserialize(world, &mut json).map_err(text)
        }
        1 => {
            let mut ron = ron::Deserializer::from_bytes(bytes).map_err(text)?;
            loader.deserialize(world, &mut ron).map_err(text)
        }
        2 => loader.load_into(world, &sealed(bytes)[..]).map_err(text),
        3 => {
            let bytes = match rmp_serde::from_slice(bytes) {
                Ok(Bytes(columns)) => rmp_serde::to_vec(&Bytes(sealed(&columns))).map_err(text)?,
                Err(_) => bytes.to_vec(),
            };
            let mut pack = rmp_serde::Deserializer::from_read_ref(&bytes);
            loader.deserialize(world, &mut pack).map_err(text)
        }
        4 => {
            let bytes = match postcard::from_bytes(bytes) {
                Ok(Bytes(columns)) => {
                    postcard::to_allocvec(&Bytes(sealed(&columns))).map_err(text)?
                }
                Err(_) => bytes.to_vec(),
            };
            let mut postcard = postcard::Deserializer::from_bytes(&bytes);
            loader.deserialize(world, &mut postcard).map_err(text)
        }
        // Rows in a binary format, whose keys may have any type.
        5 => {
            let mut pack = rmp_serde::Deserializer::from_read_ref(bytes).with_human_readable();
            loader.deserialize(world, &mut pack).map_err(text)
        }
        // The checksum stays as it is.
        6 => loader.load_bytes(world, bytes).map_err(text),
        // A stream with more data after the save.
        _ => {
            let mut json = serde_json::Deserializer::from_reader(bytes);
            loader.deserialize(world, &mut json).map_err(text)
        }
    }
}

/// The whole contents of a world: by entity and component, and the resource.
fn contents(world: &World) -> BTreeMap<Option<Entity>, BTreeMap<&'static str, String>> {
    let entities = world.entities().iter().map(|entity| {
        let found = world.entity(entity).expect("it is alive");
        let values = found.components();
        let values = values.map(|value| (value.name(), format!("{value:?}")));
        (Some(entity), values.collect())
    });
    let mut all: BTreeMap<_, BTreeMap<_, _>> = entities.collect();
    if let Some(chosen) = world.get_resource::<Chosen>() {
        all.insert(None, [("chosen", format!("{chosen:?}"))].into());
    }
    all
}

/// Saves a world, loads the save, and compares both worlds.
fn save_and_load(world: &World, has_dead_ids: bool) {
    let all = loader().same_ids();
    let mut copy = World::new();
    let bytes = save(world).with_ids().to_vec();
    let bytes = bytes.unwrap_or_else(|error| panic!("what was loaded can be saved: {error}"));
    let loaded = all.load_into(&mut copy, &bytes[..]);
    loaded.unwrap_or_else(|error| panic!("what was saved can be loaded: {error}"));
    copy.check_invariants();
    // All ids of missing entities become the same one.
    assert!(has_dead_ids || contents(&copy) == contents(world));
    let again = save(&copy).with_ids().to_vec().expect("it can be saved");
    let mut third = World::new();
    all.load_into(&mut third, &again[..]).expect("and loaded");
    let third = save(&third).with_ids().to_vec().expect("and saved");
    assert!(third == again, "what was loaded is saved as the same bytes");
    // As text. The ids differ, so the texts are compared.
    let second = by_text(&copy);
    let third = by_text(&second);
    assert_eq!((second.len(), third.len()), (world.len(), world.len()));
    assert_eq!(tree(&third), tree(&second));
}

fn tree(world: &World) -> serde_json::Value {
    serde_json::to_value(save(world)).expect("it can be written as text")
}

/// Saves a world as text, and loads the text.
fn by_text(world: &World) -> World {
    let text = serde_json::to_string(&save(world)).expect("it can be written as text");
    let mut json = serde_json::Deserializer::from_str(&text);
    let mut loaded = World::new();
    let result = loader().deserialize(&mut loaded, &mut json);
    result.unwrap_or_else(|error| panic!("{text} can be loaded: {error}"));
    loaded.check_invariants();
    loaded
}

/// Loads a save into an empty world. If the fourth bit of `how` is set, the world has contents; if the fifth one is, the
/// save is loaded at its own ids; if the sixth one is, unknown names are left out; if the seventh one is, observers despawn
/// some entities.
///
/// # Panics
/// If an error changes the world, or the world is not consistent.
pub fn run(input: Input) {
    let Input { how, save } = input;
    let is = |bit: u32| how >> bit & 1 == 1;
    let steps = [
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (4, 0, 0, 3),
        (9, 1, 0, 0),
        (17, 0, 1, 2),
        (14, 1, 0, 0),
        (22, 0, 1, 0),
    ];
    let mut world = build(if is(3) { &steps } else { &[] }, 1_000_000);
    if is(6) {
        world.observe(|hit: OnAdd<Mark>, mut commands: Commands| commands.despawn(hit.entity()));
        world.observe(|hit: OnAdd<Tag>, keys: Comp<Key>, mut commands: Commands| {
            if keys.get(hit.entity()).is_none_or(|key| key.0 % 2 == 0) {
                commands.despawn(hit.entity());
            }
        });
    }
    let mut loader = loader();
    if is(4) {
        // The limit also applies to indices, because the memory of a world grows with them.
        loader = loader.same_ids().max_entities(1 << 14);
    }
    if is(5) {
        loader = loader.unknown(Unknown::Skip);
    }
    let before = contents(&world);
    let next = world.next_ids(3).expect("there are ids");
    let (loaded, peak) = peak_of(|| load(&loader, &mut world, how % 8, &save));
    let len = save.len();
    assert!(
        peak < (4 << 20) + len * 4096,
        "{peak} bytes for a save of {len}"
    );
    world.check_invariants();
    match loaded {
        Err(error) => {
            assert!(!error.is_empty());
            assert_eq!(contents(&world), before);
            assert_eq!(world.next_ids(3).expect("there are ids"), next);
        }
        Ok(loaded) => {
            let after = contents(&world);
            let lives = |entity: &&Entity| world.contains(**entity);
            let living = loaded.entities.iter().filter(lives).count();
            assert_eq!(world.len(), before.keys().flatten().count() + living);
            for (entity, values) in before {
                // The resource may be another one now.
                assert!(entity.is_none() || after.get(&entity) == Some(&values));
            }
            save_and_load(&world, is(6));
        }
    }
}
