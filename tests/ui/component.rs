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

#[derive(Component)]
#[component(name = "two words")]
struct Spaced;

#[derive(Component)]
#[component(name = "")]
struct Nameless;

#[derive(Component)]
#[component(name = 1)]
struct Numbered;

#[derive(Component)]
#[component(name = "one", name = "two")]
struct TwoNames;

#[derive(Component)]
#[component(name = "tag")]
struct Tag<T>(T);

#[derive(Component)]
#[component(name = "game.position")]
struct Position;

/// The error shows its name.
#[system]
fn twice(_a: CompMut<Position>, _b: Comp<Position>) {}

fn main() {}

//~ "heap"
//~ struct Name<'a
//~ store
//~ Local
//~ struct Cache<'a
//~ "two words"
//~ name = ""
//~ name = 1
//~ name = "two")
//~ "tag"
//~ Comp<Position>
