//! The elements, fields, entries and variants of a value that is read.
#![expect(
    clippy::question_mark,
    reason = "it is compiled for each type, and so are the functions of `?`"
)]

use std::slice;

use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::error::Raised;
use super::mismatch::wrong;
use super::origin::{Mark, OriginSource, OriginStep, VariantContent};
use super::reader::{InputKind, RowReader, RowSource};
use super::shape::Event;
use crate::Value;

/// The elements of a list, or the fields of a struct or a tuple, in bytes: in a list, an empty element takes a byte.
pub(super) struct ElementAccess<'r, 'd, 'a, T, const LIST: bool> {
    reader: &'r mut RowReader<'d, 'a, T>,
    left: usize,
    /// The number of elements to make room for.
    room: usize,
}

impl<'r, 'd, 'a, T: RowSource, const LIST: bool> ElementAccess<'r, 'd, 'a, T, LIST> {
    /// The number of elements, whether they are read one after the other or made up.
    #[inline]
    pub(super) fn new(reader: &'r mut RowReader<'d, 'a, T>, left: usize) -> Self {
        let room = if LIST { reader.reserve(left) } else { left };
        Self { reader, left, room }
    }

    /// Checks that a list was read as a whole. A struct has as many fields as its type, or more: the type may skip
    /// some.
    #[inline]
    pub(super) fn finish(&self) -> Result<(), Raised> {
        if LIST && self.left != 0 {
            Err(left_over(self.left))
        } else {
            Ok(())
        }
    }
}

#[cold]
fn left_over(left: usize) -> Raised {
    Raised::new(format_args!("a list is longer than expected, by {left}"))
}

impl<'a, T: RowSource, const LIST: bool> SeqAccess<'a> for &mut ElementAccess<'_, '_, 'a, T, LIST> {
    type Error = Raised;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Raised> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let left = self.reader.left();
        let value = match seed.deserialize(&mut *self.reader) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        if LIST && let Err(error) = self.reader.unpad(left) {
            return Err(error);
        }
        Ok(Some(value))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.room)
    }
}

/// The elements of a list or a tuple in a tree.
///
/// It is a different type from [`ElementAccess`], so that the code for bytes is small enough to be inlined.
pub(super) struct Trees<'r, 'd, 'a, T> {
    reader: &'r mut RowReader<'d, 'a, T>,
    values: &'a [Value],
    next: usize,
    mark: Mark,
}

impl<'r, 'd, 'a, T: RowSource> Trees<'r, 'd, 'a, T> {
    pub(super) fn new(reader: &'r mut RowReader<'d, 'a, T>, values: &'a [Value]) -> Self {
        let mark = reader.origin.mark();
        Self {
            reader,
            values,
            next: 0,
            mark,
        }
    }

    /// Checks that the list was read as a whole.
    pub(super) fn finish(&mut self) -> Result<(), Raised> {
        self.reader.origin.back_to(self.mark);
        match self.values.len() - self.next {
            0 => Ok(()),
            left => Err(left_over(left)),
        }
    }

    /// Goes to the next element.
    fn step(&mut self) -> Result<bool, Raised> {
        let Some(value) = self.values.get(self.next) else {
            self.reader.origin.back_to(self.mark);
            return Ok(false);
        };
        self.reader
            .origin
            .step_into(self.mark, value, OriginStep::Index(self.next))?;
        self.next += 1;
        Ok(true)
    }
}

impl<'a, T: RowSource> SeqAccess<'a> for &mut Trees<'_, '_, 'a, T> {
    type Error = Raised;

    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Raised> {
        match self.step() {
            Ok(true) => match seed.deserialize(&mut *self.reader) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(error),
            },
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

/// The entries of a map.
pub(super) struct Entries<'r, 'd, 'a, T> {
    reader: &'r mut RowReader<'d, 'a, T>,
    pairs: Pairs<'a>,
    /// The value of the current key, in a tree.
    value: Option<&'a Value>,
    /// The bytes that were left before the current key.
    left: usize,
    room: usize,
    mark: Mark,
}

