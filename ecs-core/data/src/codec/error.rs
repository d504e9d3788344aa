//! Errors of encoding and decoding.

use std::cell::Cell;
use std::error::Error;
use std::fmt::{self, Display};

/// The error if a value cannot be written.
///
/// ```
/// use ecs_core::data::Value;
/// use serde::{Serialize, Serializer};
///
/// struct Secret;
/// impl Serialize for Secret {
///     fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
///         Err(serde::ser::Error::custom("secrets are not saved"))
///     }
/// }
/// assert_eq!(Value::of(&Secret).unwrap_err().to_string(), "secrets are not saved");
/// ```
pub struct EncodeError(EncodeStop);

/// The reason why encoding stopped.
enum EncodeStop {
    /// The buffer is full. The encoder makes room and tries again, so no user sees this.
    Full,
    /// The value cannot be read back without the names of its fields.
    NeedsNames,
    /// The value is beyond the bound of [`within_parts`](super::within_parts).
    TooLarge,
    /// Everything else, with the number of the value.
    Message(Box<(String, Option<usize>)>),
}

impl EncodeError {
    pub(super) const FULL: Self = Self(EncodeStop::Full);
    pub(super) const NEEDS_NAMES: Self = Self(EncodeStop::NeedsNames);

    #[cold]
    pub(super) fn new(message: impl Display) -> Self {
        Self(EncodeStop::Message(Box::new((message.to_string(), None))))
    }

    /// Adds which of several values it was.
    #[cold]
    pub(super) fn at_row(mut self, row: usize) -> Self {
        if let EncodeStop::Message(message) = &mut self.0 {
            message.1 = Some(row);
        }
        self
    }

    /// Returns which of several values could not be written, from 0 on.
    #[doc(hidden)]
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match &self.0 {
            EncodeStop::Message(message) => message.1,
            _ => None,
        }
    }

    #[cold]
    pub(super) fn too_deep(limit: u32) -> Self {
        Self::new(format_args!(
            "a value is nested more than {limit} levels deep; help: keep long chains in a list, with indices instead of boxes"
        ))
    }

    #[cold]
    pub(super) fn too_long() -> Self {
        Self::new(format_args!(
            "a list is longer than {}, which is the limit of the binary form",
            u32::MAX
        ))
    }

    pub(crate) const TOO_LARGE: Self = Self(EncodeStop::TooLarge);

    /// Returns whether the value is larger than the reader has time for.
    #[doc(hidden)]
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self.0, EncodeStop::TooLarge)
    }

    pub(crate) fn needs_names(&self) -> bool {
        matches!(self.0, EncodeStop::NeedsNames)
    }
}

impl Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            EncodeStop::Full => f.write_str("the buffer is full"),
            EncodeStop::NeedsNames => f.write_str(
                "a field is skipped or flattened, and the plain binary form has no names of fields; \
                 help: use the form of trees",
            ),
            EncodeStop::TooLarge => f.write_str(
                "the value has too many parts, or too long texts, to be shown as a tree",
            ),
            EncodeStop::Message(message) => f.write_str(&message.0),
        }
    }
}

impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodeError({:?})", self.to_string())
    }
}

impl Error for EncodeError {}

impl serde_core::ser::Error for EncodeError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message)
    }
}

/// The error if bytes or a [`Value`](crate::Value) are not a value of the type that is read.
///
/// It knows the position: the number of a byte, or the path in the tree.
///
/// ```
/// use ecs_core::data::Value;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize)]
/// struct Item {
///     count: u8,
/// }
///
/// let value: Value = serde_json::from_str(r#"{ "items": [{ "count": 3 }, { "count": 300 }] }"#)?;
/// let items = value.get("items").unwrap();
/// let error = items.to::<Vec<Item>>().unwrap_err();
/// assert_eq!(error.to_string(), "300 is out of range for a u8, at `[1].count`");
/// assert_eq!(error.path(), Some("[1].count"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct DecodeError(Box<Details>);

