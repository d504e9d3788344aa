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
mod old_checksums;
mod read;

pub(crate) use checksum::{Checksum, ChecksumCheck, Summed};
pub(crate) use input::FileInput;
pub(crate) use read::{FileColumn, FileEdge, FileParts};

/// Replaces the last eight bytes by the checksum of the bytes before, so that tests of hostile files get past it.
pub fn seal(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len().saturating_sub(8));
    let format = bytes.get(MAGIC.len()).copied().unwrap_or(0);
    let sum = checksum::of_form(format.into(), bytes);
    bytes.extend(sum.to_le_bytes());
}

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8; 8] = b"ecsworld";

/// The version of the form that is written; older ones are read too.
pub(crate) const FORMAT: u32 = 6;

/// The maximum number of rows per byte of a file, so that a small file cannot demand much memory. A file with more rows,
/// which have no values then, is padded.
pub(crate) const ROWS_PER_BYTE: u64 = 64;

/// The reason why the bytes of a file are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// It does not begin like a save.
    Foreign,
    /// It was written by a newer version of this library.
    Newer {
        /// The version of the form.
        format: u32,
    },
    /// It ends too early.
    Truncated {
        /// The number of bytes.
        length: usize,
    },
    /// Some of its bytes have changed.
    Checksum,
    /// It has more entities than the loader allows.
    TooManyEntities {
        /// The number of entities in the file.
        entities: u64,
        /// The limit.
        limit: u32,
    },
    /// It contradicts itself, so it is damaged or malicious.
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
            Self::Foreign => f.write_str("it is not a save in columns: the first bytes differ"),
            Self::Newer { format } => write!(
                f,
                "it has form {format}, and this program reads forms up to {FORMAT}: a newer program has written it, or it is damaged; help: load it with the newer program"
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
