//! Conway's game of life: cells are entities that never move.

use ecs_core::prelude::*;
use ecs_core::shard::{Grid, Neighbours, Shards};
use serde::{Deserialize, Serialize};

use crate::hash_of;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "life.square")]
struct Square(u16, u16);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "life.lives")]
struct Lives(bool);

#[system(for_each)]
fn live(square: &Square, lives: &mut Lives, near: Res<Neighbours<(Lives,)>>) {
    let around = near
        .within(center(square), 1.5)
        .filter(|near| near.distance_squared > 0.1);
    let count = around.filter(|near| near.neighbour.value.0.0).count();
    lives.0 = matches!((lives.0, count), (true, 2 | 3) | (false, 3));
}

fn center(square: &Square) -> [f32; 2] {
    [f32::from(square.0) + 0.5, f32::from(square.1) + 0.5]
}

/// A glider on a torus of 16 by 16, which is where it was after 64 steps.
fn glider(shards: &mut Shards) {
    shards.setup(|world| {
        for x in 0..16 {
            for y in 0..16 {
                let lives = matches!((x, y), (1, 0) | (2, 1) | (0..=2, 2));
                world.spawn((Square(x, y), Lives(lives)));
            }
        }
    });
    shards
        .place(Grid::torus(16, 1.0), center)
        .mirror::<(Lives,)>(1.5);
    shards.systems(live);
}

#[test]
fn a_glider_returns_on_any_number_of_shards() {
    let begin = hash_of(glider, 1, 0).unwrap();
    for shards in [1, 2, 3, 4, 7] {
        assert_ne!(hash_of(glider, shards, 63).unwrap(), begin);
        assert_eq!(
            hash_of(glider, shards, 64).unwrap(),
            begin,
            "{shards} shards"
        );
    }
}
