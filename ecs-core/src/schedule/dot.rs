//! Plans as pictures.

use core::fmt::Write as _;
use std::collections::HashMap;

use super::graph;
use super::plan::Plan;

impl Plan {
    /// The plan as a graph in the language of Graphviz.
    ///
    /// A box is a system, with the conditions under which it runs. A solid arrow is a constraint that somebody wrote; a
    /// dashed one a conflict that keeps list order, labelled with the data that both systems touch. Arrows that follow
    /// from others are left out.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph schedule {\n    node [shape = box];\n");
        let mut edges = Vec::new();
        let mut labels = HashMap::new();
        for (first, second, conflict) in self.conflicts() {
            edges.push((first.number(), second.number()));
            labels.insert((first.number(), second.number()), conflict.overlap);
        }
        for step in self.steps() {
            line(
                &mut text,
                format_args!(
                    "s{} [label = {}]",
                    step.number(),
                    quoted(&format!("{step:?}"))
                ),
            );
            for first in step.after() {
                edges.push((first.number(), step.number()));
                labels.remove(&(first.number(), step.number()));
            }
        }
        for (first, second) in graph::reduce(self.steps().len(), &edges) {
            // What has no label was asked for.
            match labels.get(&(first, second)) {
                None => line(&mut text, format_args!("s{first} -> s{second}")),
                Some(overlap) => line(
                    &mut text,
                    format_args!(
                        "s{first} -> s{second} [style = dashed, label = {}]",
                        quoted(overlap)
                    ),
                ),
            }
        }
        text.push_str("}\n");
        text
    }
}

/// A graph that only says why there is none.
pub(super) fn draw_error(error: &impl ToString) -> String {
    let mut text = String::from("digraph schedule {\n");
    line(&mut text, format_args!("label = {}", quoted(error)));
    text.push_str("}\n");
    text
}

fn line(text: &mut String, statement: core::fmt::Arguments<'_>) {
    writeln!(text, "    {statement};").expect("writing to a string does not fail");
}

/// A quoted string of the language: quotes and backslashes are escaped.
fn quoted(what: &impl ToString) -> String {
    let escaped = what.to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
