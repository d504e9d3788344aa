//! Random rules within the model: whatever they are, one world and several shards have the same results.

use ecs_core::Disabled;
use ecs_core::prelude::*;
use ecs_core::shard::{
    Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, Shards, TickNumber, shard_check,
};
use ecs_core::tree::ChildOf;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// The rules of a world.
#[derive(Resource, Clone, Copy, Debug)]
struct Rules {
    columns: u32,
    rows: u32,
    wraps: bool,
    cell: f32,
    radius: f32,
    people: u64,
    /// The part of the width where all begin.
    spread: f32,
    /// The longest way of a tick.
    speed: f32,
    /// Everybody moves to another end of the world every few ticks; 0 for never.
    storm: u64,
    /// Out of 100 entities and ticks.
    births: u64,
    deaths: u64,
    messages: u64,
    /// Everybody has a child with a place of its own.
    has_children: bool,
    sort: u64,
    balance: u64,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "rules.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rules.memory", storage = "sparse")]
struct Memory(Vec<u64>);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "rules.mood")]
struct Mood(u64);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "rules.likes")]
struct Likes(Entity);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "rules.rare")]
struct Rare;

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Letter {
    Number(u64),
    Text(String),
}

struct Moods;
struct Oldest;

#[system(for_each)]
fn look(
    gid: &Gid,
    place: &Place,
    mood: &mut Mood,
    near: Res<Neighbours<(Mood,)>>,
    letters: Res<Outbox<Letter>>,
    rules: Res<Rules>,
    tick: Res<TickNumber>,
) {
    let mut sum = mood.0;
    let mut last = *gid;
    for near in near.within(place.0, rules.radius) {
        // The order matters here, and so do the bits of the way.
        let bits = u64::from(near.offset[0].to_bits()) << 32 | u64::from(near.offset[1].to_bits());
        sum = sum
            .wrapping_mul(31)
            .wrapping_add(near.neighbour.value.0.0 ^ bits);
        last = near.neighbour.gid;
    }
    mood.0 = sum;
    if gid.random(tick.number() << 8) % 100 < rules.messages {
        let far = Gid::from_number(gid.random(tick.number()) % (rules.people * 3));
        letters.send(*gid, far, Letter::Text(format!("{sum:x}")));
        letters.send(*gid, last, Letter::Number(sum));
        letters.send(*gid, last, Letter::Number(sum / 2));
    }
}

#[system(for_each)]
fn read(gid: &Gid, mood: &mut Mood, memory: Option<&mut Memory>, letters: Res<Inbox<Letter>>) {
    let mut read = Vec::new();
    for letter in letters.of(*gid) {
        let number = match &letter.value {
            Letter::Number(number) => *number,
            Letter::Text(text) => text.len() as u64,
        };
        mood.0 = mood.0.rotate_left(5) ^ number ^ letter.from.number();
        read.push(letter.from.number());
    }
    if let Some(memory) = memory {
        memory.0.extend(read);
        let len = memory.0.len();
        memory.0.drain(..len.saturating_sub(4));
    }
}

#[system(for_each, without(ecs_core::relation::Target<ChildOf>))]
fn walk(gid: &Gid, place: &mut Place, rules: Res<Rules>, tick: Res<TickNumber>) {
    let size = [rules.columns, rules.rows].map(|cells| cells as f32 * rules.cell);
    let random = |salt: u64| {
        let random = gid.random(tick.number() * 4 + salt) as f64 / u64::MAX as f64;
        (random as f32 - 0.5) * 2.0
    };
    let mut way = [random(1) * rules.speed, random(2) * rules.speed];
    if rules.storm != 0 && tick.number() % rules.storm == rules.storm - 1 {
        way = [size[0] * 0.5, size[1] * 0.25];
    }
    for ((at, by), size) in place.0.iter_mut().zip(way).zip(size) {
        *at += by;
        // Not always inside of a bounded grid: positions beyond count as in the nearest cell.
        if rules.wraps {
            *at = at.rem_euclid(size);
        } else if *at > size + 1.0 || *at < -1.0 {
            *at = size * 0.5;
        }
    }
}

