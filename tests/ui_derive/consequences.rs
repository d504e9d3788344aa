//! A mistake in a derive is one error: none follows where the type is used.

use ecs_core::prelude::*;

#[derive(Component)]
struct Camera<'a>(&'a str);

#[system]
fn film(cameras: Query<&Camera>) {
    for camera in cameras.iter() {
        println!("{}", camera.0);
    }
}

#[system(for_each)]
fn turn(camera: &Camera) {
    println!("{}", camera.0);
}

#[derive(Resource)]
struct Assets<'a>(&'a str);

#[system]
fn load(assets: Res<Assets>) {
    println!("{}", assets.0);
}

/// The flag that is probably meant counts as given.
#[derive(Component)]
#[component(tracked)]
struct Mana(u32);

#[system]
fn regrow(mana: Query<&Mana, Changed<Mana>>) {
    for mana in mana.iter() {
        println!("{}", mana.0);
    }
}

fn main() {
    let mut frame = Schedule::new();
    frame.add((film, turn, load, regrow));
}

//~ Camera<'a>(
//~ Assets<'a>(
//~ component(tracked)
