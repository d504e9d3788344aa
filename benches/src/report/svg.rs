//! A picture of the ratios to the best hand-written code: a panel per workload, a bar per peer, on a logarithmic scale.

use std::fmt::Write as _;

use super::tables::short;
use crate::harness::Outcome;
use crate::peers::Peer;

const COLUMNS: usize = 3;
const PANEL_WIDTH: f64 = 300.0;
/// Room for the names of peers, left of the bars.
const NAMES: f64 = 58.0;
/// Room for the ratios, right of the longest bar.
const VALUES: f64 = 38.0;
const BAR: f64 = 11.0;
const STEP: f64 = 15.0;
const TITLE: f64 = 26.0;
const MARGIN: f64 = 16.0;
const HEAD: f64 = 56.0;

/// Left and right end of the scale.
const SCALE: (f64, f64) = (0.3, 1000.0);

/// Colours by class, with others where the reader prefers a dark background.
const STYLE: &str = "\
<style>
text { font: 11px system-ui, sans-serif; fill: #333 }
.head { font-size: 15px; font-weight: 600 }
.title { font-weight: 600; font-size: 12px }
.value { fill: #666 }
.peer { fill: #a9b4c2 }
.ours { fill: #d9622b }
.oursname { font-weight: 700 }
.grid { stroke: #ddd }
.one { stroke: #555 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  .value { fill: #aaa }
  .peer { fill: #5c6878 }
  .ours { fill: #ef8a5a }
  .grid { stroke: #3a3f46 }
  .one { stroke: #bbb }
}
</style>
";

/// The picture, a document of its own.
#[must_use]
pub fn svg(outcomes: &[Outcome]) -> String {
    let bars: usize = outcomes
        .iter()
        .map(|outcome| rows(outcome).len())
        .max()
        .unwrap_or(0);
    let panel_height = TITLE + bars as f64 * STEP + MARGIN;
    let width = MARGIN + COLUMNS as f64 * (PANEL_WIDTH + MARGIN);
    let height = HEAD + outcomes.len().div_ceil(COLUMNS) as f64 * panel_height;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n{STYLE}"
    );
    let _ = writeln!(
        text,
        "<text class=\"head\" x=\"{MARGIN}\" y=\"24\">Multiples of hand-written code (shorter is better)</text>"
    );
    let _ = writeln!(
        text,
        "<text class=\"value\" x=\"{MARGIN}\" y=\"42\">Time (for bytes: memory) of the best form of each library, logarithmic scale; the dark line is hand-written code on plain Vecs.</text>"
    );
    for (number, outcome) in outcomes.iter().enumerate() {
        let left = MARGIN + (number % COLUMNS) as f64 * (PANEL_WIDTH + MARGIN);
        let top = HEAD + (number / COLUMNS) as f64 * panel_height;
        panel(&mut text, outcome, left, top);
    }
    text.push_str("</svg>\n");
    text
}

/// The peers of a workload with their ratios, best first.
fn rows(outcome: &Outcome) -> Vec<(Peer, f64)> {
    let ratio = |&peer: &Peer| {
        let best = outcome.best(|other| other == peer)?;
        let ratio = outcome.to_limit(best)?;
        (peer != Peer::Limit && ratio.is_finite()).then_some((peer, ratio))
    };
    let mut rows: Vec<(Peer, f64)> = Peer::ALL.iter().filter_map(ratio).collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    rows
}

/// Where a ratio is on the scale, from 0 at the left to the width of the bars.
fn place(ratio: f64) -> f64 {
    let (from, to) = SCALE;
    let part = (ratio.clamp(from, to) / from).ln() / (to / from).ln();
    part * (PANEL_WIDTH - NAMES - VALUES)
}

fn panel(text: &mut String, outcome: &Outcome, left: f64, top: f64) {
    let rows = rows(outcome);
    let start = left + NAMES;
    let (first, last) = (top + TITLE, top + TITLE + rows.len() as f64 * STEP);
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{left}\" y=\"{:.1}\">{}</text>",
        top + 16.0,
        outcome.spec.name
    );
    for (ratio, class) in [
        (1.0, "one"),
        (10.0, "grid"),
        (100.0, "grid"),
        (1000.0, "grid"),
    ] {
        let x = start + place(ratio);
        let _ = writeln!(
            text,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{last:.1}\"/>",
            first - 4.0
        );
    }
    for (number, (peer, ratio)) in rows.into_iter().enumerate() {
        let y = first + number as f64 * STEP;
        let (class, name) = match peer {
            Peer::Ours => ("ours", "oursname"),
            _ => ("peer", ""),
        };
        let baseline = y + BAR - 2.0;
        let _ = writeln!(
            text,
            "<text class=\"{name}\" text-anchor=\"end\" x=\"{:.1}\" y=\"{baseline:.1}\">{peer}</text>",
            start - 6.0
        );
        let _ = writeln!(
            text,
            "<rect class=\"{class}\" x=\"{start:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"1.5\"/>",
            place(ratio).max(1.0)
        );
        let _ = writeln!(
            text,
            "<text class=\"value\" x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
            // Not across the line of the limit.
            start + place(ratio.max(1.0)) + 4.0,
            short(ratio)
        );
    }
}
