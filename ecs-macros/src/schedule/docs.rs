//! The steps of a schedule as text, for the documentation of its static.

use core::fmt::Write as _;

use super::model::{Constraint, FlatList};
use crate::prelude::*;

/// Returns the systems in the order of their runs, with their conditions.
///
/// A macro cannot resolve paths: a constraint whose system is listed under another path is not applied, and a note names it.
pub(super) fn section(list: &FlatList<'_>) -> String {
    let names = to_vec(list.systems.iter().map(|system| pretty::line(system.path)));
    let (mut edges, mut unknown) = (Vec::new(), false);
    for constraint in &list.constraints {
        match constraint {
            Constraint::Chained(first, second) => edges.push((*first, *second)),
            Constraint::Ordered(system, word, other) => {
                let other = pretty::line(other);
                match names.iter().position(|name| *name == other) {
                    Some(other) if *word == "after" => edges.push((other, *system)),
                    Some(other) => edges.push((*system, other)),
                    None => unknown = true,
                }
            }
            Constraint::Unordered { .. } => {}
        }
    }
    let mut text = String::from("\n# Steps\n");
    for (number, system) in order(names.len(), &edges).into_iter().enumerate() {
        let _ = write!(text, "{}. `{}`", number + 1, names[system]);
        for (index, condition) in list.systems[system].conditions.iter().enumerate() {
            let word = if index == 0 { "if" } else { "and" };
            let _ = write!(text, " {word} {}", condition.text(index > 0));
        }
        text.push('\n');
    }
    if unknown {
        text.push_str(UNKNOWN);
    }
    text
}

const UNKNOWN: &str =
    "\nSystems that a constraint names by another path can be in another place.\n";

/// Returns the positions in the order of their runs: the next one is always the first that waits for no other.
fn order(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < count {
        let is_free = |system: &usize| {
            let mut edges = edges.iter();
            !order.contains(system)
                && edges.all(|(first, second)| second != system || order.contains(first))
        };
        // None in a cycle, which is an error.
        let Some(next) = (0..count).find(is_free) else {
            break;
        };
        order.push(next);
    }
    order
}
