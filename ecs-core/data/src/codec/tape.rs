//! A value as a flat list of tokens: it is written there first, and from there to a format or a tree.
//!
//! Some values have to be seen as a whole before a format can write them in the form of [`Value`]: maps, whose keys decide whether
//! they are lists of pairs; sequences that do not know their length; and the content of an option if it could be mistaken for none.
//! A tape takes no memory per part, and it is the one thing that user code writes to. So that code is compiled once per type, not
//! once per format, and without calls of virtual functions.

use std::cell::Cell;

use ecs_engine::Entity;
use serde_core::Serialize;

use super::error::EncodeError;
use crate::Value;

/// The maximum depth of a tree. Readers allow 128 levels, and a file takes some of them.
pub(super) const MAX_TREE_DEPTH: u32 = 112;

/// The maximum number of levels of a value. An option is one, but only sometimes a level of the tree.
pub(super) const MOST_LEVELS: u32 = 2 * MAX_TREE_DEPTH;

/// The functions by which the values of a type write themselves: a table like that of a trait object, which is known before there is
/// a value.
pub(super) struct TapeFunctions {
    /// Invariants:
    /// 1. Both functions are for the same type: they may be called with a value of it that nothing changes during the call.
    write_tape: unsafe fn(*const u8, &mut Tape) -> Result<(), EncodeError>,
    write_one: unsafe fn(*const u8, &mut dyn OneText) -> OneValue,
}

/// A value that is one token: two numbers, which a function returns in registers.
#[derive(Clone, Copy)]
pub(super) struct OneValue {
    pub(super) kind: OneKind,
    /// The bits of the number.
    pub(super) bits: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OneKind {
    Parts,
    /// It was passed on.
    Text,
    Null,
    Bool,
    Int,
    Unsigned,
    Float,
}

impl OneValue {
    #[inline(always)]
    pub(super) const fn new(kind: OneKind, bits: u64) -> Self {
        Self { kind, bits }
    }
}

/// Gets a text that is a whole value, which needs no tape.
pub(super) trait OneText {
    fn write(&mut self, text: &str);
}

/// Writes the only token of a value.
pub(super) struct OneToken<'a> {
    pub(super) text: &'a mut dyn OneText,
    /// The options that may still be around the token.
    pub(super) options_left: u32,
}

impl TapeFunctions {
    /// Returns the functions of a type.
    pub(super) const fn of<T: Serialize>() -> &'static Self {
        const {
            &Self {
                write_tape: write_tape::<T>,
                write_one: write_one::<T>,
            }
        }
    }

    /// Writes a value to a tape.
    ///
    /// # Safety
    /// It points to a value of the type of these functions, and nothing changes it during the call.
    #[inline]
    pub(super) unsafe fn write_tape(
        &self,
        value: *const u8,
        tape: &mut Tape,
    ) -> Result<(), EncodeError> {
        // SAFETY: it is a value of the functions' type (1) that nothing changes: the caller.
        unsafe { (self.write_tape)(value, tape) }
    }

    /// Returns a value that is one token, or passes its text on; [`OneKind::Parts`] if it has parts, or if its `Serialize` fails.
    ///
    /// # Safety
    /// As for [`write_tape`](Self::write_tape).
    #[inline]
    pub(super) unsafe fn write_one(&self, value: *const u8, text: &mut dyn OneText) -> OneValue {
        // SAFETY: it is a value of the functions' type (1) that nothing changes: the caller.
        unsafe { (self.write_one)(value, text) }
    }
}

/// # Safety
/// There is a `T` at `value`, which nothing changes during the call.
unsafe fn write_tape<T: Serialize>(value: *const u8, tape: &mut Tape) -> Result<(), EncodeError> {
    // SAFETY: it is a value of the type that nothing changes: the caller.
    let value = unsafe { &*value.cast::<T>() };
    value.serialize(tape)
}

/// # Safety
/// As for [`write_tape`].
unsafe fn write_one<T: Serialize>(value: *const u8, text: &mut dyn OneText) -> OneValue {
    // SAFETY: it is a value of the type that nothing changes: the caller.
    let value = unsafe { &*value.cast::<T>() };
    let options_left = MOST_LEVELS;
    let one = value.serialize(OneToken { text, options_left });
    one.unwrap_or(OneValue::new(OneKind::Parts, 0))
}

/// A value without parts, or the beginning of one with parts, which follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TapeToken {
    Null,
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    /// The start and the length of the digits of an integer of more than 64 bits.
    Wide(u32, u32),
    Float(f64),
    /// The name of a field or a variant.
    Name(&'static str),
    /// The start and the length of another text.
    Text(u32, u32),
    /// The start and the length of bytes.
    Bytes(u32, u32),
    Entity(Entity),
    /// The number of elements.
    List(u32),
    /// The number of entries.
    Map(u32),
    /// The same for a map with keys that texts cannot have.
    Pairs(u32),
}

