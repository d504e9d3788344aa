//! Members that cannot be joined: the error is at the member.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Dead;

#[system]
fn reads(position: Comp<Position>, velocity: Comp<Velocity>) {
    (&mut position, &velocity).for_each(|(p, v)| p.0 += v.0);
}

#[system]
fn by_value(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
    for (p, v) in (&mut position, velocity).iter() {
        p.0 += v.0;
    }
}

#[system]
fn all_by_value(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
    (position, velocity).for_each(|(p, v)| p.0 += v.0);
}

#[system]
fn optional(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
    (&mut position, Some(velocity)).for_each(|(p, v)| p.0 += v.map_or(0.0, |v| v.0));
}

#[system]
fn without(mut position: CompMut<Position>, velocity: Comp<Velocity>, dead: Comp<Dead>) {
    (&mut position, &velocity, !&dead).par_for_each(|(p, v, _)| p.0 += v.0);
}

#[system]
fn specs(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
    for (p, v) in (&mut position, &velocity).join() {
        p.0 += v.0;
    }
}

fn main() {}

//~ position, &velocity).for_each
//~ &mut position, velocity)
//~ (position, velocity)
//~ Some(velocity)
//~ !&dead
//~ .join()
