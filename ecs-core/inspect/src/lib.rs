//! Pictures of schedules and traces of their runs; part of `ecs-core`, which re-exports it as `ecs_core::inspect` with
//! the feature `inspect`.
//!
//! | function | draws | for |
//! |---|---|---|
//! | [`to_dot`] | a plan | Graphviz |
//! | [`to_mermaid`] | a plan | Mermaid, in Markdown |
//! | [`to_svg`] | a plan | a browser |
//! | [`to_chrome_json`] | a traced run | Perfetto, `chrome://tracing` |
//!
//! The plan belongs to one schedule, or there are [several](Plans) with names, such as an app's.
//!
//! They use only the public interface of `ecs_core::schedule`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod chrome;
#[cfg(feature = "server")]
mod client;
mod dot;
#[cfg(feature = "inspector")]
mod inspector;
mod layers;
mod mermaid;
#[cfg(feature = "inspector")]
mod page;
#[cfg(feature = "server")]
#[cfg_attr(not(test), allow(dead_code, reason = "tests count connections"))]
mod server;
mod svg;

pub use chrome::to_chrome_json;
#[cfg(feature = "server")]
#[cfg_attr(docsrs, doc(cfg(feature = "inspector")))]
pub use client::{Client, ClientError, WatchResults};
pub use dot::to_dot;
#[cfg(feature = "inspector")]
#[cfg_attr(docsrs, doc(cfg(feature = "inspector")))]
pub use inspector::{Inspect, Inspector, Params, RpcError, plugin};
pub use mermaid::to_mermaid;
pub use svg::to_svg;

use std::fmt::Write as _;

use ecs_engine::meta::Overlap;
use ecs_engine::schedule::{Reason, SchedulePlan, Step};

/// A [`SchedulePlan`] to be drawn, or several with names, such as all plans of an app.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::inspect::to_mermaid;
///
/// #[derive(Debug, PartialEq, Eq, Hash)]
/// struct Turn;
///
/// #[system]
/// fn think() {}
/// #[system]
/// fn draw() {}
///
/// let mut app = App::new();
/// app.add_schedule(Turn).add_systems(Turn, think).add_systems(Update, draw);
/// let chart = to_mermaid(app.build()?.plans());
/// assert!(chart.contains(r#"["Turn"]"#) && chart.contains("think"));
/// # Ok::<(), ecs_core::app::AppError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plans<'a>(Vec<(String, &'a SchedulePlan)>);

/// One plan.
impl<'a> From<&'a SchedulePlan> for Plans<'a> {
    fn from(plan: &'a SchedulePlan) -> Self {
        Self(vec![(String::new(), plan)])
    }
}

/// Plans with names, drawn one after the other. Those with a name and without systems are left out.
impl<'a> From<Vec<(String, &'a SchedulePlan)>> for Plans<'a> {
    fn from(mut plans: Vec<(String, &'a SchedulePlan)>) -> Self {
        plans.retain(|(name, plan)| name.is_empty() || plan.steps().len() > 0);
        Self(plans)
    }
}

/// A step that waits for an earlier one.
struct Arrow {
    first: usize,
    second: usize,
    /// `None` only for a dependency that other steps imply.
    reason: Option<Reason>,
}

impl Arrow {
    /// Returns the reason as text; `None` for an explicit constraint.
    fn label(&self) -> Option<String> {
        match self.reason? {
            Reason::Constraint => None,
            Reason::Conflict(conflict) => Some(conflict.overlap.to_string()),
            Reason::Commands => Some(String::from("commands")),
            Reason::SharedCondition => Some(String::from("a condition")),
            other => Some(other.to_string()),
        }
    }

    /// Returns the label with only the name of the type.
    fn short_label(&self) -> Option<String> {
        match self.reason? {
            Reason::Conflict(conflict) => Some(match conflict.overlap {
                Overlap::World => String::from("world"),
                Overlap::Ids => String::from("ids"),
                Overlap::Data { ident, .. } => split(ident.type_name()).1.to_owned(),
            }),
            _ => self.label(),
        }
    }
}

/// Returns the dependencies between steps, without those that follow from others.
fn arrows(plan: &SchedulePlan) -> impl Iterator<Item = Arrow> {
    plan.steps().flat_map(|second| {
        second.waits_for().map(move |first| Arrow {
            first: first.number(),
            second: second.number(),
            reason: second.reason(first),
        })
    })
}

/// Returns the plans of the schedules inside steps, with the paths of their steps.
fn inside<'a>(path: &str, plan: &'a SchedulePlan) -> Vec<(String, &'a SchedulePlan)> {
    let mut all = Vec::new();
    for step in plan.steps() {
        for (name, inner) in step.inner() {
            let names = [path, step.name(), name];
            let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
            all.push((names.join(" > "), inner));
        }
    }
    all
}

/// Returns the system's name, followed by its conditions.
fn title(step: Step<'_>) -> String {
    let mut title = step.name().to_owned();
    for (i, condition) in step.conditions().enumerate() {
        title += if i == 0 { " if " } else { " and " };
        title += &condition.name;
    }
    title
}

/// Splits a path into its module and its last segment.
fn split(path: &str) -> (&str, &str) {
    let before_arguments = path.find('<').unwrap_or(path.len());
    match path[..before_arguments].rfind("::") {
        Some(at) => (&path[..at], &path[at + 2..]),
        None => ("", path),
    }
}

/// Appends formatted text and a line break.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("writing to a string does not fail");
}
