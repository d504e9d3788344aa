use ecs_core::prelude::*;

#[derive(Component)]
#[component(storage = "heap")]
struct Name<'a>(&'a str);

#[derive(Component)]
#[component(store = "sparse")]
struct Stunned;

#[derive(Component)]
struct Local(std::rc::Rc<u8>);

#[derive(Resource)]
struct Cache<'a>(&'a str);

fn main() {}
