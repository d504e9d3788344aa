//! Reads the values of one type.

use std::any::Any;

use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdError, Session};
use ecs_engine::staging::ErasedColumn;

use crate::Value;
use crate::codec::{DecodeError, Decoder, Form};
use crate::saved::ValueReader;

/// The memory to reserve at once for each byte of the input, so that a file cannot ask for much more than its own size.
const PER_BYTE: usize = 8;
/// The least memory to reserve, in bytes.
const CHUNK: usize = 256 << 10;
/// The memory of the values to read between two reports to the caller: a part of the innermost caches.
const PIECE: usize = 16 << 10;

/// The value of a column that could not be read, and the reason.
#[derive(Default)]
pub(crate) struct ReadFailure {
    /// The number of the value; `None` if it cannot be attributed to one.
    pub(crate) row: Option<usize>,
    pub(crate) message: String,
    pub(crate) byte: Option<usize>,
    /// True if the value names an entity that does not exist, or not yet.
    pub(crate) is_missing_id: bool,
}

/// Reads `rows` values, which have to be all of the bytes, to the end of a column.
///
/// If it fails, the column has the values that were read before.
///
/// # Safety
/// The reader is one of the type of the column.
pub(crate) unsafe fn read(
    column: &mut ErasedColumn,
    reader: ValueReader,
    form: Form,
    bytes: &[u8],
    rows: usize,
    session: &Session<'_>,
) -> Result<(), ReadFailure> {
    // SAFETY: the contract is the same.
    unsafe { read_and(column, reader, form, bytes, rows, session, &mut |_| {}) }
}

/// Does the same, and calls a function with the number of bytes that were read so far, so often that the bytes since the last
/// call are still in the caches of the processor.
///
/// # Safety
/// As for [`read`].
pub(crate) unsafe fn read_and(
    column: &mut ErasedColumn,
    reader: ValueReader,
    form: Form,
    bytes: &[u8],
    rows: usize,
    session: &Session<'_>,
    note: &mut dyn FnMut(usize),
) -> Result<(), ReadFailure> {
    let mut decoder = Decoder::of_bytes(bytes);
    let start = column.len();
    let size = column.layout().size().max(16);
    let chunk = (CHUNK.max(bytes.len().saturating_mul(PER_BYTE)) / size).max(1);
    let piece = (PIECE / size).max(1);
    while column.len() - start < rows {
        let left = rows - (column.len() - start);
        if column.len() == column.capacity() {
            column.reserve(chunk.min(left));
        }
        let more = piece.min(left).min(column.capacity() - column.len());
        let mut growing = Growing {
            first: column.len(),
            written: 0,
            column,
        };
        let place = growing.column.spare().as_mut_ptr().cast();
        let (decoder, written) = (&mut decoder, &mut growing.written);
        // SAFETY: there is memory for `more` values of the column's type, which is the reader's type by the caller's
        // contract.
        let result = session.run(|| unsafe { reader.read(form, decoder, place, more, written) });
        drop(growing);
        check(result, session).map_err(|failure| ReadFailure {
            row: Some((column.len() - start).min(rows - 1)),
            ..failure
        })?;
        note(decoder.position());
    }
    check(decoder.finish(), session)
}

/// Reads the only value that the bytes have.
///
/// Sets `written` to 1 if a value was written, even if there was an error afterwards: the caller drops it.
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(crate) unsafe fn read_one(
    reader: ValueReader,
    form: Form,
    bytes: &[u8],
    place: *mut u8,
    session: &Session<'_>,
    written: &mut usize,
) -> Result<(), ReadFailure> {
    let mut decoder = Decoder::of_bytes(bytes);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let result = session.run(|| unsafe { reader.read(form, &mut decoder, place, 1, written) });
    check(result, session)?;
    check(decoder.finish(), session)
}

/// Reads a tree as a value at the end of a column.
///
/// If it fails, the column is as it was. A value that a `Deserialize` has returned despite a wrong id in it is dropped.
///
/// # Safety
/// The reader is one of the type of the column.
pub(crate) unsafe fn read_tree(
    column: &mut ErasedColumn,
    reader: ValueReader,
    tree: &Value,
    session: &Session<'_>,
) -> Result<(), ReadFailure> {
    let (len, mut written, mut result) = (column.len(), 0, Ok(()));
    let init = |place| {
        // SAFETY: the place is for a value of the column's type, which is the reader's type by the caller's contract.
        result = unsafe { read_tree_to(reader, tree, place, session, &mut written) };
        if written == 1 { Ok(()) } else { Err(()) }
    };
    // SAFETY: if it returns `Ok`, a value of the reader's type was written.
    let _ = unsafe { column.push_with(init) };
    if result.is_err() {
        column.truncate(len);
    }
    result
}

/// Reads a tree as a value. Sets `written` like [`read_one`].
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(crate) unsafe fn read_tree_to(
    reader: ValueReader,
    tree: &Value,
    place: *mut u8,
    session: &Session<'_>,
    written: &mut usize,
) -> Result<(), ReadFailure> {
    let mut decoder = Decoder::of_value(tree);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let read = || unsafe { reader.read(Form::Plain, &mut decoder, place, 1, written) };
    let result = session.run(read);
    let message = result.as_ref().err().map(DecodeError::to_string);
    check(result, session).map_err(|failure| match message {
        Some(message) if !failure.is_missing_id => ReadFailure { message, ..failure },
        _ => failure,
    })
}

/// Makes a box for a resource, which a function writes.
///
/// # Safety
/// If the function has written a value of the type that `data` describes to the place, it sets the number that it is
/// given to 1, even if it returns an error.
pub(crate) unsafe fn boxed(
    data: &DataType,
    read: &mut dyn FnMut(*mut u8, &mut usize) -> Result<(), ReadFailure>,
) -> Result<Box<dyn Any + Send + Sync>, ReadFailure> {
    let mut result = Err(ReadFailure {
        message: "it is not a resource in this program".to_owned(),
        ..ReadFailure::default()
    });
    let mut write = |place| {
        let mut written = 0;
        result = read(place, &mut written);
        written == 1
    };
    // SAFETY: the function returns true if a value of the type was written, by the caller's contract.
    let value = unsafe { data.boxed(&mut write) };
    result?;
    value.ok_or_else(ReadFailure::default)
}

/// Returns the error of a value, or of an id in it if its `Deserialize` has swallowed that error.
fn check(result: Result<(), DecodeError>, session: &Session<'_>) -> Result<(), ReadFailure> {
    let swallowed = session.take_error();
    let is_missing_id = matches!(swallowed, Some(IdError::NoSuchNumber(_)));
    let (message, byte) = match (result, swallowed) {
        (_, Some(error)) => (error.to_string(), None),
        (Err(error), None) => (error.message().to_owned(), error.byte()),
        (Ok(()), None) => return Ok(()),
    };
    Err(ReadFailure {
        row: None,
        message,
        byte,
        is_missing_id,
    })
}

/// Adds the values that were written to a column, even if a `Deserialize` panics.
struct Growing<'a> {
    column: &'a mut ErasedColumn,
    first: usize,
    written: usize,
}

impl Drop for Growing<'_> {
    fn drop(&mut self) {
        // SAFETY: a reader counts the values that it has written, one after the other, from the end of the column on.
        unsafe { self.column.set_len(self.first + self.written) };
    }
}
