//! Processes with other declarations do not meet.

use ecs_core::prelude::*;
use ecs_core::shard::{Gid, Grid, Reduction, ShardConfig, Shards};
use serde::{Deserialize, Serialize};

use crate::hash_of_processes;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "declared.place")]
struct Place([f32; 2]);

#[system(for_each)]
fn step(gid: &Gid, place: &mut Place) {
    place.0[0] = (place.0[0] + (gid.number() % 3) as f32) % 12.0;
}

#[system(for_each)]
fn rest(_place: &mut Place) {}

struct Sum;

fn walk(shards: &mut Shards, columns: u32, radius: f32) {
    shards.setup(|world| _ = world.spawn_batch((0..20).map(|n| Place([n as f32 % 12.0, 0.5]))));
    let place = shards.place(Grid::bounded(columns, 1, 1.0), |place: &Place| place.0);
    place.mirror::<(Place,)>(radius);
    shards.systems(step);
}

fn usual(shards: &mut Shards) {
    walk(shards, 12, 1.0);
}

/// Runs the usual program beside another one, and returns the errors.
fn errors(
    other: fn(&mut Shards),
    set: impl Fn(usize, ShardConfig) -> ShardConfig + Sync,
) -> Vec<String> {
    let results = hash_of_processes([usual, other], 5, set);
    results.into_iter().filter_map(Result::err).collect()
}

#[test]
fn processes_that_declare_something_else_do_not_meet() {
    let same = |_, config| config;
    assert_eq!(errors(usual, same), [""; 0]);
    let others: [fn(&mut Shards); 5] = [
        |shards| walk(shards, 13, 1.0),
        |shards| walk(shards, 12, 2.0),
        |shards| {
            _ = {
                usual(shards);
                shards.systems(rest)
            }
        },
        |shards| {
            _ = {
                usual(shards);
                shards.balance(2)
            }
        },
        |shards| {
            _ = {
                usual(shards);
                shards.reduce::<Sum>(Reduction::Sum)
            }
        },
    ];
    for other in others {
        let errors = errors(other, same);
        let [first, second] = &errors[..] else {
            panic!("{errors:?}")
        };
        assert!(
            first.starts_with("shard 1 does not fit: its components and declaration"),
            "{first}"
        );
        assert!(
            second.starts_with("shard 0 does not fit: its components and declaration"),
            "{second}"
        );
    }
}

#[test]
fn all_processes_resume_or_none() {
    let with_checkpoints = |shards: &mut Shards| {
        usual(shards);
        // None is written.
        shards.checkpoint(std::env::temp_dir().join("ecs-shard-none"), 100);
    };
    let second_resumes = |me, config: ShardConfig| if me == 1 { config.resume() } else { config };
    let results = hash_of_processes([with_checkpoints; 2], 5, second_resumes);
    let errors: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(
        errors.len() == 2 && errors[0].ends_with("resume all processes or none"),
        "{errors:?}"
    );
}
