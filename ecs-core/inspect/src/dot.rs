//! Plans as Graphviz graphs.

use ecs_engine::schedule::SchedulePlan;

use crate::{Arrow, Plans, arrows, inside, line, title};

/// Draws a plan as a graph in the DOT language of Graphviz.
///
/// A box is a system with its run conditions. An arrow leads from a system to one that waits for it: a solid arrow is an
/// explicit constraint; a dashed one keeps list order and is labelled with the reason. Arrows that follow from others
/// are left out. The plan of a schedule inside a step is a cluster beside the step, under its path.
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
/// let graph = ecs_core::inspect::to_dot(frame.plan()?);
/// assert!(graph.contains(r#"s0 -> s1 [style = dashed, label = "the resource `u64`"]"#));
/// # Ok::<(), ecs_core::schedule::PlanError>(())
/// ```
#[must_use]
pub fn to_dot<'a>(plans: impl Into<Plans<'a>>) -> String {
    let mut text = String::from("digraph schedule {\n    node [shape = box];\n");
    draw_all(&mut text, plans.into().0, "s", 4);
    text.push_str("}\n");
    text
}

/// Draws the steps of a plan, with names that start with `prefix`.
fn draw(text: &mut String, plan: &SchedulePlan, path: &str, prefix: &str, indent: usize) {
    for step in plan.steps() {
        let (number, label) = (step.number(), quoted(&title(step)));
        line(
            text,
            format_args!("{:indent$}{prefix}{number} [label = {label}];", ""),
        );
    }
    for arrow in arrows(plan) {
        let Arrow { first, second, .. } = arrow;
        match arrow.label() {
            None => line(
                text,
                format_args!("{:indent$}{prefix}{first} -> {prefix}{second};", ""),
            ),
            Some(label) => {
                let label = quoted(&label);
                line(
                    text,
                    format_args!(
                        "{:indent$}{prefix}{first} -> {prefix}{second} [style = dashed, label = {label}];",
                        ""
                    ),
                );
            }
        }
    }
    draw_all(text, inside(path, plan), prefix, indent);
}

/// Draws plans, each as a cluster if it has a path.
fn draw_all(text: &mut String, plans: Vec<(String, &SchedulePlan)>, prefix: &str, indent: usize) {
    for (number, (path, plan)) in plans.into_iter().enumerate() {
        if path.is_empty() {
            draw(text, plan, "", prefix, indent);
            continue;
        }
        let (prefix, label) = (format!("{prefix}_{number}_"), quoted(&path));
        line(
            text,
            format_args!("{:indent$}subgraph cluster_{prefix} {{", ""),
        );
        line(text, format_args!("{:indent$}    label = {label};", ""));
        draw(text, plan, &path, &prefix, indent + 4);
        line(text, format_args!("{:indent$}}}", ""));
    }
}

/// Returns a quoted string of the DOT language.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
