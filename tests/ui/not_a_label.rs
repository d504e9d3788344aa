use ecs_core::prelude::*;
use ecs_core::schedule::DespawnOnExit;
use ecs_core::schedule::conditions::in_state;

struct Physics;

#[derive(Component)]
struct Enemy;

#[derive(Clone)]
enum Screen {
    Menu,
}

#[system]
fn fall() {}

fn main() {
    let mut frame = Schedule::new();
    frame.add(fall.in_set(Physics));
    frame.add(fall.after(Physics));
    frame.configure(Physics, |set| set);
    World::new().add_state(Screen::Menu);
    fall.run_if(in_state(Screen::Menu));
    World::new().spawn((Enemy, DespawnOnExit(Screen::Menu)));
}

//~ frame.add(fall.in_set(Physics));
//~ frame.add(fall.after(Physics));
//~ frame.configure(Physics, |set| set);
//~ World::new().add_state(Screen::Menu);
//~ fall.run_if(in_state(Screen::Menu));
//~ World::new().spawn((Enemy, DespawnOnExit(Screen::Menu)));
