use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let (_, mut rest) = hp.split(a).unwrap();
    let mut again = rest.reborrow();
    let (one, two) = (rest.get_mut(b).unwrap(), again.get_mut(b).unwrap());
    std::mem::swap(one, two);
}

//~ let (one, two) = (rest.get_mut(b).unwrap(), again.get_mut(b).unwrap());
