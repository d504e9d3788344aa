//! Sets of systems, and what is said about a whole set.

use super::label::{Label, SetLabel};
use super::target::{Constraint, IntoTarget, OrderKind};
use crate::system::{ConditionSource, IntoCondition};

/// What is said about a set of systems; see [`Schedule::configure`](crate::Schedule::configure).
#[must_use = "does nothing until it is returned"]
#[derive(Default)]
pub struct SetConfig {
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) sets: Vec<Label>,
    /// In the order in which they are asked.
    pub(crate) conditions: Vec<ConditionSource>,
}

impl SetConfig {
    /// All systems of the set run after the system, or after all systems of the other set.
    pub fn after<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(Constraint::new(OrderKind::After, other));
        self
    }

    /// All systems of the set run before the system, or before all systems of the other set.
    pub fn before<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(Constraint::new(OrderKind::Before, other));
        self
    }

    /// All systems of the set are in the other set too, and what is said about that one is said about them.
    pub fn in_set(mut self, outer: impl SetLabel) -> Self {
        self.sets.push(Label::new(outer));
        self
    }

    /// The systems of the set run only if `condition` returns true.
    ///
    /// It is asked once per run of the schedule, before the first system of the set, and the answer holds for all of
    /// them. Conditions on sets are asked before those on tuples and systems, and those on outer sets first.
    pub fn run_if<M>(mut self, condition: impl IntoCondition<M>) -> Self {
        self.conditions.push(condition.into_condition());
        self
    }
}

/// A configured set in a schedule.
pub(crate) struct ListedSet {
    pub(crate) label: Label,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) sets: Vec<Label>,
    /// Positions in the list of conditions, in the order in which they are asked.
    pub(crate) conditions: Vec<usize>,
}
