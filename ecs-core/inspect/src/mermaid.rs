//! Plans as Mermaid flow charts.

use std::fmt::Write as _;

use ecs_engine::schedule::{SchedulePlan, ThreadPlacement};

use crate::{Arrow, Plans, arrows, inside, line, title};

/// Draws a plan as a flow chart in the language of Mermaid, which many Markdown viewers render.
///
/// A box is a system with its run conditions: a plain box runs on any thread, one with round ends on the calling thread, one with
/// double sides alone. The arrows are the same as in [`to_dot`](crate::to_dot). The plan of a schedule inside a step is a
/// subgraph.
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
/// let chart = ecs_core::inspect::to_mermaid(frame.plan()?);
/// assert!(chart.contains(r#"s0 -. "the resource #96;u64#96;" .-> s1"#));
/// # Ok::<(), ecs_core::schedule::PlanError>(())
/// ```
#[must_use]
pub fn to_mermaid<'a>(plans: impl Into<Plans<'a>>) -> String {
    let mut text = String::from("flowchart TD\n");
    draw_all(&mut text, plans.into().0, "s");
    text
}

/// Draws the steps of a plan, with names that start with `prefix`.
fn draw(text: &mut String, plan: &SchedulePlan, path: &str, prefix: &str) {
    for step in plan.steps() {
        let (open, close) = match step.placement() {
            ThreadPlacement::Anywhere => ("[", "]"),
            ThreadPlacement::CallingThread => ("([", "])"),
            ThreadPlacement::Alone => ("[[", "]]"),
        };
        let (number, label) = (step.number(), quoted(&title(step)));
        line(
            text,
            format_args!("    {prefix}{number}{open}{label}{close}"),
        );
    }
    for arrow in arrows(plan) {
        let Arrow { first, second, .. } = arrow;
        match arrow.label() {
            None => line(
                text,
                format_args!("    {prefix}{first} --> {prefix}{second}"),
            ),
            Some(label) => {
                let label = quoted(&label);
                line(
                    text,
                    format_args!("    {prefix}{first} -. {label} .-> {prefix}{second}"),
                );
            }
        }
    }
    draw_all(text, inside(path, plan), prefix);
}

/// Draws plans, each as a subgraph if it has a path.
fn draw_all(text: &mut String, plans: Vec<(String, &SchedulePlan)>, prefix: &str) {
    for (number, (path, plan)) in plans.into_iter().enumerate() {
        if path.is_empty() {
            draw(text, plan, "", prefix);
            continue;
        }
        let (prefix, label) = (format!("{prefix}_{number}_"), quoted(&path));
        line(text, format_args!("    subgraph {prefix}[{label}]"));
        draw(text, plan, &path, &prefix);
        line(text, format_args!("    end"));
    }
}

/// Returns a quoted string of Mermaid; special characters become character codes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            mark if mark.is_control() || "\"#`<>&;\\%".contains(mark) => {
                write!(quoted, "#{};", u32::from(mark)).expect("writing to a string does not fail");
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn special_characters_are_escaped() {
        // Even between quotes `%%` starts a comment, and a line break ends the line.
        assert_eq!(quoted("a\r%%\"b"), "\"a#13;#37;#37;#34;b\"");
    }
}
