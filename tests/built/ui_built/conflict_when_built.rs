//! Conflicts and storages that only a build finds, because they depend on the type arguments of a call. The error names
//! the call, or the system that it calls.

use ecs_core::prelude::*;
use ecs_core::relation::Related;
use ecs_core::resource::ResourceMap;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Stunned(u8);

#[derive(Component)]
#[component(track)]
struct Speed(f32);

#[derive(Relation)]
struct Follows;

#[system]
fn count(time: Res<u32>, mut frames: Local<u32>) {
    *frames += *time;
}

fn main() {
    count(&ResourceMap::new());

    let mut world = World::new();
    let ball = world.spawn(Position(1.0));

    let _ = world.borrow::<(CompMut<Position>, Comp<Position>)>();
    let _ = world.try_borrow::<(Query<&mut Position>, Comp<Position>)>();

    let _ = world.query_mut::<(&mut Position, &Position)>();
    let _ = world.query_filtered_mut::<&mut Speed, Related<Follows, Changed<Speed>>>();

    let mut handle = world.entity_mut(ball).unwrap();
    let _ = handle.get_mut::<(&mut Position, &Position)>();
    let _ = handle.try_get_mut::<(&Position, &mut Position)>();

    let (position, stunned) = (world.view::<Position>(), world.view::<Stunned>());
    let _ = (&position, &stunned).chunks();
    let _ = (&position, &stunned).slices();
    let _ = (&stunned, &position).try_slices();
}

//~ #[system] fn count(
//~ world.borrow::<(CompMut<Position>, Comp<Position>)>()
//~ world.try_borrow::<(Query<&mut Position>, Comp<Position>)>()
//~ world.query_mut::<(&mut Position, &Position)>()
//~ world.query_filtered_mut::<&mut Speed, Related<Follows, Changed<Speed>>>()
//~ handle.get_mut::<(&mut Position, &Position)>()
//~ handle.try_get_mut::<(&Position, &mut Position)>()
//~ (&position, &stunned).chunks()
//~ (&position, &stunned).slices()
//~ (&stunned, &position).try_slices()
