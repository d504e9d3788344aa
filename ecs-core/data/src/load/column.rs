//! Reads the values of one column.

use ecs_engine::component::ComponentId;
use ecs_engine::entity::session::Session;
use ecs_engine::world::ErasedColumn;

use crate::codec::{DecodeError, Decoder, Form};
use crate::saved::Reader;

/// The number of values that memory is reserved for at once, so that a file cannot ask for more than it has values.
const CHUNK: usize = 4096;

/// The values of a column that could not be read, and the reason.
pub(super) struct Failure {
    /// The first value that could not be read.
    pub(super) row: usize,
    pub(super) message: String,
    pub(super) byte: Option<usize>,
}

/// Reads `rows` values of a component, which are all that the bytes have.
///
/// # Safety
/// The reader is one of the component's type.
pub(super) unsafe fn read(
    component: ComponentId,
    reader: Reader,
    form: Form,
    bytes: &[u8],
    rows: usize,
    session: &Session<'_>,
) -> Result<ErasedColumn, Failure> {
    let mut column = ErasedColumn::new(component);
    let mut decoder = Decoder::of_bytes(bytes);
    while column.len() < rows {
        let more = CHUNK.min(rows - column.len());
        column.reserve(more);
        let mut growing = Growing {
            first: column.len(),
            written: 0,
            column: &mut column,
        };
        let place = growing.column.spare().as_mut_ptr().cast();
        let (decoder, written) = (&mut decoder, &mut growing.written);
        // SAFETY: there is memory for `more` values of the component, and the reader is of its type, by the caller's contract.
        let result = session.run(|| unsafe { reader.read(form, decoder, place, more, written) });
        drop(growing);
        let swallowed = session.take_error();
        if let Some(error) = swallowed {
            return Err(failure(column.len(), error.to_string(), None));
        }
        if let Err(error) = result {
            return Err(failure(
                column.len(),
                error.message().to_owned(),
                error.byte(),
            ));
        }
    }
    match decoder.finish() {
        Ok(()) => Ok(column),
        Err(error) => Err(failure(
            rows.saturating_sub(1),
            error.message().to_owned(),
            error.byte(),
        )),
    }
}

fn failure(row: usize, message: String, byte: Option<usize>) -> Failure {
    Failure { row, message, byte }
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
