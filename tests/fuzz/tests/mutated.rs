//! Runs the targets on changed seeds, without the fuzzer and its knowledge of new code paths:
//!
//! ```sh
//! FUZZ_SECONDS=60 cargo test --manifest-path tests/fuzz/Cargo.toml --release --test mutated -- --ignored load
//! ```

use std::env;
use std::fmt::Debug;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arbitrary::{Arbitrary, Unstructured};
use ecs_fuzz::targets;

/// Random numbers, by a linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        let Self(state) = self;
        *state = state.wrapping_mul(6_364_136_223_846_793_005);
        *state = state.wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % end.max(1)
    }
}

/// Changes some bytes of a seed, perhaps by parts of another one.
fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    // Often a single change, because inputs with many changes do not get far.
    let most = random.below(5);
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(1 + most) {
        let at = random.below(bytes.len() + 1);
        let end = bytes.len().min(at + random.below(24));
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add([1, 255][random.below(2)]),
            3 => {
                let words = [0, 1, 2, 0xffff, 0x0001_0000, 0x7fff_ffff, u32::MAX];
                let word = words[random.below(words.len())].to_le_bytes();
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
            4 => drop(bytes.drain(at..end)),
            5 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = &other[from..other.len().min(from + random.below(24))];
                bytes.splice(at..end, part.iter().copied());
            }
        }
    }
    bytes
}

/// Runs a target for some time, or until it fails.
fn try_for_some_time<Input>(target: &str, run: fn(Input))
where
    Input: for<'a> Arbitrary<'a> + Debug,
{
    let number = |name: &str, default| match env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    };
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(package.join("seeds").join(target)).expect("each target has seeds");
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let mut random = Random(number("FUZZ_SEED", 1));
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 10));
    let mut inputs = 0_u64;
    while Instant::now() < end {
        let bytes = mutate(&seeds, &mut random);
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| {
            if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(&bytes)) {
                run(input);
            }
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "it takes too long"
            );
        }));
        inputs += 1;
        if let Err(panic) = result {
            let folder = package.join("artifacts").join(target);
            fs::create_dir_all(&folder).unwrap();
            let path = folder.join(format!("mutated-{inputs}"));
            fs::write(&path, &bytes).unwrap();
            println!("the input is in {}", path.display());
            resume_unwind(panic);
        }
    }
    println!("{target}: {inputs} inputs");
}

macro_rules! targets {
    ($($target:ident)*) => {$(
        #[test]
        #[ignore = "takes FUZZ_SECONDS, or ten"]
        fn $target() {
            try_for_some_time(stringify!($target), targets::$target::run);
        }
    )*};
}

targets!(app_snapshots datagrams differences http inspector load macros manifest packets pictures recordings rows rpc schedule snapshots text_query world);
