use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn restock(&self, time: Res<u32>) {
        self.0 += time;
    }

    #[system]
    fn wrong(&self) -> u32 {
        "text"
    }
}

fn main() {
    Shop::restock(1, &World::new());
}

//~ self.0 +=
//~ "text"
//~ Shop::restock
