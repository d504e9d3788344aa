//! A value on a tape, which a format writes.

use std::cell::Cell;

use serde_core::ser::{Error, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::tape::{Tape, TapeToken};
use crate::Value;
use crate::value::{MAX_DEPTH, Special, TooDeep};

/// A value on a tape, or a part of it. It is written in the same form as its tree.
pub(super) struct TapedPart<'a> {
    tape: &'a Tape,
    at: usize,
    /// The position behind it, once it was written.
    end: Cell<Option<usize>>,
    /// The greatest number of levels.
    left: u32,
}

/// Passes a part to a method, and returns the position behind it. Most parts are one token.
macro_rules! write_next {
    ($self:ident, $left:ident, $at:expr, $list:ident.$write:ident) => {{
        let (at, next) = ($at, $at + 1);
        match $self.tape.token(at) {
            TapeToken::Int(value) => $list.$write(&value).map(|()| next),
            TapeToken::Bool(value) => $list.$write(&value).map(|()| next),
            TapeToken::Null => $list.$write(&()).map(|()| next),
            TapeToken::Float(value) if value.is_finite() => $list.$write(&value).map(|()| next),
            TapeToken::Name(name) => $list.$write(name).map(|()| next),
            TapeToken::Text(start, len) => {
                let text = $self.tape.text(start, len);
                $list.$write(text).map(|()| next)
            }
            _ => {
                let part = Self::new($self.tape, at, $left);
                $list.$write(&part).map(|()| part.end())
            }
        }
    }};
}

impl<'a> TapedPart<'a> {
    /// Returns the whole value.
    pub(super) fn all(tape: &'a Tape) -> Self {
        Self::new(tape, 0, MAX_DEPTH)
    }

    #[inline]
    fn new(tape: &'a Tape, at: usize, left: u32) -> Self {
        Self {
            tape,
            at,
            end: Cell::new(None),
            left,
        }
    }

    /// Returns the position behind it, even if a format has passed it over.
    #[inline]
    fn end(&self) -> usize {
        self.end.get().unwrap_or_else(|| self.tape.skip(self.at))
    }

    #[inline]
    fn inside<E: Error>(&self, levels: u32) -> Result<u32, E> {
        let inside = self.left.checked_sub(levels);
        inside.ok_or_else(|| E::custom(TooDeep))
    }

    fn list<S: Serializer>(&self, serializer: S, count: u32) -> Result<S::Ok, S::Error> {
        let left = self.inside(1)?;
        let mut list = serializer.serialize_seq(Some(count as usize))?;
        let mut at = self.at + 1;
        for _ in 0..count {
            at = write_next!(self, left, at, list.serialize_element)?;
        }
        self.end.set(Some(at));
        list.end()
    }

    fn map<S: Serializer>(&self, serializer: S, count: u32) -> Result<S::Ok, S::Error> {
        let left = self.inside(1)?;
        let mut map = serializer.serialize_map(Some(count as usize))?;
        let mut at = self.at + 1;
        for _ in 0..count {
            match self.tape.token(at) {
                TapeToken::Name(name) => map.serialize_key(name),
                TapeToken::Text(start, len) => map.serialize_key(self.tape.text(start, len)),
                // Keys of a map have no parts.
                _ => map.serialize_key(&Self::new(self.tape, at, left)),
            }?;
            at = write_next!(self, left, at + 1, map.serialize_value)?;
        }
        self.end.set(Some(at));
        map.end()
    }

    fn pairs<S: Serializer>(&self, serializer: S, count: u32) -> Result<S::Ok, S::Error> {
        let left = self.inside(2)?;
        let mut list = serializer.serialize_seq(Some(count as usize))?;
        let mut at = self.at + 1;
        for _ in 0..count {
            let key = Self::new(self.tape, at, left);
            let value = Self::new(self.tape, self.tape.skip(at), left);
            list.serialize_element(&(&key, &value))?;
            at = value.end();
        }
        self.end.set(Some(at));
        list.end()
    }
}

impl Serialize for TapedPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tape = self.tape;
        let token = tape.token(self.at);
        match token {
            TapeToken::List(count) => return self.list(serializer, count),
            TapeToken::Map(count) => return self.map(serializer, count),
            TapeToken::Pairs(count) => return self.pairs(serializer, count),
            _ => self.end.set(Some(self.at + 1)),
        }
        match token {
            TapeToken::Text(start, len) | TapeToken::Wide(start, len) => {
                serializer.serialize_str(tape.text(start, len))
            }
            TapeToken::Bytes(start, len) => serializer.serialize_bytes(tape.bytes(start, len)),
            token => token.write(serializer),
        }
    }
}

impl TapeToken {
    /// Writes a value that has neither parts nor a text of its own.
    #[inline]
    pub(super) fn write<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serializer.serialize_i64(value),
            Self::Float(value) if value.is_finite() => serializer.serialize_f64(value),
            Self::Float(value) => serializer.collect_str(&Special(value)),
            Self::Name(name) => serializer.serialize_str(name),
            Self::Bool(value) => serializer.serialize_bool(value),
            Self::Unsigned(value) => serializer.serialize_u64(value),
            Self::Entity(entity) => Value::Entity(entity).serialize(serializer),
            _ => serializer.serialize_unit(),
        }
    }
}
