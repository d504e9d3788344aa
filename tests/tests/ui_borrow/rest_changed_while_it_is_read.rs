use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let (_, mut rest) = hp.split(a).unwrap();
    for other in rest.iter() {
        rest.get_mut(b).unwrap().0 += other.0;
    }
}

//~ rest.get_mut(b)
