use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Mover<'a> {
    position: &'a mut Position,
}

#[system]
fn movement(movers: Query<Mover>) {
    for mover in &movers {
        mover.position.0 += 1.0;
    }
}

fn main() {
    movement(&World::new());
}

//~ mover.position.0 += 1.0
