//! A town where people walk, trade, have children and dogs, and die.

use ecs_core::prelude::*;
use ecs_core::shard::{
    Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, Shards, TickNumber,
};
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "town.place")]
pub(crate) struct Place(pub(crate) [f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "town.heading")]
pub(crate) struct Heading([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "town.purse")]
pub(crate) struct Purse(i64);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "town.friend")]
pub(crate) struct Friend(Entity);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "town.diary", storage = "sparse")]
pub(crate) struct Diary(Vec<u64>);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "town.dog")]
pub(crate) struct Dog(u64);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gift(i64);

pub(crate) struct Money;

#[system(for_each)]
fn look_around(
    gid: &Gid,
    place: &Place,
    heading: &mut Heading,
    purse: &mut Purse,
    near: Res<Neighbours<(Heading, Purse)>>,
    gifts: Res<Outbox<Gift>>,
    tick: Res<TickNumber>,
) {
    let (mut sum, mut count) = ([0.0_f32; 2], 0);
    let mut poorest: Option<(i64, Gid)> = None;
    for near in near.within(place.0, 1.0) {
        let other = near.neighbour;
        if other.gid == *gid {
            continue;
        }
        let (Heading(of_other), Purse(money)) = other.value;
        let push = 0.01 / (near.distance_squared + 0.1);
        sum[0] += 0.05 * of_other[0] - near.offset[0] * push;
        sum[1] += 0.05 * of_other[1] - near.offset[1] * push;
        count += 1;
        poorest = Some(poorest.map_or((money, other.gid), |known| known.min((money, other.gid))));
    }
    if count > 0 {
        heading.0[0] += sum[0] / count as f32;
        heading.0[1] += sum[1] / count as f32;
    }
    purse.0 += if count < 6 { 3 } else { -4 };
    if let Some((money, poor)) = poorest
        && money < purse.0
        && gid.random(tick.number()).is_multiple_of(4)
    {
        purse.0 -= 2;
        gifts.send(*gid, poor, Gift(1));
        gifts.send(*gid, poor, Gift(1));
    }
    if tick.number() % 8 == gid.number() % 8 {
        // To any entity, far or near, or to none.
        let to = gid.random(1) % (gid.number() + 3);
        gifts.send(*gid, Gid::from_number(to), Gift(0));
    }
}

#[system(for_each)]
fn receive(gid: &Gid, purse: &mut Purse, diary: Option<&mut Diary>, gifts: Res<Inbox<Gift>>) {
    let gifts = gifts.of(*gid);
    purse.0 += gifts.iter().map(|gift| gift.value.0).sum::<i64>();
    if let Some(diary) = diary {
        diary.0.extend(gifts.iter().map(|gift| gift.from.number()));
        let len = diary.0.len();
        diary.0.drain(..len.saturating_sub(5));
    }
}

#[system(for_each)]
fn walk(gid: &Gid, place: &mut Place, heading: &mut Heading, tick: Res<TickNumber>) {
    let [x, y] = &mut heading.0;
    let length = (*x * *x + *y * *y).sqrt();
    if length > 0.4 {
        (*x, *y) = (*x * 0.4 / length, *y * 0.4 / length);
    }
    for (at, by) in place.0.iter_mut().zip(heading.0) {
        *at = (*at + by).rem_euclid(SIZE as f32);
    }
    if gid.random(tick.number()).is_multiple_of(97) {
        // A taxi to the other end.
        place.0[0] = (place.0[0] + SIZE as f32 / 2.0).rem_euclid(SIZE as f32);
    }
}

#[system(for_each)]
fn live(
    entity: Entity,
    gid: &Gid,
    place: &Place,
    purse: &mut Purse,
    mut commands: Commands,
    money: Res<Reduce<Money>>,
) {
    if purse.0 < -20 {
        commands.despawn(entity);
        return;
    }
    money.add(purse.0);
    if purse.0 > 60 {
        purse.0 -= 40;
        for nth in 0..2 {
            let heading = Heading([0.1, nth as f32 * 0.1 - 0.05]);
            let child = (*place, heading, Purse(10), Birth::of(*gid, nth));
            let child = commands.spawn(child).id();
            commands.insert(child, Friend(entity));
            if nth == 1 {
                commands.spawn((Dog(0), ChildOf.to(child), Birth::of(*gid, 2)));
            }
        }
    }
}

#[system(for_each)]
fn tax(purse: &mut Purse, money: Res<Reduce<Money>>) {
    if money.total() > 3000 {
        purse.0 -= 1;
    }
}

#[system(for_each)]
fn bark(gid: &Gid, dog: &mut Dog, tick: Res<TickNumber>) {
    dog.0 = dog.0.wrapping_mul(31) ^ gid.random(tick.number());
}

const SIZE: u32 = 12;

pub(crate) fn town(shards: &mut Shards) {
    shards.setup(|world| {
        let mut last = None;
        for n in 0..150_u64 {
            let random = |salt| Gid::random_of(n, salt) as f64 / u64::MAX as f64;
            let place = [random(1), random(2)].map(|at| at as f32 * SIZE as f32);
            let heading = [random(3), random(4)].map(|at| at as f32 * 0.4 - 0.2);
            let person = world.spawn((Place(place), Heading(heading), Purse(n as i64 % 30)));
            if n % 3 == 0 {
                world.insert(person, Diary(Vec::new())).unwrap();
            }
            if let Some(last) = last.replace(person) {
                world.insert(person, Friend(last)).unwrap();
            }
            if n % 5 == 0 {
                world.spawn((Dog(n), ChildOf.to(person)));
            }
        }
    });
    let place = shards.place(Grid::torus(SIZE, 1.0), |place: &Place| place.0);
    place
        .keep_together::<ChildOf>(0.5)
        .mirror::<(Heading, Purse)>(1.0);
    shards.reduce::<Money>(Reduction::Sum);
    shards.systems(look_around);
    shards.deliver::<Gift>();
    shards.systems((receive, walk, live, tax, bark));
    shards.sort_rows(7).balance(5);
}
