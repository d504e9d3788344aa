//! Reads the values of one column.

use ecs_engine::entity::session::{IdError, Session};
use ecs_engine::staging::ErasedColumn;

use crate::Value;
use crate::codec::{DecodeError, Decoder, Form};
use crate::saved::Reader;

/// The number of values that memory is reserved for at once, so that a file cannot ask for more than it has values.
const CHUNK: usize = 4096;

/// The value of a column that could not be read, and the reason.
#[derive(Default)]
pub(crate) struct Failure {
    pub(super) row: usize,
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
        let more = CHUNK.min(rows - column.len());
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
            row: column.len().min(rows - 1),
            ..failure
        })?;
    }
    check(decoder.finish(), session)
}

/// Reads the only value that the bytes have.
///
/// If it fails, no value was written, or one that is leaked.
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(super) unsafe fn read_one(
    reader: Reader,
    form: Form,
    bytes: &[u8],
    place: *mut u8,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let (mut decoder, mut written) = (Decoder::of_bytes(bytes), 0);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let result = session.run(|| unsafe { reader.read(form, &mut decoder, place, 1, &mut written) });
    check(result, session)?;
    check(decoder.finish(), session)
}

/// Reads a tree as a value at the end of a column.
///
/// If it fails, the column is as it was; the value that a `Deserialize` has returned although an id in it was wrong is leaked.
///
/// # Safety
/// The reader is one of the type of the column.
pub(crate) unsafe fn read_tree(
    column: &mut ErasedColumn,
    reader: Reader,
    tree: &Value,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let read = |place| {
        // SAFETY: the column gives a place for a value of its type, which is that of the reader by the caller's contract.
        unsafe { read_tree_to(reader, tree, place, session) }
    };
    // SAFETY: if `read` returns `Ok`, it has written a value of the reader's type, which is that of the column by the
    // caller's contract.
    unsafe { column.push_with(read) }
}

/// Reads a tree as a value.
///
/// If it fails, no value was written, or one that is leaked.
///
/// # Safety
/// `place` is aligned, and valid for a write of a value of the type of the reader.
pub(super) unsafe fn read_tree_to(
    reader: Reader,
    tree: &Value,
    place: *mut u8,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let (mut decoder, mut written) = (Decoder::of_value(tree), 0);
    // SAFETY: the place is one for a value of the reader's type, by the caller's contract.
    let read = || unsafe { reader.read(Form::Plain, &mut decoder, place, 1, &mut written) };
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
        row: 0,
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
