//! Sets of systems, and what is said about a whole set.

use super::Schedule;
use super::error::Relation;
use super::label::{Label, SetLabel};
use super::target::{Constraint, IntoTarget};
use crate::system::{ConditionSource, IntoCondition};

/// What is said about a set of systems; see [`Schedule::configure`](super::Schedule::configure).
#[must_use = "does nothing until it is returned"]
#[derive(Default)]
pub struct SetConfig {
    pub(super) constraints: Vec<Constraint>,
    pub(super) sets: Vec<Label>,
    /// In the order in which they are asked.
    pub(super) conditions: Vec<ConditionSource>,
}

impl SetConfig {
    /// All systems of the set run after the system, or after all systems of the other set.
    pub fn after<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(Constraint::new(Relation::After, other));
        self
    }

    /// All systems of the set run before the system, or before all systems of the other set.
    pub fn before<M>(mut self, other: impl IntoTarget<M>) -> Self {
        self.constraints
            .push(Constraint::new(Relation::Before, other));
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
pub(super) struct ListedSet {
    pub(super) label: Label,
    pub(super) constraints: Vec<Constraint>,
    pub(super) sets: Vec<Label>,
    /// Positions in the list of conditions, in the order in which they are asked.
    pub(super) conditions: Vec<usize>,
}

impl Schedule {
    /// The sets run in this order: all systems of a set before those of the next one.
    ///
    /// Sets without systems are passed over. What is said here is said beside [`configure`](Self::configure), as often
    /// as you like.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// enum Frame { Input, Physics, Draw }
    ///
    /// #[system]
    /// fn draw(mut log: ResMut<String>) { log.push('d') }
    /// #[system]
    /// fn keys(mut log: ResMut<String>) { log.push('k') }
    ///
    /// let mut frame = Schedule::new();
    /// frame.chain_sets([Frame::Input, Frame::Physics, Frame::Draw]);
    /// frame.add((draw.in_set(Frame::Draw), keys.in_set(Frame::Input)));
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kd");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn chain_sets<L: SetLabel>(&mut self, sets: impl IntoIterator<Item = L>) -> &mut Self {
        let sets: Vec<_> = sets.into_iter().map(Label::new).collect();
        let pairs = sets
            .windows(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()));
        self.list.chained_sets.extend(pairs);
        self.plan = None;
        self
    }
}
