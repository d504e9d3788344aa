//! `written_by` names modules by their paths.

use ecs_core::prelude::*;

#[derive(Component)]
#[component(written_by = "crate::physics")]
struct Position(f32);
#[derive(Resource)]
#[resource(written_by("game::clock", "self::load"))]
struct Clock(f32);

#[system]
fn reads(_position: Comp<Position>, _clock: Res<Clock>) {}

fn main() {}

//~ written_by = "crate::physics"
//~ written_by("game::clock", "self::load")
