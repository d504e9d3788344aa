//! The reasons why rows cannot be written or read.

use std::fmt;

use crate::file::FileError;
use crate::types::SameName;

/// Rows cannot be written as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteRowsError {
    /// They have components or relations that are not data.
    NotData {
        /// Their names.
        names: Vec<&'static str>,
    },
    /// The `Serialize` of a value fails.
    Value {
        /// The name of the type.
        name: &'static str,
        /// The reason.
        message: String,
    },
}

impl fmt::Display for WriteRowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotData { names } => write!(
                f,
                "`{}` cannot be written: only data can; help: give each a name, such as `#[component(data = \"game.position\")]`, or remove it before the rows are taken",
                names.join("`, `")
            ),
            Self::Value { name, message } => write!(f, "`{name}`: {message}"),
        }
    }
}

impl std::error::Error for WriteRowsError {}

/// Bytes cannot be read as rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadRowsError {
    /// They do not begin like rows.
    Foreign,
    /// A newer version of this library has written them.
    Newer {
        /// The version of the form.
        form: u32,
    },
    /// They end too early.
    Truncated,
    /// Some of them have changed.
    Checksum,
    /// They contradict themselves, so they are damaged or malicious.
    Malformed {
        /// The position in bytes.
        byte: usize,
        /// The problem before that place.
        problem: &'static str,
    },
    /// The world does not know components or relations of these names.
    UnknownTypes {
        /// The names.
        names: Vec<String>,
    },
    /// A type has another version, or other parts, than in the program that has written the rows.
    OtherType {
        /// The name of the type.
        name: &'static str,
    },
    /// Two types of this program have the same name.
    SameName(SameName),
    /// A value cannot be read.
    Value {
        /// The name of its type.
        name: &'static str,
        /// The reason.
        message: String,
    },
}

impl fmt::Display for ReadRowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("these bytes are not rows: they begin differently"),
            Self::Newer { form } => write!(
                f,
                "the rows have form {form}, and this program reads forms up to {}: a newer program has written them, or they are damaged",
                super::FORM
            ),
            Self::Truncated => f.write_str("the rows end in the middle of something"),
            Self::Checksum => f.write_str("the rows are damaged: their checksum is wrong"),
            Self::Malformed { byte, problem } => write!(f, "before byte {byte}: {problem}"),
            Self::UnknownTypes { names } => write!(
                f,
                "the world knows no `{}`; help: call `World::register` for each of them first",
                names.join("`, `")
            ),
            Self::OtherType { name } => write!(
                f,
                "`{name}` differs in the program that has written the rows; help: compare the `SchemaHash` of both programs before they exchange rows"
            ),
            Self::SameName(error) => error.fmt(f),
            Self::Value { name, message } => write!(f, "`{name}`: {message}"),
        }
    }
}

impl std::error::Error for ReadRowsError {}

impl From<FileError> for ReadRowsError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Malformed { byte, problem } => Self::Malformed { byte, problem },
            _ => Self::Truncated,
        }
    }
}
