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
struct Bank;

#[system]
impl Bank {
    #[system]
    fn close(&mut self, _clock: Res<Time>) {}
}

fn main() {
    let mut schedule = Schedule::new();
    schedule.add((Shop::restock, Bank::close));
}

//~ &mut self, time: Res<Time>) {}
//~ impl Bank
