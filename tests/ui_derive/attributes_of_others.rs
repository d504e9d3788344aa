use std::rc::Rc;

use ecs_core::prelude::*;

#[derive(Resource)]
#[component(data = "game.score")]
struct Score(u32);

#[derive(Component)]
#[resource(data = "game.health")]
struct Health(u32);

#[derive(Relation)]
#[component(immediate)]
struct LikesMost;

#[derive(Component, Resource)]
#[component(track)]
struct Both(u32);

#[derive(Component)]
struct Sprite {
    image: Option<Rc<Vec<u8>>>,
}

#[derive(Resource)]
struct Images<T>(T, Rc<T>);

fn main() {
    World::new().insert_resource(Score(1));
}

//~ component(data = "game.score")
//~ resource(data = "game.health")
//~ component(immediate)
//~ Rc<Vec<u8>>
//~ Rc<T>
