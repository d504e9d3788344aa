//! Costs of the engine.

use ecs_core::prelude::*;

use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::linear("spawn", 1_000, spawn),
    Row::flat("spawn one more", 1_000, spawn_one_more),
];

#[derive(Component, Clone)]
struct Number(#[expect(dead_code, reason = "only its costs matter")] u32);

fn spawn(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        for i in 0..n {
            world.spawn(Number(i as u32));
        }
    })
}

fn spawn_one_more(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..n).map(|i| Number(i as u32)));
    world.spawn(Number(0));
    Box::new(move || {
        world.spawn(Number(0));
    })
}
