//! Runs the committed inputs, with any compiler and without the fuzzer.

use std::fs;
use std::path::Path;

use ecs_fuzz::targets;

macro_rules! seeds {
    ($($target:ident)*) => {$(
        #[test]
        fn $target() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(stringify!($target));
            let files = fs::read_dir(folder).expect("each target has seeds");
            let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            paths.sort();
            assert!(!paths.is_empty());
            for path in paths {
                targets::replay(&path, targets::$target::run);
            }
        }
    )*};
}

seeds!(app_snapshots datagrams differences http inspector load macros manifest packets pictures recordings rows rpc schedule snapshots text_query world);

/// The seeds of snapshots have names of types. `WRITE_SEEDS=1` writes them anew.
#[test]
fn the_seeds_of_snapshots_are_read() {
    let read = |bytes: &[u8]| targets::snapshots::read(bytes).map_err(|error| error.to_string());
    check("snapshots", targets::snapshots::seeds(), &read);
}

#[test]
fn the_seeds_of_app_snapshots_are_read() {
    let read =
        |bytes: &[u8]| targets::app_snapshots::read(bytes).map_err(|error| error.to_string());
    check("app_snapshots", targets::app_snapshots::seeds(), &read);
}

/// Nothing writes them any more.
#[test]
fn snapshots_of_form_2_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let seed = |target| fs::read(folder.join(target).join("form_2")).unwrap();
    targets::snapshots::read(&seed("snapshots")).unwrap();
    targets::app_snapshots::read(&seed("app_snapshots")).unwrap();
}

#[test]
fn the_seeds_of_rows_are_read() {
    let read = |bytes: &[u8]| targets::rows::read(bytes).map_err(|error| error.to_string());
    check("rows", targets::rows::seeds(), &read);
}

#[test]
fn the_seeds_of_packets_are_read() {
    let read = |bytes: &[u8]| targets::packets::read(bytes).map_err(|error| error.to_string());
    check("packets", targets::packets::seeds(), &read);
    // The orders of a packet are its end; their number is the last byte if there are none.
    let seeds = targets::packets::seeds();
    let (_, orders) = seeds.iter().find(|(name, _)| *name == "orders").unwrap();
    assert_ne!(orders.last(), Some(&0));
}

#[test]
fn the_seeds_of_datagrams_are_read() {
    check("datagrams", targets::datagrams::seeds(), &|_| Ok(()));
}

#[test]
fn the_seeds_of_recordings_are_read() {
    let read = |bytes: &[u8]| targets::recordings::read(bytes).map_err(|error| error.to_string());
    check("recordings", targets::recordings::seeds(), &read);
}

#[test]
fn the_seeds_of_recordings_have_all_kinds_of_records() {
    let mut kinds = std::collections::BTreeSet::new();
    for (_, seed) in targets::recordings::seeds() {
        // How it is read, and the magic bytes with the form; then records: length, checksum, kind.
        let mut at = 1 + 8 + 4;
        while at < seed.len() {
            let length = u32::from_le_bytes(seed[at..at + 4].try_into().unwrap());
            kinds.insert(seed[at + 8]);
            at += 9 + length as usize;
        }
    }
    assert_eq!(kinds, (0..=8).collect());
}

fn check(target: &str, seeds: Vec<(&str, Vec<u8>)>, read: &dyn Fn(&[u8]) -> Result<(), String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(target);
    for (name, bytes) in seeds {
        let path = folder.join(name);
        if std::env::var_os("WRITE_SEEDS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        let written = fs::read(&path).unwrap();
        read(&written).unwrap_or_else(|error| panic!("{name}: {error}; help: set `WRITE_SEEDS`"));
    }
}
