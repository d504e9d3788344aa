//! The plan of a list that was planned at compile time.

use core::fmt;
use core::marker::PhantomData;

use super::list::{ListPosition, SystemList, find_named};
use super::matrix::has;
use crate::invariant::Invariant;
use crate::meta::SystemMeta;
use crate::system::{IntoSystem, Named, System};

/// The plan of a [`StaticSchedule`](super::StaticSchedule), made of constants.
///
/// Steps are numbered in running order. All methods except the iterators are `const`, so a program can assert its
/// assumptions at compile time:
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// #[system]
/// fn gravity(mut velocities: CompMut<Velocity>) { velocities.iter_mut().for_each(|v| v.0 -= 9.81) }
/// #[system]
/// fn report(positions: Comp<Position>) { println!("{} bodies", positions.len()) }
/// #[system]
/// fn movement(mut positions: CompMut<Position>, velocities: Comp<Velocity>) {
///     (&mut positions, &velocities).for_each(|(p, v)| p.0 += v.0);
/// }
///
/// schedule! { static FRAME = [movement.after(gravity), gravity, report] }
///
/// const _: () = {
///     let plan = FRAME.plan();
///     assert!(plan.stages() == 3);
///     assert!(plan.position(&gravity).unwrap() < plan.position(&movement).unwrap());
///     // These two can run at the same time.
///     assert!(!plan.conflict(plan.position(&gravity).unwrap(), plan.position(&report).unwrap()));
/// };
/// assert_eq!(FRAME.plan().steps().map(|step| step.list_index()).collect::<Vec<_>>(), [1, 0, 2]);
/// ```
pub struct StaticPlan<S> {
    of: Invariant<S>,
}

impl<S: SystemList> StaticPlan<S> {
    pub(super) const fn new() -> Self {
        Self { of: PhantomData }
    }

    /// Returns the number of steps.
    #[must_use]
    pub const fn len(&self) -> usize {
        S::ORDER.len()
    }

    /// Returns true if there are no steps.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        S::ORDER.is_empty()
    }

    /// Returns a step.
    ///
    /// # Panics
    /// If `number` is out of bounds.
    #[must_use]
    pub const fn step(&self, number: usize) -> StaticStep {
        let listed = S::ORDER[number];
        StaticStep {
            number,
            listed,
            meta: S::SYSTEMS[listed].meta,
        }
    }

    /// Returns the steps in running order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = StaticStep> + use<S> {
        let plan = *self;
        (0..self.len()).map(move |number| plan.step(number))
    }

    /// Returns the step that runs `system`. `None` if there is none, or several, or if the system is generic: a constant
    /// cannot tell instances of one function apart.
    #[must_use]
    pub const fn position<F, M>(&self, system: &F) -> Option<usize>
    where
        F: IntoSystem<Named<M>, System: System>,
    {
        _ = system;
        let name = <F::System as System>::META.name;
        let ListPosition::At(listed) = find_named(S::SYSTEMS, name, "") else {
            return None;
        };
        let mut number = 0;
        while S::ORDER[number] != listed {
            number += 1;
        }
        Some(number)
    }

    /// Returns true if two steps, with their conditions, touch the same data and one of them writes it.
    ///
    /// Types that a constant cannot tell apart (instances of one generic type, resources without a derive) count as the
    /// same.
    ///
    /// # Panics
    /// If a number is out of bounds.
    #[must_use]
    pub const fn conflict(&self, first: usize, second: usize) -> bool {
        let words = S::CONFLICTS.len() / S::SYSTEMS.len();
        let row = S::CONFLICTS.split_at(S::ORDER[first] * words).1;
        has(row, S::ORDER[second])
    }

    /// Returns all pairs of steps that [`conflict`](Self::conflict); the first one runs earlier.
    pub fn conflicts(&self) -> impl Iterator<Item = (StaticStep, StaticStep)> + use<S> {
        let plan = *self;
        self.steps().flat_map(move |second| {
            let earlier = plan.steps().take(second.number);
            let earlier = earlier.filter(move |first| plan.conflict(first.number, second.number));
            earlier.map(move |first| (first, second))
        })
    }

    /// Returns the stage of a step, counted from 0. It is higher than the stages of all steps that this one has to wait for:
    /// earlier steps that conflict with it, steps whose commands it sees, and steps that `after`, `before` or `chain` place
    /// before it.
    ///
    /// # Panics
    /// If `step` is out of bounds.
    #[must_use]
    pub const fn stage(&self, step: usize) -> usize {
        S::STAGES[S::ORDER[step]]
    }

    /// Returns the number of stages: at least this many systems run one after the other, however many threads there are.
    #[must_use]
    pub const fn stages(&self) -> usize {
        let mut stages = 0;
        let mut i = 0;
        while i < S::STAGES.len() {
            if S::STAGES[i] >= stages {
                stages = S::STAGES[i] + 1;
            }
            i += 1;
        }
        stages
    }
}

impl<S> Clone for StaticPlan<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for StaticPlan<S> {}

impl<S: SystemList> fmt::Debug for StaticPlan<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.steps().map(StaticStep::name))
            .finish()
    }
}

/// One system in a [`StaticPlan`].
#[derive(Clone, Copy, Debug)]
pub struct StaticStep {
    number: usize,
    listed: usize,
    meta: SystemMeta,
}

impl StaticStep {
    /// Returns the position in running order, counted from 0.
    #[must_use]
    #[inline]
    pub const fn number(self) -> usize {
        self.number
    }

    /// Returns the position in the list, counted from 0.
    #[must_use]
    #[inline]
    pub const fn list_index(self) -> usize {
        self.listed
    }

    /// Returns the name of the system.
    #[must_use]
    #[inline]
    pub const fn name(self) -> &'static str {
        self.meta.name
    }

    /// Returns the metadata of the system.
    #[must_use]
    #[inline]
    pub const fn meta(self) -> SystemMeta {
        self.meta
    }
}