#[system(for_each)]
fn live(
    entity: Entity,
    gid: &Gid,
    place: &Place,
    mood: &mut Mood,
    rules: Res<Rules>,
    tick: Res<TickNumber>,
    moods: Res<Reduce<Moods>>,
    oldest: Res<Reduce<Oldest>>,
    mut commands: Commands,
) {
    moods.add((mood.0 >> 40) as i64);
    oldest.add(gid.number() as i64);
    mood.0 ^= moods.total() as u64 ^ oldest.total() as u64;
    let dice = gid.random(tick.number() << 16);
    if dice % 100 < rules.deaths {
        commands.despawn(entity);
    } else if dice / 100 % 100 < rules.births {
        for nth in 0..1 + (dice % 3) as u32 {
            let born = (*place, Mood(dice), Birth::of(*gid, nth));
            let born = commands.spawn(born).id();
            commands.insert(born, Likes(entity));
            if nth == 1 {
                commands.insert(born, (Memory(vec![dice]), Rare));
            }
        }
    } else if (dice / 10_000).is_multiple_of(10) {
        commands.insert(entity, Rare);
    } else if dice / 10_000 % 10 == 1 {
        commands.remove::<Rare>(entity);
    }
}

fn world_of(rules: Rules) -> impl Fn(&mut Shards) + Sync {
    move |shards: &mut Shards| {
        shards.setup(move |world| {
            world.insert_resource(rules);
            world.register::<Rare>();
            world.register::<Likes>();
            world.register::<Memory>();
            let size = [rules.columns, rules.rows].map(|cells| cells as f32 * rules.cell);
            let mut before = None;
            for n in 0..rules.people {
                let random = |salt| (Gid::random_of(n, salt) as f64 / u64::MAX as f64) as f32;
                let place = Place([random(1) * size[0] * rules.spread, random(2) * size[1]]);
                let one = world.spawn((place, Mood(n)));
                if let Some(before) = before.replace(one) {
                    world.insert(one, Likes(before)).unwrap();
                }
                match n % 4 {
                    0 => world.insert(one, Memory(Vec::new())).unwrap(),
                    1 => world.insert(one, Disabled).unwrap(),
                    _ => {}
                }
                if rules.has_children && n % 4 == 2 {
                    world.spawn((Mood(n), ChildOf.to(one)));
                }
            }
        });
        let grid = match rules.wraps {
            true => Grid::torus(rules.columns, rules.cell),
            false => Grid::bounded(rules.columns, rules.rows, rules.cell),
        };
        let place = shards.place(grid, |place: &Place| place.0);
        let place = match rules.has_children {
            true => place.keep_together::<ChildOf>(0.2),
            false => place,
        };
        place.mirror::<(Mood,)>(rules.radius);
        shards
            .reduce::<Moods>(Reduction::Sum)
            .reduce::<Oldest>(Reduction::Max);
        shards
            .systems(look)
            .deliver::<Letter>()
            .systems((read, walk, live));
        shards.sort_rows(rules.sort).balance(rules.balance);
    }
}

prop_compose! {
    fn rules()(
        cells in 5_u32..20,
        rows in 1_u32..9,
        wraps: bool,
        cell in 0.3_f32..3.0,
        reach in 0.2_f32..1.9,
        people in 0_u64..70,
        spread in 0.05_f32..1.0,
        speed in 0.0_f32..6.0,
        storm in 0_u64..6,
        births in 0_u64..12,
        deaths in 0_u64..12,
        messages in 0_u64..60,
        has_children: bool,
        sort in 0_u64..4,
        balance in 0_u64..5,
    ) -> Rules {
        Rules {
            columns: cells,
            rows: if wraps { cells } else { rows },
            wraps,
            cell,
            // With the slack for children, a torus of five cells is large enough.
            radius: if has_children { (reach * cell - 0.2).max(0.09) } else { reach * cell },
            people,
            spread,
            speed,
            storm,
            births,
            deaths,
            messages,
            has_children,
            sort,
            balance,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // A case runs a world on several numbers of shards, so by default it's a third of the usual tenth of all cases.
        cases: match std::env::var_os("ECS_WORLDS") {
            Some(_) => ProptestConfig::default().cases,
            None => ProptestConfig::default().cases.div_ceil(3),
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_rules_have_the_same_results_on_any_number_of_shards(rules in rules()) {
        shard_check(world_of(rules), 14).map_err(|error| TestCaseError::fail(format!("{error}")))?;
    }
}
