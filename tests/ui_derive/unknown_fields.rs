//! Unknown types of fields. The compiler suggests to declare a parameter only if the type is an argument of another one.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Loaded<T: Send + Sync + 'static>(T);

#[derive(SystemParam)]
struct Physics<'w> {
    positions: CompMut<'w, Position>,
    speeds: Comp<'w, Speed>,
}

#[derive(SystemParam)]
struct Rules<'w, 's> {
    bodies: Query<'w, (&'w Position, &'w Body)>,
    runs: Local<'s, u32>,
}

#[system]
fn fall(mut physics: Physics<'_>, _rules: Rules<'_, '_>) {
    physics.positions.iter_mut().for_each(|position| position.0 += 1.0);
}

#[derive(QueryFilter)]
struct Alive {
    alive: Without<Dead>,
}

#[derive(QueryData)]
struct Mover<'a> {
    position: &'a mut Position,
    mass: Option<&'a Mass>,
}

#[derive(QueryData)]
struct Watcher<'a> {
    seen: &'a mut Seen,
}

#[derive(Bundle)]
struct Wagon {
    position: Position,
    goods: Loaded<Coal>,
}

#[derive(Bundle)]
struct Train<T: Component> {
    engine: T,
    goods: Loaded<Iron>,
}

fn main() {}

//~ 'w, Speed
//~ &'w Body
//~ Without<Dead>
//~ 'a Mass
//~ mut Seen
//~ Loaded<Coal>
//~ Loaded<Iron>
