//! Fields of wrong types: one error each.

use ecs_core::prelude::*;

struct NoData;
#[derive(Component)]
struct Data;

#[derive(SystemParam)]
struct Views<'w> {
    a: Comp<'w, NoData>,
    b: Comp<'w, Data>,
}

#[derive(SystemParam)]
struct Resources<'w> {
    a: Res<'w, NoData>,
}

#[derive(SystemParam)]
struct Value<'w> {
    a: u32,
    b: Comp<'w, Data>,
}

#[derive(SystemParam)]
struct References<'w> {
    a: &'w mut Data,
    b: Option<&'w Data>,
}

#[derive(QueryData)]
struct Number<'a> {
    a: &'a Data,
    b: u32,
}

#[derive(QueryData)]
struct Optional<'a> {
    a: Option<NoData>,
    b: &'a mut Data,
}

#[derive(QueryData)]
struct View<'a> {
    a: Comp<'a, Data>,
}

#[derive(QueryData)]
struct Untracked<'a> {
    a: Mut<'a, Data>,
}

#[derive(QueryData)]
struct NoTuple<'a> {
    a: Any<&'a Data>,
}

#[derive(QueryData)]
struct OneOf<'a> {
    a: Any<(&'a Data, &'a NoData)>,
}

#[derive(QueryFilter)]
struct Filter {
    a: Or<(With<Data>, Without<NoData>)>,
}

#[system]
fn slices(data: Comp<Data>) {
    let _ = data.as_slice().len();
}

fn main() {}

//~ a: Comp<'w, NoData>
//~ a: Res<'w, NoData>
//~ a: u32
//~ a: &'w mut Data
//~ b: Option<&'w Data>
//~ b: u32
//~ a: Option<NoData>
//~ a: Comp<'a, Data>
//~ a: Mut<'a, Data>
//~ data.as_slice().len()
