//! The values of rows that go from one world to another, as the engine writes and reads them.

use std::any::TypeId;

use ecs_engine::value_codec::{ValueCodec, WrongValue};

use crate::codec::{Decoder, EncodeError, Encoder, Form};
use crate::saved::Saved;

/// The bytes are the form and the values.
// SAFETY: a codec counts the values of its type that it has written.
unsafe impl ValueCodec for Saved {
    fn value_type(&self) -> TypeId {
        self.codec().type_id()
    }

    fn may_name_entities(&self) -> bool {
        true
    }

    unsafe fn write_values(
        &self,
        runs: &[(*const u8, usize)],
        bytes: &mut Vec<u8>,
    ) -> Result<(), WrongValue> {
        let mut encoder = Encoder::new();
        let mut form = self.form();
        // SAFETY: the contract is the same.
        let mut result = unsafe { self.write(form, runs, &mut encoder) };
        if form == Form::Plain && result.as_ref().is_err_and(|(_, error)| error.needs_names()) {
            // Unexpectedly, a value cannot be read back without the names of its fields.
            form = Form::Tree;
            encoder.clear();
            // SAFETY: the contract is the same.
            result = unsafe { self.write(form, runs, &mut encoder) };
        }
        result.map_err(|(row, error)| WrongValue {
            row,
            message: error.to_string(),
        })?;
        bytes.push(form.byte());
        bytes.extend_from_slice(encoder.bytes());
        Ok(())
    }

    unsafe fn read_values(
        &self,
        bytes: &[u8],
        _: *const u8,
        place: *mut u8,
        rows: usize,
        written: &mut usize,
    ) -> Result<(), WrongValue> {
        let (&form, bytes) = bytes.split_first().expect("the form comes first");
        let form = Form::of_byte(form).expect("a form was written");
        let mut decoder = Decoder::of_bytes(bytes);
        // SAFETY: the codec belongs to the type, and the rest is the contract of this function.
        let read = unsafe {
            self.codec()
                .decode(form, &mut decoder, place, rows, written)
        };
        let read = read.and_then(|()| decoder.finish());
        read.map_err(|error| WrongValue {
            row: *written,
            message: error.message().to_owned(),
        })
    }
}

impl Saved {
    /// # Safety
    /// The runs are values of the type, and nothing changes them during the call.
    unsafe fn write(
        &self,
        form: Form,
        runs: &[(*const u8, usize)],
        encoder: &mut Encoder,
    ) -> Result<(), (usize, EncodeError)> {
        let mut before = 0;
        for &(first, len) in runs {
            // SAFETY: the codec belongs to the type, and the run is values of it by the caller's contract.
            let written = unsafe { self.codec().encode_as(form, first, len, encoder) };
            written.map_err(|error| (before + error.row().unwrap_or(0), error))?;
            before += len;
        }
        Ok(())
    }
}
