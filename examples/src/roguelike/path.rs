//! Path finding.

use std::collections::{HashSet, VecDeque};

use super::{Direction, Position};

/// Returns the first step of a shortest path from `from` to the nearest place that `is_goal`, over places that `is_open`.
///
/// The goal itself need not be open. `None` if there is no path, or `from` is the only goal. Visits each open place at
/// most once; they must be finite in number.
pub fn first_step(
    from: Position,
    is_goal: impl Fn(Position) -> bool,
    is_open: impl Fn(Position) -> bool,
) -> Option<Direction> {
    let mut met = HashSet::from([from]);
    let mut border = VecDeque::from([(from, None)]);
    while let Some((at, first)) = border.pop_front() {
        for direction in Direction::ALL {
            let next = at + direction;
            if !met.insert(next) {
                continue;
            }
            let first = first.unwrap_or(direction);
            if is_goal(next) {
                return Some(first);
            }
            if is_open(next) {
                border.push_back((next, Some(first)));
            }
        }
    }
    None
}
