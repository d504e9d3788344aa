use ecs_core::prelude::*;
use ecs_core::relation::Up;
use ecs_core::tree::ChildOf;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Team;

struct Hit;

#[system]
fn view(mut positions: ViewMut<Position>) {}

#[system]
fn reader(hits: MessageReader<Hit>) {}

#[system]
fn events(hits: Events<Hit>) {}

#[system]
fn entities(all: EntitiesViewMut) {}

#[system]
fn unnamed(positions: Query<&Position>, any: Comp<impl Component + Clone>) {}

#[system]
fn up(teams: Query<Up<&Team, ChildOf>>) {}

fn main() {
    let world = World::new();
    view(&world);
    reader(&world);
    events(&world);
    entities(&world);
    unnamed(&world);
    up(&world);
}

//~ ViewMut<Position>
//~ MessageReader
//~ Events
//~ EntitiesViewMut
//~ impl Component + Clone
//~ &Team
