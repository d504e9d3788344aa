use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let (_, mut rest) = hp.split(a).unwrap();
    let (_, mut inner) = rest.split(b).unwrap();
    rest.for_each(|other| other.0 += 1);
    inner.for_each(|other| other.0 += 1);
}

//~ rest.for_each(|other| other.0 += 1);
