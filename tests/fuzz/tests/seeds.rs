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

seeds!(differences load macros manifest packets pictures schedule snapshots text_query world);

/// The seeds of the target `snapshots` have names of types. `WRITE_SEEDS=1` writes them anew.
#[test]
fn the_seeds_of_snapshots_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/snapshots");
    for (name, bytes) in targets::snapshots::seeds() {
        let path = folder.join(name);
        if std::env::var_os("WRITE_SEEDS").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        let written = fs::read(&path).unwrap();
        let result = targets::snapshots::read(&written);
        result.unwrap_or_else(|error| panic!("{name}: {error}; help: set `WRITE_SEEDS`"));
    }
}
