//! A picture for the README. Each workload has a bar for us, for the best other library and for bevy_ecs, in multiples
//! of the best hand-written code on a logarithmic scale.
//!
//! Its colours contrast with light and dark backgrounds, because a picture does not know the background of the page.

use std::fmt::Write as _;

use super::tables::short;
use crate::harness::Outcome;
use crate::peers::Peer;

/// The workloads of the picture and their titles. The picture includes workloads that others do faster.
const SHOWN: &[(&str, &str)] = &[
    ("iter_10k", "iterate 10,000 entities"),
    ("frag_deep", "iterate 1024 kinds of entities"),
    ("spawn_one", "spawn one by one"),
    ("commands", "spawn by commands"),
    ("add_remove", "add and remove a component"),
    ("churn", "despawn and spawn"),
    ("get_random", "get by entity"),
    ("changed_sparse", "find the 1 % that changed"),
    ("one_and_rest", "each against all others"),
    ("heavy_par", "parallel loop"),
    ("sched_seq", "run 200 tiny systems"),
    ("chains", "run 300 systems in parallel"),
];

const COLUMNS: usize = 2;
const PANEL_WIDTH: f64 = 400.0;
/// The width of the names of libraries, left of the bars.
const NAMES: f64 = 72.0;
/// The width of the ratios, right of the longest bar.
const VALUES: f64 = 44.0;
const BAR: f64 = 12.0;
const STEP: f64 = 16.0;
const TITLE: f64 = 24.0;
pub(super) const MARGIN: f64 = 16.0;
pub(super) const HEAD: f64 = 62.0;

pub(super) const STYLE: &str = "\
<style>
text { font: 12px system-ui, sans-serif; fill: #6e7781 }
.head { font-size: 15px; font-weight: 600 }
.title { font-weight: 600 }
.ours { fill: #d9622b }
.oursname { fill: #d9622b; font-weight: 700 }
.best { fill: #5b84b1 }
.peer { fill: #98a3af }
.one { stroke: #6e7781; stroke-width: 1.5 }
.grid { stroke: #98a3af; stroke-opacity: 0.35 }
</style>
";

/// A bar: the peer and its ratio.
type Bar = (Peer, f64);

/// A picture with fewer rounds is marked as no measurement.
pub(super) const ENOUGH_ROUNDS: u32 = 6;

/// Draws the picture, a document of its own. If none of its usual workloads was measured, it shows every workload that
/// was.
#[must_use]
pub fn svg(outcomes: &[Outcome], rounds: u32) -> String {
    let find = |name| outcomes.iter().find(|outcome| outcome.spec.name == name);
    let mut panels: Vec<(&str, Vec<Bar>)> = SHOWN
        .iter()
        .filter_map(|&(name, title)| Some((title, bars(find(name)?))))
        .collect();
    if panels.is_empty() {
        let all = outcomes.iter();
        panels = all
            .map(|outcome| (outcome.spec.name, bars(outcome)))
            .collect();
    }
    let scale = Scale::of(panels.iter().flat_map(|(_, bars)| bars));
    let most = panels.iter().map(|(_, bars)| bars.len()).max().unwrap_or(0);
    let panel_height = TITLE + most as f64 * STEP + MARGIN;
    let width = MARGIN + COLUMNS as f64 * (PANEL_WIDTH + MARGIN);
    let height = HEAD + panels.len().div_ceil(COLUMNS) as f64 * panel_height;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>ecs-core compared with other libraries</title>\n{STYLE}"
    );
    let quick = match rounds {
        0..ENOUGH_ROUNDS => "Quick run, not a measurement! ",
        _ => "",
    };
    let _ = writeln!(
        text,
        "<text class=\"head\" x=\"{MARGIN}\" y=\"24\">Time, as a multiple of hand-written code on plain Vecs (shorter is better)</text>\n\
         <text x=\"{MARGIN}\" y=\"44\">{quick}ecs-core, the best other library, and bevy_ecs; the vertical line is hand-written code; logarithmic scale</text>"
    );
    for (number, (title, bars)) in panels.iter().enumerate() {
        let left = MARGIN + (number % COLUMNS) as f64 * (PANEL_WIDTH + MARGIN);
        let top = HEAD + (number / COLUMNS) as f64 * panel_height;
        panel(&mut text, title, bars, &scale, (left, top));
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the bars of this library, of the best other one and of bevy_ecs, if they support the workload.
fn bars(outcome: &Outcome) -> Vec<Bar> {
    let rival = outcome.best_rival().map(|figure| figure.peer);
    let mut wanted = vec![Peer::Ours];
    wanted.extend(rival);
    if rival != Some(Peer::Bevy) {
        wanted.push(Peer::Bevy);
    }
    let bar = |peer: Peer| {
        let ratio = outcome.to_limit(outcome.best(|other| other == peer)?)?;
        ratio.is_finite().then_some((peer, ratio))
    };
    wanted.into_iter().filter_map(bar).collect()
}

/// A logarithmic scale, by its ends.
struct Scale {
    from: f64,
    to: f64,
}

impl Scale {
    /// Makes a scale that fits all bars and keeps the shortest one visible.
    fn of<'a>(bars: impl Iterator<Item = &'a Bar>) -> Self {
        let (mut from, mut to) = (1.0_f64, 10.0_f64);
        for (_, ratio) in bars {
            (from, to) = (from.min(*ratio), to.max(*ratio));
        }
        Self {
            from: from * 0.6,
            to,
        }
    }

    /// Returns the distance of a ratio from the left end.
    fn place(&self, ratio: f64) -> f64 {
        (ratio / self.from).ln() / (self.to / self.from).ln() * (PANEL_WIDTH - NAMES - VALUES)
    }
}

fn panel(text: &mut String, title: &str, bars: &[Bar], scale: &Scale, (left, top): (f64, f64)) {
    let start = left + NAMES;
    let (first, last) = (top + TITLE, top + TITLE + bars.len() as f64 * STEP);
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{start:.1}\" y=\"{:.1}\">{title}</text>",
        top + 14.0,
    );
    let mut grid = 1.0;
    while grid <= scale.to {
        let x = start + scale.place(grid);
        let class = if grid > 1.0 { "grid" } else { "one" };
        let _ = writeln!(
            text,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{last:.1}\"/>",
            first - 4.0
        );
        grid *= 10.0;
    }
    for (number, &(peer, ratio)) in bars.iter().enumerate() {
        let y = first + number as f64 * STEP;
        let baseline = y + BAR - 2.0;
        let (class, name) = match (peer, number) {
            (Peer::Ours, _) => ("ours", "oursname"),
            (_, 1) => ("best", ""),
            _ => ("peer", ""),
        };
        let shown = match peer {
            Peer::Ours => "ecs-core",
            other => other.name(),
        };
        let _ = writeln!(
            text,
            "<text class=\"{name}\" text-anchor=\"end\" x=\"{:.1}\" y=\"{baseline:.1}\">{shown}</text>",
            start - 6.0
        );
        let _ = writeln!(
            text,
            "<rect class=\"{class}\" x=\"{start:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"1.5\"/>",
            scale.place(ratio).max(1.0)
        );
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
            // Does not cross the line of the limit.
            start + scale.place(ratio.max(1.0)) + 5.0,
            short(ratio)
        );
    }
}
