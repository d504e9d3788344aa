//! A system touches exactly the data that it declares.

use ecs_core::event::Events;
use ecs_core::prelude::*;

#[derive(Component)]
#[component(track)]
struct Tracked;
#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;
#[derive(Resource)]
struct Gravity(f32);
struct Opaque;

#[system(writes(Position), reads(Velocity, Gravity))]
fn exact(_a: CompMut<Position>, _b: Comp<Velocity>, _g: Option<Res<Gravity>>, _l: Local<u8>) {}
#[system(for_each, without(Frozen), writes(Position), reads(Velocity))]
fn of_a_row(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}
#[system(writes(Frozen, Events<u8>), reads(Tracked))]
fn by_commands(_c: Commands<Frozen>, _e: EventWriter<u8>, _p: Query<Entity, Changed<Tracked>>) {}

#[system(reads(Velocity, Position))]
fn reads_only(_a: CompMut<Position>, _b: Comp<Velocity>, _c: Res<Gravity>) {}
#[system(writes(Position))]
fn writes_only(_a: Query<(&mut Position, &Velocity)>) {}
#[system(writes(Position, Frozen), reads(Gravity))]
fn too_much(_a: CompMut<Position>) {}
#[system(writes(Position))]
fn anything(_w: &World, _a: Commands) {}
#[system(writes(Position))]
fn commands(_p: CompMut<Position>, _a: Commands<(Position, Frozen)>) {}
#[system(writes(Opaque))]
fn opaque(_p: Comp<Position>) {}
#[system(writes(Position, Position), reads())]
fn twice(_p: CompMut<Position>) {}
#[system(writes = Position)]
fn form(_p: CompMut<Position>) {}

fn main() {}

//~ reads_only(_a: CompMut<Position>
//~ _c: Res<Gravity>
//~ Query<(&mut Position, &Velocity)>
//~ [system(writes(Position, Frozen), reads(Gravity))]
//~ _w: &World
//~ World, _a: Commands
//~ _a: Commands<(Position, Frozen)>
//~ writes(Opaque)
//~ Position), reads()
//~ reads())] fn twice
//~ writes = Position
