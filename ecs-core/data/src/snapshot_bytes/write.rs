//! Writes snapshots.

use std::mem;
use std::sync::Arc;

use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::snapshot::Snapshot;
use ecs_engine::snapshot::bytes::{CopyOutput, Run};

use super::{FORM, MAGIC, WriteSnapshotError};
use crate::codec::{EncodeError, Encoder, Form};
use crate::file::checksum_of;
use crate::saved::{DataCodec, is_saved};

/// Writes a snapshot in place of some bytes, whose memory is used. They are empty after an error.
pub(super) fn write(snapshot: &Snapshot, bytes: &mut Vec<u8>) -> Result<(), WriteSnapshotError> {
    let memory = mem::take(bytes);
    if let Some(unwritten) = snapshot.unwritten(&is_saved) {
        return Err(WriteSnapshotError::of(unwritten));
    }
    let mut output = SnapshotOutput {
        encoder: Encoder::in_memory(memory, snapshot.size()),
        types: Vec::new(),
        session: Session::new(IdForm::Bits),
        failure: None,
    };
    output.put(MAGIC);
    output.put(&FORM.to_le_bytes());
    let length = output.encoder.len();
    output.put(&[0; 8]);
    let body = output.encoder.len();
    let is_written = snapshot.write(&mut output);
    if let Some((name, message)) = output.failure {
        return Err(WriteSnapshotError::Value { name, message });
    }
    debug_assert!(is_written, "everything can be written");
    let SnapshotOutput {
        mut encoder, types, ..
    } = output;
    let end = encoder.len();
    encoder.patch(length, &((end - body) as u64).to_le_bytes());
    encoder.push(&(types.len() as u32).to_le_bytes());
    for WrittenType { data, shape, .. } in types {
        put_text(&mut encoder, data.name());
        encoder.push(&data.version().to_le_bytes());
        put_text(&mut encoder, &shape);
    }
    let sum = checksum_of(encoder.bytes());
    encoder.push(&sum.to_le_bytes());
    *bytes = encoder.into_memory();
    Ok(())
}

fn put_text(encoder: &mut Encoder, text: &str) {
    encoder.push(&(text.len() as u32).to_le_bytes());
    encoder.push(text.as_bytes());
}

/// A type of values. Its form and shape are looked up once, and not for each table and set that has it.
struct WrittenType {
    data: &'static DataType,
    codec: DataCodec,
    form: Form,
    shape: Arc<str>,
}

/// Bytes that are being written.
struct SnapshotOutput {
    encoder: Encoder,
    /// The types of values by number.
    types: Vec<WrittenType>,
    session: Session<'static>,
    /// The name of the first type with a value that cannot be written, and the reason.
    failure: Option<(&'static str, String)>,
}

impl CopyOutput for SnapshotOutput {
    fn put(&mut self, bytes: &[u8]) {
        self.encoder.push(bytes);
    }

    unsafe fn put_values(&mut self, data: &'static DataType, runs: &[Run]) -> bool {
        let mut types = self.types.iter();
        let is_known = |ty: &WrittenType| core::ptr::eq(ty.data, data) || ty.data.is_same(data);
        let number = match types.position(is_known) {
            Some(number) => number,
            None => {
                let Some(codec) = DataCodec::of(data) else {
                    return false;
                };
                let (form, shape) = codec.form_and_shape();
                self.types.push(WrittenType {
                    data,
                    codec,
                    form,
                    shape,
                });
                self.types.len() - 1
            }
        };
        let WrittenType {
            codec, mut form, ..
        } = self.types[number];
        self.encoder.push(&(number as u32).to_le_bytes());
        let head = self.encoder.len();
        self.encoder.push(&[0; 9]);
        // SAFETY: the contract is the same.
        let mut result = unsafe { self.encode(codec, form, runs) };
        if form == Form::Plain && result.as_ref().is_err_and(|failure| failure.needs_names) {
            // Unexpectedly, a value cannot be read back without the names of its fields.
            form = Form::Tree;
            self.encoder.truncate(head + 9);
            // SAFETY: the contract is the same.
            result = unsafe { self.encode(codec, form, runs) };
        }
        let length = (self.encoder.len() - head - 9) as u64;
        self.encoder.patch(head, &[form.byte()]);
        self.encoder.patch(head + 1, &length.to_le_bytes());
        let failure = result.err();
        let is_written = failure.is_none();
        if let Some(failure) = failure {
            self.failure.get_or_insert((data.name(), failure.message));
        }
        is_written
    }
}

/// The reason why a value cannot be written.
struct SnapshotFailure {
    message: String,
    needs_names: bool,
}

impl SnapshotOutput {
    /// # Safety
    /// The runs are values of the codec's type, and nothing changes them during the call.
    unsafe fn encode(
        &mut self,
        codec: DataCodec,
        form: Form,
        runs: &[Run],
    ) -> Result<(), SnapshotFailure> {
        let encoder = &mut self.encoder;
        let encode = || {
            runs.iter().try_for_each(|&(first, len)| {
                // SAFETY: these are values of the type, by the caller's contract.
                unsafe { codec.encode_as(form, first, len, encoder) }
            })
        };
        let result: Result<(), EncodeError> = self.session.run(encode);
        // The value's own `Serialize` may have swallowed it.
        match (self.session.take_error(), result) {
            (None, Ok(())) => Ok(()),
            (Some(error), _) => Err(SnapshotFailure {
                message: error.to_string(),
                needs_names: false,
            }),
            (None, Err(error)) => Err(SnapshotFailure {
                needs_names: error.needs_names(),
                message: error.to_string(),
            }),
        }
    }
}
