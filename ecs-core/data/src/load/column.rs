//! Reads the values of one column.

use ecs_engine::entity::session::{IdError, Session};
use ecs_engine::staging::ErasedColumn;

use crate::Value;
use crate::codec::{DecodeError, Decoder, Form};
use crate::saved::Reader;

/// The memory that is reserved at once, in bytes, so that a file cannot ask for more than its values need.
const CHUNK: usize = 256 << 10;

/// The value of a column that could not be read, and the reason.
#[derive(Default)]
pub(crate) struct Failure {
    /// The number of the value; `None` if it is not a certain one.
    pub(super) row: Option<usize>,
    pub(crate) message: String,
    pub(super) byte: Option<usize>,
    /// True if the value names an entity that there is not, or not yet.
    pub(super) is_missing_id: bool,
}

/// Reads `rows` values into a column without any, which are all that the bytes have.
///
/// # Safety
/// The reader is one of the type of the column.
pub(super) unsafe fn read(
    column: &mut ErasedColumn,
    reader: Reader,
    form: Form,
    bytes: &[u8],
    rows: usize,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let mut decoder = Decoder::of_bytes(bytes);
    while column.len() < rows {
        let chunk = CHUNK / column.layout().size().max(16);
        let more = chunk.max(1).min(rows - column.len());
        column.reserve(more);
        let mut growing = Growing {
            first: column.len(),
            written: 0,
            column,
        };
        let place = growing.column.spare().as_mut_ptr().cast();
        let (decoder, written) = (&mut decoder, &mut growing.written);
        // SAFETY: there is memory for `more` values of the type of the column, which is that of the reader by the caller's
        // contract.
        let result = session.run(|| unsafe { reader.read(form, decoder, place, more, written) });
        drop(growing);
        check(result, session).map_err(|failure| Failure {
            row: Some(column.len().min(rows - 1)),
            ..failure
        })?;
    }
    check(decoder.finish(), session)
}

/// Reads the only value that the bytes have.
///
/// Sets `written` to 1 if a value was written, also if there is an error then: the caller drops it.
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(super) unsafe fn read_one(
    reader: Reader,
    form: Form,
    bytes: &[u8],
    place: *mut u8,
    session: &Session<'_>,
    written: &mut usize,
) -> Result<(), Failure> {
    let mut decoder = Decoder::of_bytes(bytes);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let result = session.run(|| unsafe { reader.read(form, &mut decoder, place, 1, written) });
    check(result, session)?;
    check(decoder.finish(), session)
}

/// Reads a tree as a value at the end of a column.
///
/// If it fails, the column is as it was; the value that a `Deserialize` has returned although an id in it was wrong is dropped.
///
/// # Safety
/// The reader is one of the type of the column.
pub(crate) unsafe fn read_tree(
    column: &mut ErasedColumn,
    reader: Reader,
    tree: &Value,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let (len, mut written, mut result) = (column.len(), 0, Ok(()));
    let init = |place| {
        // SAFETY: the place is one for a value of the column's type, which is that of the reader by the caller's contract.
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

/// Reads a tree as a value. Sets `written` as [`read_one`].
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(super) unsafe fn read_tree_to(
    reader: Reader,
    tree: &Value,
    place: *mut u8,
    session: &Session<'_>,
    written: &mut usize,
) -> Result<(), Failure> {
    let mut decoder = Decoder::of_value(tree);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let read = || unsafe { reader.read(Form::Plain, &mut decoder, place, 1, written) };
    let result = session.run(read);
    let path = |error: &DecodeError| match error.path() {
        Some(path) if !path.is_empty() => format!("{}, at `{path}`", error.message()),
        _ => error.message().to_owned(),
    };
    let message = result.as_ref().err().map(path);
    check(result, session).map_err(|failure| match message {
        Some(message) if !failure.is_missing_id => Failure { message, ..failure },
        _ => failure,
    })
}

/// Returns the error of a value, or that of an id in it which its `Deserialize` has swallowed.
fn check(result: Result<(), DecodeError>, session: &Session<'_>) -> Result<(), Failure> {
    let swallowed = session.take_error();
    let is_missing_id = matches!(swallowed, Some(IdError::NoSuchNumber(_)));
    let (message, byte) = match (result, swallowed) {
        (_, Some(error)) => (error.to_string(), None),
        (Err(error), None) => (error.message().to_owned(), error.byte()),
        (Ok(()), None) => return Ok(()),
    };
    Err(Failure {
        row: None,
        message,
        byte,
        is_missing_id,
    })
}

/// Adds the values that were written to a column, also if a `Deserialize` panics.
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
