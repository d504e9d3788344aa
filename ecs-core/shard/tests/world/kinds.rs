//! Components, relations and deaths of all kinds, across borders.

use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::shard::{
    self, Birth, Gid, Grid, Inbox, Outbox, Reduce, Reduction, ShardCheckError, ShardConfig, Shards,
    TickNumber, shard_check,
};
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "kinds.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "kinds.mood")]
struct Mood(u64);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "kinds.plan")]
enum Plan {
    Rest,
    Follow(Entity),
    Visit {
        first: Option<Entity>,
        then: Vec<(u8, Entity)>,
    },
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "kinds.mark")]
struct Mark;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "kinds.rare_mark", storage = "sparse")]
struct RareMark;

/// To one target.
#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "kinds.follows")]
struct Follows;

/// To many targets, with a value.
#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "kinds.likes", many)]
struct Likes(u8);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Note {
    Dead(Option<u64>),
    Unit,
}

struct Never;

#[system(for_each)]
fn wander(gid: &Gid, place: &mut Place, tick: Res<TickNumber>) {
    let jump = gid.random(tick.number()) % 8;
    place.0[0] = (place.0[0] + jump as f32 / 2.0) % 12.0;
}

#[system(for_each)]
fn think(
    entity: Entity,
    gid: &Gid,
    plan: &mut Plan,
    mark: Option<&Mark>,
    rare: Option<&RareMark>,
    tick: Res<TickNumber>,
    mut commands: Commands,
) {
    let dice = gid.random(tick.number() ^ 0xabc);
    *plan = match (plan.clone(), dice % 3) {
        (plan, 0) => plan,
        (Plan::Rest, _) => Plan::Follow(entity),
        (Plan::Follow(other), _) => Plan::Visit {
            first: Some(entity),
            then: vec![(dice as u8, other), (0, entity)],
        },
        (Plan::Visit { mut then, .. }, 1) => Plan::Visit {
            first: then.pop().map(|(_, other)| other),
            then,
        },
        (Plan::Visit { first, .. }, _) => first.map_or(Plan::Rest, Plan::Follow),
    };
    match (mark, dice / 8 % 4) {
        (None, 0) => commands.insert(entity, Mark),
        (Some(_), 0) => commands.remove::<Mark>(entity),
        _ => {}
    }
    match (rare, dice / 64 % 4) {
        (None, 0) => commands.insert(entity, RareMark),
        (Some(_), 0) => commands.remove::<RareMark>(entity),
        _ => {}
    }
    if let (&Plan::Follow(other), true) = (&*plan, (dice / 512).is_multiple_of(4)) {
        commands.queue(move |world: &mut World| {
            // Not if the other one is dead.
            _ = world.relate(entity, Follows, other);
            _ = world.relate(entity, Likes(dice as u8), other);
        });
    }
}

#[system(for_each)]
fn write(gid: &Gid, mood: &Mood, notes: Res<Outbox<Note>>) {
    // Many of them are dead, or were never born.
    let to = Gid::from_number(mood.0 % 200);
    notes.send(
        *gid,
        to,
        Note::Dead(mood.0.is_multiple_of(2).then_some(mood.0)),
    );
    notes.send(*gid, *gid, Note::Unit);
}

#[system(for_each)]
fn read(gid: &Gid, mood: &mut Mood, notes: Res<Inbox<Note>>) {
    for note in notes.of(*gid) {
        let number = match note.value {
            Note::Dead(number) => number.unwrap_or(7),
            Note::Unit => 1,
        };
        mood.0 = mood.0.rotate_left(3) ^ number ^ note.from.number();
    }
}

/// Entities that are born or die also move in the same tick, often beyond a border.
#[system(for_each)]
fn live(
    entity: Entity,
    gid: &Gid,
    place: &Place,
    mood: &Mood,
    tick: Res<TickNumber>,
    never: Res<Reduce<Never>>,
    mut commands: Commands,
) {
    assert_eq!(never.total(), i64::MAX, "no system adds to it");
    let dice = gid.random(tick.number() ^ 0xdef);
    if dice.is_multiple_of(9) {
        commands.despawn(entity);
    } else if dice.is_multiple_of(37) {
        for nth in 0..2 {
            let far = Place([(place.0[0] + 5.0 * nth as f32) % 12.0, 0.5]);
            commands.spawn((far, Mood(mood.0 ^ dice), Birth::of(*gid, nth)));
            let plan = match nth {
                0 => Plan::Rest,
                _ => Plan::Follow(entity),
            };
            let born = commands
                .spawn((*place, Mood(dice), plan, Birth::of(*gid, 2 + nth)))
                .id();
            commands.relate(born, Follows, entity);
        }
    }
}

