//! Data that handles of entities cannot read or write.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position;
#[derive(Component)]
struct Name;

fn main() {
    let mut world = World::new();
    let id = world.spawn((Position, Name));
    let entity = world.entity(id).unwrap();
    entity.get::<(&Position, &mut Name)>();
    entity.get::<&Position>();
    entity.get::<(Position, Name)>();
    let mut entity = world.entity_mut(id).unwrap();
    entity.get_mut::<(&mut Position, Name)>();
    entity.get_mut::<u32>();
}

//~ get::<(&Position, &mut Name)>
//~ get::<&Position>
//~ get::<(Position, Name)>
//~ get_mut::<(&mut Position, Name)>
//~ get_mut::<u32>
