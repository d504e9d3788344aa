use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let one = {
        let mut hp = world.view_mut::<Hp>();
        let (one, _) = hp.split(a).unwrap();
        one
    };
    one.0 += 1;
    let _ = b;
}

//~ = hp
