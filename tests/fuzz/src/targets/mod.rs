//! The targets. Each has an input type and a function that runs it.

pub mod app_snapshots;
mod decode;
pub mod differences;
pub mod http;
pub mod inspector;
pub mod load;
pub mod macros;
pub mod manifest;
pub mod packets;
pub mod pictures;
pub mod recordings;
pub mod rows;
pub mod rpc;
pub mod schedule;
pub mod snapshots;
pub mod text_query;
pub mod world;

// Included once, because its types have names.
#[path = "../../../tests/data/saves_model/parts.rs"]
#[allow(dead_code, reason = "it is about more than a target needs")]
mod parts;

#[path = "../../../tests/snapshots/snapshots_as_bytes/model.rs"]
#[allow(dead_code, reason = "it is about more than a target needs")]
mod snapshot_model;

use std::fmt::{self, Debug};
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};

/// Prints the input in a file and runs the target on it.
///
/// # Panics
/// If the target panics, or the file cannot be read.
pub fn replay<Input>(path: &Path, run: fn(Input))
where
    Input: for<'a> Arbitrary<'a> + Debug,
{
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // The fuzzer also skips inputs that are too short.
    if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(&bytes)) {
        println!("{}: {input:#?}", path.display());
        run(input);
    }
}

/// Bytes from a stranger: all of the input. `Vec<u8>` would use every other byte to decide whether it goes on.
pub struct StrangeBytes(Vec<u8>);

impl<'a> Arbitrary<'a> for StrangeBytes {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(bytes.bytes(bytes.len())?.to_vec()))
    }
}

impl Debug for StrangeBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// Bytes from a stranger, and a number that chooses what reads them.
pub struct ReaderBytes {
    how: u8,
    bytes: Vec<u8>,
}

impl<'a> Arbitrary<'a> for ReaderBytes {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = bytes.arbitrary()?;
        // Not by `Arbitrary`, because it uses some bytes for the length.
        let bytes = bytes.bytes(bytes.len())?.to_vec();
        Ok(Self { how, bytes })
    }
}

impl Debug for ReaderBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.how, self.bytes.escape_ascii())
    }
}
