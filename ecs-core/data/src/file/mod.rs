//! The form of a save in columns: writing it, and checking one that was read, without any values.
//!
//! ```text
//! "ecsworld", format: u32
//! names: [(name, version, shape)]         which the rest refers to by number; the shape of values from form 5 on: see `codec/shape`
//! entities: u32, has ids: u8, [id: u64]
//! tables: [(rows: u32, [column])]         whose entities are numbered one after the other
//! sets: [(entities: [u32], column)]
//! relations: [(edges: [(source, target, slot)], column)]
//! resources: [column]
//! kept: [tree: u8]                        from form 2 on, and empty if there is nothing: see `kept`
//! unplaced: [id: u64]                     from form 3 on: the ids that come next, of indices that no entity has
//! outside: [tree: u8]                     from form 5 on: the keys of entities that are not saved, and have the numbers that follow
//! root: u32                               from form 5 on: the entity that is the root of a prefab, or 2^32 - 1
//! dead: [(number: u32, id: u64)]          from form 6 on: numbers that follow, and ids, of entities saved as dead ids
//! padding: [0u8]                          so that there are at most 64 rows for each byte
//! checksum: u64                           of all before: XXH3, and slower ones up to form 3
//! ```
//! A list begins with its length, a `u32`. A column is the number of a name, the form of its values (`u8`), the length in bytes
//! (`u64`), and the values. All numbers are little-endian. The edges of a relation are in the order of their targets, and for
//! each target in the order of its sources; the slot is the position among the targets of the source.

mod checksum;
mod input;
mod number;
mod old_checksums;
mod read;

pub(crate) use checksum::{Checksum, ChecksumCheck, Summed};
pub(crate) use input::FileInput;
pub use number::{put_number, read_number};
pub(crate) use read::{FileColumn, FileEdge, FileParts};

/// Replaces the last eight bytes by the checksum of the bytes before, so that tests of hostile files get past it.
pub fn seal(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len().saturating_sub(8));
    let format = bytes.get(MAGIC.len()).copied().unwrap_or(0);
    let sum = checksum::of_form(format.into(), bytes);
    bytes.extend(sum.to_le_bytes());
}

/// Checks bytes as a whole, of another kind than files: the first ones, the version of their form, and the checksum at their end.
/// Returns the bytes after the version, and the version.
pub(crate) fn begin<'a>(
    bytes: &'a [u8],
    magic: &[u8; 8],
    known: u32,
) -> Result<(FileInput<'a>, u32), FileError> {
    if bytes.get(..magic.len()) != Some(magic.as_slice()) {
        return Err(FileError::Foreign);
    }
    let mut input = FileInput::new(bytes);
    input.take(magic.len())?;
    let form = input.u32()?;
    if form > known {
        return Err(FileError::Newer { form, known });
    }
    let length = bytes.len();
    let (before, sum) = bytes
        .split_last_chunk()
        .ok_or(FileError::Truncated { length })?;
    if checksum_of(before) != u64::from_le_bytes(*sum) {
        return Err(FileError::Checksum);
    }
    match form {
        0 => Err(input.malformed(4, "there is no form 0")),
        form => Ok((input, form)),
    }
}

/// Returns the checksum of bytes that are not a file.
pub(crate) fn checksum_of(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8; 8] = b"ecsworld";

/// The version of the form that is written; older ones are read too.
pub(crate) const FORMAT: u32 = 6;

/// The maximum number of rows per byte of a file, so that a small file cannot demand much memory. A file with more rows,
/// which have no values then, is padded.
pub(crate) const ROWS_PER_BYTE: u64 = 64;

/// The reason why bytes are refused: of a save, of a [snapshot](crate::ReadSnapshotError) or of [rows](crate::ReadRowsError).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// They do not begin like that.
    Foreign,
    /// A newer version of this library has written them.
    Newer {
        /// The version of the form.
        form: u32,
        /// The newest version that this library reads.
        known: u32,
    },
    /// They end too early.
    Truncated {
        /// The number of bytes.
        length: usize,
    },
    /// Some of them have changed.
    Checksum,
    /// A save has more entities than the loader allows.
    TooManyEntities {
        /// The number of entities in the save.
        entities: u64,
        /// The limit.
        limit: u32,
    },
    /// They contradict themselves, so they are damaged or malicious.
    Malformed {
        /// The position in bytes.
        byte: usize,
        /// The problem at that place.
        problem: &'static str,
    },
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Foreign => f.write_str("something else has written it: the first bytes differ"),
            Self::Newer { form, known } => write!(
                f,
                "it has form {form}, and this program reads forms up to {known}: a newer program has written it, or it is damaged; help: read it with the newer program"
            ),
            Self::Truncated { length } => {
                write!(
                    f,
                    "it ends after {length} bytes, in the middle of something"
                )
            }
            Self::Checksum => f.write_str("it is damaged: its checksum is wrong"),
            Self::TooManyEntities { entities, limit } => write!(
                f,
                "it has {entities} entities, and the loader allows {limit}; help: raise the limit by `Loader::max_entities`"
            ),
            Self::Malformed { byte, problem } => write!(f, "byte {byte}: {problem}"),
        }
    }
}

impl std::error::Error for FileError {}
