use ecs_core::prelude::*;

#[derive(QueryData)]
enum Either<'a> {
    One(&'a u32),
}

#[derive(QueryData)]
struct Nothing;

#[derive(QueryData)]
#[query_data(mutable)]
struct Generic<T>(T);

#[derive(QueryFilter)]
enum Filter {
    One(With<u32>),
}

fn main() {}

//~ enum Either<'a> {
//~ Nothing
//~ mutable
//~ struct Generic<T>(T);
//~ enum Filter {
