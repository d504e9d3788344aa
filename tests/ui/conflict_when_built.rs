//! Conflicts and storages that only a build finds, as they depend on the type arguments of a call: the call is named.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Stunned(u8);

fn main() {
    let mut world = World::new();
    let ball = world.spawn(Position(1.0));

    let _ = world.borrow::<(CompMut<Position>, Comp<Position>)>();
    let _ = world.try_borrow::<(Query<&mut Position>, Comp<Position>)>();

    let mut handle = world.entity_mut(ball).unwrap();
    let _ = handle.get_mut::<(&mut Position, &Position)>();
    let _ = handle.try_get_mut::<(&Position, &mut Position)>();

    let (position, stunned) = (world.view::<Position>(), world.view::<Stunned>());
    let _ = (&position, &stunned).chunks();
    let _ = (&position, &stunned).slices();
    let _ = (&stunned, &position).try_slices();
}

//~ world.borrow::<(CompMut<Position>, Comp<Position>)>()
//~ world.try_borrow::<(Query<&mut Position>, Comp<Position>)>()
//~ handle.get_mut::<(&mut Position, &Position)>()
//~ handle.try_get_mut::<(&Position, &mut Position)>()
//~ (&position, &stunned).chunks()
//~ (&position, &stunned).slices()
//~ (&stunned, &position).try_slices()
