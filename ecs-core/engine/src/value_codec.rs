//! The functions that write and read the values of a data type, as far as the engine calls them itself.

use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;

/// The functions that write and read the values of a data type. The package `ecs-data` has more of them behind
/// [`Any`].
///
/// The engine calls them when rows go from one world to another: the ids in values are written as numbers, and read as the ids of
/// the other world. The session of the thread decides about ids.
///
/// # Safety
/// `read_values` has written as many values of the type as it counts, one after the other.
pub unsafe trait ValueCodec: Any + Send + Sync {
    /// Returns the type of the values.
    fn value_type(&self) -> TypeId;

    /// Returns false if the type is known to name no entities.
    fn may_name_entities(&self) -> bool;

    /// Appends values as bytes, which only [`read_values`](Self::read_values) understands.
    ///
    /// # Errors
    /// If the `Serialize` of a value fails.
    ///
    /// # Safety
    /// The runs are pointers to values of the type, and their numbers. Nothing changes the values during the call.
    unsafe fn write_values(
        &self,
        runs: &[(*const u8, usize)],
        bytes: &mut Vec<u8>,
    ) -> Result<(), WrongValue>;

    /// Reads the values that [`write_values`](Self::write_values) has written, and counts them in `written`, even if there is an
    /// error or a panic.
    ///
    /// # Errors
    /// If the `Deserialize` of a value fails.
    ///
    /// # Safety
    /// `originals` points to the values that were written, and `place` to aligned memory for as many. Both have `rows` values of
    /// the type. Nothing changes the originals during the call.
    unsafe fn read_values(
        &self,
        bytes: &[u8],
        originals: *const u8,
        place: *mut u8,
        rows: usize,
        written: &mut usize,
    ) -> Result<(), WrongValue>;
}

/// A value that cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongValue {
    /// The number of the value; 0 if it is not known.
    pub row: usize,
    /// The reason.
    pub message: String,
}

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
