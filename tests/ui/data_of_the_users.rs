//! Types that data need, without the traits for it.

use ecs_core::data::Rollback;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}

enum Mode {
    On,
}

struct Keys(u8);

fn main() {
    let mut world = World::new();
    world.register_data_state::<Screen>("game.screen");
    world.register_data_state::<Mode>("game.mode");
    _ = Rollback::<Keys>::new(2, Snapshotter::new());
}

//~ register_data_state::<Screen>
//~ register_data_state::<Mode>
//~ Rollback::<Keys>::new
