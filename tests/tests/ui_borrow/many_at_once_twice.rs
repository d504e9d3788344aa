use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let [one] = hp.get_many_mut([a]).unwrap();
    let [two, _] = hp.get_many_mut([a, b]).unwrap();
    std::mem::swap(one, two);
}

//~ _] = hp
