//! Components that stay behind when their entity moves to another shard.

use std::sync::Arc;

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Gid, Grid, Neighbours, Outbox, ShardCheckError, ShardConfig, ShardError, Shards,
    shard_check,
};
use ecs_core::world::hooks::DeferredWorld;
use serde::{Deserialize, Serialize};

use crate::checkpoints::Folder;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "stays.place")]
struct Place([f32; 2]);

/// A value that takes long to compute from the `Gid`. It is data, and stays here all the same.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "stays.step", storage = "sparse")]
struct Step(f32);

/// A handle of a process, which is not data.
#[derive(Component)]
#[component(storage = "sparse")]
struct Handle(#[expect(dead_code, reason = "it counts the handles")] Arc<()>);

fn step(gid: Gid) -> Step {
    Step((gid.number() % 7) as f32 / 2.0)
}

#[system(for_each, without(Step))]
fn plan(entity: Entity, gid: &Gid, mut commands: Commands<(Step,)>) {
    commands.insert(entity, step(*gid));
}

#[system(for_each)]
fn walk(gid: &Gid, place: &mut Place, known: Option<&Step>) {
    let by = known.map_or_else(|| step(*gid).0, |step| step.0);
    place.0[0] = (place.0[0] + by) % 16.0;
}

/// Goes on only where a step is known.
#[system(for_each)]
fn stroll(place: &mut Place, known: &Step) {
    place.0[0] = (place.0[0] + known.0) % 16.0;
}

fn crowd(shards: &mut Shards) {
    shards.setup(|world| {
        world.spawn_batch((0..32).map(|n| Place([n as f32 / 2.0, 0.5])));
    });
    shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
    shards.stays_here::<Step>();
}

fn walkers(shards: &mut Shards) {
    crowd(shards);
    shards.systems((plan, walk)).trust("walk", "finds the same");
}

fn two() -> ShardConfig {
    ShardConfig::threads(2.try_into().unwrap())
}

fn error(game: impl Fn(&mut Shards) + Sync) -> String {
    let result = shard::run(&two(), game, |shard| shard.run(1));
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn what_can_be_computed_again_need_not_move() {
    shard_check(walkers, 20).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn who_arrives_has_none() {
    let missing = shard::run(&two(), walkers, |shard| {
        shard.run(1)?;
        let world = shard.world();
        let own = world.query_filtered::<Entity, With<Place>>().iter().count();
        let with_step = world.query_filtered::<Entity, With<Step>>().iter().count();
        assert_eq!(own, shard.own_len());
        Ok((own - with_step) as u64)
    });
    let moved = shard::run(&two(), walkers, |shard| {
        shard.run(1)?;
        Ok(shard.stats().migrants)
    });
    let [missing, moved] = [missing, moved].map(|counts| counts.unwrap().iter().sum::<u64>());
    assert_eq!(missing, moved);
    assert!(moved > 0);
}

#[test]
fn a_trusted_system_whose_results_depend_on_one_is_found() {
    let game = |shards: &mut Shards| {
        crowd(shards);
        shards.systems((stroll, plan)).trust("stroll", "not true");
    };
    match shard_check(game, 20) {
        Err(ShardCheckError::Different(difference)) => {
            assert!(difference.step.ends_with("stroll"), "{difference:?}");
            assert_eq!(difference.name, "stays.place");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_sees_one_changes_nothing_that_moves() {
    #[derive(Clone, Serialize, Deserialize)]
    struct Hint(u8);
    #[system(for_each)]
    fn tell(gid: &Gid, _step: &Step, hints: Res<Outbox<Hint>>) {
        hints.send(*gid, *gid, Hint(1));
    }
    #[system(for_each, without(Step))]
    fn mark(entity: Entity, _place: &Place, mut commands: Commands) {
        commands.insert(entity, Step(1.0));
    }
    #[system(for_each, with(Step))]
    fn end(entity: Entity, _place: &Place, mut commands: Commands<(Place,)>) {
        commands.remove::<Place>(entity);
    }
    macro_rules! refused {
        ($($system:ident),+) => {$(
            let found = error(|shards: &mut Shards| {
                crowd(shards);
                shards.systems($system).deliver::<Hint>();
            });
            let name = stringify!($system);
            assert!(found.contains(&format!("{name}` sees `")), "{name}: {found}");
            assert!(found.contains("`stays.step`, which stays behind"), "{name}: {found}");
        )+};
    }
    refused!(stroll, walk, tell, mark, end);
}

#[test]
fn who_sees_one_may_change_others_that_stay() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Age(u32);
    #[system(for_each)]
    fn age(_place: &Place, step: &mut Step, age: &mut Age) {
        (step.0, age.0) = (step.0 + 1.0, age.0 + 1);
    }
    #[system(for_each, with(Step), without(Age))]
    fn begin(entity: Entity, mut commands: Commands<(Age,)>) {
        commands.insert(entity, Age(0));
    }
    #[system(for_each)]
    fn forget(entity: Entity, _place: &Place, mut commands: Commands<(Step, Age)>) {
        commands.remove::<(Step, Age)>(entity);
    }
    let game = |shards: &mut Shards| {
        walkers(shards);
        shards.stays_here::<Age>().systems((age, begin, forget));
    };
    shard_check(game, 20).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_handle_is_dropped_where_its_entity_leaves() {
    let handle = Arc::new(());
    let game = |shards: &mut Shards| {
        let handle = handle.clone();
        shards.setup(move |world| {
            for n in 0..32 {
                world.spawn((Place([n as f32 / 2.0, 0.5]), Handle(handle.clone())));
            }
        });
        shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
        shards.stays_here::<Handle>();
        shards.stays_here::<Step>();
        shards.systems((plan, walk)).trust("walk", "finds the same");
    };
    let handles = shard::run(&two(), game, |shard| {
        let count = |shard: &shard::Shard<'_>| {
            let world = shard.world();
            world
                .query_filtered::<Entity, With<Handle>>()
                .iter()
                .count() as u64
        };
        // Both shards made all, and each dropped the others' ones.
        let begin = count(shard);
        assert_eq!(begin, 16);
        shard.run(1)?;
        let (left, moved) = (begin - count(shard), shard.stats().migrants);
        shard.share(Vec::new())?;
        // The setup has one, and this test.
        let alive = Arc::strong_count(&handle) as u64;
        shard.share(Vec::new())?;
        Ok((left, moved, alive))
    });
    let handles = handles.unwrap();
    let left: u64 = handles.iter().map(|(left, ..)| left).sum();
    assert!(left > 0);
    assert_eq!(left, handles.iter().map(|(_, moved, _)| moved).sum::<u64>());
    for (_, _, alive) in handles {
        assert_eq!(alive, 32 - left + 1 + 2);
    }
    assert_eq!(Arc::strong_count(&handle), 1);
}

#[test]
fn a_resumed_run_begins_without_them() {
    let folder = Folder::new("stays");
    let game = |shards: &mut Shards| {
        shards.setup(|world| world.register::<Handle>());
        walkers(shards);
        shards.stays_here::<Handle>().checkpoint(&folder.0, 5);
    };
    let run = |shards: usize, until: u64| {
        let config = ShardConfig::threads(shards.try_into().unwrap()).resume();
        let hashes = shard::run(&config, game, |shard| {
            let begin = shard.ticks();
            let world = shard.world();
            if begin > 0 {
                assert_eq!(
                    world.query_filtered::<Entity, With<Step>>().iter().count(),
                    0
                );
            }
            while shard.ticks() < until {
                shard.tick()?;
            }
            Ok::<_, ShardError>((begin, shard.hash()?))
        });
        hashes.unwrap()[0]
    };
    let whole = crate::hash_of(walkers, 1, 20).unwrap();
    assert_eq!(run(2, 6).0, 0);
    assert_eq!(run(2, 11).0, 5);
    assert_eq!(run(3, 16).0, 10);
    assert_eq!(run(1, 20), (15, whole));
}

#[test]
fn what_other_shards_look_at_cannot_stay() {
    let mirrored = |shards: &mut Shards| {
        shards.stays_here::<Step>();
        let place = shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
        place.mirror::<(Place, Step)>(1.0);
    };
    let error_of_mirror = error(mirrored);
    assert!(
        error_of_mirror
            .contains("`stays.step` stays behind when an entity moves, and `mirror` shows it"),
        "{error_of_mirror}"
    );
    let places = |shards: &mut Shards| {
        shards.stays_here::<Step>();
        shards.place(Grid::bounded(16, 1, 1.0), |step: &Step| [step.0, 0.0]);
    };
    assert!(error(places).contains("and `place` finds entities by it"));
    // Others may be shown.
    let game = |shards: &mut Shards| {
        #[system(for_each)]
        fn meet(place: &mut Place, near: Res<Neighbours<(Place,)>>) {
            place.0[1] = near.within(place.0, 1.0).count() as f32 / 64.0;
        }
        shards.setup(|world| {
            world.spawn_batch((0..32).map(|n| Place([n as f32 / 2.0, 0.5])));
        });
        let place = shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
        place.mirror::<(Place,)>(1.0);
        shards.stays_here::<Step>().systems((meet, plan));
    };
    shard_check(game, 5).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn what_requires_a_component_that_moves_cannot_stay() {
    #[derive(Component, Default, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "stays.speed")]
    struct Speed(f32);
    #[derive(Component)]
    #[component(storage = "sparse", require(Speed))]
    struct Engine;
    let found = error(|shards| _ = shards.stays_here::<Engine>());
    assert!(
        found.contains("Engine` stays behind and requires `"),
        "{found}"
    );
}

#[test]
fn hooks_of_one_run_where_an_entity_leaves_if_they_are_trusted() {
    #[derive(Resource, Default)]
    struct Stopped(u64);
    #[derive(Component)]
    #[component(storage = "sparse", on_remove = Self::stop)]
    struct Sound;
    impl Sound {
        fn stop(world: DeferredWorld, _: Entity) {
            world.resource_mut::<Stopped>().0 += 1;
        }
    }
    let game = |shards: &mut Shards| {
        walkers(shards);
        shards.stays_here::<Sound>().setup(|world| {
            world.insert_resource(Stopped::default());
            let all: Vec<Entity> = world.query::<Entity>().iter().collect();
            all.iter()
                .for_each(|&one| world.insert(one, Sound).unwrap());
        });
    };
    let found = error(game);
    assert!(
        found.contains("Sound` is a component with hooks, which run where an entity leaves"),
        "{found}"
    );
    let trusted = |shards: &mut Shards| {
        game(shards);
        shards.trust("Sound", "it stops a sound");
    };
    let stopped = shard::run(&two(), trusted, |shard| {
        let begin = shard.world().resource::<Stopped>().0;
        shard.run(1)?;
        let stopped = shard.world().resource::<Stopped>().0 - begin;
        assert_eq!(stopped, shard.stats().migrants);
        Ok(stopped)
    });
    assert!(stopped.unwrap().iter().sum::<u64>() > 0);
}
