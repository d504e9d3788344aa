use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let mut kept = Vec::new();
    hp.for_each_pair(|one, _| kept.push(one));
    let _ = (a, b);
}

//~ kept.push(one)
