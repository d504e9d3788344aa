use ecs_core::prelude::*;

struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn restock(&mut self) {
        self.0 += 1;
    }
}

fn main() {
    Shop::restock(&World::new());
}

//~ &mut self
