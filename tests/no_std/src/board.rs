//! A closed world.

use ecs_core::statics::{spawn, system, world};

struct Column(u32);
struct Value(u32);

world! {
    Board { Column, Value }
}

/// Fills a row of a board, and returns the sum of its values weighted by their columns.
pub fn weighted_sum() -> u32 {
    let mut board = Board::new();
    for n in 1..=100 {
        spawn!(board; Column(n), Value(2));
    }
    system!(board, |value: &mut Value, column: &Column| value.0 *=
        column.0);
    let mut sum = 0;
    system!(board, |value: &Value| sum += value.0);
    sum
}
