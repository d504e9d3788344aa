//! The targets: for each a type of input, and what is done with one.

mod decode;
pub mod macros;
pub mod manifest;
pub mod pictures;
pub mod schedule;
pub mod world;

use std::fmt::Debug;
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};

/// Shows the input in a file and does with it what the target does.
///
/// # Panics
/// As the target, and if there is no file.
pub fn replay<Input>(path: &Path, run: fn(Input))
where
    Input: for<'a> Arbitrary<'a> + Debug,
{
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // What is too short for an input the fuzzer passes over, too.
    if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(&bytes)) {
        println!("{}: {input:#?}", path.display());
        run(input);
    }
}
