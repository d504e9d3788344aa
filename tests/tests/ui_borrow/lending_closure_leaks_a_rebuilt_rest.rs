use ecs_core::prelude::*;

#[derive(Component)]
struct Hp(i32);

fn main() {
    let mut world = World::new();
    let (a, b) = (world.spawn(Hp(1)), world.spawn(Hp(2)));
    let mut hp = world.view_mut::<Hp>();
    let mut kept = None;
    hp.for_each_with_rest(|_, rest| kept = Some(rest.reborrow()));
    let _ = (a, b, kept);
}

//~ kept = Some(rest.reborrow())
