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
    /// They are not rows that this library has written, or they are damaged.
    File(FileError),
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
            Self::File(error) => error.fmt(f),
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
        Self::File(error)
    }
}
