//! The body of a system with a wrong parameter does not cause further errors.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
struct NoComponent(f32);

type Movers<'w> = Query<'w, &'w NoComponent>;

#[derive(SystemParam)]
struct Game<'w> {
    bodies: Query<'w, &'static mut Position, With<NoComponent>>,
}

#[derive(QueryData)]
struct Body<'a> {
    position: &'a Position,
    mark: &'a NoComponent,
}

#[system]
fn data(positions: Query<Position>) {
    for p in &positions {
        println!("{}", p.0);
    }
}

#[system]
fn one_of_several(mut bodies: Query<(&mut Position, Velocity)>, others: Query<&Velocity>) {
    for (p, v) in &mut bodies {
        p.0 += v.0 * others.count() as f32;
    }
}

#[system]
fn filter(positions: Query<&Position, (With<Velocity>, Changed<Velocity>)>) -> f32 {
    positions.iter().map(|p| p.0).sum()
}

#[system]
fn views(mut marks: CompMut<NoComponent>, velocities: Comp<Velocity>) {
    (&mut marks, &velocities).for_each(|(m, v)| m.0 += v.0);
}

#[system]
fn removed(mut gone: Removed<Position>) -> usize {
    gone.read().count()
}

#[system]
fn alias(score: Local<u32>, movers: Movers) -> f32 {
    movers.iter().map(|m| m.0 * *score as f32).sum()
}

#[system]
fn derived(mut game: Game<'_>) {
    for position in &mut game.bodies {
        position.0 += 1.0;
    }
}

#[system]
fn derived_data(bodies: Query<Body>) -> f32 {
    bodies.iter().map(|body| body.position.0 + body.mark.0).sum()
}

#[system]
fn taking_turns(mut set: ParamSet<(Query<&mut Position>, Query<Velocity>)>) {
    set.p0().for_each(|p| p.0 += 1.0);
    for v in &set.p1() {
        println!("{}", v.0);
    }
}

#[system(for_each)]
fn in_a_loop(position: &mut Position, others: Query<Velocity>) {
    for v in &others {
        position.0 += v.0;
    }
}

#[derive(Resource)]
struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn count(&mut self, positions: Query<(Entity, Position)>) {
        for (_, p) in &positions {
            self.0 += p.0 as u32;
        }
    }
}

fn main() {}

//~ positions: Query<Position>
//~ Velocity)>, others
//~ Changed<Velocity>
//~ CompMut<NoComponent>
//~ Removed<Position>
//~ movers: Movers
//~ Position, With<NoComponent>>
//~ &'a NoComponent
//~ Query<Velocity>)>
//~ others: Query<Velocity>
//~ (Entity, Position)
