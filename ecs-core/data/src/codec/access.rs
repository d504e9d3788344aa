//! The elements, fields, entries and variants of a value that is read.

use std::slice;

use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::decoder::{Decoder, Mark, Source, Step};
use super::error::DecodeError;
use super::tree::wrong;
use crate::Value;

/// The elements of a list, or the fields of a struct or a tuple: what is not empty has a byte in a list.
pub(super) struct Elements<'d, 'a, const LIST: bool> {
    decoder: &'d mut Decoder<'a>,
    left: usize,
    /// The elements if they are trees; then `left` are left of them.
    trees: Option<&'a [Value]>,
    /// The number of elements to make room for.
    room: usize,
    mark: Mark,
}

/// Where elements are.
pub(super) enum Items<'a> {
    /// So many, one behind the other, or made up.
    Next(usize),
    Trees(&'a [Value]),
}

impl<'d, 'a, const LIST: bool> Elements<'d, 'a, LIST> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'a>, items: Items<'a>) -> Self {
        let mark = decoder.mark();
        match items {
            Items::Next(left) => {
                let room = if LIST { decoder.reserve(left) } else { left };
                Self {
                    decoder,
                    left,
                    trees: None,
                    room,
                    mark,
                }
            }
            Items::Trees(values) => Self {
                decoder,
                left: values.len(),
                trees: Some(values),
                room: values.len(),
                mark,
            },
        }
    }

    /// Checks that a list was read as a whole.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), DecodeError> {
        // Of fields in bytes there are as many as the type has, or more: it may skip some.
        if self.left != 0 && (LIST || self.trees.is_some()) {
            self.decoder.back_to(self.mark);
            Err(left_over(self.left))
        } else {
            Ok(())
        }
    }

    #[cold]
    fn step_into(&mut self, values: &'a [Value]) -> Result<(), DecodeError> {
        let index = values.len() - self.left - 1;
        self.decoder
            .step_into(self.mark, &values[index], Step::Index(index))
    }
}

#[cold]
fn left_over(left: usize) -> DecodeError {
    DecodeError::new(format_args!("a list is longer than expected, by {left}"))
}

#[expect(
    clippy::question_mark,
    reason = "it is compiled for each type, and so are the functions of `?`"
)]
impl<'a, const LIST: bool> SeqAccess<'a> for &mut Elements<'_, 'a, LIST> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        if let Some(values) = self.trees
            && let Err(error) = self.step_into(values)
        {
            return Err(error);
        }
        let left = self.decoder.left();
        let value = match seed.deserialize(&mut *self.decoder) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        if LIST && let Err(error) = self.decoder.unpad(left) {
            return Err(error);
        }
        Ok(Some(value))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.room)
    }
}

/// The entries of a map.
pub(super) struct Entries<'d, 'a> {
    decoder: &'d mut Decoder<'a>,
    items: Pairs<'a>,
    /// The value of the current key, in a tree.
    value: Option<&'a Value>,
    /// The bytes that were left before the current key.
    left: usize,
    room: usize,
    mark: Mark,
}

pub(super) enum Pairs<'a> {
    /// So many keys and values in bytes.
    Bytes(usize),
    /// So many that are made up.
    Made(usize),
    Map(slice::Iter<'a, (Value, Value)>),
    /// A list of lists of two.
    List(slice::Iter<'a, Value>),
}

impl<'d, 'a> Entries<'d, 'a> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'a>, items: Pairs<'a>) -> Self {
        let mark = decoder.mark();
        let room = match &items {
            Pairs::Bytes(count) => decoder.reserve(*count),
            Pairs::Made(count) => *count,
            Pairs::Map(entries) => entries.len(),
            Pairs::List(pairs) => pairs.len(),
        };
        Self {
            decoder,
            items,
            value: None,
            left: 0,
            room,
            mark,
        }
    }

    /// Checks that the map was read as a whole.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), DecodeError> {
        let left = match &self.items {
            Pairs::Bytes(left) | Pairs::Made(left) => *left,
            Pairs::Map(entries) => entries.len(),
            Pairs::List(pairs) => pairs.len(),
        };
        if left == 0 {
            return Ok(());
        }
        self.decoder.back_to(self.mark);
        Err(left_over(left))
    }

    /// Goes to the next key.
    fn next(&mut self) -> Result<bool, DecodeError> {
        let (key, value) = match &mut self.items {
            Pairs::Bytes(0) | Pairs::Made(0) => return Ok(false),
            Pairs::Bytes(left) | Pairs::Made(left) => {
                *left -= 1;
                self.left = self.decoder.left();
                self.decoder.in_key = true;
                return Ok(true);
            }
            Pairs::Map(entries) => match entries.next() {
                Some((key, value)) => (key, value),
                None => return Ok(false),
            },
            Pairs::List(pairs) => match pairs.next() {
                Some(Value::List(pair)) if pair.len() == 2 => (&pair[0], &pair[1]),
                Some(other) => return Err(wrong(other, &"a list of a key and a value")),
                None => return Ok(false),
            },
        };
        self.value = Some(value);
        self.decoder.step_into(self.mark, key, Step::Key(key))?;
        self.decoder.in_key = matches!(key, Value::String(_));
        Ok(true)
    }

    /// Goes to the value of the key.
    fn enter_value(&mut self) {
        if let Some(value) = self.value.take() {
            self.decoder.source = Source::Tree(Some(value));
        }
    }

    /// Leaves the value.
    fn leave_value(&mut self) -> Result<(), DecodeError> {
        match self.items {
            Pairs::Bytes(_) => self.decoder.unpad(self.left),
            _ => Ok(()),
        }
    }
}

