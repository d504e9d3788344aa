//! A picture of growth: a panel per workload, a line per library, both scales logarithmic.
//!
//! A level line means the same cost per element at each size.

use std::fmt::Write as _;

use super::growth::{Name, distinct};
use super::svg::{ENOUGH_ROUNDS, HEAD, MARGIN, STYLE};
use super::tables::short;
use crate::harness::Outcome;
use crate::peers::Peer;

/// The workloads and their titles.
const TITLES: &[(&str, &str)] = &[
    ("entities.iter", "iterate; per entity, by entities"),
    (
        "entities.spawn_batch",
        "spawn at once; per entity, by entities",
    ),
    (
        "entities.get_random",
        "get by entity; per look-up, by entities",
    ),
    (
        "entities.add_remove",
        "add and remove a component; per pair, by entities",
    ),
    (
        "tables.iter",
        "iterate 20,480 entities; per entity, by tables",
    ),
    (
        "tables.rare",
        "find 8 of 20,480 entities; per match, by tables",
    ),
    ("systems.run", "run a schedule; per system, by systems"),
    (
        "systems.build",
        "build and run a schedule; per system, by systems",
    ),
    (
        "kinds.despawn",
        "spawn and despawn; per entity, by other kinds",
    ),
];

/// The libraries of the picture; their lines have classes of their own.
const SHOWN: &[Peer] = &[
    Peer::Limit,
    Peer::Bevy,
    Peer::Hecs,
    Peer::Sparsey,
    Peer::Ours,
];

const COLUMNS: usize = 2;
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 190.0;
/// The space for numbers left of the lines.
const LEFT: f64 = 44.0;
/// The space for the title above the lines, and for the sizes below.
const TITLE: f64 = 26.0;
const SIZES: f64 = 22.0;

const LINES: &str = "\
<style>
polyline { fill: none; stroke-width: 1.5 }
polyline.ours { fill: none; stroke: #d9622b; stroke-width: 3 }
.bevy { stroke: #5b84b1 } text.bevy { fill: #5b84b1; stroke: none }
.hecs { stroke: #4f9d69 } text.hecs { fill: #4f9d69; stroke: none }
.sparsey { stroke: #a06bb0 } text.sparsey { fill: #a06bb0; stroke: none }
.limit { stroke: #98a3af; stroke-dasharray: 4 3 } text.limit { fill: #6e7781; stroke: none }
</style>
";

/// A line: the peer, and its values by the number of the size.
type Line = (Peer, Vec<(usize, f64)>);

/// Draws the picture, a document of its own.
#[must_use]
pub fn growth_svg(outcomes: &[Outcome], rounds: u32) -> String {
    let works = distinct(outcomes.iter().map(work_of));
    let rows = works.len().div_ceil(COLUMNS) as f64;
    let (width, height) = (
        MARGIN + COLUMNS as f64 * (WIDTH + MARGIN),
        HEAD + rows * (HEIGHT + MARGIN),
    );
    let quick = match rounds {
        0..ENOUGH_ROUNDS => "Quick run, not a measurement! ",
        _ => "",
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>How cost grows with the size of a world</title>\n{STYLE}{LINES}\
         <text class=\"head\" x=\"{MARGIN}\" y=\"24\">Nanoseconds per element as worlds grow (level is good, lower is faster)</text>\n\
         <text x=\"{MARGIN}\" y=\"44\">{quick}Both scales are logarithmic.</text>\n"
    );
    let mut x = MARGIN + 190.0 + if quick.is_empty() { 0.0 } else { 190.0 };
    for &peer in SHOWN {
        let _ = writeln!(
            text,
            "<text class=\"{} {}\" x=\"{x:.1}\" y=\"44\">{}</text>",
            peer.name(),
            if peer == Peer::Ours { "oursname" } else { "" },
            title_of(peer),
        );
        x += 84.0;
    }
    for (number, work) in works.iter().enumerate() {
        let left = MARGIN + (number % COLUMNS) as f64 * (WIDTH + MARGIN);
        let top = HEAD + (number / COLUMNS) as f64 * (HEIGHT + MARGIN);
        let on_panel: Vec<&Outcome> = outcomes.iter().filter(|o| work_of(o) == *work).collect();
        panel(&mut text, work, &on_panel, (left, top));
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the name without the size.
fn work_of(outcome: &Outcome) -> &str {
    let name = outcome.spec.name;
    name.split_once('@').map_or(name, |(work, _)| work)
}

fn title_of(peer: Peer) -> &'static str {
    match peer {
        Peer::Ours => "ecs-core",
        Peer::Limit => "hand-written",
        other => other.name(),
    }
}

fn lines(outcomes: &[&Outcome]) -> Vec<Line> {
    let line = |&peer: &Peer| {
        let values = outcomes.iter().enumerate().filter_map(|(place, outcome)| {
            let value = outcome.best(|other| other == peer)?.value;
            (value > 0.0 && value.is_finite()).then_some((place, value))
        });
        (peer, values.collect())
    };
    SHOWN
        .iter()
        .map(line)
        .filter(|(_, values): &Line| !values.is_empty())
        .collect()
}

fn panel(text: &mut String, work: &str, outcomes: &[&Outcome], (left, top): (f64, f64)) {
    let lines = lines(outcomes);
    let values = || {
        lines
            .iter()
            .flat_map(|(_, values)| values)
            .map(|(_, value)| *value)
    };
    // Whole powers of ten around all values.
    let low = values().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values().fold(0.0, f64::max).log10().ceil().max(low + 1.0);
    let title = TITLES.iter().find(|(name, _)| *name == work);
    let title = title.map_or(work, |(_, title)| title);
    let (first, last) = (left + LEFT, left + WIDTH - MARGIN);
    let (highest, lowest) = (top + TITLE, top + HEIGHT - SIZES);
    let steps = outcomes.len().saturating_sub(1).max(1) as f64;
    let x = |place: usize| first + place as f64 / steps * (last - first);
    let y = |value: f64| lowest - (value.log10() - low) / (high - low) * (lowest - highest);
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{first:.1}\" y=\"{:.1}\">{title}</text>",
        top + 14.0
    );
    let mut power = low;
    while power <= high {
        let value = 10_f64.powf(power);
        let _ = writeln!(
            text,
            "<line class=\"grid\" x1=\"{first:.1}\" x2=\"{last:.1}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
             <text text-anchor=\"end\" x=\"{1:.1}\" y=\"{2:.1}\">{3}</text>",
            y(value),
            first - 6.0,
            y(value) + 4.0,
            short(value).trim_end_matches(".0").trim_end_matches(".00"),
        );
        power += 1.0;
    }
    for (place, outcome) in outcomes.iter().enumerate() {
        let _ = writeln!(
            text,
            "<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x(place),
            top + HEIGHT - 6.0,
            Name::of(outcome).size,
        );
    }
    for (peer, values) in &lines {
        let points: Vec<String> = values
            .iter()
            .map(|&(place, value)| format!("{:.1},{:.1}", x(place), y(value)))
            .collect();
        let _ = writeln!(
            text,
            "<polyline class=\"{}\" points=\"{}\"/>",
            peer.name(),
            points.join(" ")
        );
    }
}
