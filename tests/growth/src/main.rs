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

use harness::Row;

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

#[test]
fn growth_that_is_too_fast_is_found() {
    harness::test_bounds();
}
