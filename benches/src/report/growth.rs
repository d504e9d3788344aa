//! The cost per element as the number of entities, tables, systems or kinds of components grows.

use super::Table;
use super::tables::{dash, short};
use crate::harness::Outcome;
use crate::peers::Peer;

/// The parts of the name of a workload: `axis.work@size`.
pub(super) struct Name<'a> {
    pub(super) axis: &'a str,
    pub(super) work: &'a str,
    pub(super) size: &'a str,
}

impl<'a> Name<'a> {
    pub(super) fn of(outcome: &'a Outcome) -> Self {
        let (path, size) = outcome.spec.name.split_once('@').unwrap_or_default();
        let (axis, work) = path.split_once('.').unwrap_or_default();
        Self { axis, work, size }
    }
}

/// Makes a table per axis, with a row per workload and peer and a column per size: nanoseconds per element of the best form.
#[must_use]
pub fn growth(outcomes: &[Outcome]) -> Vec<Table> {
    let axes = distinct(outcomes.iter().map(|outcome| Name::of(outcome).axis));
    axes.into_iter().map(|axis| table(axis, outcomes)).collect()
}

fn table(axis: &str, outcomes: &[Outcome]) -> Table {
    let on_axis = || {
        outcomes
            .iter()
            .filter(|outcome| Name::of(outcome).axis == axis)
    };
    let works = distinct(on_axis().map(|outcome| Name::of(outcome).work));
    let sizes = distinct(on_axis().map(|outcome| Name::of(outcome).size));
    let mut table = Table {
        head: vec![axis.to_owned(), "ns per element".to_owned()],
        words: 2,
        ..Table::default()
    };
    table
        .head
        .extend(sizes.iter().map(|size| (*size).to_owned()));
    for work in works {
        for &peer in Peer::ALL {
            let cell = |size: &&str| {
                let outcome = on_axis().find(|outcome| {
                    let name = Name::of(outcome);
                    (name.work, name.size) == (work, *size)
                });
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
pub(super) fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
