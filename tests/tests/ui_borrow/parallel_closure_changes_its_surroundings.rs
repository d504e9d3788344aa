use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let mut sum = 0;
    (&mut hp).par_for_each(|hp| sum += hp.0);
    let _ = (a, b, sum);
}

//~ sum += hp.0
