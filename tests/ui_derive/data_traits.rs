//! Data without the traits that it promises.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Debug, Serialize, Deserialize)]
#[component(data = "game.not_clone")]
struct NotClone(u8);

#[derive(Component, Clone, Serialize, Deserialize)]
#[component(data = "game.not_debug")]
struct NotDebug(u8);

#[derive(Component, Clone, Debug)]
#[component(data = "game.not_serde")]
struct NotSerde(u8);

#[derive(Component)]
#[component(data = "game.nothing", no_clone, no_debug, no_serde)]
struct Nothing(u8);

#[derive(Deserialize)]
struct Old(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.unmigrated", version = 2, migrate(1 = Old))]
struct Unmigrated(u8);

fn main() {}
//~ NotClone(
//~ NotDebug(
//~ NotSerde(
//~ Unmigrated(
