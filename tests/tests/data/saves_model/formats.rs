//! Saves of older formats, which will always load.

use ecs_core::data::{Loader, Unknown};
use ecs_core::prelude::*;

use super::parts::{Key, Step, all, build, describe, loader, save};

const BINARY_1: &[u8] = include_bytes!("../../../saves/format-1.bin");
/// A save by a program that knows the component `Key`, and has kept the rest.
const BINARY_2: &[u8] = include_bytes!("../../../saves/format-2.bin");
const BINARY_3: &[u8] = include_bytes!("../../../saves/format-3.bin");
const BINARY_4: &[u8] = include_bytes!("../../../saves/format-4.bin");
const BINARY_5: &[u8] = include_bytes!("../../../saves/format-5.bin");
const BINARY: &[u8] = include_bytes!("../../../saves/format-6.bin");
const TEXT: &str = include_str!("../../../saves/format-1.json");
/// A save by the same program as [`BINARY_2`].
const TEXT_2: &str = include_str!("../../../saves/format-2.json");
const DESCRIPTION: &str = include_str!("../../../saves/format-1.txt");

fn world() -> World {
    // All kinds of steps but those that remove something.
    let things = (4..23).filter(|&what| what != 20);
    let things = things.flat_map(|what: u8| {
        (0..3).map(move |i: u8| {
            (
                what,
                i * 3,
                what + i,
                u32::from(what) * 0x0301 + u32::from(i),
            )
        })
    });
    let steps: Vec<Step> = (0..10).map(|i| (0, i, i, 0)).chain(things).collect();
    build(&steps, 0)
}

fn text_of(world: &World) -> String {
    let lines = describe(world, &all(world)).into_iter();
    lines
        .map(|(key, list)| format!("{key}: {}\n", list.join("; ")))
        .collect()
}

/// Returns the world of a program that knows one component, and has kept the rest.
fn world_with_kept_values() -> World {
    let mut world = World::new();
    let mut json = serde_json::Deserializer::from_str(TEXT);
    let few = Loader::new().with::<Key>().unknown(Unknown::Keep);
    few.deserialize(&mut world, &mut json).unwrap();
    world
}

/// Run it once for a new format, never for an old one.
#[test]
#[ignore = "writes the files"]
fn write_the_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/saves");
    let world = world();
    std::fs::write(
        format!("{folder}/format-6.bin"),
        save(&world).to_vec().unwrap(),
    )
    .unwrap();
}

#[test]
fn saves_of_all_formats_load() {
    for binary in [BINARY_1, BINARY_2, BINARY_3, BINARY_4, BINARY_5, BINARY] {
        let world = loader().load(binary).unwrap();
        world.check_invariants();
        assert_eq!(text_of(&world), DESCRIPTION);
    }
    for text in [TEXT, TEXT_2] {
        let mut world = World::new();
        let mut json = serde_json::Deserializer::from_str(text);
        loader().deserialize(&mut world, &mut json).unwrap();
        assert_eq!(text_of(&world), DESCRIPTION);
    }
}

#[test]
fn the_format_does_not_change_by_accident() {
    let world = world();
    assert_eq!(text_of(&world), DESCRIPTION);
    assert!(
        save(&world).to_vec().unwrap() == BINARY,
        "what is written has changed: it is a new format"
    );
    assert_eq!(serde_json::to_string_pretty(&save(&world)).unwrap(), TEXT);
    let kept = world_with_kept_values();
    assert_eq!(serde_json::to_string_pretty(&kept.save()).unwrap(), TEXT_2);
}
