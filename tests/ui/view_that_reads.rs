use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn iterate(positions: Comp<Position>) {
    for position in positions.iter_mut() {
        position.0 += 1.0;
    }
}

#[system]
fn look_up(entity: Entity, positions: Comp<Position>) {
    positions.get_mut(entity).unwrap().0 += 1.0;
}

fn main() {}

//~ iter_mut
//~ get_mut
