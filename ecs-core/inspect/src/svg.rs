//! Plans as SVG drawings.

use std::fmt::Write as _;

use ecs_engine::schedule::{Reason, SchedulePlan, Step, ThreadPlacement};

use crate::layers::Layers;
use crate::{Arrow, Plans, arrows, inside, line, split, title};

/// The width of a character. Lengths are in pixels; the font is monospaced, so that widths can be computed.
const CHARACTER: f32 = 7.3;
const LINE: f32 = 16.0;
const BETWEEN_LAYERS: f32 = 56.0;
const MARGIN: f32 = 56.0;
const LEGEND: f32 = 44.0;

const STYLE: &str = "\
text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b2733 }
.small { font-size: 10px; fill: #66727f }
.name { font-weight: bold }
.band { fill: #f3f6f9 }
.box { fill: #ffffff; stroke: #46586a; stroke-width: 1.2 }
.calling { fill: #fff6df; stroke: #a87b14 }
.alone { fill: #fbe9ec; stroke: #b0394e }
.arrow { fill: none; stroke-width: 1.4 }
.constraint { stroke: #1b2733 }
.data { stroke: #2f6fb3; stroke-dasharray: 6 3 }
.commands { stroke: #a8611a; stroke-dasharray: 2 3 }
.label { font-size: 10px; text-anchor: middle; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round }
.middle { text-anchor: middle }";

/// Draws a plan as a complete SVG file, which every browser shows.
///
/// A box is a system; its colour shows the threads that can run it. The systems of a row can run at the same time, and each row
/// waits for the rows above it. The arrows are the same as in [`to_dot`](crate::to_dot), labelled with the data that both systems
/// access. Plans of schedules inside steps follow, each under its path. Tooltips of boxes and arrows show the details.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn input(mut keys: ResMut<u64>) { *keys += 1 }
/// #[system]
/// fn jump(keys: Res<u64>) { assert!(*keys > 0) }
///
/// let mut frame = Schedule::new();
/// frame.add((input, jump));
/// let drawing = ecs_core::inspect::to_svg(frame.plan()?);
/// // std::fs::write("frame.svg", &drawing)?;
/// assert!(drawing.starts_with("<svg ") && drawing.contains(">jump</text>"));
/// # Ok::<(), ecs_core::schedule::PlanError>(())
/// ```
#[must_use]
pub fn to_svg<'a>(plans: impl Into<Plans<'a>>) -> String {
    let mut sections = Vec::new();
    for (name, plan) in plans.into().0 {
        add_sections(name, plan, &mut sections);
    }
    // At least as wide as the legend.
    let widest = |widest: f32, section: &Section<'_>| widest.max(section.drawing.width);
    let width = sections.iter().fold(560.0, widest);
    let height: f32 = sections.iter().map(Section::height).sum::<f32>() + LEGEND;
    let mut text = String::new();
    head(&mut text, width, height);
    let mut top = 0.0;
    for section in sections {
        let next = top + section.height();
        section.draw(&mut text, top, width);
        top = next;
    }
    legend(&mut text, height - 20.0);
    text.push_str("</svg>\n");
    text
}

/// The drawing of one plan: the outer one, or the plan of a schedule inside a step, under a heading.
struct Section<'a> {
    heading: String,
    drawing: Drawing<'a>,
}

const HEADING: f32 = 24.0;

fn add_sections<'a>(heading: String, plan: &'a SchedulePlan, all: &mut Vec<Section<'a>>) {
    let inner = inside(&heading, plan);
    let drawing = Drawing::of(plan);
    all.push(Section { heading, drawing });
    for (path, plan) in inner {
        add_sections(path, plan, all);
    }
}

impl Section<'_> {
    fn height(&self) -> f32 {
        let heading = if self.heading.is_empty() {
            0.0
        } else {
            HEADING
        };
        self.drawing.height + heading
    }

    fn draw(mut self, text: &mut String, mut top: f32, width: f32) {
        if !self.heading.is_empty() {
            let (y, words) = (top + 18.0, escaped(&self.heading));
            line(
                text,
                format_args!(r#"<text class="name" x="10" y="{y:.1}">inside {words}</text>"#),
            );
            top += HEADING;
        }
        self.drawing.width = width;
        line(
            text,
            format_args!(r#"<g transform="translate(0 {top:.1})">"#),
        );
        text.push_str(&self.drawing.draw());
        line(text, format_args!("</g>"));
    }
}

fn head(text: &mut String, width: f32, height: f32) {
    line(
        text,
        format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">"#
        ),
    );
    line(text, format_args!("<style>{STYLE}</style>"));
    line(text, format_args!("<defs>"));
    for (name, colour) in [
        ("constraint", "#1b2733"),
        ("data", "#2f6fb3"),
        ("commands", "#a8611a"),
    ] {
        line(
            text,
            format_args!(
                r#"<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>"#
            ),
        );
    }
    line(text, format_args!("</defs>"));
    line(
        text,
        format_args!(r##"<rect width="{width:.0}" height="{height:.0}" fill="#ffffff"/>"##),
    );
}

/// The text of a box and its size.
struct Card<'a> {
    step: Step<'a>,
    /// The path of the module.
    module: &'static str,
    name: String,
    conditions: Option<String>,
    width: f32,
    height: f32,
}

impl<'a> Card<'a> {
    fn new(step: Step<'a>) -> Self {
        let (module, name) = split(step.name());
        let name = last_parts(name);
        let mut conditions = String::new();
        for (i, condition) in step.conditions().enumerate() {
            conditions += if i == 0 { "if " } else { " and " };
            conditions += last_parts(&condition.name).as_str();
        }
        let conditions = (!conditions.is_empty()).then_some(conditions);
        let lines = [Some(module), Some(&name), conditions.as_deref()];
        let lines = lines.into_iter().flatten().filter(|line| !line.is_empty());
        let (mut longest, mut count) = (0, 0);
        for line in lines {
            longest = longest.max(line.chars().count());
            count += 1;
        }
        Self {
            step,
            module,
            name,
            conditions,
            width: longest as f32 * CHARACTER + 20.0,
            height: count as f32 * LINE + 12.0,
        }
    }
}

/// Shortens each path in a text to its last segment: `game::awake and not game::paused` becomes `awake and not paused`.
fn last_parts(text: &str) -> String {
    let is_of_path = |mark: char| mark.is_alphanumeric() || matches!(mark, '_' | ':' | '#');
    let mut short = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|mark| is_of_path(mark) != is_of_path(first));
        let (part, others) = rest.split_at(end.unwrap_or(rest.len()));
        let start = part.rfind("::").filter(|&at| at > 0);
        short.push_str(start.map_or(part, |at| &part[at + 2..]));
        rest = others;
    }
    short
}

struct Drawing<'a> {
    layers: Layers,
    /// For each layer the y coordinate of its middle, and the height of its boxes.
    rows: Vec<(f32, f32)>,
    cards: Vec<Card<'a>>,
    arrows: Vec<Arrow>,
    width: f32,
    height: f32,
    /// The bounds of the labels drawn so far: left, top, right and bottom.
    labels: Vec<[f32; 4]>,
    text: String,
}

impl<'a> Drawing<'a> {
    fn of(plan: &'a SchedulePlan) -> Self {
        let cards: Vec<Card<'_>> = plan.steps().map(Card::new).collect();
        let arrows: Vec<Arrow> = arrows(plan).collect();
        let widths: Vec<f32> = cards.iter().map(|card| card.width).collect();
        let edges: Vec<_> = arrows.iter().map(|a| (a.first, a.second)).collect();
        Self::new(Layers::new(&widths, &edges), cards, arrows)
    }

    fn new(layers: Layers, cards: Vec<Card<'a>>, arrows: Vec<Arrow>) -> Self {
        let mut heights = vec![0.0_f32; layers.layers];
        for (card, &(layer, _)) in cards.iter().zip(&layers.nodes) {
            heights[layer] = heights[layer].max(card.height);
        }
        let mut top = 20.0;
        let mut rows = Vec::new();
        for height in heights {
            rows.push((top + height / 2.0, height));
            top += height + BETWEEN_LAYERS;
        }
        Self {
            width: layers.width + MARGIN + 20.0,
            height: top - if rows.is_empty() { 0.0 } else { BETWEEN_LAYERS },
            layers,
            rows,
            cards,
            arrows,
            labels: Vec::new(),
            text: String::new(),
        }
    }

    fn draw(mut self) -> String {
        self.bands();
        for n in 0..self.arrows.len() {
            self.arrow(n);
        }
        for n in 0..self.cards.len() {
            self.card(n);
        }
        // Above all lines and boxes.
        for n in 0..self.arrows.len() {
            self.label(n);
        }
        self.text
    }

    fn line(&mut self, arguments: std::fmt::Arguments<'_>) {
        line(&mut self.text, arguments);
    }

    /// Draws a band behind each row, with its number.
    fn bands(&mut self) {
        let width = self.width;
        for n in 0..self.rows.len() {
            let (middle, height) = self.rows[n];
            let (top, height) = (middle - height / 2.0 - 8.0, height + 16.0);
            self.line(format_args!(
                r#"<rect class="band" x="0" y="{top:.1}" width="{width:.0}" height="{height:.1}"/>"#
            ));
            let y = middle + 4.0;
            let number = n + 1;
            self.line(format_args!(
                r#"<text class="small" x="10" y="{y:.1}">{number}</text>"#
            ));
        }
    }

    /// Returns the points of an arrow: below the first box, above and below each row between, above the last box.
    fn points(&self, arrow: usize) -> Vec<(f32, f32)> {
        let Arrow { first, second, .. } = self.arrows[arrow];
        let start = self.layers.nodes[first].0;
        let line = &self.layers.edges[arrow];
        let mut points = Vec::new();
        for (at, &x) in line.iter().enumerate() {
            let (middle, height) = self.rows[start + at];
            let (x, half) = (x + MARGIN, height / 2.0);
            if at > 0 {
                let half = if at + 1 == line.len() {
                    self.cards[second].height / 2.0
                } else {
                    half
                };
                points.push((x, middle - half));
            }
            if at + 1 < line.len() {
                let half = if at == 0 {
                    self.cards[first].height / 2.0
                } else {
                    half
                };
                points.push((x, middle + half));
            }
        }
        points
    }

    fn arrow(&mut self, n: usize) {
        let points = self.points(n);
        let mut path = String::new();
        for (i, &(x, y)) in points.iter().enumerate() {
            let written = match i.checked_sub(1).map(|last| points[last]) {
                None => write!(path, "M{x:.1} {y:.1}"),
                // Straight through a row, curved between rows.
                Some(_) if i % 2 == 0 => write!(path, "L{x:.1} {y:.1}"),
                Some((from, top)) => {
                    let half = (top + y) / 2.0;
                    write!(path, "C{from:.1} {half:.1} {x:.1} {half:.1} {x:.1} {y:.1}")
                }
            };
            written.expect("writing to a string does not fail");
        }
        let Arrow {
            first,
            second,
            reason,
        } = self.arrows[n];
        let (one, two) = (self.cards[first].step, self.cards[second].step);
        let class = match reason {
            Some(Reason::Constraint) | None => "constraint",
            Some(Reason::Commands) => "commands",
            Some(_) => "data",
        };
        let reason = reason.map(|reason| reason.to_string()).unwrap_or_default();
        let title = escaped(&format!("{} before {}: {reason}", one.name(), two.name()));
        self.line(format_args!(
            r#"<path class="arrow {class}" marker-end="url(#{class})" d="{path}"><title>{title}</title></path>"#
        ));
    }

    /// Draws the label of an arrow in the middle of its first part, or shifted where that overlaps another label.
    fn label(&mut self, n: usize) {
        let arrow = &self.arrows[n];
        let (Some(label), Some(short)) = (arrow.label(), arrow.short_label()) else {
            return;
        };
        let points = self.points(n);
        let ((x1, y1), (x2, y2)) = (points[0], points[1]);
        let half = short.chars().count() as f32 * CHARACTER * 0.42 + 3.0;
        let x = (x1 + x2) / 2.0;
        let mut chosen = (y1 + y2) / 2.0 + 3.0;
        for shift in [0.0, 11.0, -11.0, 20.0, -20.0] {
            let y = (y1 + y2) / 2.0 + 3.0 + shift;
            let place = [x - half, y - 9.0, x + half, y + 2.0];
            if !self.labels.iter().any(|other| overlap(other, &place)) {
                chosen = y;
                break;
            }
        }
        self.labels
            .push([x - half, chosen - 9.0, x + half, chosen + 2.0]);
        let (short, title) = (escaped(&short), escaped(&label));
        self.line(format_args!(
            r#"<text class="label" x="{x:.1}" y="{chosen:.1}">{short}<title>{title}</title></text>"#
        ));
    }

    fn card(&mut self, n: usize) {
        let (layer, x) = self.layers.nodes[n];
        let Card {
            step,
            module,
            width,
            height,
            ..
        } = self.cards[n];
        let (name, conditions) = (self.cards[n].name.clone(), self.cards[n].conditions.clone());
        let (left, top) = (x + MARGIN - width / 2.0, self.rows[layer].0 - height / 2.0);
        let class = match step.placement() {
            ThreadPlacement::Anywhere => "box",
            ThreadPlacement::CallingThread => "box calling",
            ThreadPlacement::Alone => "box alone",
        };
        let mut about = title(step);
        for param in step.meta().params {
            write!(about, "\n{}: {}", param.name, param.ty)
                .expect("writing to a string does not fail");
        }
        if step.flushes_later() {
            about += "\ncommands are applied at the next flush point";
        }
        let about = escaped(&about);
        self.line(format_args!(r"<g><title>{about}</title>"));
        self.line(format_args!(
            r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="5"/>"#
        ));
        let conditions = conditions.unwrap_or_default();
        let lines = [
            ("small", module),
            ("name", name.as_str()),
            ("small", conditions.as_str()),
        ];
        let mut y = top + 6.0;
        for (class, line) in lines.into_iter().filter(|(_, line)| !line.is_empty()) {
            y += LINE;
            let (x, y, line) = (x + MARGIN, y - 4.0, escaped(line));
            self.line(format_args!(
                r#"<text class="middle {class}" x="{x:.1}" y="{y:.1}">{line}</text>"#
            ));
        }
        self.line(format_args!("</g>"));
    }
}

fn legend(text: &mut String, y: f32) {
    let arrows = [
        ("constraint", "constraint"),
        ("data", "same data, in list order"),
        ("commands", "sees commands"),
    ];
    let mut x = 12.0;
    for (class, words) in arrows {
        let (end, start, base) = (x + 26.0, x + 32.0, y + 4.0);
        line(
            text,
            format_args!(
                r#"<path class="arrow {class}" marker-end="url(#{class})" d="M{x:.1} {y:.1}L{end:.1} {y:.1}"/><text class="small" x="{start:.1}" y="{base:.1}">{words}</text>"#
            ),
        );
        x = start + words.len() as f32 * 6.2 + 14.0;
    }
    for (class, words) in [("calling", "calling thread"), ("alone", "alone")] {
        let (top, start, base) = (y - 5.0, x + 15.0, y + 4.0);
        line(
            text,
            format_args!(
                r#"<rect class="box {class}" x="{x:.1}" y="{top:.1}" width="10" height="10" rx="2"/><text class="small" x="{start:.1}" y="{base:.1}">{words}</text>"#
            ),
        );
        x = start + words.len() as f32 * 6.2 + 14.0;
    }
}

fn overlap(one: &[f32; 4], two: &[f32; 4]) -> bool {
    one[0] < two[2] && two[0] < one[2] && one[1] < two[3] && two[1] < one[3]
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Not allowed in XML, even as character references.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() && control != '\n' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened_to_their_last_segments() {
        for (text, expected) in [
            ("movement", "movement"),
            ("tick<game::space::Position>", "tick<Position>"),
            ("tick<[alloc::vec::Vec<u8>; 3], 4>", "tick<[Vec<u8>; 3], 4>"),
            ("game::awake and not game::paused", "awake and not paused"),
            ("(game::is<game::On> or `game::is_2`)", "(is<On> or `is_2`)"),
            ("run<game::A>::{{closure}}", "run<A>::{{closure}}"),
        ] {
            assert_eq!(last_parts(text), expected);
        }
    }

    #[test]
    fn text_is_escaped_and_characters_not_allowed_in_xml_are_replaced() {
        assert_eq!(
            escaped("a<b> & \"'\u{1}\u{fffe}\u{ffff}\n"),
            "a&lt;b&gt; &amp; &quot;&apos;\u{fffd}\u{fffd}\u{fffd}\n"
        );
    }
}
