//! Options of data that contradict each other, or say nothing.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(version = 2)]
struct NotData(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.named", name = "named")]
struct TwoNames(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "two words")]
struct Blank(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.generic")]
struct Generic<T: Send + Sync + 'static>(T);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(Plain = "game.plain"))]
struct Plain(u8);

#[derive(Deserialize)]
struct Old(u8);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.old", version = 2, migrate(2 = Old))]
struct Newer(u8);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.twice", version = 3, migrate(1 = Old, 1 = Old))]
struct Twice(u8);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.unnumbered", version = 2, migrate(Old))]
struct Unnumbered(u8);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "game.zero", version = 0)]
struct Zero;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.same", alias = "game.same")]
struct SameAlias(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.hunter")]
struct Hunter {
    speed: f32,
    #[serde(skip)]
    prey: Option<Entity>,
}

impl From<Old> for Newer {
    fn from(old: Old) -> Self {
        Self(old.0)
    }
}

impl From<Old> for Twice {
    fn from(old: Old) -> Self {
        Self(old.0)
    }
}

fn main() {}
//~ (version = 2)
//~ "named"
//~ "two words"
//~ "game.generic"
//~ data(Plain
//~ 2 = Old
//~ 1 = Old))
//~ migrate(Old)
//~ 0)]
//~ "game.same")]
//~ #[serde(skip)]