pub(super) enum Pairs<'a> {
    /// The number of keys and values, whether they are read one after the other or made up.
    Next(usize),
    Map(slice::Iter<'a, (Value, Value)>),
    /// A list of lists of two.
    List(slice::Iter<'a, Value>),
}

impl Pairs<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Next(left) => *left,
            Self::Map(entries) => entries.len(),
            Self::List(pairs) => pairs.len(),
        }
    }
}

impl<'r, 'd, 'a, T: RowSource> Entries<'r, 'd, 'a, T> {
    pub(super) fn new(reader: &'r mut RowReader<'d, 'a, T>, pairs: Pairs<'a>) -> Self {
        let mark = reader.origin.mark();
        let room = match &pairs {
            Pairs::Next(count) => reader.reserve(*count),
            trees => trees.len(),
        };
        Self {
            reader,
            pairs,
            value: None,
            left: 0,
            room,
            mark,
        }
    }

    /// Checks that the map was read as a whole.
    pub(super) fn finish(&mut self) -> Result<(), Raised> {
        self.reader.origin.back_to(self.mark);
        match self.pairs.len() {
            0 => Ok(()),
            left => Err(left_over(left)),
        }
    }

    /// Goes to the next key.
    fn next(&mut self) -> Result<bool, Raised> {
        let (key, value) = match &mut self.pairs {
            Pairs::Next(0) => return Ok(false),
            Pairs::Next(left) => {
                *left -= 1;
                self.left = self.reader.left();
                self.reader.origin.in_key = true;
                return Ok(true);
            }
            Pairs::Map(entries) => match entries.next() {
                Some((key, value)) => (key, value),
                None => {
                    self.reader.origin.back_to(self.mark);
                    return Ok(false);
                }
            },
            Pairs::List(pairs) => match pairs.next() {
                Some(Value::List(pair)) if pair.len() == 2 => (&pair[0], &pair[1]),
                Some(other) => return Err(wrong(other, &"a list of a key and a value")),
                None => return Ok(false),
            },
        };
        self.value = Some(value);
        self.reader
            .origin
            .step_into(self.mark, key, OriginStep::Key(key))?;
        self.reader.origin.in_key = matches!(key, Value::String(_));
        Ok(true)
    }

    /// Leaves the key.
    fn leave_key(&mut self) {
        self.reader.origin.in_key = false;
    }

    /// Goes to the value of the key.
    fn enter_value(&mut self) {
        if let Some(value) = self.value.take() {
            self.reader.origin.source = OriginSource::Tree(Some(value));
        }
    }

    /// Leaves the value: an error from here on concerns the map, not its value.
    fn leave_value(&mut self) -> Result<(), Raised> {
        if self.reader.kind() == InputKind::Tree {
            self.reader.origin.back_to(self.mark);
        }
        self.reader.unpad(self.left)
    }
}

impl<'a, T: RowSource> MapAccess<'a> for &mut Entries<'_, '_, 'a, T> {
    type Error = Raised;

    fn next_key_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Raised> {
        match self.next() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(error),
        }
        let key = seed.deserialize(&mut *self.reader);
        self.leave_key();
        match key {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Raised> {
        self.enter_value();
        let value = match seed.deserialize(&mut *self.reader) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        match self.leave_value() {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.room)
    }
}

/// The fields of a struct in a tree.
///
/// It is a different type from [`Entries`], because most of a readable save is fields.
pub(super) struct FieldAccess<'r, 'd, 'a, T> {
    reader: &'r mut RowReader<'d, 'a, T>,
    entries: slice::Iter<'a, (Value, Value)>,
    /// The value of the current key.
    value: Option<&'a Value>,
    mark: Mark,
}

impl<'r, 'd, 'a, T: RowSource> FieldAccess<'r, 'd, 'a, T> {
    pub(super) fn new(reader: &'r mut RowReader<'d, 'a, T>, entries: &'a [(Value, Value)]) -> Self {
        let mark = reader.origin.mark();
        Self {
            reader,
            entries: entries.iter(),
            value: None,
            mark,
        }
    }

