//! A small roguelike: `@` walks through a dungeon, down the stairs and out.
//!
//! From the bottom to the top: code without the ECS (ground, sight, paths, dice, files), then [`components`] and the
//! resources, then the rules in [`systems`], then [`Game`], which is a world and the schedule of a turn, then the
//! screen and the program.

pub mod components;
mod dungeon;
mod error;
mod game;
mod keys;
mod map;
mod options;
mod path;
mod position;
mod prefabs;
mod program;
mod resources;
mod rng;
mod save;
mod screen;
mod sight;
mod slots;
mod spawn;
pub mod systems;

pub use dungeon::{Level, Thing, built_in_dungeon, parse_dungeon, read_dungeon};
pub use error::{InputError, Place, Problem};
pub use game::Game;
pub use keys::{Key, parse_script, read_script};
pub use map::{Map, Tile};
pub use options::{Headless, Options, Request, USAGE, UsageError};
pub use path::first_step;
pub use position::{Direction, Position};
pub use prefabs::{Prefabs, parse_prefab};
pub use program::{Failure, run};
pub use resources::{Attack, Depth, Input, Log, Outcome, Tally};
pub use rng::Rng;
pub use screen::{draw_game, draw_help, picture};
pub use sight::Sight;
pub use slots::list_slots;
