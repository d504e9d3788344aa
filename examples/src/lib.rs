//! The library part of the examples: the code of the larger ones, in a library so that it can be tested.
//!
//! The programs are in the folder above, see its `README.md`; the game of `roguelike/` is [`roguelike`].

mod any_frame;
mod frame_pace;
mod options;
mod record;
pub mod roguelike;
mod small_game;

pub use any_frame::assert_same_from_any_frame;
pub use frame_pace::FramePace;
pub use options::Options;
pub use record::{assert_same_as_recorded, file_after, replay};
pub use small_game::small_game;
