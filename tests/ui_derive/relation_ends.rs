use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};

#[derive(Relation)]
struct ChildOf;

#[derive(Relation)]
#[relation(many)]
struct Likes;

struct Plain;

fn ends(world: &World) {
    let _ = world.view::<Target<Likes>>();
    let _ = world.view::<Targets<ChildOf>>();
}

fn main() {
    let mut world = World::new();
    ends(&world);
    let entity = world.spawn(());
    world.relate(entity, Plain, entity);
    world.spawn(ChildOf);
}

//~ Target<Likes>
//~ Targets<ChildOf>
//~ world.relate(entity, Plain, entity);
//~ world.spawn(ChildOf);
