//! Systems that wait for each other.

use ecs_core::prelude::*;

#[system]
fn input() {}
#[system]
fn movement() {}
#[system]
fn render() {}

schedule! {
    static FINE = [render.after(movement), movement];
    static ROUND = [input.after(render), render.after(movement), movement.after(input)];
}

fn main() {
    FINE.run(&mut World::new()).unwrap();
}

//~ ROUND
