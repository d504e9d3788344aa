//! Plans in the language of Graphviz.

use core::fmt::Write as _;

use super::{Arrow, arrows};
use crate::schedule::plan::Plan;

impl Plan {
    /// The plan as a graph in the language of Graphviz.
    ///
    /// A box is a system, with the conditions under which it runs. An arrow leads from a system to one that waits for it:
    /// a solid one because somebody said so, a dashed one to keep list order, labelled with the reason. Arrows that
    /// follow from others are left out.
    #[must_use]
    #[inline]
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph schedule {\n    node [shape = box];\n");
        for step in self.steps() {
            let (number, label) = (step.number(), quoted(&format!("{step:?}")));
            line(&mut text, format_args!("s{number} [label = {label}]"));
        }
        for Arrow { first, second, why } in arrows(self) {
            match why {
                None => line(&mut text, format_args!("s{first} -> s{second}")),
                Some(why) => {
                    let label = quoted(&why);
                    line(
                        &mut text,
                        format_args!("s{first} -> s{second} [style = dashed, label = {label}]"),
                    );
                }
            }
        }
        text.push_str("}\n");
        text
    }
}

/// A graph that only says why there is none.
#[inline]
pub(in crate::schedule) fn draw_error(error: &impl ToString) -> String {
    let mut text = String::from("digraph schedule {\n");
    line(&mut text, format_args!("label = {}", quoted(error)));
    text.push_str("}\n");
    text
}

#[inline]
fn line(text: &mut String, statement: core::fmt::Arguments<'_>) {
    writeln!(text, "    {statement};").expect("writing to a string does not fail");
}

/// A quoted string of the language: quotes and backslashes are escaped.
#[inline]
fn quoted(what: &impl ToString) -> String {
    let escaped = what.to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
