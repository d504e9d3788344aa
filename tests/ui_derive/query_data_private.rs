use ecs_core::prelude::*;

mod physics {
    use super::*;

    #[derive(Component)]
    struct Hidden(f32);

    #[derive(QueryData)]
    pub struct Seen<'a> {
        hidden: &'a Hidden,
    }
}

fn main() {}

//~ QueryData
