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

seeds!(differences load macros manifest packets pictures schedule text_query world);