    /// Checks that all fields were read.
    pub(super) fn finish(&mut self) -> Result<(), Raised> {
        self.reader.origin.back_to(self.mark);
        match self.entries.len() {
            0 => Ok(()),
            left => Err(left_over(left)),
        }
    }
}

impl<'a, T: RowSource> MapAccess<'a> for &mut FieldAccess<'_, '_, 'a, T> {
    type Error = Raised;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Raised> {
        let Some((key, value)) = self.entries.next() else {
            self.reader.origin.back_to(self.mark);
            return Ok(None);
        };
        self.value = Some(value);
        let origin = &mut *self.reader.origin;
        if let Err(error) = origin.step_into(self.mark, key, OriginStep::Key(key)) {
            return Err(error);
        }
        origin.in_key = matches!(key, Value::String(_));
        let key = seed.deserialize(&mut *self.reader);
        self.reader.origin.in_key = false;
        match key {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Raised> {
        if let Some(value) = self.value.take() {
            self.reader.origin.source = OriginSource::Tree(Some(value));
        }
        let value = seed.deserialize(&mut *self.reader);
        if value.is_ok() {
            // An error from here on concerns the struct, not its field.
            self.reader.origin.back_to(self.mark);
        }
        value
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The name and the values of a variant.
pub(super) struct Variant<'r, 'd, 'a, T> {
    pub(super) reader: &'r mut RowReader<'d, 'a, T>,
    pub(super) content: VariantContent<'a>,
}

impl<'a, T: RowSource> EnumAccess<'a> for Variant<'_, '_, 'a, T> {
    type Error = Raised;
    type Variant = Self;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'a>>(self, seed: S) -> Result<(S::Value, Self), Raised> {
        if let VariantContent::Tree(name, _) = self.content
            && !T::IN_WINDOWS
        {
            self.reader.origin.source = OriginSource::Tree(Some(name));
        }
        match seed.deserialize(&mut *self.reader) {
            Ok(name) => Ok((name, self)),
            Err(error) => Err(error),
        }
    }
}

impl<T: RowSource> Variant<'_, '_, '_, T> {
    /// Makes the values of the variant the next value. A value that is not a list or map is a level of its own.
    #[inline]
    fn enter(&mut self, is_level: bool) -> Result<(), Raised> {
        match self.content {
            _ if T::IN_WINDOWS && !is_level => Ok(()),
            _ if T::IN_WINDOWS => self.reader.enter(),
            VariantContent::Next if is_level => self.reader.enter(),
            VariantContent::Next => Ok(()),
            VariantContent::Made => {
                self.reader.origin.note(Event::Variant);
                match is_level {
                    true => self.reader.enter(),
                    false => Ok(()),
                }
            }
            VariantContent::Tree(name, content) => self.reader.origin.enter_variant(name, content),
        }
    }
}

impl<'a, T: RowSource> VariantAccess<'a> for Variant<'_, '_, 'a, T> {
    type Error = Raised;

    #[inline]
    fn unit_variant(mut self) -> Result<(), Raised> {
        match self.content {
            _ if T::IN_WINDOWS => Ok(()),
            VariantContent::Next | VariantContent::Tree(_, None) => Ok(()),
            VariantContent::Made => {
                self.reader.origin.note(Event::Variant);
                Ok(())
            }
            VariantContent::Tree(..) => {
                self.enter(true)?;
                self.reader.origin.unit()
            }
        }
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'a>>(mut self, seed: S) -> Result<S::Value, Raised> {
        if let Err(error) = self.enter(true) {
            return Err(error);
        }
        let value = seed.deserialize(&mut *self.reader);
        if self.reader.kind() != InputKind::Tree {
            self.reader.leave();
        }
        value
    }

    #[inline]
    fn tuple_variant<V: Visitor<'a>>(mut self, len: usize, visitor: V) -> Result<V::Value, Raised> {
        if let Err(error) = self.enter(false) {
            return Err(error);
        }
        self.reader.deserialize_tuple(len, visitor)
    }

    #[inline]
    fn struct_variant<V: Visitor<'a>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Raised> {
        if let Err(error) = self.enter(false) {
            return Err(error);
        }
        self.reader.deserialize_struct("", fields, visitor)
    }
}
