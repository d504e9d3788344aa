// A missing derive is reported once per parameter, and not again where the body uses the parameter.
use ecs_core::prelude::*;

struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[system]
fn read(read: Comp<Position>) -> f32 {
    read.iter().map(|p| p.0).sum()
}

#[system]
fn write(mut written: CompMut<Position>, all: Entities) {
    for p in &mut written {
        p.0 = 1.0;
    }
    for entity in all.iter() {
        if let Some(p) = written.get_mut(entity) {
            p.0 = 2.0;
        }
    }
}

#[system]
fn join(mut pos: CompMut<self::Position>, vel: Comp<Velocity>) {
    (&mut pos, &vel).for_each(|(p, v)| p.0 += v.0);
}

#[system]
fn filter(vel: Comp<Velocity>, mut sets: ParamSet<(Comp<Position>, Commands)>) -> usize {
    vel.include(&sets.p0()).iter().count()
}

#[system]
fn query(factor: f32, mut all: Query<(&Velocity, &mut Position)>) {
    all.for_each(|(v, p)| p.0 += v.0 * factor);
    for (v, p) in all.iter() {
        p.0 += v.0;
    }
}

fn main() {
    let mut world = World::new();
    read(&world);
    query(1.0, &world);
    let mut frame = Schedule::new();
    frame.add((write, join));
    frame.run(&mut world).unwrap();
    let _ = ecs_core::inner(&join);
}

//~ read: Comp<Position>
//~ CompMut<Position>
//~ CompMut<self::Position>
//~ ParamSet<(Comp<Position>, Commands)>
//~ Query<(&Velocity, &mut Position)>
