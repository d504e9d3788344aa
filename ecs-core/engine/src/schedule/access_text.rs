//! The text of what the systems of a schedule touch.

use alloc::string::String;
use alloc::vec::Vec;

use super::Schedule;
use super::declare::join_path;
use super::plan::{PlanError, SchedulePlan, Step};
use crate::meta::SystemMeta;
use crate::sort::sort_by_text;

impl Schedule {
    /// Returns what each system touches, as sorted text: a paragraph for each system, and in it a line for each type that it
    /// reads, writes, sends or asks for, for its commands, and for its conditions.
    ///
    /// The text does not depend on the order of systems and parameters. Types that are data have their
    /// names, which stay when code is moved; others have their paths. A test compares the text with a file, by
    /// `assert_access_lock`, so that a review sees each system that touches something else.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Frozen;
    ///
    /// #[system(for_each, without(Frozen))]
    /// fn fall(position: &mut Position, gravity: Res<f32>) { position.0 -= *gravity }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add(fall);
    /// let text = frame.access_text()?;
    /// let lines: Vec<_> = text.lines().collect();
    /// assert!(lines[0].ends_with("::fall"));
    /// assert!(lines[1].starts_with("    asks for entities without component ") && lines[1].ends_with("::Frozen"));
    /// assert_eq!(lines[2], "    reads resource f32");
    /// assert!(lines[3].starts_with("    writes component ") && lines[3].ends_with("::Position"));
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan).
    #[inline]
    pub fn access_text(&mut self) -> Result<String, PlanError> {
        let mut paragraphs = Vec::new();
        self.add_access("", &mut paragraphs)?;
        Ok(joined(paragraphs))
    }

    /// Adds a paragraph for each system. Paths begin with the path `outer`, or with the parts of the schedule.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan).
    #[doc(hidden)]
    #[inline]
    pub fn add_access(
        &mut self,
        outer: &str,
        paragraphs: &mut Vec<String>,
    ) -> Result<(), PlanError> {
        self.plan()?;
        let plan = self.plan.as_ref().expect("planned above");
        for step in plan.steps() {
            let part = self.list.systems[step.list_index()].part;
            let part = self.list.parts.get(part).map_or("", String::as_str);
            of_step(step, &join_path(outer, part), paragraphs);
        }
        Ok(())
    }
}

/// Returns the paragraphs in order, with an empty line between two.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn joined(mut paragraphs: Vec<String>) -> String {
    sort_by_text(&mut paragraphs, String::clone);
    paragraphs.join("\n")
}

#[inline]
fn of_plan(plan: &SchedulePlan, outer: &str, paragraphs: &mut Vec<String>) {
    for step in plan.steps() {
        of_step(step, outer, paragraphs);
    }
}

#[inline]
fn of_step(step: Step<'_>, outer: &str, paragraphs: &mut Vec<String>) {
    // The fixed rate of an app is a step called like its part.
    let path = match outer == step.name() {
        true => String::from(outer),
        false => join_path(outer, step.name()),
    };
    let is_outer = step.inner().len() > 0;
    // A step with schedules inside has the whole world, for these.
    let mut lines = match is_outer {
        true => Vec::new(),
        false => step.meta().access_lines(),
    };
    for condition in step.conditions() {
        let name = &condition.name;
        let accesses = condition.parts.iter().flat_map(SystemMeta::access_lines);
        let before = lines.len();
        lines.extend(accesses.map(|line| format!("runs if {name}: {line}")));
        if lines.len() == before {
            lines.push(format!("runs if {name}"));
        }
    }
    sort_by_text(&mut lines, String::clone);
    lines.dedup();
    if !is_outer || !lines.is_empty() {
        let mut paragraph = path.clone();
        for line in lines {
            paragraph.push_str("\n    ");
            paragraph.push_str(&line);
        }
        paragraph.push('\n');
        paragraphs.push(paragraph);
    }
    for (name, plan) in step.inner() {
        of_plan(plan, &join_path(&path, name), paragraphs);
    }
}
