use ecs_core::from_fn;
use ecs_core::prelude::*;

fn main() {
    let mut frame = Schedule::new();
    frame.add(from_fn(|time: u32| drop(time)));
    let text = String::new();
    frame.add(from_fn(|time: Res<u32>| drop((&text, time))));
    frame.add(from_fn(|_: Res<u32>| 1));
    frame.add(|world: &mut World| drop(world.spawn(())));
    frame.add((|_: Res<u32>| {}).run_if(|count: Res<u32>| *count));
    frame.add((|_: Res<u32>| {}).run_if(|_: u32| true));
    World::new().run(|world: &World| drop(world));
}

//~ from_fn(|time: u32| drop(time))
//~ |time: Res<u32>| drop((&text, time))
//~ from_fn(|_: Res<u32>| 1)
//~ |world: &mut World| drop(world.spawn(()))
//~ |count: Res<u32>| *count
//~ |_: u32| true
//~ |world: &World| drop(world)
