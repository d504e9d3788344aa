use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut query = world.query::<&mut Hp>();
    let mut kept = Vec::new();
    query.for_each_with_rest(|_, rest| kept.push(rest));
    let _ = (a, b);
}

//~ kept.push(rest)
