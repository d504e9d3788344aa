//! The rules of the game; each of them is a system.

mod autopilot;
mod draw;
mod fight;
mod hero;
mod monsters;
mod moves;

pub use autopilot::autopilot;
pub use draw::{draw_log, draw_map, draw_status};
pub use fight::{bury, fight, recover, suffer};
pub use hero::{count_turn, drink, look, obey, pick_up, wants_to_drink, wants_to_pick_up};
pub use monsters::{chase, give_up, notice, wander};
pub use moves::{on_stairs, take_stairs, walk};
