//! The methods that serde calls to write a value to a tape.

use std::fmt::Display;

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::error::EncodeError;
use super::part_impls::{impl_parts, impl_tokens};
use super::tape::{MAX_TREE_DEPTH, Tape, TapeToken};

impl Tape {
    /// Enters a value inside of the current one.
    #[inline]
    fn enter_type(&mut self) -> Result<(), EncodeError> {
        match self.levels.checked_sub(1) {
            Some(levels) => self.levels = levels,
            None => return Err(EncodeError::too_deep(MAX_TREE_DEPTH)),
        }
        Ok(())
    }

    /// Enters some levels of the value that are levels of the tree too.
    #[inline]
    fn enter(&mut self, count: u32) -> Result<(), EncodeError> {
        let inside = (self.levels.checked_sub(count)).zip(self.depth.checked_sub(count));
        let Some((levels, depth)) = inside else {
            return Err(EncodeError::too_deep(MAX_TREE_DEPTH));
        };
        (self.levels, self.depth) = (levels, depth);
        Ok(())
    }

    /// Begins a list or a map.
    #[inline]
    fn begin(&mut self, is_list: bool) -> Result<TapeParts<'_>, EncodeError> {
        let before = [self.levels, self.depth];
        self.enter(1)?;
        self.push(TapeToken::List(0));
        Ok(self.begun(is_list, before))
    }

    /// Begins the parts of a variant, which are inside of a map.
    fn begin_variant(
        &mut self,
        name: &'static str,
        is_list: bool,
    ) -> Result<TapeParts<'_>, EncodeError> {
        let before = [self.levels, self.depth];
        self.enter(2)?;
        let tokens = [TapeToken::Map(1), TapeToken::Name(name), TapeToken::List(0)];
        self.tokens.extend_from_slice(&tokens);
        Ok(self.begun(is_list, before))
    }

    /// Returns the list or map of the last token.
    #[inline]
    fn begun(&mut self, is_list: bool, before: [u32; 2]) -> TapeParts<'_> {
        let next = self.tokens.len();
        TapeParts {
            start: next - 1,
            next,
            most: self.parts_left,
            left: self.parts_left,
            is_list,
            has_plain_keys: true,
            before,
            inside: [self.levels, self.depth],
            tape: self,
        }
    }

    /// Writes the name of a variant, whose content comes next.
    fn enter_variant(&mut self, name: &'static str) -> Result<(), EncodeError> {
        self.enter(1)?;
        let tokens = [TapeToken::Map(1), TapeToken::Name(name)];
        self.tokens.extend_from_slice(&tokens);
        Ok(())
    }

    #[inline]
    fn one(&mut self, token: TapeToken) -> Result<(), EncodeError> {
        self.push(token);
        Ok(())
    }

    fn wide_int(&mut self, digits: &impl Display) -> Result<(), EncodeError> {
        self.push_printed(digits, TapeToken::Wide)
    }

    /// Turns the text of a newtype that stands for an entity into the entity.
    #[cold]
    fn entity_of_text(&mut self, at: usize) {
        if let [TapeToken::Text(start, len)] = self.tokens[at..]
            && let Ok(entity) = self.text(start, len).parse()
        {
            self.tokens[at] = TapeToken::Entity(entity);
        }
    }
}

impl<'t> Serializer for &'t mut Tape {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = TapeParts<'t>;
    type SerializeTuple = TapeParts<'t>;
    type SerializeTupleStruct = TapeParts<'t>;
    type SerializeTupleVariant = TapeParts<'t>;
    type SerializeMap = TapeParts<'t>;
    type SerializeStruct = TapeParts<'t>;
    type SerializeStructVariant = TapeParts<'t>;

    impl_tokens!();

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), EncodeError> {
        self.push_text(value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        self.push_printed(value, TapeToken::Text)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), EncodeError> {
        self.push_bytes(value)
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        let levels = self.levels;
        self.enter_type()?;
        let start = self.tokens.len();
        value.serialize(&mut *self)?;
        self.levels = levels;
        self.wrap_option(start);
        Ok(())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        let start = self.tokens.len();
        value.serialize(&mut *self)?;
        if name == NEWTYPE {
            self.entity_of_text(start);
        }
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        let before = [self.levels, self.depth];
        self.enter_variant(name)?;
        value.serialize(&mut *self)?;
        [self.levels, self.depth] = before;
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<TapeParts<'t>, EncodeError> {
        self.begin(true)
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<TapeParts<'t>, EncodeError> {
        self.begin(true)
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<TapeParts<'t>, EncodeError> {
        self.begin(true)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<TapeParts<'t>, EncodeError> {
        self.begin_variant(name, true)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<TapeParts<'t>, EncodeError> {
        self.begin(false)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<TapeParts<'t>, EncodeError> {
        self.begin(false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<TapeParts<'t>, EncodeError> {
        self.begin_variant(name, false)
    }
}

/// A list or a map that is not written to its end. Its parts are counted: the length that a `Serialize` passes is a hint.
pub(super) struct TapeParts<'t> {
    tape: &'t mut Tape,
    /// The position of its token.
    start: usize,
    /// The end of the last entry, where the next key begins.
    next: usize,
    /// The parts that it may have, and those that it still may have.
    most: u32,
    left: u32,
    is_list: bool,
    has_plain_keys: bool,
    /// The levels outside and inside.
    before: [u32; 2],
    inside: [u32; 2],
}

impl TapeParts<'_> {
    /// Writes a part, or nothing after an error, which the `Serialize` may ignore.
    #[inline]
    fn write<T: Serialize + ?Sized>(&mut self, value: &T, start: usize) -> Result<(), EncodeError> {
        let result = value.serialize(&mut *self.tape);
        if result.is_err() {
            self.undo(start);
        }
        result
    }

    #[cold]
    fn undo(&mut self, start: usize) {
        self.tape.tokens.truncate(start);
        [self.tape.levels, self.tape.depth] = self.inside;
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.write(value, self.tape.tokens.len())?;
        self.add()
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        let start = self.tape.tokens.len();
        self.tape.push(TapeToken::Name(name));
        self.write(value, start)?;
        self.add()
    }

    /// Drops a key that has got no value.
    #[inline]
    fn drop_key(&mut self) {
        self.tape.tokens.truncate(self.next);
    }

    #[inline]
    fn add(&mut self) -> Result<(), EncodeError> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return Err(EncodeError::TOO_LARGE),
        }
        Ok(())
    }

    #[inline]
    fn result(self) -> Result<(), EncodeError> {
        let Self {
            tape, most, left, ..
        } = self;
        let count = most - left;
        tape.parts_left = tape.parts_left.saturating_sub(count);
        tape.tokens[self.start] = match (self.is_list, self.has_plain_keys) {
            (true, _) => TapeToken::List(count),
            (false, true) => TapeToken::Map(count),
            (false, false) => TapeToken::Pairs(count),
        };
        [tape.levels, tape.depth] = self.before;
        Ok(())
    }
}

impl_parts!(TapeParts<'_>: (), EncodeError);

impl SerializeMap for TapeParts<'_> {
    type Ok = ();
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        self.drop_key();
        self.write(key, self.next)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        if self.next == self.tape.tokens.len() {
            // It has no key.
            self.tape.push(TapeToken::Null);
        }
        let is_plain = self.tape.tokens[self.next].is_plain_key();
        self.write(value, self.next)?;
        self.has_plain_keys &= is_plain;
        self.next = self.tape.tokens.len();
        self.add()
    }

    #[inline]
    fn end(mut self) -> Result<(), EncodeError> {
        self.drop_key();
        self.result()
    }
}