struct Details {
    message: String,
    at: Option<ErrorPlace>,
}

/// The place of an error in the input.
#[derive(Debug)]
pub(super) enum ErrorPlace {
    Byte(usize),
    Path(String),
}

impl DecodeError {
    #[cold]
    pub(super) fn new(message: impl Display) -> Self {
        Self(Box::new(Details {
            message: message.to_string(),
            at: None,
        }))
    }

    /// Puts the error aside.
    #[cold]
    pub(super) fn raise(self) -> Raised {
        LAST.set(Some(self));
        Raised(())
    }

    /// Adds the position, unless the error has one.
    pub(super) fn at(mut self, position: impl FnOnce() -> Option<ErrorPlace>) -> Self {
        if self.0.at.is_none() {
            self.0.at = position();
        }
        self
    }

    /// Returns the error without its position.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the position in bytes, from the start of the input. It is `None` if a [`Value`](crate::Value) was read.
    #[must_use]
    pub fn byte(&self) -> Option<usize> {
        match self.0.at {
            Some(ErrorPlace::Byte(byte)) => Some(byte),
            _ => None,
        }
    }

    /// Returns the path in the [`Value`](crate::Value) that was read, in the form that
    /// [`Value::get`](crate::Value::get) takes.
    ///
    /// It is `None` if bytes were read, and empty for the value itself.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match &self.0.at {
            Some(ErrorPlace::Path(path)) => Some(path),
            _ => None,
        }
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The position comes before the help.
        let (first, help) = self
            .0
            .message
            .split_once("; help: ")
            .unwrap_or((&self.0.message, ""));
        f.write_str(first)?;
        match &self.0.at {
            Some(ErrorPlace::Byte(byte)) => write!(f, ", at byte {byte}")?,
            Some(ErrorPlace::Path(path)) if !path.is_empty() => write!(f, ", at `{path}`")?,
            _ => {}
        }
        if !help.is_empty() {
            write!(f, "; help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("message", &self.0.message)
            .field("at", &self.0.at)
            .finish()
    }
}

impl Error for DecodeError {}

impl serde_core::de::Error for DecodeError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message)
    }
}

thread_local! {
    /// The last error that was raised on this thread.
    static LAST: Cell<Option<DecodeError>> = const { Cell::new(None) };
}

/// Stands for an error while values are read: the error itself is kept aside.
///
/// It has no bytes, so that a `Result` of a value is no larger than the value: with a pointer in it, LLVM reads values of four
/// bytes in pairs that were written one by one, and the processor waits for each of them to be stored. If a `Deserialize` raises
/// two errors, and returns the first one, this returns the second one.
pub struct Raised(());

impl Raised {
    /// A row is longer than its window. It is read again without one, so the error has no message.
    pub(super) const CUT: Self = Self(());

    #[cold]
    pub(super) fn new(message: impl Display) -> Self {
        DecodeError::new(message).raise()
    }

    #[cold]
    pub(super) fn end() -> Self {
        Self::new("the data ends inside of a value")
    }

    #[cold]
    pub(super) fn too_deep(limit: u32) -> Self {
        Self::new(format_args!(
            "a value is nested more than {limit} levels deep"
        ))
    }

    #[cold]
    pub(super) fn names() -> Self {
        Self::new(
            "the type looks at its data to find out what it is (`untagged`, `tag`, `flatten`), which plain bytes do not tell; \
             help: save it in the form of trees",
        )
    }

    /// Returns the error.
    #[cold]
    pub(super) fn take(self) -> DecodeError {
        let last = LAST.take();
        last.unwrap_or_else(|| DecodeError::new("a value cannot be read"))
    }
}

impl Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = LAST.take();
        let result = match &last {
            Some(error) => error.fmt(f),
            None => f.write_str("a value cannot be read"),
        };
        LAST.set(last);
        result
    }
}

impl fmt::Debug for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raised({:?})", self.to_string())
    }
}

impl Error for Raised {}

impl serde_core::de::Error for Raised {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message)
    }
}
