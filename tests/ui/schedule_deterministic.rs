//! Systems and conditions that cannot be in a deterministic schedule.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Resource)]
struct Paused(bool);
struct Window;

#[system]
fn movement(mut positions: CompMut<Position>) {
    positions.iter_mut().for_each(|p| p.0 += 1.0);
}

#[system]
fn paused(paused: Res<Paused>) -> bool {
    paused.0
}

#[system]
fn peek(world: &World) {
    let _ = world;
}

#[system]
fn all_resources(resources: &ecs_core::ResourceMap) -> bool {
    let _ = resources;
    true
}

#[system]
fn draw(window: NonSend<Window>, positions: Comp<Position>) {
    let _ = (window, positions);
}

#[system]
fn exclusive(world: &mut World) {
    let _ = world;
}

#[system]
fn generic<T: Component>(values: Comp<T>, world: &World) {
    let _ = (values, world);
}

schedule! {
    deterministic static FINE = [movement.run_if(paused), exclusive];
    /// Documented.
    deterministic pub static WORLD = [movement, peek];
    deterministic static THREAD = [(movement, draw).chain()];
    deterministic static CONDITION = [movement.run_if(paused.and(all_resources))];
    deterministic static GENERIC = [generic::<Position>];
    static ANYTHING = [movement, peek, draw];
}

fn main() {}

//~ deterministic pub static WORLD = [movement, peek];
//~ deterministic static THREAD = [(movement, draw).chain()];
//~ deterministic static CONDITION = [movement.run_if(paused.and(all_resources))];
//~ deterministic static GENERIC = [generic::<Position>];
