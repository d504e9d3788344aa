use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "health", version = 2, migrate(1 = Earlier))]
struct Health(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(Tag<Team> = "tag_of_a_team"))]
struct Tag<T: Send + Sync + 'static>(T);

fn main() {}

//~ Earlier
//~ Team