/// One value, while it is written and afterwards.
#[derive(Default)]
pub(super) struct Tape {
    pub(super) tokens: Vec<TapeToken>,
    texts: String,
    bytes: Vec<u8>,
    /// The levels that the value still may have. That is a bound for the stack: an option is a level of a type, but only sometimes
    /// one of the tree.
    pub(super) levels: u32,
    /// The levels that the tree still may have.
    pub(super) depth: u32,
    /// True if a value has become the content of a map after it was written.
    pub(super) is_wrapped: bool,
    /// The elements and entries that the value still may have. A list's elements count when it has ended.
    pub(super) parts_left: u32,
    /// The bytes of texts that it may have.
    most_text: u32,
}

/// The greatest number of tokens, and of bytes of texts, whose memory a thread keeps for the next value.
const KEPT: usize = 1 << 12;

thread_local! {
    /// Memory for the next tape.
    static SPARE: Cell<Option<Box<Tape>>> = const { Cell::new(None) };
    /// The parts that a value may have.
    static MOST_PARTS: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Calls a function in which values that have together much more than `most` elements and entries, or 8 bytes of text for each, are
/// errors. So the time to write them has a bound, too. Inside of another call, it has a share of what is left there.
pub fn within_parts<R>(most: u32, run: impl FnOnce() -> R) -> R {
    struct Share {
        outside: u32,
        given: u32,
    }
    impl Drop for Share {
        fn drop(&mut self) {
            let used = self.given.saturating_sub(MOST_PARTS.get());
            MOST_PARTS.set(match self.outside {
                u32::MAX => u32::MAX,
                outside => outside.saturating_sub(used),
            });
        }
    }
    let outside = MOST_PARTS.get();
    let given = most.min(outside);
    MOST_PARTS.set(given);
    let _share = Share { outside, given };
    run()
}

/// Returns true if values with parts and texts count for the bound of [`within_parts`], so that a tape has to count them.
#[inline]
pub(super) fn are_counted() -> bool {
    MOST_PARTS
        .try_with(Cell::get)
        .is_ok_and(|most| most != u32::MAX)
}

impl Tape {
    /// Writes a value, and calls a function with it.
    ///
    /// # Errors
    /// If its `Serialize` fails, or it is nested too deep.
    pub(super) fn with<R>(
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
        read: impl FnOnce(&Self) -> R,
    ) -> Result<R, EncodeError> {
        // While it is used, user code may need another one.
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        let mut tape = spare.unwrap_or_default();
        tape.levels = MOST_LEVELS;
        tape.depth = MAX_TREE_DEPTH;
        let most = MOST_PARTS.try_with(Cell::get).unwrap_or(u32::MAX);
        tape.parts_left = most;
        tape.most_text = most.saturating_mul(8);
        let result = write(&mut tape);
        if most != u32::MAX {
            tape.count_parts(most);
        }
        let result = result.and_then(|()| tape.check_depth());
        let result = result.map(|()| read(&tape));
        let longest = tape.texts.capacity().max(tape.bytes.capacity());
        if longest.max(tape.tokens.capacity()) <= KEPT {
            tape.tokens.clear();
            tape.texts.clear();
            tape.bytes.clear();
            tape.is_wrapped = false;
            _ = SPARE.try_with(|spare| spare.set(Some(tape)));
        }
        result
    }

    /// Takes the parts of the value from those that are left to other values.
    #[cold]
    fn count_parts(&self, most: u32) {
        let used = self.tokens.len() + (self.texts.len() + self.bytes.len()) / 8;
        let left = most.saturating_sub(used as u32);
        _ = MOST_PARTS.try_with(|most| most.set(left));
    }

    /// Returns the token at a position.
    #[inline]
    pub(super) fn token(&self, at: usize) -> TapeToken {
        self.tokens.get(at).copied().unwrap_or(TapeToken::Null)
    }

    /// Returns the position behind the value at another one.
    pub(super) fn skip(&self, mut at: usize) -> usize {
        let mut left = 1;
        while left > 0 && at < self.tokens.len() {
            left += match self.tokens[at] {
                TapeToken::List(count) => u64::from(count),
                TapeToken::Map(count) | TapeToken::Pairs(count) => 2 * u64::from(count),
                _ => 0,
            };
            left -= 1;
            at += 1;
        }
        at
    }

    /// Checks the depth again if it was not known while the value was written.
    #[inline]
    fn check_depth(&self) -> Result<(), EncodeError> {
        if self.is_wrapped && self.tree_depth() > MAX_TREE_DEPTH {
            return Err(EncodeError::too_deep(MAX_TREE_DEPTH));
        }
        Ok(())
    }

    /// Returns the number of levels of the tree.
    #[cold]
    fn tree_depth(&self) -> u32 {
        // The parts that are left of each open list or map.
        let mut open: Vec<u64> = Vec::new();
        let mut deepest = 0;
        for token in &self.tokens {
            match *token {
                TapeToken::List(count) => open.push(count.into()),
                TapeToken::Map(count) | TapeToken::Pairs(count) => open.push(2 * u64::from(count)),
                _ => open.push(0),
            }
            deepest = deepest.max(open.len() as u32 - u32::from(token.is_scalar()));
            while open.last() == Some(&0) {
                open.pop();
                if let Some(left) = open.last_mut() {
                    *left -= 1;
                }
            }
        }
        deepest
    }

    #[inline]
    pub(super) fn push(&mut self, token: TapeToken) {
        self.tokens.push(token);
    }

    /// Returns the place of something in texts or bytes.
    #[inline]
    fn place(&self, start: usize, end: usize) -> Result<(u32, u32), EncodeError> {
        if end > self.most_text as usize {
            return Err(EncodeError::TOO_LARGE);
        }
        Ok((start as u32, (end - start) as u32))
    }

    #[inline]
    pub(super) fn push_text(&mut self, text: &str) -> Result<(), EncodeError> {
        let start = self.texts.len();
        let (start, len) = self.place(start, start + text.len())?;
        self.texts.push_str(text);
        self.push(TapeToken::Text(start, len));
        Ok(())
    }

    /// Appends a text that is printed.
    pub(super) fn push_printed(
        &mut self,
        text: &(impl std::fmt::Display + ?Sized),
        token: fn(u32, u32) -> TapeToken,
    ) -> Result<(), EncodeError> {
        use std::fmt::Write as _;
        let start = self.texts.len();
        write!(self.texts, "{text}").map_err(EncodeError::new)?;
        let (start, len) = self.place(start, self.texts.len())?;
        self.push(token(start, len));
        Ok(())
    }

    pub(super) fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        let start = self.bytes.len();
        let (start, len) = self.place(start, start + bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        self.push(TapeToken::Bytes(start, len));
        Ok(())
    }

    #[inline]
    pub(super) fn text(&self, start: u32, len: u32) -> &str {
        let start = start as usize;
        &self.texts[start..start + len as usize]
    }

    #[inline]
    pub(super) fn bytes(&self, start: u32, len: u32) -> &[u8] {
        let start = start as usize;
        &self.bytes[start..start + len as usize]
    }

    /// Turns the value that begins at a token into the content of an option, whose form differs from the form of `None` and of other
    /// values.
    #[inline]
    pub(super) fn wrap_option(&mut self, at: usize) {
        let is_ambiguous = match self.tokens.get(at..) {
            Some([TapeToken::Null, ..]) => true,
            Some([TapeToken::Map(1), TapeToken::Name(name), ..]) => *name == "Some",
            Some([TapeToken::Map(1), TapeToken::Text(start, len), ..]) => {
                self.text(*start, *len) == "Some"
            }
            _ => false,
        };
        if is_ambiguous {
            self.wrap(at);
        }
    }

    #[cold]
    fn wrap(&mut self, at: usize) {
        let head = [TapeToken::Map(1), TapeToken::Name("Some")];
        self.tokens.splice(at..at, head);
        self.is_wrapped = true;
    }

    /// Returns the tree of the value.
    pub(super) fn to_value(&self) -> Value {
        let mut at = 0;
        self.subtree(&mut at)
    }

    fn subtree(&self, at: &mut usize) -> Value {
        let token = self.token(*at);
        *at += 1;
        match token {
            TapeToken::Null => Value::Null,
            TapeToken::Bool(value) => Value::Bool(value),
            TapeToken::Int(value) => Value::Int(value.into()),
            TapeToken::Unsigned(value) => Value::Int(value.into()),
            TapeToken::Wide(start, len) => Value::Int(self.wide(start, len)),
            TapeToken::Float(value) => Value::Float(value),
            TapeToken::Name(name) => Value::String(name.to_owned()),
            TapeToken::Text(start, len) => Value::String(self.text(start, len).to_owned()),
            TapeToken::Bytes(start, len) => Value::Bytes(self.bytes(start, len).to_owned()),
            TapeToken::Entity(entity) => Value::Entity(entity),
            TapeToken::List(count) => Value::List((0..count).map(|_| self.subtree(at)).collect()),
            TapeToken::Map(count) | TapeToken::Pairs(count) => {
                let entry = |_| {
                    let key = self.subtree(at);
                    (key, self.subtree(at))
                };
                Value::Map((0..count).map(entry).collect())
            }
        }
    }

    /// Returns an integer of more than 64 bits.
    #[cold]
    pub(super) fn wide(&self, start: u32, len: u32) -> i128 {
        self.text(start, len).parse().unwrap_or_default()
    }
}

impl TapeToken {
    /// Returns true for values without parts.
    pub(super) fn is_scalar(self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_) | Self::Pairs(_))
    }

    /// Returns true if formats have such keys.
    #[inline]
    pub(super) fn is_plain_key(self) -> bool {
        matches!(
            self,
            Self::Name(_)
                | Self::Text(..)
                | Self::Int(_)
                | Self::Unsigned(_)
                | Self::Wide(..)
                | Self::Bool(_)
                | Self::Entity(_)
        )
    }
}
