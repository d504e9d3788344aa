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

#[derive(QueryData)]
struct Forever {
    id: Entity,
    position: &'static mut Position,
    other: Option<&'static Needy>,
}

#[derive(SystemParam)]
struct Always<'w> {
    position: CompMut<'static, Position>,
    needy: Comp<'w, Needy>,
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Mutable<'a> {
    position: &'a mut Position,
}

#[derive(QueryFilter)]
struct Alive {
    position: Position,
}

#[system]
fn visits(movers: Query<Mover, Alive>, all: Query<OnlyCloned<Position>, Filter<Position>>) {}

#[system]
fn moves(mut movers: Query<Forever>, mut mutable: Query<Mutable>, mut all: Always) {
    for mover in &mut movers {
        mover.position.0 += 1.0;
    }
    mutable.for_each(|one| one.position.0 += 1.0);
    (&mut all.position).for_each(|position| position.0 += 1.0);
}

#[derive(Bundle)]
struct Unit {
    position: Position,
    speed: Option<f32>,
}

#[derive(Component, Default)]
#[component(tracked, require(Needy))]
struct Needy;

#[derive(Component)]
#[component(written_by("game::physics", "crate::load"))]
struct Owned;

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
//~ position: &'static mut Position
//~ position: CompMut<'static, Position>
//~ #[query_data(mutable)]
//~ struct Alive { position: Position,
//~ speed: Option<f32>
//~ #[component(tracked
//~ require(Needy)
//~ "crate::load"
//~ #[derive(States, Clone, Debug, PartialEq, Eq, Hash)]
