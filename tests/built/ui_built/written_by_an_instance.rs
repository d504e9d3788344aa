//! An instance of a generic system cannot write what belongs to another module.

use ecs_core::prelude::*;

#[derive(Component)]
#[component(written_by = "game::physics")]
struct Position(f32);

#[system]
fn set<T: Component>(_values: CompMut<T>) {}

fn main() {
    let mut frame = Schedule::new();
    frame.add(set::<Position>);
}

//~ CompMut<T>
