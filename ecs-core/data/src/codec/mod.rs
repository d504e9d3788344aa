//! Values as bytes and as trees: the layer that calls serde.
//!
//! A [`Codec`] holds the functions of one type. They write to an [`Encoder`], which is the binary form, and read from a
//! [`Decoder`], whose input is bytes of that form or a [`Value`](crate::Value): one instance of the user's `Deserialize` serves
//! both. [`Readable`] is a value in the form of a text format: it is written to a tape first, a flat list of tokens (`tape.rs`), and
//! from there to any format, or to a tree.
//!
//! # The binary form
//! Numbers are little-endian and of fixed size; a `bool` is a byte, a `char` four. Strings, bytes, sequences and maps begin with
//! a `u32` length, an option with a byte, an enum with the `u32` index of its variant. Structs and tuples are their fields. An
//! element of a sequence or a map that has no bytes of its own takes one, so that a length is never above the number of bytes.
//!
//! Names of fields are not written. For types that need them (`untagged`, `flatten`, skipped fields) there is a second form,
//! where each value is a [`Value`](crate::Value) with tags; see [`Form`].

mod access;
mod comparison;
mod decoder;
mod deserializer;
mod dynamic;
mod encoder;
mod error;
mod functions;
mod lost;
mod made;
mod mismatch;
mod origin;
mod part;
mod part_impls;
pub(crate) mod plain;
mod reader;
mod rows;
mod scalar;
mod serializer;
mod shape;
mod sink;
mod tape;
mod tape_reader;
mod tape_token;
mod tape_writer;
mod text_part;
mod trace;
mod tree_form;
mod typed;

pub(crate) use comparison::{NumberSpan, ScalarComparison, TextComparison};
pub use decoder::Decoder;
pub(crate) use dynamic::{DynamicCodec, DynamicFields};
pub use encoder::Encoder;
pub use error::{DecodeError, EncodeError};
pub use functions::{Codec, Form};
pub(crate) use functions::{FoundOut, REAL_VALUES, find_out};
pub(crate) use lost::Lost;
pub(crate) use part::{PartTest, Path};
pub(crate) use rows::SomeRows;
pub(crate) use scalar::Scalar;
pub(crate) use shape::{NameRole, fits};
pub use shape::{Schema, SchemaKind, SchemaNode, SchemaPart};
pub use tape::within_parts;
pub(crate) use text_part::TextPart;
pub use typed::Readable;

/// The number of levels that a value may be nested, in bytes and in trees that are read.
///
/// In bytes, each of these is a level: a struct, a tuple, an option, a sequence, a map, a variant with values. Not all of
/// them are needed for recursion, but an enum with `tag` and `content` is a struct. Each level takes some hundred bytes of
/// stack.
pub(crate) const MAX_DEPTH: u32 = 128;

#[cfg(test)]
mod tests;
