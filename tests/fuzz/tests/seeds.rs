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

seeds!(differences load macros manifest packets pictures rows schedule snapshots text_query world);

/// Checks that the seeds of a target that has names of types are read. `WRITE_SEEDS=1` writes them anew.
fn seeds_are_read<E: std::fmt::Display>(
    target: &str,
    seeds: Vec<(&str, Vec<u8>)>,
    read: impl Fn(&[u8]) -> Result<(), E>,
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(target);
    for (name, bytes) in seeds {
        let path = folder.join(name);
        if std::env::var_os("WRITE_SEEDS").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        let written = fs::read(&path).unwrap();
        let result = read(&written);
        result.unwrap_or_else(|error| panic!("{name}: {error}; help: set `WRITE_SEEDS`"));
    }
}

#[test]
fn the_seeds_of_snapshots_are_read() {
    use targets::snapshots::{read, seeds};
    seeds_are_read("snapshots", seeds(), read);
}

#[test]
fn the_seeds_of_rows_are_read() {
    use targets::rows::{read, seeds};
    seeds_are_read("rows", seeds(), read);
}
