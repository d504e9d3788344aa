//! Fields of a generic struct that conflict in an instance are refused wherever the instance is queried.

use ecs_core::prelude::*;
use ecs_core::query::Item;

#[derive(Component)]
struct Position;

#[derive(QueryData)]
struct Both<'a, T: Component, U: Component> {
    one: &'a mut T,
    two: &'a U,
}

#[derive(QueryData)]
struct Besides<'a, D: QueryData> {
    one: &'a mut Position,
    two: Item<'a, D>,
}

fn main() {
    let world = World::new();
    let _ = world.query::<Both<Position, Position>>();
    let _ = world.try_query_filtered::<Besides<&Position>, ()>();
}

//~ &'a U
//~ Item<'a, D>
