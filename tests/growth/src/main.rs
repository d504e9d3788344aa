//! The costs of more and more work. Each row of a table is measured at `n` and at `4 n`, in instructions and in bytes, and
//! fails if it grows faster than it says. Time is not measured, so other programs do not disturb.
//!
//! A row is a function that prepares some amount of work and returns it; only the work is measured. To add a row, add it
//! to the `ROWS` of a file here. Choose `n` so that a debug build needs some milliseconds: a thousand, if each of the `n`
//! steps is one call. If instructions and memory grow differently, write
//! `Row { bytes: Growth::Flat, ..Row::linear("..", 1_000, work) }`.
//!
//! ```text
//! GROWTH=sparse cargo test -p ecs-tests-growth -- --nocapture
//! ```
//!
//! prints the figures of all rows whose names contain `sparse`.
//!
//! ```text
//! cargo test --release -p ecs-tests-growth -- --ignored --exact instructions_grow_the_same_up_to_a_million
//! ```
//!
//! counts some of them at sizes up to a million, which takes minutes, and writes `benches/growth-counts.csv`.
//!
//! Valgrind counts the instructions; without it that half is skipped, with a warning.

mod data;
mod deep;
mod edges;
mod engine;
mod harness;
mod readers;
mod replication;
mod saves;
mod sparse;
mod world;

use std::path::Path;

use harness::{FarRow, Row};

/// All rows. Each file here has a list of its own.
const ROWS: &[&[Row]] = &[
    data::ROWS,
    deep::ROWS,
    edges::ROWS,
    engine::ROWS,
    readers::ROWS,
    replication::ROWS,
    saves::ROWS,
    sparse::ROWS,
    world::ROWS,
];

#[test]
fn memory_grows_as_each_row_says() {
    harness::check_memory(ROWS);
}

#[test]
fn instructions_grow_as_each_row_says() {
    harness::check_instructions(ROWS);
}

/// Not a test: the process that valgrind observes.
#[test]
#[ignore = "a part of `instructions_grow_as_each_row_says`"]
fn run_all_rows() {
    harness::run_all(ROWS);
}

/// The rows that are counted at many sizes: the smallest, and ten times as much up to the largest.
const FAR: &[FarRow] = &[
    ("entities, loop over n", 1_000, 1_000_000),
    ("spawn", 1_000, 1_000_000),
    ("spawn one more", 1_000, 1_000_000),
    ("entities, despawn each", 1_000, 1_000_000),
    ("entities, despawn one of n", 1_000, 1_000_000),
    ("entities, look up some of n", 1_000, 1_000_000),
    ("targets, look up each", 1_000, 1_000_000),
    ("targets, relate more, one by one", 1_000, 1_000_000),
    ("targets, despawn each", 1_000, 1_000_000),
    ("children, despawn the parent", 1_000, 1_000_000),
    ("events, send and read n", 1_000, 1_000_000),
    ("readers that are dropped together", 10, 10_000),
    ("observers, register", 10, 10_000),
    ("observers of entities", 10, 10_000),
    ("tables, spawn beside n", 10, 10_000),
    ("tables, loop over n", 10, 10_000),
    ("tables, loop over two of n", 10, 10_000),
    ("dynamic components, define", 10, 10_000),
    ("systems, plan n and run them", 10, 10_000),
    ("systems, find what n wait for", 10, 10_000),
    ("systems, run n", 10, 10_000),
];

#[test]
#[ignore = "takes minutes, and is meant for a release build"]
fn instructions_grow_the_same_up_to_a_million() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/growth-counts.csv");
    harness::check_far(ROWS, FAR, &path);
}

/// Not a test: the process that valgrind observes.
#[test]
#[ignore = "a part of `instructions_grow_the_same_up_to_a_million`"]
fn run_far_rows() {
    harness::run_far(ROWS, FAR);
}

#[test]
fn growth_that_is_too_fast_is_found() {
    harness::test_bounds();
}
