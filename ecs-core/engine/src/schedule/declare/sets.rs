//! Sets of systems and their configuration.

use alloc::vec::Vec;
use core::panic::Location;

use super::label::{Label, SetLabel};
use super::target::{IntoTarget, OrderKind, StepConstraint};
use super::unread::Unread;
use crate::system::{ConditionOutput, ConditionSource, IntoCondition};

/// The configuration of a set of systems; see [`Schedule::configure`](crate::Schedule::configure).
#[must_use = "does nothing until it is returned"]
#[derive(Default)]
pub struct SetConfig {
    pub(crate) constraints: Vec<StepConstraint>,
    pub(crate) sets: Vec<Label>,
    /// In the order of evaluation.
    pub(crate) conditions: Vec<ConditionSource>,
    pub(crate) unread: Option<Unread>,
}

impl SetConfig {
    /// Runs all systems of the set after `other`: a system, or all systems of another set.
    pub fn after<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(StepConstraint::new(OrderKind::After, other));
        self
    }

    /// Runs all systems of the set before `other`: a system, or all systems of another set.
    pub fn before<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(StepConstraint::new(OrderKind::Before, other));
        self
    }

    /// Puts all systems of the set into another set too, so that they obey its configuration.
    pub fn in_set(mut self, outer: impl SetLabel) -> Self {
        self.sets.push(Label::new(outer));
        self
    }

    /// Runs the systems of the set only if `condition` returns true.
    ///
    /// The condition is asked once per run of the schedule, before the first system of the set, and the answer holds for all
    /// of them. It is consumed if one of them runs. See [`IntoConfigs::run_if`](crate::IntoConfigs::run_if).
    pub fn run_if<M, C: IntoCondition<M>>(mut self, condition: C) -> Self
    where
        C::Out: ConditionOutput,
    {
        self.conditions.push(condition.into_condition());
        self
    }

    /// Chooses between keeping and discarding the events that the systems of the set have not read when their turn is
    /// skipped; see [`IntoConfigs::unread`](super::IntoConfigs::unread).
    ///
    /// A choice on a system, on a tuple or on an inner set takes precedence. If a set is configured several times, the last
    /// choice counts.
    pub fn unread(mut self, unread: Unread) -> Self {
        self.unread = Some(unread);
        self
    }
}

/// A configured set in a schedule.
pub(crate) struct ListedSet {
    pub(crate) label: Label,
    /// The place that configured it.
    pub(crate) at: &'static Location<'static>,
    pub(crate) constraints: Vec<StepConstraint>,
    pub(crate) sets: Vec<Label>,
    /// Positions in the list of conditions, in the order of evaluation.
    pub(crate) conditions: Vec<usize>,
    pub(crate) unread: Option<Unread>,
}

/// Two sets: all systems of the first one run before the second one.
pub(crate) struct ChainedSets {
    pub(crate) first: Label,
    pub(crate) second: Label,
    /// The place that chained them.
    pub(crate) at: &'static Location<'static>,
}
