use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn two_at_once(mut set: ParamSet<(CompMut<Position>, Comp<Position>)>) {
    let mut write = set.p0();
    let read = set.p1();
    for (p, q) in (&mut write, &read).iter() {
        p.0 += q.0;
    }
}

fn main() {
    two_at_once(&World::new());
}

//~ let read = set
