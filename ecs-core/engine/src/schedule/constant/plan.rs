//! What can be asked of a list that was planned while compiling.

use core::fmt;
use core::marker::PhantomData;

use super::list::{Found, SystemList, Written, find};
use super::matrix::has;
use crate::invariant::Invariant;
use crate::meta::SystemMeta;
use crate::system::RunnableFn;

/// The plan of a [`StaticSchedule`](super::StaticSchedule), made of constants.
///
/// Steps are numbered in the order in which they run. All but the iterators can be asked in a constant, so that what a
/// program relies on can be asserted while compiling:
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
/// assert_eq!(FRAME.plan().steps().map(|step| step.listed()).collect::<Vec<_>>(), [1, 0, 2]);
/// ```
pub struct StaticPlan<S> {
    of: Invariant<S>,
}

impl<S: SystemList> StaticPlan<S> {
    pub(super) const fn new() -> Self {
        Self { of: PhantomData }
    }

    /// The number of steps.
    #[must_use]
    pub const fn len(&self) -> usize {
        S::ORDER.len()
    }

    /// Whether there are no steps.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        S::ORDER.is_empty()
    }

    /// One of the steps.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub const fn step(&self, number: usize) -> StaticStep {
        let listed = S::ORDER[number];
        StaticStep {
            number,
            listed,
            meta: S::SYSTEMS[listed].meta,
        }
    }

    /// The steps in the order in which they run.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = StaticStep> + use<S> {
        let plan = *self;
        (0..self.len()).map(move |number| plan.step(number))
    }

    /// The step that runs `system`; `None` if there is none, or several, or if the system is generic, as instances of
    /// one function look alike while compiling.
    #[must_use]
    pub const fn position<F, M>(&self, system: &F) -> Option<usize>
    where
        F: RunnableFn<M>,
    {
        let Found::At(listed) = find(S::SYSTEMS, &Written::new(system, "")) else {
            return None;
        };
        let mut number = 0;
        while S::ORDER[number] != listed {
            number += 1;
        }
        Some(number)
    }

    /// Whether two steps, with their conditions, touch the same data, one of the two writing.
    ///
    /// Types that a constant cannot tell apart (instances of one generic type, resources without a derive) count as
    /// the same.
    ///
    /// # Panics
    /// If there are not so many steps.
    #[must_use]
    pub const fn conflict(&self, first: usize, second: usize) -> bool {
        let words = S::CONFLICTS.len() / S::SYSTEMS.len();
        let row = S::CONFLICTS.split_at(S::ORDER[first] * words).1;
        has(row, S::ORDER[second])
    }

    /// Every two steps that [`conflict`](Self::conflict); the first one runs earlier.
    pub fn conflicts(&self) -> impl Iterator<Item = (StaticStep, StaticStep)> + use<S> {
        let plan = *self;
        self.steps().flat_map(move |second| {
            let earlier = plan.steps().take(second.number);
            let earlier = earlier.filter(move |first| plan.conflict(first.number, second.number));
            earlier.map(move |first| (first, second))
        })
    }

    /// The stage of a step, counted from 0: the stages of all steps that it has to wait for are lower, because they
    /// conflict with it and run earlier, because it sees what they do by commands, or by `after`, `before` or `chain`.
    ///
    /// # Panics
    /// If there are not so many steps.
    #[must_use]
    pub const fn stage(&self, step: usize) -> usize {
        S::STAGES[S::ORDER[step]]
    }

    /// The number of stages: how many systems at least run one after the other, however many threads there are.
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
    /// The position in the order of running; counts from 0.
    #[must_use]
    pub const fn number(self) -> usize {
        self.number
    }

    /// The position in the list; counts from 0.
    #[must_use]
    pub const fn listed(self) -> usize {
        self.listed
    }

    /// The name of the system.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.meta.name
    }

    /// What is known of the system.
    #[must_use]
    pub const fn meta(self) -> SystemMeta {
        self.meta
    }
}
