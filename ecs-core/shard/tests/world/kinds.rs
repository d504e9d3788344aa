//! Components, relations and deaths of all kinds, across borders.

use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::schedule::conditions::in_state;
use ecs_core::schedule::{NextState, State, Transitions};
use ecs_core::shard::{
    self, Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, ShardCheckError,
    ShardConfig, Shards, TickNumber, shard_check,
};
use ecs_core::toggle::Toggle;
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

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(Pocket<u32> = "kinds.pocket_u32", Pocket<String> = "kinds.pocket_string"))]
struct Pocket<T>(T);

#[test]
fn generic_components_move_where_their_instances_are_data() {
    #[system(for_each)]
    fn pack(
        entity: Entity,
        gid: &Gid,
        mood: &mut Mood,
        number: Option<&Pocket<u32>>,
        text: Option<&Pocket<String>>,
        tick: Res<TickNumber>,
        mut commands: Commands,
    ) {
        let dice = gid.random(tick.number() ^ 3);
        let number_in_it = number.map_or(1, |number| u64::from(number.0));
        mood.0 = mood.0.rotate_left(3) ^ number_in_it ^ text.map_or(2, |text| text.0.len() as u64);
        match (number, dice % 4) {
            (None, 0) => commands.insert(entity, Pocket(dice as u32)),
            (Some(_), 1) => commands.remove::<Pocket<u32>>(entity),
            (_, 2) => commands.insert(entity, Pocket("x".repeat(dice as usize % 7))),
            _ => {}
        }
    }
    let game = |shards: &mut Shards| {
        zoo(shards);
        shards.setup(|world| {
            world.register::<Pocket<u32>>();
            world.register::<Pocket<String>>();
        });
        shards.systems(pack);
    };
    shard_check(game, 20).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn positions_outside_count_as_in_the_nearest_cell() {
    #[system(for_each)]
    fn look(gid: &Gid, place: &mut Place, mood: &mut Mood, near: Res<Neighbours<(Mood,)>>) {
        for near in near.within(place.0, 1.0) {
            mood.0 = mood.0.rotate_left(7) ^ near.neighbour.gid.number() ^ near.neighbour.value.0.0;
        }
        if gid.random(mood.0).is_multiple_of(3) {
            place.0 = [place.0[0] + 0.7, place.0[1] - 3.3];
        }
    }
    let edges = [0.0, -0.0, -0.001, 15.999_999, 16.0, 100.5, 1e30, f32::MAX];
    let none = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN];
    for grid in [Grid::torus(16, 1.0), Grid::bounded(16, 8, 1.0)] {
        let game = |shards: &mut Shards| {
            shards.setup(move |world| {
                let all = edges.into_iter().chain(none);
                for x in all.clone() {
                    let mood = |y: f32| Mood(u64::from(x.to_bits() ^ y.to_bits()));
                    world.spawn_batch(all.clone().map(|y| (Place([x, y]), mood(y))));
                }
            });
            let place = shards.place(grid, |place: &Place| place.0);
            place.mirror::<(Mood,)>(1.0);
            shards.systems(look);
        };
        shard_check(game, 20).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn components_that_are_turned_off_stay_so_wherever_their_entities_go() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "kinds.lamp", toggle)]
    struct Lamp(u64);
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "kinds.bell", toggle, storage = "sparse")]
    struct Bell;
    #[system(for_each)]
    fn switch(
        gid: &Gid,
        lamp: &mut Lamp,
        of_lamp: &mut Toggle<Lamp>,
        of_bell: &mut Toggle<Bell>,
        tick: Res<TickNumber>,
    ) {
        let states = u64::from(of_lamp.is_on()) + 2 * u64::from(of_bell.is_on());
        lamp.0 = lamp.0.rotate_left(2) ^ states;
        match gid.random(tick.number() ^ 0x1a) % 5 {
            0 => of_lamp.turn_off(),
            1 => of_bell.turn_off(),
            2 => of_lamp.turn_on(),
            3 => of_bell.turn_on(),
            _ => {}
        }
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let at = |n| Place([(n % 12) as f32, 0.5]);
            world.spawn_batch((0..60).map(|n| (at(n), Lamp(0), Bell)));
        });
        shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
        shards.systems((switch, wander));
    };
    shard_check(game, 30).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn entities_gain_and_lose_their_places() {
    #[system(for_each)]
    fn come(
        entity: Entity,
        gid: &Gid,
        place: Option<&Place>,
        mood: &mut Mood,
        tick: Res<TickNumber>,
        mut commands: Commands,
    ) {
        let dice = gid.random(tick.number() ^ 99);
        mood.0 = mood.0.rotate_left(3) ^ place.map_or(1, |place| place.0[0] as u64);
        match (place, dice % 4) {
            (None, 0) => commands.insert(entity, Place([(dice / 4 % 12) as f32, 0.5])),
            (Some(_), 1) => commands.remove::<Place>(entity),
            _ => {}
        }
    }
    let game = |shards: &mut Shards| {
        zoo(shards);
        shards.systems(come);
    };
    shard_check(game, 20).unwrap_or_else(|error| panic!("{error}"));
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Day,
    Night,
}

#[system]
fn turn(tick: Res<TickNumber>, mut next: ResMut<NextState<Part>>) {
    let is_day = (tick.number() / 3).is_multiple_of(2);
    next.set(if is_day { Part::Day } else { Part::Night });
}

#[system(for_each)]
fn dream(mood: &mut Mood) {
    mood.0 = mood.0.rotate_left(9) ^ 1;
}

#[system(for_each)]
fn work(gid: &Gid, mood: &mut Mood, part: Res<State<Part>>) {
    mood.0 ^= gid.random(u64::from(*part.get() == Part::Day));
}

/// A zoo with days and nights.
fn nights(shards: &mut Shards) {
    zoo(shards);
    let mut states = Transitions::new();
    states
        .add_state(Part::Day)
        .on_enter(Part::Night, dream)
        .on_exit(Part::Night, work);
    shards.systems((states, turn, work.run_if(in_state(Part::Day))));
}

#[test]
fn states_are_the_same_on_all_shards_and_no_checkpoint_loses_them() {
    shard_check(nights, 20).unwrap_or_else(|error| panic!("{error}"));
    let found = error(|shards: &mut Shards| {
        nights(shards);
        shards.checkpoint(std::env::temp_dir(), 4);
    });
    assert!(
        found.contains("turn` writes the resource `NextState<")
            && found.contains("not data, so a checkpoint leaves it out"),
        "{found}"
    );
}
