//! States, and entities that end with them.

use ecs_core::prelude::*;
use ecs_core::schedule::{DespawnOnExit, NextState, State, Transitions};
use ecs_core::shard::{Birth, Gid, Grid, ShardConfig, Shards, TickNumber, shard_check};
use serde::{Deserialize, Serialize};

use crate::checkpoints::Folder;
use crate::hash_of;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "states.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "states.fat")]
struct Fat(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Season {
    Summer,
    Winter,
}

#[system]
fn turn(tick: Res<TickNumber>, mut next: ResMut<NextState<Season>>) {
    let is_summer = (tick.number() / 4).is_multiple_of(2);
    next.set(if is_summer {
        Season::Summer
    } else {
        Season::Winter
    });
}

#[system(for_each)]
fn fly(gid: &Gid, place: &mut Place, tick: Res<TickNumber>) {
    let jump = gid.random(tick.number()) % 8;
    place.0[0] = (place.0[0] + jump as f32 / 2.0) % 12.0;
}

#[system(for_each)]
fn feed(fat: &mut Fat) {
    fat.0 += 1;
}

#[system(for_each, with(Fat))]
fn hatch(
    gid: &Gid,
    place: &Place,
    season: Res<State<Season>>,
    tick: Res<TickNumber>,
    mut commands: Commands,
) {
    if gid.random(!tick.number()).is_multiple_of(3) {
        let until = DespawnOnExit(season.get().clone());
        commands.spawn((*place, until, Birth::of(*gid, 0)));
    }
}

/// Birds, some of whose nests last for a season.
fn nests(shards: &mut Shards) {
    shards.setup(|world| {
        let at = |n: u32| Place([n as f32 % 12.0, 0.5]);
        world.spawn_batch((0..30).map(|n| (at(n), Fat(0))));
        world.spawn_batch((0..10).map(|n| (at(n), DespawnOnExit(Season::Summer))));
    });
    shards.place(Grid::bounded(12, 1, 1.0), |place: &Place| place.0);
    let mut states = Transitions::new();
    states
        .add_state(Season::Summer)
        .on_enter(Season::Summer, feed);
    shards.systems((states, fly, hatch, turn));
}

fn seasons(shards: &mut Shards) {
    shards.register_data_state::<Season>("states.season");
    nests(shards);
}

#[test]
fn entities_of_a_state_end_with_it_on_all_shards() {
    shard_check(seasons, 30).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_resumed_run_is_in_the_state_of_its_checkpoint() {
    let folder = Folder::new("states");
    let whole = hash_of(seasons, 1, 30).unwrap();
    let game = |shards: &mut Shards| {
        seasons(shards);
        shards.checkpoint(&folder.0, 5);
    };
    let run = |shards: usize, until| {
        let config = ShardConfig::threads(shards.try_into().unwrap()).resume();
        let hashes = ecs_core::shard::run(&config, game, |shard| {
            while shard.ticks() < until {
                shard.tick()?;
            }
            shard.hash()
        });
        hashes.unwrap()[0]
    };
    for shards in [1, 2, 3] {
        run(shards, 7 + 6 * shards as u64);
    }
    assert_eq!(run(2, 30), whole);
}

/// A state that never becomes data: names count in the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Weather;

/// A component that is not data.
#[derive(Component, Clone, Copy)]
struct Note;

/// A sparse one.
#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
struct RareNote;

#[system(for_each, with(Fat))]
fn nest(gid: &Gid, mut commands: Commands<(DespawnOnExit<Weather>, Birth)>) {
    commands.spawn((DespawnOnExit(Weather), Birth::of(*gid, 0)));
}

#[system(for_each, with(Fat))]
fn nest_in_secret(gid: &Gid, mut commands: Commands) {
    commands.spawn((DespawnOnExit(Weather), Birth::of(*gid, 0)));
}

#[system(for_each, with(Fat))]
fn note_rarely(entity: Entity, gid: &Gid, tick: Res<TickNumber>, mut commands: Commands) {
    if gid.number() == 7 && tick.number() == 3 {
        commands.insert(entity, RareNote);
    }
}

/// Returns the error of a simulation on two shards.
fn error(game: impl Fn(&mut Shards) + Sync) -> String {
    let config = ShardConfig::threads(2.try_into().unwrap());
    let result = ecs_core::shard::run(&config, game, |shard| {
        shard.run(9)?;
        shard.hash()
    });
    result.unwrap_err().to_string()
}

#[test]
fn a_component_that_is_not_data_is_refused_with_the_fix_wherever_it_comes_from() {
    let state =
        "help: name the state, such as by `shards.register_data_state::<Screen>(\"game.screen\")`";
    let component = "help: make it data, such as by `#[component(data = \"game.place\")]`, or let it stay behind by `Shards::stays_here`";
    let in_setup = |spawn: fn(&mut World)| {
        error(move |shards| {
            _ = shards
                .setup(spawn)
                .register_data_state::<Season>("states.season");
        })
    };
    let found = in_setup(|world| _ = world.spawn(DespawnOnExit(Weather)));
    assert!(
        found.starts_with("entities have components that are not data and cannot move: `"),
        "{found}"
    );
    assert!(found.ends_with(state), "{found}");
    let found = in_setup(|world| _ = world.spawn((Fat(0), RareNote)));
    assert!(
        found.contains("RareNote`") && found.ends_with(component),
        "{found}"
    );
    let with = |system: fn(&mut Shards)| {
        error(move |shards| {
            seasons(shards);
            system(shards);
        })
    };
    let found = with(|shards| _ = shards.systems(nest));
    assert!(
        found.contains("states::nest` has commands for `DespawnOnExit<"),
        "{found}"
    );
    assert!(found.ends_with(state), "{found}");
    let found = with(|shards| _ = shards.systems(nest_in_secret));
    assert!(
        found.starts_with("entities have components that are not data"),
        "{found}"
    );
    assert!(found.ends_with(state), "{found}");
    let found = with(|shards| _ = shards.systems(note_rarely));
    assert!(
        found.contains("RareNote`") && found.ends_with(component),
        "{found}"
    );
    let found = with(|shards| {
        shards.setup(|world| {
            let some = world.spawn(Fat(0));
            world.insert(some, Note).unwrap();
        });
    });
    assert!(
        found.contains("Note`") && found.ends_with(component),
        "{found}"
    );
}
