use ecs_core::from_fn;
use ecs_core::prelude::*;

fn main() {
    let mut frame = Schedule::new();
    frame.add(from_fn(|time: u32| drop(time)));
    let text = String::new();
    frame.add(from_fn(|time: Res<u32>| drop((&text, time))));
    frame.add(from_fn(|_: Res<u32>| 1));
    frame.add(|_: Res<u32>| {});
}

//~ from_fn(|time: u32| drop(time))
//~ from_fn(|_: Res<u32>| 1)
//~ |_: Res<u32>| {}
