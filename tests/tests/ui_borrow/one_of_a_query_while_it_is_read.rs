use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut query = world.query::<&mut Hp>();
    let (one, _) = query.split(a).unwrap();
    let again = query.get(a).unwrap();
    one.0 += again.0;
    let _ = b;
}

//~ let again = query
