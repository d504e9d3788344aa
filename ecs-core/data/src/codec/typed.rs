//! Trees from typed values, and typed values from trees.

use std::marker::PhantomData;
use std::ptr;

use ecs_engine::entity::session::{self, IdForm, Session};
use serde_core::de::DeserializeOwned;
use serde_core::ser::Error as _;
use serde_core::{Serialize, Serializer};

use super::decoder::Decoder;
use super::error::{DecodeError, EncodeError};
use super::tape::{OneKind, OneText, OneValue, Tape, TapeFunctions, TapeToken, are_counted};
use super::tape_reader::TapedPart;
use crate::Value;

impl Value {
    /// Returns a value as a tree.
    ///
    /// The id of an entity becomes a [`Value::Entity`].
    ///
    /// # Errors
    /// If its `Serialize` fails, or it is nested more than 112 levels deep.
    ///
    /// ```
    /// use ecs_core::data::Value;
    ///
    /// let value = Value::of(&(1, Some("two"), None::<u8>))?;
    /// assert_eq!(value.to_string(), r#"[1, "two", null]"#);
    /// # Ok::<(), ecs_core::data::EncodeError>(())
    /// ```
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, EncodeError> {
        with_ids(|| Tape::with(|tape| value.serialize(tape), Tape::to_value))
    }

    /// Reads the tree as a value of a type. The ids of entities in it stay the same, whether there are such entities or not.
    ///
    /// # Errors
    /// If it is not one; the error has the path of the part that does not fit.
    ///
    /// ```
    /// use ecs_core::data::Value;
    ///
    /// let value: Value = [("a", [1, 2]), ("b", [3, -1])].into_iter().collect();
    /// let error = value.to::<std::collections::HashMap<String, Vec<u8>>>().unwrap_err();
    /// assert_eq!(error.to_string(), "-1 is out of range for a u8, at `b[1]`");
    /// ```
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        with_ids(|| Decoder::of_value(self).value())
    }
}

/// Calls a function that reads or writes a tree. In a save or a load the ids of entities are what these say, otherwise they are
/// entities.
fn with_ids<R>(f: impl FnOnce() -> R) -> R {
    match session::is_open() {
        true => f(),
        false => Session::new(IdForm::Tree).run(f),
    }
}

/// A value that is written in the same form as its tree: [`Value`] reads the same from any format.
///
/// Formats lose different things: RON the names of variants if the type is not known, JSON `NaN` and `Some(None)`, others the
/// names of fields. A value with parts is written to memory first, so a format gets nothing of one whose `Serialize` fails.
#[derive(Clone, Copy)]
pub struct Readable<'a> {
    /// Invariants:
    /// 1. It points to a value of the type of the functions, which is borrowed.
    value: *const u8,
    functions: &'static TapeFunctions,
    borrowed: PhantomData<&'a ()>,
}

impl<'a> Readable<'a> {
    /// Returns the value in this form.
    #[must_use]
    pub fn new<T: Serialize>(value: &'a T) -> Self {
        let functions = TapeFunctions::of::<T>();
        // SAFETY: these are the functions of its type, and it is borrowed as long.
        unsafe { Self::of(ptr::from_ref(value).cast(), functions) }
    }

    /// Returns a value that is known by its functions.
    ///
    /// # Safety
    /// There is a value of their type at `value`, and nothing changes it while the result lives.
    #[inline]
    pub(super) unsafe fn of(value: *const u8, functions: &'static TapeFunctions) -> Self {
        Self {
            value,
            functions,
            borrowed: PhantomData,
        }
    }

    /// Writes the value to a tape, and calls a function with it.
    fn with_tape<R>(self, read: impl FnOnce(&Tape) -> R) -> Result<R, EncodeError> {
        let write = |tape: &mut Tape| {
            // SAFETY: it is a borrowed value of the functions' type (1).
            unsafe { self.functions.write_tape(self.value, tape) }
        };
        Tape::with(write, read)
    }

    /// Returns the value as a tree.
    ///
    /// # Errors
    /// As for [`Value::of`].
    pub fn to_value(self) -> Result<Value, EncodeError> {
        self.with_tape(Tape::to_value)
    }
}

impl Serialize for Readable<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = OneFormat::Unused(serializer);
        // SAFETY: it is a borrowed value of the functions' type (1).
        let one = unsafe { self.functions.write_one(self.value, &mut text) };
        let OneValue { kind, bits } = one;
        let serializer = match text {
            OneFormat::Unused(serializer) => serializer,
            OneFormat::Written(written) if kind == OneKind::Text => return written,
            _ => return Err(self.late_error()),
        };
        match kind {
            OneKind::Null => serializer.serialize_unit(),
            OneKind::Bool => serializer.serialize_bool(bits != 0),
            OneKind::Int => serializer.serialize_i64(bits.cast_signed()),
            OneKind::Unsigned => serializer.serialize_u64(bits),
            OneKind::Float => TapeToken::Float(f64::from_bits(bits)).write(serializer),
            OneKind::Parts | OneKind::Text => self.write_parts(serializer),
        }
    }
}

/// A format that gets one text at most.
enum OneFormat<S: Serializer> {
    Unused(S),
    Written(Result<S::Ok, S::Error>),
    /// While it is written, or after a panic.
    Empty,
}

impl<S: Serializer> OneText for OneFormat<S> {
    fn write(&mut self, text: &str) {
        if are_counted() {
            // A tape counts its bytes. Values without parts and texts have nothing to count.
            return;
        }
        if let Self::Unused(serializer) = std::mem::replace(self, Self::Empty) {
            *self = Self::Written(serializer.serialize_str(text));
        }
    }
}

impl Readable<'_> {
    #[inline(never)]
    fn write_parts<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = self.with_tape(|tape| TapedPart::all(tape).serialize(serializer));
        written.map_err(S::Error::custom)?
    }

    /// Returns the error of a `Serialize` that has written its value before it failed.
    #[cold]
    fn late_error<E: serde_core::ser::Error>(&self) -> E {
        match self.with_tape(|_| ()) {
            Err(error) => E::custom(error),
            Ok(()) => E::custom("its `Serialize` has failed once, and not the second time"),
        }
    }
}
