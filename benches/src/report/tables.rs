//! The tables of the standard run.

use super::Table;
use crate::harness::Outcome;
use crate::peers::Peer;

/// Makes a table of all forms of one workload.
#[must_use]
pub fn details(outcome: &Outcome) -> Table {
    let unit = outcome.spec.unit().name();
    let mut table = Table {
        head: [
            "who",
            "form",
            &format!("{unit} min"),
            &format!("{unit} median"),
        ]
        .into_iter()
        .chain(["x limit", "x best peer"])
        .map(str::to_owned)
        .collect(),
        words: 2,
        ..Table::default()
    };
    for figure in &outcome.figures {
        table.rows.push(vec![
            figure.peer.name().to_owned(),
            figure.form.to_owned(),
            format!("{:.3}", figure.min),
            format!("{:.3}", figure.median),
            ratio(figure.value, outcome.limit().map(|limit| limit.value)),
            ratio(figure.value, outcome.best_rival().map(|rival| rival.value)),
        ]);
    }
    for (peer, why) in &outcome.absent {
        table.notes.push(format!("{peer}: {why}"));
    }
    table
}

/// Makes a table with a row per workload and a column per peer: its best form as a multiple of the best hand-written code.
#[must_use]
pub fn summary(outcomes: &[Outcome]) -> Table {
    let peers: Vec<Peer> = Peer::ALL
        .iter()
        .copied()
        .filter(|&peer| peer != Peer::Limit && is_mentioned(outcomes, peer))
        .collect();
    let mut table = Table {
        words: 1,
        ..Table::default()
    };
    table.head = ["x limit", "limit", "plain", "ours / best peer"]
        .map(str::to_owned)
        .into();
    table
        .head
        .extend(peers.iter().map(|peer| peer.name().to_owned()));
    for outcome in outcomes {
        let limit = outcome.limit().map(|limit| limit.value);
        let ours = outcome.best(|peer| peer == Peer::Ours);
        let rival = outcome.best_rival().map(|rival| rival.value);
        let mut row = vec![
            outcome.spec.name.to_owned(),
            limit.map_or_else(dash, |min| {
                format!("{} {}", short(min), outcome.spec.unit().name())
            }),
            outcome
                .plain()
                .map_or_else(dash, |plain| ratio(plain.value, limit)),
            ours.map_or_else(dash, |ours| ratio(ours.value, rival)),
        ];
        for &peer in &peers {
            let cell = match outcome.best(|other| other == peer) {
                Some(figure) => ratio(figure.value, limit),
                None => absence(&mut table, outcome, peer),
            };
            row.push(cell);
        }
        table.rows.push(row);
    }
    table
}

/// Returns whether the peer has a figure or a reason for having none.
fn is_mentioned(outcomes: &[Outcome], peer: Peer) -> bool {
    let figures = |outcome: &Outcome| outcome.figures.iter().any(|figure| figure.peer == peer);
    outcomes.iter().any(figures)
}

fn absence(table: &mut Table, outcome: &Outcome, peer: Peer) -> String {
    let found = outcome.absent.iter().find(|(absent, _)| *absent == peer);
    match found {
        Some((_, why)) => format!("- [{}]", table.note(format!("{peer}: {why}"))),
        None => dash(),
    }
}

pub(super) fn ratio(value: f64, base: Option<f64>) -> String {
    match base {
        Some(base) if (value / base).is_finite() => short(value / base),
        _ => dash(),
    }
}

/// Formats a number with two or three significant digits.
pub(super) fn short(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub(super) fn dash() -> String {
    "-".to_owned()
}
