//! Events that are data, with mistakes.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Event)]
struct NoData(u8);

#[derive(Event, Debug, Serialize, Deserialize)]
#[event(data = "game.not_clone")]
struct NotClone(u8);

#[derive(Event, Clone, Serialize, Deserialize)]
#[event(data = "game.not_debug")]
struct NotDebug(u8);

#[derive(Event, Clone, Debug)]
#[event(data = "game.not_serde")]
struct NotSerde(u8);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.same", alias = "game.same")]
struct SameName(u8);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "two words")]
struct Blank(u8);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(version = 2)]
struct OnlyVersion(u8);

#[derive(Deserialize)]
struct Old(u8);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.unmigrated", version = 2, migrate(1 = Old))]
struct Unmigrated(u8);

fn not_data(world: &mut World) {
    world.register_data_event::<Old>();
}

fn main() {}
//~ NoData(
//~ NotClone(
//~ NotDebug(
//~ NotSerde(
//~ "game.same")]
//~ "two words"
//~ (version = 2)
//~ Unmigrated(
//~ Old>();
