// Each unknown type is one error, whether it is an argument of another type or not; no suggestion inserts text into the derive.

use ecs_core::prelude::*;

#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Position;

#[derive(QueryData)]
pub struct Reader<'w> {
    position: &'w Position,
    read: &'w MissingOne,
}

#[derive(QueryData)]
pub struct Writer<'w> {
    position: &'w mut Position,
    written: &'w mut MissingTwo,
    nested: MissingThree,
    optional: Option<&'w mut MissingFour>,
    tag: &'w Tag<MissingFive>,
}

#[derive(QueryData)]
pub struct GenericWriter<'w, T: Component> {
    data: &'w mut T,
    tag: Option<&'w Tag<u8>>,
    read: &'w MissingSix,
}

#[derive(SystemParam)]
pub struct Params<'w> {
    positions: CompMut<'w, Position>,
    values: Comp<'w, MissingSeven>,
    nested: MissingEight,
}

#[derive(Bundle)]
pub struct Kit {
    position: Position,
    part: MissingNine,
}

#[derive(Bundle)]
pub struct GenericKit<T: Component> {
    data: T,
    part: MissingTen,
}

#[derive(QueryFilter)]
pub struct Filter {
    positions: With<Position>,
    others: With<MissingEleven>,
}

#[derive(QueryFilter)]
pub struct Nested {
    other: MissingTwelve,
}

fn main() {}

//~ MissingOne
//~ MissingTwo
//~ MissingThree
//~ MissingFour
//~ MissingFive
//~ MissingSix
//~ MissingSeven
//~ MissingEight
//~ MissingNine
//~ MissingTen
//~ MissingEleven
//~ MissingTwelve
