//! Rust as far as the macros look at it: types, generics, attributes, and what a derive stands on.
//!
//! Read by hand, and each piece keeps the tokens that it was read from: what the macros write are the user's own words.
//! A parser of all of Rust would take longer to compile than the macros themselves. What is wrong inside of a piece that
//! nobody looks at, such as a bound, is left to the compiler, which sees it in what is written.

mod attribute;
mod generics;
mod input;
mod item;
mod string;
#[cfg(test)]
mod tests;
mod types;
mod words;

pub(crate) use attribute::{Attribute, Setting, settings};
pub(crate) use generics::{Generics, is_static};
pub(crate) use input::Input;
pub(crate) use item::{Body, Field, Item, Member, Visibility};
pub(crate) use string::Text;
pub(crate) use types::{Argument, Arguments, Path, Reference, Shape, Signature, Type};
pub(crate) use words::{Words, ends, unraw};
