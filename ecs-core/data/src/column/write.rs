//! Writes the values of one type.

use ecs_engine::entity::session::Session;

use crate::codec::{Encoder, Form};
use crate::saved::DataCodec;

/// Consecutive values: `len` values of the type that they are listed for.
#[derive(Clone, Copy)]
pub(crate) struct ValueRun {
    pub(crate) first: *const u8,
    pub(crate) len: usize,
}

impl ValueRun {
    /// Adds a value to a list. It becomes part of the last run if it follows it in memory; `size` is its size.
    pub(crate) fn add(runs: &mut Vec<Self>, value: *const u8, size: usize) {
        match runs.last_mut() {
            Some(run) if run.first.wrapping_add(run.len * size) == value => run.len += 1,
            _ => runs.push(Self {
                first: value,
                len: 1,
            }),
        }
    }
}

/// The value that cannot be written, and the reason.
pub(crate) struct WriteFailure {
    pub(crate) row: usize,
    pub(crate) message: String,
    /// True if the values cannot be read back without the names of their fields.
    pub(crate) needs_names: bool,
}

/// Writes values to an encoder, in place of its content: in a form, or as trees if they cannot be read back from it. Returns the
/// form.
///
/// # Safety
/// As for [`write`](fn@write).
pub(crate) unsafe fn write_readable(
    codec: DataCodec,
    form: Form,
    runs: &[ValueRun],
    session: &Session<'_>,
    encoder: &mut Encoder,
) -> Result<Form, WriteFailure> {
    // SAFETY: the contract is the same.
    match unsafe { write(codec, form, runs, session, encoder) } {
        Ok(()) => Ok(form),
        Err(failure) if failure.needs_names && form == Form::Plain => {
            // Unexpectedly, a value cannot be read back without the names of its fields. SAFETY: the contract is the
            // same.
            unsafe { write(codec, Form::Tree, runs, session, encoder) }?;
            Ok(Form::Tree)
        }
        Err(failure) => Err(failure),
    }
}

/// Writes values to an encoder, in place of its content.
///
/// # Safety
/// The runs are values of the codec's type, and nothing changes them during the call.
pub(crate) unsafe fn write(
    codec: DataCodec,
    form: Form,
    runs: &[ValueRun],
    session: &Session<'_>,
    encoder: &mut Encoder,
) -> Result<(), WriteFailure> {
    encoder.clear();
    let mut before = 0;
    for run in runs {
        // SAFETY: these are values of the type, by the caller's contract.
        let encode = || unsafe { codec.encode_as(form, run.first, run.len, encoder) };
        let error = session.run(encode).err();
        // The value's own `Serialize` may have swallowed it.
        let wrong_id = session.take_error();
        let row = error.as_ref().and_then(|error| error.row()).unwrap_or(0);
        let (message, needs_names) = match (wrong_id, error) {
            (None, None) => {
                before += run.len;
                continue;
            }
            (Some(wrong_id), _) => (wrong_id.to_string(), false),
            (None, Some(error)) => (error.to_string(), error.needs_names()),
        };
        return Err(WriteFailure {
            row: before + row,
            message,
            needs_names,
        });
    }
    Ok(())
}
