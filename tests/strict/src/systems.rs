use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;

use crate::data::{
    Alive, HasInner, Health, Hidden, Hit, InnerCount, InnerData, Lamp, Looked, Mover, Physics,
    Position, Rate, Score, Seen, Time, Weight,
};

/// Views, a resource and a local.
#[system]
pub fn views(
    mut positions: CompMut<Position>,
    weights: Comp<Weight<u8>>,
    time: Res<Time>,
    mut calls: Local<u8>,
) {
    *calls = calls.wrapping_add(1);
    (&mut positions, &weights).for_each(|(position, weight)| {
        position.0 = position
            .0
            .wrapping_add(i32::from(weight.0))
            .wrapping_add(time.0);
    });
}

/// Queries, and ordinary arguments.
#[system]
#[must_use]
pub fn queries(
    by: i32,
    mut movers: Query<Mover, Alive>,
    seen: Query<Seen, (With<Lamp>, With<Hidden>)>,
    all: Query<Entity>,
) -> usize {
    for mover in &mut movers {
        mover.position.0 = mover.position.0.wrapping_add(by);
    }
    seen.iter().count().wrapping_add(all.iter().count())
}

/// A parameter, data and a filter whose fields have types that are private elsewhere.
#[system]
pub fn inner(mut all: Query<InnerData, HasInner>) -> usize {
    for mut one in &mut all {
        one.weigh();
    }
    let weights = all.iter().map(|one| one.get());
    weights
        .filter(|&(inner, is_weighed)| is_weighed && inner > 0)
        .count()
}

/// The same parameter beside another query.
#[system]
#[must_use]
pub fn inner_count(inner: InnerCount<'_>, positions: Query<&Position, HasInner>) -> bool {
    inner.get() == positions.iter().count()
}

/// A derived parameter, an optional one, commands and a writer of events.
#[system]
pub fn others(
    mut physics: Physics<'_, '_>,
    score: Option<Res<Score>>,
    mut commands: Commands,
    mut hits: EventWriter<Hit>,
) {
    *physics.frames = physics.frames.wrapping_add(1);
    for (target, position) in physics.positions.iter().enumerate().take(1) {
        let _: (usize, &Position) = (target, position);
    }
    if score.is_some() {
        let target = commands.spawn(Position(physics.time.0)).id();
        hits.send(Hit { target });
    }
}

/// A reader of events.
#[system]
pub fn readers(mut hits: EventReader<Hit>, mut score: ResMut<Score>) {
    for _ in hits.read() {
        score.0 = score.0.wrapping_add(1);
    }
}

/// A set of parameters.
#[system]
#[must_use]
pub fn sets(mut set: ParamSet<(CompMut<Position>, Comp<Position>)>) -> usize {
    for position in &mut set.p0() {
        position.0 = position.0.wrapping_mul(2);
    }
    set.p1().len()
}

/// A result.
///
/// # Errors
/// If there is nothing.
#[system]
pub fn failing(positions: Comp<Position>) -> Result<(), core::fmt::Error> {
    positions.iter().next().map(|_| ()).ok_or(core::fmt::Error)
}

/// For each entity.
#[system(for_each, with(Position, Weight<u8>), without(Hidden))]
pub fn each(position: &mut Position, health: Option<&Health>, _id: Entity, rate: Res<Rate<i32>>) {
    position.0 = position.0.wrapping_add(rate.0);
    if let (Some(health), true) = (health, position.0 != 0_i32) {
        position.0 = position.0.wrapping_add(i32::from(health.left));
    }
}

/// For each entity, with an argument and a result.
///
/// # Errors
/// If there is a wrong one.
#[system(for_each, changed(Health))]
pub fn each_checked(limit: u8, health: &Health) -> Result<(), core::fmt::Error> {
    if health.left > limit {
        Err(core::fmt::Error)
    } else {
        Ok(())
    }
}

/// For each entity, on threads.
#[system(par_for_each)]
pub fn each_shared(position: &mut Position, looked: Looked<'_, Health>, time: Res<Time>) {
    position.0 = position.0.wrapping_add(time.0);
    if looked.values.len() > 1 {
        position.0 = 0_i32;
    }
}

/// An exclusive system.
#[system]
pub fn exclusive(world: &mut World) {
    world.clear();
}

/// A system that looks at the world.
#[system]
#[must_use]
pub fn looking(world: &World) -> usize {
    world.len()
}

/// A generic system.
#[system]
pub fn generic<T: Component + Clone, const N: usize>(values: Comp<T>, mut rate: ResMut<Rate<T>>)
where
    Rate<T>: Resource,
{
    if let Some(value) = values.iter().nth(N) {
        rate.0 = value.clone();
    }
}

/// A system with the caller's type.
#[system]
pub fn with_closure<F: FnMut(i32)>(mut f: F, positions: Comp<Position>) {
    for position in &positions {
        f(position.0);
    }
}

/// An observer.
#[system]
pub fn observer(event: OnAdd<Position>, mut time: ResMut<Time>) {
    if event.entity().index() > 0 {
        time.0 = time.0.wrapping_add(1);
    }
}

/// A condition.
#[system]
#[must_use]
pub fn is_late(time: Res<Time>) -> bool {
    time.0 > 10
}

/// The parameters of other libraries, eight of them.
#[system]
#[must_use]
pub fn many(
    a: Res<Time>,
    b: Res<Score>,
    c: Res<Rate<u8>>,
    d: Res<Rate<u16>>,
    e: Res<Rate<u32>>,
    f: Res<Rate<u64>>,
    g: Res<Rate<i8>>,
    h: Res<Rate<i16>>,
    i: Res<Rate<i64>>,
) -> bool {
    a.0 == 0
        && b.0 == 0
        && c.0 == 0
        && d.0 == 0
        && e.0 == 0
        && f.0 == 0
        && g.0 == 0
        && h.0 == 0
        && i.0 == 0
}

#[systems]
impl Time {
    /// A method that writes.
    #[system]
    pub fn tick(&mut self, by: i32) {
        self.0 = self.0.wrapping_add(by);
    }

    /// A method that reads.
    #[system]
    #[must_use]
    pub fn now(&self, positions: Comp<Position>) -> usize {
        positions.len().wrapping_add(usize::from(self.0 == 0))
    }

    /// A method for each entity.
    #[system(for_each)]
    pub fn push(&self, position: &mut Position) {
        position.0 = position.0.wrapping_add(self.0);
    }

    /// No system.
    #[must_use]
    #[inline]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

#[systems]
impl<T: Component + Clone> Rate<T> {
    /// A method of a generic type.
    #[system]
    pub fn set(&mut self, values: Comp<T>) {
        if let Some(value) = values.iter().next() {
            self.0 = value.clone();
        }
    }
}

/// A system that its module alone names.
#[system(for_each)]
fn inside(position: &mut Position, time: Res<Time>) {
    position.0 = position.0.wrapping_add(time.0);
}

/// Calls it.
#[inline]
pub fn calls(world: &World) {
    inside(world);
}

/// A system whose argument might be a parameter.
#[system]
#[must_use]
pub fn of_argument(by: &core::time::Duration, positions: Comp<Position>) -> bool {
    by.is_zero() && positions.len() > 1
}
