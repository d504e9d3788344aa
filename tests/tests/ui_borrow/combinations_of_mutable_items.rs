use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    for (one, two) in (&mut hp).iter_combinations() {
        std::mem::swap(one, two);
    }
    let _ = (a, b);
}

//~ (&mut hp).iter_combinations()
