//! Copies of storages as bytes, and back.
//!
//! A copy that is read is like one that was taken: it has the same rows in the same order, and everything in it is checked, since
//! a stranger may have written the bytes. Components have the numbers of a list of names at the beginning. All numbers are
//! little-endian, and a list begins with its length; see `lists` for those of numbers. Facts that follow from others are not written: the places of entities, the
//! free indices, the slots of edges, the order of groups.

mod edges;
mod lists;
mod numbers;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;

pub(super) use edges::{ReadEnds, connect, read_ends, write_ends};
pub(crate) use lists::{put_ids, put_u32s, take_ids, take_u32s};
pub(super) use lists::{put_ticks, take_ticks};
pub(super) use numbers::{Numbers, take_component, take_components};

use super::ErasedColumn;
use crate::data_type::DataType;

/// Consecutive values: a pointer to the first one, and their number.
pub type Run = (*const u8, usize);

/// The bytes of a copy that is written.
pub trait CopyOutput {
    /// Appends bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Appends values of a type. Returns false if that is not possible.
    ///
    /// # Safety
    /// The runs are values of the type, and nothing changes them during the call.
    #[must_use]
    unsafe fn put_values(&mut self, data: &'static DataType, runs: &[Run]) -> bool;
}

/// The bytes of a copy that is read.
pub trait CopyInput {
    /// Returns the next bytes.
    ///
    /// # Errors
    /// [`CopyProblem::Truncated`] if there are fewer.
    fn take(&mut self, len: usize) -> Result<&[u8], CopyProblem>;

    /// Returns the number of bytes that are left.
    fn left(&self) -> usize;

    /// Returns the version of the form of the bytes: 2, or 3, which has runs in lists.
    fn form(&self) -> u32;

    /// Reads values of a type to the end of a column.
    ///
    /// # Safety
    /// The column is one for values of the type.
    ///
    /// # Errors
    /// [`CopyProblem::Value`], and the input knows more.
    unsafe fn take_values(
        &mut self,
        data: &'static DataType,
        rows: usize,
        column: &mut ErasedColumn,
    ) -> Result<(), CopyProblem>;

    /// Reads a value of a type that can be made in a box.
    ///
    /// # Errors
    /// [`CopyProblem::Value`], and the input knows more.
    fn take_boxed(
        &mut self,
        data: &'static DataType,
    ) -> Result<Box<dyn Any + Send + Sync>, CopyProblem>;
}

/// The reason why bytes cannot become a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyProblem {
    /// The bytes end too early.
    Truncated,
    /// They contradict themselves.
    Malformed(&'static str),
    /// They name components that the process has not used.
    UnknownComponents(Vec<String>),
    /// They name a component, and several of the process have that name. The world knows none of them, or several.
    SameName {
        /// The name.
        name: &'static str,
        /// The paths of two of the types.
        types: [&'static str; 2],
    },
    /// They name a resource that the world does not know.
    UnknownResource(String),
    /// They have a value of a type that systems remember, and the type is not known.
    UnknownMemory {
        /// The system.
        system: String,
        /// The type.
        name: String,
    },
    /// They have the memory of an observer or a registered system of this name, and the world has none.
    UnknownSystem(String),
    /// They have values of a component that cannot be copied, or has no codec.
    Uncopied(&'static str),
    /// A value cannot be read. The input knows more.
    Value,
}

pub(crate) fn put_u32(out: &mut dyn CopyOutput, number: u32) {
    out.put(&number.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut dyn CopyOutput, number: u64) {
    out.put(&number.to_le_bytes());
}

/// Writes the length of a list.
pub(crate) fn put_len(out: &mut dyn CopyOutput, len: usize) {
    put_u64(out, len as u64);
}

pub(crate) fn put_text(out: &mut dyn CopyOutput, text: &str) {
    put_len(out, text.len());
    out.put(text.as_bytes());
}

fn array<const N: usize>(input: &mut dyn CopyInput) -> Result<[u8; N], CopyProblem> {
    let taken = input.take(N)?;
    Ok(taken.try_into().expect("as many bytes as were taken"))
}

pub(crate) fn take_u8(input: &mut dyn CopyInput) -> Result<u8, CopyProblem> {
    let [byte] = array(input)?;
    Ok(byte)
}

pub(crate) fn take_bool(input: &mut dyn CopyInput) -> Result<bool, CopyProblem> {
    match take_u8(input)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(CopyProblem::Malformed("expected 0 or 1")),
    }
}

pub(crate) fn take_u32(input: &mut dyn CopyInput) -> Result<u32, CopyProblem> {
    Ok(u32::from_le_bytes(array(input)?))
}

pub(crate) fn take_u64(input: &mut dyn CopyInput) -> Result<u64, CopyProblem> {
    Ok(u64::from_le_bytes(array(input)?))
}

/// Reads a number that counts up, such as a tick: the world can add to it for ever.
pub(crate) fn take_count(input: &mut dyn CopyInput) -> Result<u64, CopyProblem> {
    match take_u64(input)? {
        count if count < 1 << 62 => Ok(count),
        _ => Err(CopyProblem::Malformed("a number of the clock is too high")),
    }
}

/// Reads the length of a list whose elements have at least `size` bytes each.
pub(crate) fn take_len(input: &mut dyn CopyInput, size: usize) -> Result<usize, CopyProblem> {
    let len = usize::try_from(take_u64(input)?).unwrap_or(usize::MAX);
    match len > input.left() / size {
        true => Err(CopyProblem::Truncated),
        false => Ok(len),
    }
}

pub(crate) fn take_text(input: &mut dyn CopyInput) -> Result<String, CopyProblem> {
    let len = take_len(input, 1)?;
    let text = core::str::from_utf8(input.take(len)?);
    let text = text.map_err(|_| CopyProblem::Malformed("a name is not UTF-8"))?;
    Ok(text.into())
}
