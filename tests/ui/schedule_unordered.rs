//! Systems that conflict and are declared unordered.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Player;
#[derive(Resource)]
struct Paused(bool);

#[system]
fn movement(mut positions: CompMut<Position>) {
    positions.iter_mut().for_each(|p| p.0 += 1.0);
}

#[system]
fn report(positions: Query<&Position, With<Player>>) {
    let _ = positions.iter().count();
}

#[system]
fn toggle(mut paused: ResMut<Paused>) {
    paused.0 = !paused.0;
}

#[system]
fn paused(paused: Res<Paused>) -> bool {
    paused.0
}

#[system]
fn all(world: &World) {
    let _ = world;
}

#[system]
fn spawn(mut commands: Commands) {
    commands.spawn(Player);
}

#[system]
fn idle() {}

schedule! {
    static FINE = [movement, toggle, idle, unordered(movement, toggle), unordered(all, idle), all];
    static DATA = [movement, report, unordered(movement, report)];
    static CONDITION = [toggle, movement.run_if(paused), unordered(movement, toggle)];
    static COMMANDS = [spawn, movement, unordered(movement, spawn)];
    static WORLD = [all, movement, unordered(all, movement)];
}

fn main() {}

//~ static DATA = [movement, report, unordered(movement, report)];
//~ static CONDITION = [toggle, movement.run_if(paused), unordered(movement, toggle)];
//~ static COMMANDS = [spawn, movement, unordered(movement, spawn)];
//~ static WORLD = [all, movement, unordered(all, movement)];
