use ecs_core::prelude::*;

#[derive(Relation)]
#[relation(many, tree)]
struct Likes(u32);

#[derive(Relation)]
#[relation(sources = "drop")]
struct ChildOf;

#[derive(Relation)]
#[relation(linked_spawn)]
struct PartOf;

#[derive(Relation)]
struct Named<'a>(&'a str);

#[derive(Relation)]
#[relation(sources = "detach", sources = "despawn")]
struct Follows;

fn main() {}

//~ tree
//~ "drop"
//~ linked_spawn
//~ struct Named<'a
//~ sources = "despawn"
