use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn taken(self) {}

    #[system]
    fn boxed(self: Box<Self>, clock: &Clock) {}

    #[system]
    async fn later(&self) -> impl Copy {}

    #[system(each)]
    fn unknown(&self) {}
}

#[systems]
impl Shop {
    fn nothing(&self) {}
}

#[systems]
impl Clone for Shop {
    #[system]
    fn clone(&self) -> Self {
        Shop(self.0)
    }
}

#[systems]
fn free() {}

fn main() {
    Shop::taken(&World::new());
    Shop::unknown(&World::new());
}

//~ fn taken(self) {}
//~ fn boxed(self: Box<Self>, clock: &Clock) {}
//~ async
//~ impl Copy
//~ each
//~ impl Shop { fn nothing(&self) {}
//~ impl Clone for Shop
//~ fn free() {}
