//! The city: people who walk, keep apart, trade, have children and die, and dogs that go where their people go.

use ecs_core::prelude::*;
use ecs_core::shard::{
    Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, Shards, TickNumber,
};
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

/// The place of a person, in cells.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "city.place")]
pub(crate) struct Place(pub [f32; 2]);

/// The way of one tick, in cells.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "city.heading")]
pub(crate) struct Heading([f32; 2]);

/// Food for some ticks. Who has much has a child, and who has none dies.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "city.food")]
pub(crate) struct Food(i32);

/// A dog, which is the child of its owner in a tree.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "city.dog")]
pub(crate) struct Dog {
    tricks: u32,
}

/// A gift to a hungry person nearby.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bread(i32);

/// All food of the city: the sum of all shards.
pub(crate) struct AllFood;

/// The number of people for each cell, at the beginning.
const CROWD: f32 = 4.0;

/// Food of a person who has a child.
const PLENTY: i32 = 90;

/// People turn where the others go, and keep apart from them.
#[system(for_each)]
fn look_around(
    gid: &Gid,
    place: &Place,
    heading: &mut Heading,
    food: &mut Food,
    near: Res<Neighbours<(Heading, Food)>>,
    bread: Res<Outbox<Bread>>,
    tick: Res<TickNumber>,
) {
    let (mut turn, mut apart, mut count) = ([0.0_f32; 2], [0.0_f32; 2], 0);
    let mut hungriest = (i32::MAX, *gid);
    for near in near.within(place.0, 1.0) {
        let other = near.neighbour;
        if other.gid == *gid {
            continue;
        }
        let (Heading(goes), Food(has)) = other.value;
        count += 1;
        for axis in 0..2 {
            turn[axis] += goes[axis];
            apart[axis] -= near.offset[axis] / (near.distance_squared + 0.01);
        }
        hungriest = hungriest.min((has, other.gid));
    }
    if count > 0 {
        let share = 1.0 / count as f32;
        for axis in 0..2 {
            let mean = turn[axis] * share;
            heading.0[axis] += 0.05 * (mean - heading.0[axis]) + 0.002 * apart[axis];
        }
    }
    // A full street has little food.
    food.0 += if count < 13 { 1 } else { -1 };
    let (has, hungry) = hungriest;
    if has < food.0 && gid.random(tick.number()).is_multiple_of(16) {
        food.0 -= 2;
        bread.send(*gid, hungry, Bread(2));
    }
}

#[system(for_each)]
fn eat(gid: &Gid, food: &mut Food, bread: Res<Inbox<Bread>>) {
    food.0 += bread
        .of(*gid)
        .iter()
        .map(|bread| bread.value.0)
        .sum::<i32>();
}

#[system(for_each)]
fn walk(place: &mut Place, heading: &mut Heading, near: Res<Neighbours<(Heading, Food)>>) {
    let [width, height] = near.grid().size();
    let speed = (heading.0[0] * heading.0[0] + heading.0[1] * heading.0[1]).sqrt();
    if speed > 0.3 {
        heading.0 = heading.0.map(|along| along * 0.3 / speed);
    }
    for (at, (by, size)) in place
        .0
        .iter_mut()
        .zip(heading.0.into_iter().zip([width, height]))
    {
        *at += by;
        if *at < 0.0 {
            *at += size;
        } else if *at >= size {
            *at -= size;
        }
    }
}

/// Births and deaths.
#[system(for_each)]
fn live(
    entity: Entity,
    gid: &Gid,
    place: &Place,
    heading: &Heading,
    food: &mut Food,
    all: Res<Reduce<AllFood>>,
    mut commands: Commands,
) {
    if food.0 < -30 {
        commands.despawn(entity);
    } else if food.0 > PLENTY {
        food.0 /= 2;
        let away = Heading([-heading.0[1], heading.0[0]]);
        let child = (*place, away, Food(food.0), Birth::of(*gid, 0));
        let child = commands.spawn(child).id();
        if gid.number().is_multiple_of(3) {
            commands.spawn((Dog { tricks: 0 }, ChildOf.to(child), Birth::of(*gid, 1)));
        }
    }
    all.add(food.0.into());
}

#[system(for_each)]
fn learn(gid: &Gid, dog: &mut Dog, tick: Res<TickNumber>) {
    if gid.random(tick.number()).is_multiple_of(8) {
        dog.tricks += 1;
    }
}

/// Returns the number of cells along a side of the city.
pub(crate) fn side(people: u64) -> u32 {
    ((people as f32 / CROWD).sqrt() as u32).max(8)
}

/// The people of a part of the setup.
const PART: u64 = 10_000;

/// Declares a city.
pub(crate) fn city(shards: &mut Shards, people: u64) {
    let side = side(people);
    // In parts, so that no shard has the memory of the whole city.
    shards.setup_parts(people.div_ceil(PART), move |world, part| {
        for n in part * PART..people.min((part + 1) * PART) {
            let random = |salt| Gid::random_of(n, salt) as f64 / u64::MAX as f64;
            let place = [random(1), random(2)].map(|at| (at * f64::from(side)) as f32);
            let heading = [random(3), random(4)].map(|at| at as f32 * 0.4 - 0.2);
            let food = Food((Gid::random_of(n, 5) % 60) as i32);
            let person = world.spawn((Place(place), Heading(heading), food));
            if n.is_multiple_of(50) {
                world.spawn((Dog { tricks: 0 }, ChildOf.to(person)));
            }
        }
    });
    let place = shards.place(Grid::torus(side, 1.0), |place: &Place| place.0);
    place
        .keep_together::<ChildOf>(0.0)
        .mirror::<(Heading, Food)>(1.0);
    shards.reduce::<AllFood>(Reduction::Sum);
    shards.systems(look_around);
    shards.deliver::<Bread>();
    shards.systems((eat, walk, live, learn));
    shards.sort_rows(16).balance(32);
}