#[expect(
    clippy::question_mark,
    reason = "it is compiled for each type, and so are the functions of `?`"
)]
impl<'a> MapAccess<'a> for &mut Entries<'_, 'a> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        match self.next() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(error),
        }
        let key = seed.deserialize(&mut *self.decoder);
        self.decoder.in_key = false;
        match key {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        self.enter_value();
        let value = match seed.deserialize(&mut *self.decoder) {
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

/// The name and the values of a variant.
pub(super) struct Variant<'d, 'a> {
    pub(super) decoder: &'d mut Decoder<'a>,
    pub(super) content: Content<'a>,
}

pub(super) enum Content<'a> {
    /// What follows in bytes, or is made up.
    Next,
    /// A tree: the name, and the values if there are any.
    Tree(&'a Value, Option<&'a Value>),
}

impl<'a> EnumAccess<'a> for Variant<'_, 'a> {
    type Error = DecodeError;
    type Variant = Self;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'a>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), DecodeError> {
        if let Content::Tree(name, _) = self.content {
            self.decoder.source = Source::Tree(Some(name));
        }
        let name = seed.deserialize(&mut *self.decoder)?;
        Ok((name, self))
    }
}

impl<'a> Variant<'_, 'a> {
    /// Makes the values of the variant the next value.
    #[inline]
    fn enter(&mut self) -> Result<(), DecodeError> {
        match self.content {
            Content::Next => self.decoder.enter(),
            Content::Tree(name, content) => self.enter_tree(name, content),
        }
    }

    /// The same for values that are a level themselves.
    #[inline]
    fn enter_fields(&mut self) -> Result<(), DecodeError> {
        match self.content {
            Content::Next => Ok(()),
            Content::Tree(name, content) => self.enter_tree(name, content),
        }
    }

    #[cold]
    fn enter_tree(
        &mut self,
        name: &'a Value,
        content: Option<&'a Value>,
    ) -> Result<(), DecodeError> {
        match content {
            Some(content) => self
                .decoder
                .step_into(self.decoder.mark(), content, Step::Key(name)),
            None => Err(DecodeError::new(format_args!(
                "the variant {name} has values, which are missing\nhelp: write a map, such as {{{name}: 1.5}}"
            ))),
        }
    }
}

impl<'a> VariantAccess<'a> for Variant<'_, 'a> {
    type Error = DecodeError;

    #[inline]
    fn unit_variant(mut self) -> Result<(), DecodeError> {
        match self.content {
            Content::Next | Content::Tree(_, None) => Ok(()),
            Content::Tree(..) => {
                self.enter()?;
                self.decoder.other_unit()
            }
        }
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'a>>(
        mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        self.enter()?;
        seed.deserialize(self.decoder)
    }

    #[inline]
    fn tuple_variant<V: Visitor<'a>>(
        mut self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.enter_fields()?;
        self.decoder.deserialize_tuple(len, visitor)
    }

    #[inline]
    fn struct_variant<V: Visitor<'a>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.enter_fields()?;
        self.decoder.deserialize_struct("", fields, visitor)
    }
}
