//! The cost per element as the number of elements grows.

use super::Table;
use super::tables::{dash, short};
use crate::harness::Outcome;
use crate::peers::Peer;

/// Makes a table with a row per workload and peer and a column per size: nanoseconds per element of the best form.
///
/// Names of workloads are `work@size`.
#[must_use]
pub fn growth(outcomes: &[Outcome]) -> Table {
    let parts = |outcome: &Outcome| outcome.spec.name.split_once('@').unwrap_or_default();
    let works = distinct(outcomes.iter().map(|outcome| parts(outcome).0));
    let sizes = distinct(outcomes.iter().map(|outcome| parts(outcome).1));
    let mut table = Table {
        words: 2,
        ..Table::default()
    };
    table.head = vec!["ns per element".to_owned(), String::new()];
    table
        .head
        .extend(sizes.iter().map(|size| (*size).to_owned()));
    for work in works {
        for &peer in Peer::ALL {
            let cell = |size: &&str| {
                let outcome = outcomes
                    .iter()
                    .find(|outcome| parts(outcome) == (work, *size));
                let best = outcome.and_then(|outcome| outcome.best(|other| other == peer));
                best.map_or_else(dash, |figure| short(figure.value))
            };
            let cells: Vec<String> = sizes.iter().map(cell).collect();
            if cells.iter().all(|cell| *cell == dash()) {
                continue;
            }
            let mut row = vec![work.to_owned(), peer.name().to_owned()];
            row.extend(cells);
            table.rows.push(row);
        }
    }
    table
}

/// Returns the distinct values in the order of their first appearance.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
