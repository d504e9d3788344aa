//! The library part of the examples: what the larger ones are made of, so that it can be tested.
//!
//! The programs themselves are in the folder above: `hello.rs`, `commands.rs`, and `roguelike/`, whose game is
//! [`roguelike`].

pub mod roguelike;