fn zoo(shards: &mut Shards) {
    shards.setup(|world| {
        world.register::<Mark>();
        world.register::<RareMark>();
        let mut all: Vec<Entity> = Vec::new();
        for n in 0..40_u64 {
            let place = Place([(n % 12) as f32, 0.5]);
            let one = world.spawn((place, Mood(Gid::random_of(n, 1)), Plan::Rest));
            if let Some(&other) = all.get(n as usize / 2) {
                world.insert(one, Plan::Follow(other)).unwrap();
                world.insert(one, Follows.to(other)).unwrap();
                world.relate(one, Likes(n as u8), other).unwrap();
                world.relate(one, Likes(1), all[0]).unwrap();
            }
            all.push(one);
        }
    });
    shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
    shards.reduce::<Never>(Reduction::Min);
    shards.systems(write).deliver::<Note>();
    shards.systems((read, think, wander, live));
}

/// Returns the reason why a simulation does not start.
fn error(game: impl Fn(&mut Shards) + Sync) -> String {
    let result = shard::run(&ShardConfig::solo(), game, |_| Ok(()));
    result.map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn values_and_edges_of_all_kinds_cross_borders() {
    shard_check(zoo, 40).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn many_shards_have_few_entities() {
    fn few(shards: &mut Shards) {
        zoo(shards);
        shards.setup(|world| {
            let all: Vec<Entity> = world.query::<Entity>().iter().collect();
            for &one in &all[3..] {
                world.despawn(one).unwrap();
            }
        });
    }
    let ends: Vec<u64> = [1, 5, 12]
        .map(|shards| crate::hash_of(few, shards, 30).unwrap())
        .into();
    assert_eq!(ends, [ends[0]; 3]);
}

#[test]
fn sources_are_seen_where_all_of_them_are() {
    #[system(for_each)]
    fn popular(mood: &mut Mood, followers: Option<&Sources<Follows>>) {
        mood.0 += followers.map_or(0, |followers| followers.len() as u64);
    }
    let game = |shards: &mut Shards| {
        zoo(shards);
        shards.systems(popular);
    };
    let found = error(game);
    assert!(
        found.contains("popular` sees `Sources<") && found.contains("sources on other shards"),
        "{found}"
    );
    // A tree is on one shard.
    #[system(for_each)]
    fn count_children(mood: &mut Mood, children: Option<&Sources<ChildOf>>) {
        mood.0 += children.map_or(0, |children| children.len() as u64);
    }
    let trees = |shards: &mut Shards| {
        shards.setup(|world| {
            for n in 0..20_u64 {
                let one = world.spawn((Place([(n % 12) as f32, 0.5]), Mood(n)));
                (0..n % 3).for_each(|n| _ = world.spawn((Mood(n), ChildOf.to(one))));
            }
        });
        let place = shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
        place.keep_together::<ChildOf>(0.0);
        shards.systems((count_children, wander));
    };
    shard_check(trees, 20).unwrap_or_else(|error| panic!("{error}"));
}

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "kinds.needs", sources = "despawn")]
struct Needs;

struct Count;

#[system(for_each)]
fn die(entity: Entity, gid: &Gid, tick: Res<TickNumber>, mut commands: Commands) {
    if gid.number() == tick.number() * 3 {
        commands.despawn(entity);
    }
}

#[system(for_each)]
fn count(mood: &mut Mood, count: Res<Reduce<Count>>) {
    count.add(1);
    mood.0 = mood.0 * 3 + count.total() as u64;
}

/// Chains of entities that need the one before, which is on another shard now and then.
fn chains(shards: &mut Shards) {
    shards.setup(|world| {
        let mut last = None;
        for n in 0..40_u64 {
            let one = world.spawn((Place([(n % 12) as f32, 0.5]), Mood(n)));
            if let Some(last) = last.replace(one)
                && n % 4 != 0
            {
                world.insert(one, Needs.to(last)).unwrap();
            }
        }
    });
    shards.reduce::<Count>(Reduction::Sum);
    shards.systems((die, count));
}

#[test]
fn who_dies_with_a_target_lives_where_it_does() {
    let apart = |shards: &mut Shards| {
        chains(shards);
        shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
    };
    let found = error(apart);
    assert!(
        found.contains("`kinds.needs` is a relation whose sources are despawned with their target"),
        "{found}"
    );
    // And with good reason.
    let trusted = |shards: &mut Shards| {
        apart(shards);
        shards.trust("kinds.needs", "not true");
    };
    match shard_check(trusted, 15) {
        Err(ShardCheckError::Different(difference)) => {
            assert!(difference.step.ends_with("count"), "{difference:?}");
        }
        other => panic!("{other:?}"),
    }
    let together = |shards: &mut Shards| {
        chains(shards);
        let place = shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
        place.keep_together::<Needs>(12.0);
    };
    shard_check(together, 15).unwrap_or_else(|error| panic!("{error}"));
}
