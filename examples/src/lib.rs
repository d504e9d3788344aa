//! The library part of the examples: the code of the larger ones, in a library so that it can be tested.
//!
//! The programs are in the folder above, see its `README.md`; the game of `roguelike/` is [`roguelike`].

mod any_frame;
mod options;
pub mod roguelike;
mod small_game;

pub use any_frame::assert_same_from_any_frame;
pub use options::Options;
pub use small_game::small_game;
