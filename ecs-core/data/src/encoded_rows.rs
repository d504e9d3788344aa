//! The values of one component in a table, in any format: several are looked at together.

use std::fmt;

use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::view::ErasedChunk;
use serde_core::{Serialize, Serializer};

use crate::codec::{DynamicFields, OneKind, OneRows, OneValue, Readable, are_counted};
use crate::saved::DataCodec;
use crate::value_encoder::{Alone, ValueEncoder, write_dynamic};
use crate::{EncodeError, Value};

impl ValueEncoder {
    /// Returns all values of a chunk in the form that formats write, in the order of its rows.
    ///
    /// Several values in a row are looked at together, so that a value which is one number, a `bool`, a unit or the name of a variant
    /// costs no call of its own. If a `Serialize` panics, that may be before the values in front of it are returned.
    ///
    /// ```
    /// use ecs_core::data::ValueEncoder;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize, Serializer};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.awake")]
    /// struct Awake(bool);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Awake(true), Awake(false)]).count();
    ///
    /// let awake = ValueEncoder::named(&world, "game.awake")?;
    /// let view = world.view_erased(awake.component());
    /// let mut json = serde_json::Serializer::new(Vec::new());
    /// json.collect_seq(view.chunks().flat_map(|chunk| awake.encode_rows(chunk)))?;
    /// assert_eq!(json.into_inner(), b"[true,false]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If they are values of another component.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn encode_rows<'a>(&self, chunk: ErasedChunk<'a>) -> EncodedRows<'a> {
        EncodedRows::new(*self, chunk)
    }
}

/// Iterator over the values of one component in a table, or in its sparse set, which formats write; see
/// [`ValueEncoder::encode_rows`].
pub struct EncodedRows<'a> {
    encoder: ValueEncoder,
    /// Invariant 1: its values are of the encoder's component.
    chunk: ErasedChunk<'a>,
    /// The number of rows that were looked at.
    read: usize,
    /// The last of them.
    ones: OneRows,
    /// The first of them that was not returned.
    next: usize,
    end: usize,
    /// False if all values are written by themselves.
    has_ones: bool,
}

impl<'a> EncodedRows<'a> {
    /// Returns the values of a chunk.
    ///
    /// # Panics
    /// If they are values of another component than the encoder's.
    #[track_caller]
    #[inline]
    pub(crate) fn new(encoder: ValueEncoder, chunk: ErasedChunk<'a>) -> Self {
        encoder.check(chunk.component());
        Self {
            encoder,
            chunk,
            read: 0,
            ones: OneRows::new(),
            next: 0,
            end: 0,
            // Values that are counted are written one by one.
            has_ones: matches!(encoder.codec(), DataCodec::Typed(_)) && !are_counted(),
        }
    }

    /// Looks at the next rows; returns false if there are none.
    #[inline(never)]
    fn read_more(&mut self) -> bool {
        let count = OneRows::MOST.min(self.chunk.len() - self.read);
        if let DataCodec::Typed(saved) = self.encoder.codec()
            && self.has_ones
            && count > 0
        {
            let ones = &mut self.ones;
            // SAFETY: the chunk has more rows, of this size.
            let first = unsafe { self.chunk.as_ptr().add(self.read * saved.codec().size()) };
            let look = || {
                // SAFETY: so many values of the component follow (1), whose functions these are, and they are borrowed.
                unsafe { saved.codec().ones(first, count, ones) }
            };
            Session::new(IdForm::Text).run(look);
            // Others of such a type are likely to have parts or texts, too.
            let kinds = &self.ones.kinds[..count];
            self.has_ones = kinds.iter().any(|kind| *kind != OneKind::Parts);
        }
        (self.next, self.end) = (0, count);
        self.read += count;
        count > 0
    }

