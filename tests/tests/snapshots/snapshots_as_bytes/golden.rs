//! The bytes of a world are the same on each machine: a file has them, and programs on machines of either byte order, and of 32 and
//! 64 bits, write and read the same.

use ecs_core::tree::ChildOf;

use super::*;

/// `UPDATE=1` writes it anew, for a new version of the form.
const FILE: &str = "tests/snapshots/snapshots_as_bytes/form_4.bytes";

/// A file of an older form, which has no systems outside of schedules.
const OLDER: &str = "tests/snapshots/snapshots_as_bytes/form_3.bytes";

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "golden.number", track)]
struct Number(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "golden.rich", storage = "sparse")]
struct Rich {
    wide: u64,
    signed: i16,
    float: f32,
    text: String,
    length: usize,
    target: Option<Entity>,
}

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "golden.score")]
struct Score(u64);

fn world() -> World {
    let mut world = World::new();
    world.register_data_resource::<Score>();
    world.insert_resource(Score(0x0102_0304_0506_0708));
    let all: Vec<Entity> = (0..300).map(|number| world.spawn(Number(number))).collect();
    world.despawn(all[7]).unwrap();
    let rich = Rich {
        wide: u64::MAX - 1,
        signed: -2,
        float: 0.15625,
        text: "größe".to_owned(),
        length: 70_000,
        target: Some(all[7]),
    };
    world.insert(all[9], rich).unwrap();
    world.relate(all[9], ChildOf, all[3]).unwrap();
    world.get_mut::<Number>(all[0]).unwrap().0 = 0xA1B2_C3D4;
    world
}

fn found_in(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_world_has_the_bytes_of_the_file() {
    let mut world = world();
    let snapshot = Snapshotter::new().take(&mut world).unwrap();
    let bytes = snapshot.to_bytes().unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(FILE, &bytes).unwrap();
    }
    let file = std::fs::read(FILE).unwrap();
    assert!(
        bytes == file,
        "help: if the form has a new version, write the file by `UPDATE=1`"
    );
    // Numbers are little-endian.
    assert!(found_in(&bytes, &[0xD4, 0xC3, 0xB2, 0xA1]));
    assert!(found_in(&bytes, &[8, 7, 6, 5, 4, 3, 2, 1]));
    assert!(found_in(&bytes, &[0, 0, 0x20, 0x3E]), "0.15625");
    assert!(found_in(&bytes, &70_000_u64.to_le_bytes()));
    assert!(
        found_in(&bytes, &[7, 0, 0, 0, 1, 0, 0, 0]),
        "the id of the dead entity"
    );
}

#[test]
fn a_world_returns_to_the_files() {
    for file in [FILE, OLDER] {
        let file = std::fs::read(file).unwrap();
        let mut read = World::new();
        read.register_data_resource::<Score>();
        read.register::<Number>();
        read.register::<Rich>();
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.read_bytes(&read, &file).unwrap();
        snapshotter.restore(&mut read, &mut snapshot).unwrap();
        let mut written = world();
        assert!(written.diff(&read).unwrap().is_empty());
        assert_eq!(read.spawn(()), written.spawn(()));
    }
}
