//! Rows as bytes, to go to the world of another process.
//!
//! ```text
//! "ecs-rows", form: u32
//! entities: [key: u64]
//! outside: [(exists: u8, key: u64)]      entities that are named and do not move; their numbers follow
//! types: [(name, version: u32, u64)]     and a number for the parts of each: see `schema_hash`
//! tables: [(numbers: [u32], [column])]
//! sets: [(numbers: [u32], column)]
//! relations: [(edges: [(source: u32, target: u32, order: u32)], column)]
//! checksum: u64                          of all before: XXH3
//! ```
//! A list begins with its length, a `u32`. A column is the number of a type, the form of its values (`u8`), the length in bytes
//! (`u64`) and the values; then, if the component is tracked, `1` and the ages of additions and of changes (`u32` for each
//! value), or `0` if all values are new. An id in a value is the number of an entity.

mod error;
mod read;
mod write;

use ecs_engine::World;
use ecs_engine::rows::Rows;

pub use error::{ReadRowsError, WriteRowsError};
pub use write::append_rows;

/// The first bytes.
const MAGIC: &[u8; 8] = b"ecs-rows";

/// The version of the form.
const FORM: u32 = 1;

/// Replaces the last eight bytes by the checksum of the bytes before, so that tests of hostile bytes get past it.
pub fn seal_rows(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len().saturating_sub(8));
    let sum = crate::file::checksum_of(bytes);
    bytes.extend(sum.to_le_bytes());
}

/// Writes [`Rows`] as bytes and reads them; needs this trait in scope, and the prelude of `ecs_core` has it.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::rows::Rows;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.aims_at")]
/// struct AimsAt(Entity);
///
/// let mut here = World::new();
/// let target = here.spawn(());
/// let archer = here.spawn(AimsAt(target));
/// let key = |_: ecs_core::world::ReadOnlyWorld<'_>, entity: Entity| Some(entity.to_bits());
/// let bytes = here.take_rows(&[archer], key)?.to_bytes()?;
///
/// // In another process.
/// let mut there = World::new();
/// there.register::<AimsAt>();
/// let rows = Rows::from_bytes(&there, &bytes)?;
/// let put = there.put_rows(rows, |_| None)?;
/// let [(key, stub)] = put.stubs[..] else { panic!("the target stayed behind") };
/// assert_eq!(key, target.to_bits());
/// assert_eq!(*there.get::<AimsAt>(put.entities[0]).unwrap(), AimsAt(stub));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait RowsBytes: Sized {
    /// Returns the rows as bytes. O(values).
    ///
    /// The rows stay as they are, so they can be put back if the bytes do not arrive. Fields that the `Serialize` of a type skips
    /// are left out.
    ///
    /// # Errors
    /// If there are components or relations that are not data, or the `Serialize` of a value fails.
    fn to_bytes(&self) -> Result<Vec<u8>, WriteRowsError>;

    /// Reads rows, to be put into a world that knows the types: components are registered, or a schedule that is prepared for
    /// the world names them. O(bytes).
    ///
    /// The types have to be the same in both programs; compare their [`SchemaHash`](crate::SchemaHash) before. The bytes may come
    /// from a stranger: no input causes a panic, except in the `Deserialize` of a type, and memory stays in proportion to the
    /// length of the input. The keys in them are the stranger's: check them before the rows are put.
    ///
    /// # Errors
    /// If the bytes are not rows or are damaged, if the world does not know a type in them, or a type differs.
    fn from_bytes(world: &World, bytes: &[u8]) -> Result<Self, ReadRowsError>;
}

impl RowsBytes for Rows {
    fn to_bytes(&self) -> Result<Vec<u8>, WriteRowsError> {
        let mut bytes = Vec::new();
        append_rows(self, &mut bytes)?;
        Ok(bytes)
    }

    fn from_bytes(world: &World, bytes: &[u8]) -> Result<Self, ReadRowsError> {
        read::read(world, bytes)
    }
}