    /// Returns one of the rows that were looked at last. Inlined, so that it stays in registers.
    #[inline(always)]
    fn row(&self, row: usize) -> EncodedRow<'a> {
        let (kind, bits) = (
            self.ones.kinds[row % OneRows::MOST],
            self.ones.bits[row % OneRows::MOST],
        );
        EncodedRow(match kind {
            OneKind::Bool => RowForm::Bool(bits != 0),
            OneKind::Null => RowForm::Null,
            OneKind::Parts | OneKind::Text => self.alone(row),
            OneKind::Name => RowForm::Name(self.ones.names[bits as usize]),
            kind => RowForm::One { kind, bits },
        })
    }

    #[inline(never)]
    fn alone(&self, row: usize) -> RowForm<'a> {
        match self.chunk.get(self.read - self.end + row) {
            Some(value) => match self.encoder.alone(value) {
                Alone::Typed(value) => RowForm::Typed(value),
                Alone::Dynamic(value) => RowForm::Dynamic(value),
            },
            None => unreachable!("the rows were counted"),
        }
    }
}

impl<'a> Iterator for EncodedRows<'a> {
    type Item = EncodedRow<'a>;

    #[inline]
    fn next(&mut self) -> Option<EncodedRow<'a>> {
        if self.next == self.end && !self.read_more() {
            return None;
        }
        let row = self.next;
        self.next = row + 1;
        Some(self.row(row))
    }

    #[inline]
    fn fold<B, F: FnMut(B, EncodedRow<'a>) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        while self.next < self.end || self.read_more() {
            for row in self.next..self.end {
                folded = f(folded, self.row(row));
            }
            self.next = self.end;
        }
        folded
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.chunk.len() - self.read + self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for EncodedRows<'_> {}

impl fmt::Debug for EncodedRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedRows")
            .field("encoder", &self.encoder)
            .field("left", &self.len())
            .finish_non_exhaustive()
    }
}

/// A value of a table that serde writes in any format, in the same form as [`EncodedValue`](crate::EncodedValue); see
/// [`ValueEncoder::encode_rows`].
#[derive(Clone, Copy)]
pub struct EncodedRow<'a>(RowForm<'a>);

/// All of it is `Copy` and passed by value, so that a value which is one number needs no place in memory.
#[derive(Clone, Copy)]
enum RowForm<'a> {
    Bool(bool),
    Null,
    /// Another value without parts and texts.
    One {
        kind: OneKind,
        bits: u64,
    },
    /// The name of a variant.
    Name(&'static str),
    /// Values that are written by themselves.
    Typed(Readable<'a>),
    Dynamic(DynamicFields<'a>),
}

impl EncodedRow<'_> {
    /// Returns the value as a tree.
    ///
    /// # Errors
    /// If its `Serialize` fails, or it is nested too deep.
    pub fn to_value(self) -> Result<Value, EncodeError> {
        match self.0 {
            RowForm::Bool(value) => Ok(Value::Bool(value)),
            RowForm::Null => Ok(Value::Null),
            RowForm::One { kind, bits } => Ok(OneValue { kind, bits }.to_value()),
            RowForm::Name(name) => Ok(Value::String(name.to_owned())),
            RowForm::Typed(value) => Alone::Typed(value).to_value(),
            RowForm::Dynamic(value) => Alone::Dynamic(value).to_value(),
        }
    }
}

impl Serialize for EncodedRow<'_> {
    /// Inlined into a loop over values: in JSON a `bool` has fewer instructions than a call.
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            RowForm::Bool(value) => serializer.serialize_bool(value),
            RowForm::Null => serializer.serialize_unit(),
            RowForm::One { kind, bits } => write_one(OneValue { kind, bits }, serializer),
            RowForm::Name(name) => write_name(name, serializer),
            RowForm::Typed(value) => write_typed(value, serializer),
            RowForm::Dynamic(value) => write_dynamic(value, serializer),
        }
    }
}

#[inline(never)]
fn write_one<S: Serializer>(one: OneValue, serializer: S) -> Result<S::Ok, S::Error> {
    one.write(serializer)
}

#[inline(never)]
fn write_name<S: Serializer>(name: &'static str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name)
}

/// Has a session of its own, so that the one of a single value has one user, and is inlined there.
#[inline(never)]
fn write_typed<S: Serializer>(value: Readable<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    Session::new(IdForm::Text).run(|| value.serialize(serializer))
}

impl fmt::Debug for EncodedRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_value() {
            Ok(value) => value.fmt(f),
            Err(error) => write!(f, "EncodedRow({error})"),
        }
    }
}
