use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let (one, rest) = hp.split(a).unwrap();
    world.despawn(b).unwrap();
    one.0 += rest.iter().count() as i32;
}

//~ world.despawn(b)
