//! Villages of families: trees whose roots have a place and move, maps and lists with ids, edges with values that name entities, and
//! days on which all have children.

use std::collections::BTreeMap;

use ecs_core::Disabled;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::shard::{
    Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, Shards, TickNumber, shard_check,
};
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

use crate::{hash_of, hash_of_processes};

/// The home of a family, at its head.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "villages.home", storage = "sparse")]
struct Home {
    name: String,
    at: (f32, f32),
}

#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
#[component(data = "villages.bag", storage = "sparse")]
struct Bag {
    letters: Vec<(String, Option<Entity>)>,
    best: Option<Entity>,
    known: BTreeMap<String, Vec<Entity>>,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "villages.score", track)]
struct Score(i64);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "villages.word")]
struct Word(String);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "villages.owes", many)]
struct Owes {
    name: String,
    witness: Option<Entity>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Post {
    Word(String),
    Scores(Vec<(u8, Option<i64>)>),
    Nothing,
}

struct Letters;
struct Least;

#[system(for_each)]
fn listen(
    gid: &Gid,
    home: &Home,
    word: &mut Word,
    score: &mut Score,
    near: Res<Neighbours<(Word, Score)>>,
    post: Res<Outbox<Post>>,
    letters: Res<Reduce<Letters>>,
    least: Res<Reduce<Least>>,
) {
    let mut text = String::new();
    for near in near.within([home.at.0, home.at.1], 1.5) {
        let other = near.neighbour;
        let (Word(said), Score(has)) = &other.value;
        text.push_str(said);
        score.0 = score.0.wrapping_mul(7) ^ has;
        match other.gid.number() % 5 {
            0 => post.send(
                *gid,
                other.gid,
                Post::Scores(vec![(1, None), (2, Some(score.0))]),
            ),
            1 => post.send(*gid, other.gid, Post::Word(text.clone())),
            _ => {}
        }
    }
    // To random ones, and all to one.
    let anyone = gid.random(letters.total() as u64) % 300;
    post.send(*gid, Gid::from_number(anyone), Post::Nothing);
    post.send(*gid, Gid::from_number(1), Post::Nothing);
    letters.add(text.len() as i64);
    least.add(score.0);
    text.truncate(9);
    word.0 = format!("{text}{}", least.total() % 10);
    word.0.drain(..word.0.len().saturating_sub(7));
}

#[system(for_each)]
fn read(gid: &Gid, score: &mut Score, mut bag: Option<&mut Bag>, post: Res<Inbox<Post>>) {
    for message in post.of(*gid) {
        score.0 = match &message.value {
            Post::Word(word) => score.0 ^ word.len() as i64,
            Post::Scores(scores) => score.0.rotate_left(scores.len() as u32),
            Post::Nothing => score.0.wrapping_add(1),
        };
        if let Some(bag) = &mut bag {
            bag.letters.push((message.from.to_string(), None));
            bag.letters.drain(..bag.letters.len().saturating_sub(3));
        }
    }
}

#[system(for_each, without(Target<ChildOf>))]
fn travel(gid: &Gid, home: &mut Home, tick: Res<TickNumber>) {
    let way = gid.random(tick.number());
    home.at.0 = (home.at.0 + (way % 7) as f32 * 0.5).rem_euclid(16.0);
    home.at.1 = (home.at.1 + (way / 7 % 7) as f32 * 0.3).rem_euclid(16.0);
    if tick.number() % 6 == 5 {
        // A storm: all meet in two places.
        home.at = (
            if gid.number().is_multiple_of(2) {
                8.1
            } else {
                0.1
            },
            3.0,
        );
    }
    home.name = format!("{gid} at {}", home.at.0);
}

#[system(for_each)]
fn count_children(score: &mut Score, children: Option<&Sources<ChildOf>>) {
    score.0 += children.map_or(0, |children| children.len() as i64) * 3;
}

#[system(for_each)]
fn live(
    entity: Entity,
    gid: &Gid,
    home: Option<&Home>,
    parent: Option<&Target<ChildOf>>,
    tick: Res<TickNumber>,
    mut commands: Commands,
) {
    let dice = gid.random(!tick.number());
    if dice.is_multiple_of(11) {
        // With its tree.
        commands.despawn(entity);
        return;
    }
    if dice.is_multiple_of(31) || tick.number() == 8 && dice.is_multiple_of(3) {
        for nth in 0..(dice / 100 % 3) as u32 {
            let bag = Bag {
                letters: vec![("born".into(), Some(entity))],
                best: Some(entity),
                known: [("parent".to_owned(), vec![entity])].into(),
            };
            let birth = |which| Birth::of(*gid, nth * 3 + which);
            let born = (Word("new".into()), Score(dice as i64 % 100), bag, birth(0));
            let born = commands.spawn(born).id();
            if let (Some(home), None) = (home, parent) {
                // Far away.
                let mut home = home.clone();
                home.at.0 = (home.at.0 + nth as f32 * 4.0).rem_euclid(16.0);
                commands.insert(born, home);
            }
            let child = commands.spawn((Score(1), ChildOf.to(born), birth(1))).id();
            let best = Some(child);
            let bag = Bag {
                best,
                ..Bag::default()
            };
            commands.spawn((Score(2), bag, ChildOf.to(child), birth(2)));
            commands.queue(move |world: &mut World| {
                let (name, witness) = (format!("{dice}"), Some(child));
                _ = world.relate(born, Owes { name, witness }, entity);
            });
        }
    }
    if dice.is_multiple_of(17) {
        commands.insert(entity, Disabled);
    }
}

#[system(for_each)]
fn pack(entity: Entity, gid: &Gid, bag: &mut Bag, tick: Res<TickNumber>, mut commands: Commands) {
    let dice = gid.random(tick.number() << 3);
    match (bag.best, dice % 4) {
        (Some(best), 0) => bag
            .known
            .entry(format!("{}", dice % 3))
            .or_default()
            .push(best),
        (Some(_), 1) => bag.best = bag.letters.last().and_then(|(_, from)| *from),
        (Some(best), 2) => commands.queue(move |world: &mut World| {
            let (name, witness) = ("more".to_owned(), Some(best));
            // Not if it is dead.
            _ = world.relate(entity, Owes { name, witness }, best);
        }),
        _ => {}
    }
    if bag.known.len() > 2 {
        bag.known.clear();
    }
    if dice.is_multiple_of(29) {
        commands.remove::<Bag>(entity);
    }
}

fn villages(shards: &mut Shards) {
    shards.setup(|world| {
        world.register::<Disabled>();
        let mut last = None;
        for n in 0..40_u64 {
            let at = |salt| (Gid::random_of(n, salt) % 160) as f32 / 10.0;
            let home = Home {
                name: format!("home {n}"),
                at: (at(1), at(2)),
            };
            let head = world.spawn((home, Word(format!("word {n}")), Score(n as i64)));
            let child = world.spawn((Score(n as i64), ChildOf.to(head)));
            let bag = Bag {
                best: last,
                ..Bag::default()
            };
            let leaf = world.spawn((Word("leaf".into()), Score(3), bag, ChildOf.to(child)));
            if let Some(last) = last {
                let (name, witness) = ("old".to_owned(), Some(last));
                world.relate(leaf, Owes { name, witness }, last).unwrap();
            }
            last = Some(if n.is_multiple_of(3) { leaf } else { head });
        }
    });
    let place = shards.place(Grid::torus(16, 1.0), |home: &Home| [home.at.0, home.at.1]);
    place
        .keep_together::<ChildOf>(0.5)
        .mirror::<(Word, Score)>(1.5);
    shards
        .reduce::<Letters>(Reduction::Sum)
        .reduce::<Least>(Reduction::Min);
    shards.systems(listen).deliver::<Post>();
    shards.systems((read, travel, count_children, pack, live).chain());
    shards.sort_rows(3).balance(4);
}

#[test]
fn families_with_everything_that_they_own_have_one_history() {
    shard_check(villages, 14).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn families_have_it_in_processes_and_on_more_shards_than_columns() {
    let one = hash_of(villages, 1, 10).unwrap();
    assert_eq!(hash_of(villages, 20, 10).unwrap(), one);
    assert_eq!(
        hash_of_processes([villages; 3], 10, |_, config| config),
        [Ok(one), Ok(one), Ok(one)]
    );
}
