use ecs_core::prelude::*;
use ecs_core::system::MapSystem;

#[system]
fn count(all: Res<Vec<u32>>) -> usize {
    all.len()
}

#[system]
fn scale(by: f32, mut size: ResMut<f32>) {
    *size *= by;
}

#[system]
fn both(a: f32, b: f32, size: Res<f32>) -> bool {
    *size > a + b
}

#[system]
fn apply<F: FnMut(&mut f32)>(mut f: F, mut size: ResMut<f32>) {
    f(&mut size);
}

fn plain(_: Res<f32>, _: u32) {}

fn main() {
    let mut world = World::new();
    let handle = world.register_system(scale);
    _ = world.run_system(handle, "2.0");
    _ = world.run_system(scale, 2.0);
    world.register_system(plain);
    world.register_system(apply);
    world.register_system(scale(1.0, &world));
    _ = count.pipe(scale);
    _ = count.pipe(both);
    _ = scale.pipe(count).pipe(scale);
    let mut frame = Schedule::new();
    frame.add(count.pipe(|size: Res<f32>| ()));
    frame.add(count.map(|n| n + 1));
    frame.add(both.map(drop));
    world.run(scale.map(|()| 1));
    let handle = world.register_system(count);
    world.run(move |mut commands: Commands| commands.run_system(handle, ()));
}

//~ "2.0"
//~ run_system(scale
//~ register_system(plain)
//~ register_system(apply)
//~ register_system(scale(1.0, &world))
//~ count.pipe(scale);
//~ pipe(both);
//~ pipe(count).pipe(scale)
//~ pipe(|size: Res<f32>| ())
//~ frame.add(count.map(|n| n + 1))
//~ frame.add(both.map(drop))
//~ world.run(scale.map(|()| 1))
//~ commands.run_system(handle, ())
