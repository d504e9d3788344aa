//! Methods with the names that other libraries use.

use ecs_core::prelude::*;

struct Hit;
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}

#[system]
fn read(mut hits: EventReader<Hit>) -> usize {
    hits.iter().count()
}

#[system]
fn write(mut hits: EventWriter<Hit>) {
    hits.write(Hit);
}

#[system]
fn add(mut commands: Commands) {
    commands.add(|world: &mut World| world.clear());
}

fn main() {
    App::new().init_state::<Screen>();
}

//~ hits.iter()
//~ hits.write(Hit)
//~ commands.add(
//~ init_state::<Screen>
