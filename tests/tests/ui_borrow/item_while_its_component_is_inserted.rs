use ecs_core::prelude::*;

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Burning(u8);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Burning(1)), world.spawn_empty());
    let mut burning = world.view_mut::<Burning>();
    let item = burning.get(a).unwrap();
    burning.insert(b, Burning(2)).unwrap();
    assert_eq!(item.0, 1);
}

//~ burning.insert(b, Burning(2))
