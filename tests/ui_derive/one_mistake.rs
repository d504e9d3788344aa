//! Mistakes in derived types that systems use: one error each, even in a type that is written several times.

use ecs_core::prelude::*;

#[derive(Component, Clone)]
struct Position(f32);

#[derive(SystemParam)]
struct Unbounded<'w, T> {
    all: Comp<'w, T>,
}

#[derive(QueryData)]
struct OnlyCloned<'a, T: Clone> {
    value: Option<&'a T>,
    position: &'a mut Position,
}

#[derive(QueryFilter)]
struct Filter<T>(With<T>, Without<Position>);

#[derive(SystemParam)]
struct Counted<'w> {
    position: Comp<'w, Position>,
    count: u32,
}

#[system]
fn uses(counted: Counted<'_>, all: Unbounded<'_, Position>) {
    let _ = counted.count + 1;
}

#[derive(QueryData)]
struct Mover {
    position: Position,
    id: Entity,
}

#[derive(QueryFilter)]
struct Alive {
    position: Position,
}

#[system]
fn visits(movers: Query<Mover, Alive>, all: Query<OnlyCloned<Position>, Filter<Position>>) {}

#[derive(Bundle)]
struct Unit {
    position: Position,
    speed: Option<f32>,
}

#[derive(Component, Default)]
#[component(tracked, require(Needy))]
struct Needy;

#[derive(States, Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}

fn main() {
    World::new().spawn(Unit {
        position: Position(0.0),
        speed: None,
    });
}

//~ struct Unbounded<'w, T> {
//~ struct OnlyCloned<'a, T: Clone> {
//~ struct Filter<T>(With<T>, Without<Position>);
//~ count: u32
//~ struct Mover { position: Position,
//~ struct Alive { position: Position,
//~ speed: Option<f32>
//~ #[component(tracked
//~ require(Needy)
//~ #[derive(States, Clone, Debug, PartialEq, Eq, Hash)]
