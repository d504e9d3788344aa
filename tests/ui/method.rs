use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop;

#[derive(Resource)]
struct Time;

impl Shop {
    #[system]
    fn restock(&mut self, time: Res<Time>) {}
}

#[derive(Resource)]
struct Bar;

#[system]
impl Bar {
    #[system]
    fn close(&mut self, time: Res<Time>) {}
}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add((Shop::restock, Bar::close));
}

//~ fn restock(&mut self, time: Res<Time>) {}
//~ impl Bar
