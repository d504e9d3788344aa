use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop;

#[derive(Resource)]
struct Time;

impl Shop {
    #[system]
    fn restock(&mut self, time: Res<Time>) {}
}

#[system]
impl Shop {
    #[system]
    fn close(&mut self, time: Res<Time>) {}
}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add((Shop::restock, Shop::close));
}

//~ &mut self, time: Res<Time>) {}
//~ impl Shop
