//! The targets. Each has an input type and a function that runs it.

pub mod app_snapshots;
pub mod datagrams;
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

/// Consecutive packets, each preceded by its length in two bytes, and a number that chooses what reads them.
pub struct StrangePackets {
    how: u8,
    packets: Vec<Vec<u8>>,
}

impl StrangePackets {
    /// Returns the bytes of an input.
    fn bytes(how: u8, packets: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![how];
        for packet in packets {
            let length = u16::try_from(packet.len()).expect("packets of seeds are short");
            bytes.extend(length.to_le_bytes());
            bytes.extend(packet);
        }
        bytes
    }
}

impl<'a> Arbitrary<'a> for StrangePackets {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = bytes.arbitrary()?;
        let mut packets = Vec::new();
        while bytes.len() >= 2 && packets.len() < 8 {
            let length = u16::from_le_bytes([bytes.arbitrary()?, bytes.arbitrary()?]);
            let length = usize::from(length).min(bytes.len());
            packets.push(bytes.bytes(length)?.to_vec());
        }
        Ok(Self { how, packets })
    }
}

impl Debug for StrangePackets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010b}", self.how)?;
        let mut packets = self.packets.iter();
        packets.try_for_each(|packet| write!(f, "\n{}", packet.escape_ascii()))
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
