//! Trees as bytes: for types that cannot be read without the names of their fields.
//!
//! Each value begins with a tag. Lengths and numbers have the same form as in plain bytes.

use super::MAX_DEPTH;
use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{DecodeError, EncodeError, Raised};
use super::reader::{RowReader, RowSource};
use crate::Value;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const SHORT_INT: u8 = 3;
const LONG_INT: u8 = 4;
const FLOAT: u8 = 5;
const STRING: u8 = 6;
const BYTES: u8 = 7;
const LIST: u8 = 8;
const MAP: u8 = 9;

impl Encoder {
    /// Appends a tree.
    ///
    /// # Errors
    /// If it is nested more than 128 levels deep, or a part has more than `u32::MAX` elements. In that case nothing was
    /// appended.
    pub fn tree(&mut self, value: &Value) -> Result<(), EncodeError> {
        let start = self.len();
        let result = self.subtree(value, MAX_DEPTH);
        if result.is_err() {
            self.truncate(start);
        }
        result
    }

    fn subtree(&mut self, value: &Value, levels: u32) -> Result<(), EncodeError> {
        match value {
            Value::Null => self.push(&[NULL]),
            Value::Bool(false) => self.push(&[FALSE]),
            Value::Bool(true) => self.push(&[TRUE]),
            Value::Int(value) => match i64::try_from(*value) {
                Ok(value) => self.tagged(SHORT_INT, &value.to_le_bytes()),
                Err(_) => self.tagged(LONG_INT, &value.to_le_bytes()),
            },
            Value::Float(value) => self.tagged(FLOAT, &value.to_le_bytes()),
            Value::String(value) => {
                self.head(STRING, value.len())?;
                self.push(value.as_bytes());
            }
            // The form of its text, which it equals.
            Value::Entity(value) => {
                let text = value.to_string();
                self.head(STRING, text.len())?;
                self.push(text.as_bytes());
            }
            Value::Bytes(value) => {
                self.head(BYTES, value.len())?;
                self.push(value);
            }
            Value::List(values) => {
                let levels = inside(levels)?;
                self.head(LIST, values.len())?;
                for value in values {
                    self.subtree(value, levels)?;
                }
            }
            Value::Map(entries) => {
                let levels = inside(levels)?;
                self.head(MAP, entries.len())?;
                if self.is_canonical() {
                    self.sorted(entries, levels)?;
                } else {
                    for (key, value) in entries {
                        self.subtree(key, levels)?;
                        self.subtree(value, levels)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn sorted(&mut self, entries: &[(Value, Value)], levels: u32) -> Result<(), EncodeError> {
        let mut sorted: Vec<(Vec<u8>, &Value)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let mut encoder = Encoder::canonical();
            encoder.subtree(key, levels)?;
            sorted.push((encoder.bytes().to_vec(), value));
        }
        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (key, value) in sorted {
            self.push(&key);
            self.subtree(value, levels)?;
        }
        Ok(())
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.push(&[tag]);
        self.push(bytes);
    }

    fn head(&mut self, tag: u8, length: usize) -> Result<(), EncodeError> {
        let length = u32::try_from(length).map_err(|_| EncodeError::too_long())?;
        self.tagged(tag, &length.to_le_bytes());
        Ok(())
    }
}

fn inside(levels: u32) -> Result<u32, EncodeError> {
    levels
        .checked_sub(1)
        .ok_or_else(|| EncodeError::too_deep(MAX_DEPTH))
}

impl Decoder<'_> {
    /// Reads a tree.
    ///
    /// # Errors
    /// If the bytes are not one, with the position.
    pub fn tree(&mut self) -> Result<Value, DecodeError> {
        let mut reader = self.reader::<()>();
        let result = reader.subtree();
        let rest = reader.into_rest();
        self.set_rest(rest);
        result.map_err(|error| self.locate(error.take()))
    }
}

impl<T: RowSource> RowReader<'_, '_, T> {
    fn subtree(&mut self) -> Result<Value, Raised> {
        let Some([tag]) = self.chunk() else {
            return Err(Raised::end());
        };
        match tag {
            NULL => Ok(Value::Null),
            FALSE => Ok(Value::Bool(false)),
            TRUE => Ok(Value::Bool(true)),
            SHORT_INT => self
                .number()
                .map(|bytes| Value::Int(i64::from_le_bytes(bytes).into())),
            LONG_INT => self
                .number()
                .map(|bytes| Value::Int(i128::from_le_bytes(bytes))),
            FLOAT => self
                .number()
                .map(|bytes| Value::Float(f64::from_le_bytes(bytes))),
            STRING => self.text().map(|text| Value::String(text.into_owned())),
            BYTES => self
                .byte_string()
                .map(|bytes| Value::Bytes(bytes.into_owned())),
            LIST => {
                self.enter()?;
                let length = self.length()?;
                let mut values = Vec::with_capacity(self.reserve(length));
                for _ in 0..length {
                    values.push(self.subtree()?);
                }
                self.leave();
                Ok(Value::List(values))
            }
            MAP => {
                self.enter()?;
                let length = self.length()?;
                let mut entries = Vec::with_capacity(self.reserve(length));
                for _ in 0..length {
                    entries.push((self.subtree()?, self.subtree()?));
                }
                self.leave();
                Ok(Value::Map(entries))
            }
            tag => Err(Raised::new(format_args!(
                "a value has the unknown tag {tag}"
            ))),
        }
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], Raised> {
        self.chunk().ok_or_else(Raised::end)
    }
}
