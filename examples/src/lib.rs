//! The library part of the examples: the code of the larger ones, in a library so that it can be tested.
//!
//! The programs are in the folder above, see its `README.md`; the game of `roguelike/` is [`roguelike`].

mod any_frame;
mod frame_pace;
mod options;
#[cfg(target_family = "wasm")]
mod page_store;
mod record;
pub mod roguelike;
mod script;
mod sine;
#[cfg(not(target_family = "wasm"))]
mod small_game;
#[cfg(feature = "window")]
mod window;

pub use any_frame::assert_same_from_any_frame;
pub use frame_pace::FramePace;
pub use options::Options;
pub use record::{assert_same_as_recorded, file_after, replay};
pub use script::{HeldKeys, SCRIPT_FRAME, end_script, frames_of_page, hash_of_text, script_keys};
pub use sine::sin_cos;
#[cfg(not(target_family = "wasm"))]
pub use small_game::small_game;
#[cfg(feature = "window")]
pub use window::{held_keys, open_window};
