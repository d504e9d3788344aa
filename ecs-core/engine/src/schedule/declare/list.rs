//! The list of a schedule: systems and sets with their configuration, in the order they were added.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::panic::Location;

use super::inner::Inner;
use super::label::Label;
use super::sets::{ChainedSets, ListedSet, SetConfig};
use super::system_error::ErrorPolicy;
use super::target::{ConstraintPlace, ConstraintTarget, StepConstraint};
use super::unread::Unread;
use crate::meta::{ConditionMeta, SystemMeta};
use crate::sync::{Mutex, PoisonError};
use crate::system::exclusive_meta;
use crate::system::{BoxCondition, ConditionSource, Runner, SystemId, SystemSource};
use crate::world::World;

/// The input of the planner.
#[derive(Default)]
pub(crate) struct StepList {
    pub(crate) systems: Vec<ListedStep>,
    pub(crate) sets: Vec<ListedSet>,
    /// Pairs of positions in `systems`; the first one of a pair runs first.
    pub(crate) chained: Vec<(usize, usize)>,
    pub(crate) chained_sets: Vec<ChainedSets>,
    /// Pairs that need not keep their list order.
    pub(crate) waived: Vec<(ConstraintPlace, ConstraintPlace)>,
    /// The conditions of all systems and sets.
    pub(crate) conditions: Vec<ListedCondition>,
    /// The names of the parts that run one after the other; empty if there is only one.
    pub(crate) parts: Vec<String>,
}

/// A system of the list.
pub(crate) struct ListedStep {
    pub(crate) id: SystemId,
    pub(crate) meta: SystemMeta,
    pub(crate) body: StepBody,
    pub(crate) constraints: Vec<StepConstraint>,
    pub(crate) sets: Vec<Label>,
    /// Positions in the list of conditions, in the order of evaluation.
    pub(crate) conditions: Vec<usize>,
    pub(crate) flush: Flush,
    /// The innermost choice, on the system itself or a tuple; `None` if there is none.
    pub(crate) unread: Option<Unread>,
    /// The number of its part of the schedule.
    pub(crate) part: usize,
    pub(crate) on_error: Option<ErrorPolicy>,
}

/// The body of a step.
pub(crate) enum StepBody {
    System(Build<Runner>),
    Inner(Inner),
}

/// A condition of the list.
pub(crate) struct ListedCondition {
    pub(crate) meta: ConditionMeta,
    pub(crate) build: Build<BoxCondition>,
}

/// The time when a system's deferred commands are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Directly after the system.
    #[default]
    After,
    /// At the next [`Point`](Self::Point), or at the end of the run.
    Later,
    /// The step itself is a flush point.
    Point,
}

/// Builds a `T` for a world, once. The lock only makes schedules `Sync`, because resources have to be.
pub(crate) struct Build<T>(Mutex<Option<Builder<T>>>);

type Builder<T> = Box<dyn FnOnce(&World) -> T + Send>;

impl StepList {
    /// Tells the world which data its systems and conditions name, at all depths. Starts at these positions, and returns the
    /// positions after the last ones.
    pub(crate) fn make_known(
        &self,
        world: &mut World,
        (systems, conditions): (usize, usize),
    ) -> (usize, usize) {
        for listed in self.systems.iter().skip(systems) {
            world.make_params_known(listed.meta.params);
            if let StepBody::Inner(inner) = &listed.body {
                for inner in &inner.schedules {
                    inner.list.make_known(world, (0, 0));
                }
            }
        }
        for condition in self.conditions.iter().skip(conditions) {
            for part in &condition.meta.parts {
                world.make_params_known(part.params);
            }
        }
        (self.systems.len(), self.conditions.len())
    }
}

impl<T> Build<T> {
    fn new(builder: Builder<T>) -> Self {
        Self(Mutex::new(Some(builder)))
    }

    /// Returns the builder; `None` after the first call.
    pub(crate) fn take(&mut self) -> Option<Builder<T>> {
        let builder = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        builder.take()
    }
}

impl ListedStep {
    pub(crate) fn new(source: SystemSource, flush: Flush) -> Self {
        let body = StepBody::System(Build::new(source.build));
        Self::with_body(source.id, source.meta, body, flush)
    }

    /// A step with schedules inside, which needs the world alone; constraints refer to it by the type `T`.
    pub(crate) fn with_inner<T: 'static>(name: &'static str, inner: Inner) -> Self {
        Self::with_body(
            SystemId::of::<T>(),
            exclusive_meta(name),
            StepBody::Inner(inner),
            Flush::After,
        )
    }

    fn with_body(id: SystemId, meta: SystemMeta, body: StepBody, flush: Flush) -> Self {
        Self {
            id,
            meta,
            body,
            constraints: Vec::new(),
            sets: Vec::new(),
            conditions: Vec::new(),
            flush,
            unread: None,
            part: 0,
            on_error: None,
        }
    }
}

impl ListedCondition {
    pub(crate) fn new(source: ConditionSource) -> Self {
        Self {
            meta: source.meta,
            build: Build::new(source.build),
        }
    }
}

impl StepList {
    /// Calls the pending setup functions of the schedules inside, at all depths, in the order of the list.
    pub(crate) fn set_up(&mut self, world: &mut World) {
        for listed in &mut self.systems {
            if let StepBody::Inner(inner) = &mut listed.body {
                // Only drivers that are not built yet, so each one is called once.
                if let Some(driver) = &mut inner.driver {
                    driver.set_up(world);
                }
                for schedule in &mut inner.schedules {
                    schedule.setups.run(world);
                    schedule.list.set_up(world);
                }
            }
        }
    }

    /// Adds the systems, sets and constraints of another list at the end.
    #[inline]
    pub(crate) fn append(&mut self, other: Self) {
        let (systems, conditions) = (self.systems.len(), self.conditions.len());
        for mut system in other.systems {
            system.conditions.iter_mut().for_each(|n| *n += conditions);
            self.systems.push(system);
        }
        for mut set in other.sets {
            set.conditions.iter_mut().for_each(|n| *n += conditions);
            self.sets.push(set);
        }
        for (first, second) in other.chained {
            self.chained.push((systems + first, systems + second));
        }
        self.chained_sets.extend(other.chained_sets);
        self.waived.extend(other.waived);
        self.conditions.extend(other.conditions);
    }

    /// Returns the first step of a part that has a schedule inside, and its position.
    #[inline]
    pub(crate) fn inside(&mut self, part: usize) -> Option<(usize, &mut Inner)> {
        let steps = self.systems.iter_mut().enumerate();
        let mut in_part = steps.filter(|(_, listed)| listed.part == part);
        in_part.find_map(|(position, listed)| match &mut listed.body {
            StepBody::Inner(inner) if !inner.schedules.is_empty() => Some((position, inner)),
            _ => None,
        })
    }

    #[track_caller]
    pub(crate) fn configure(&mut self, label: Label, config: SetConfig) {
        let mut conditions = Vec::with_capacity(config.conditions.len());
        for condition in config.conditions {
            conditions.push(self.conditions.len());
            self.conditions.push(ListedCondition::new(condition));
        }
        self.sets.push(ListedSet {
            label,
            at: Location::caller(),
            constraints: config.constraints,
            sets: config.sets,
            conditions,
            unread: config.unread,
        });
    }

    #[track_caller]
    pub(crate) fn chain_sets(&mut self, sets: &[Label]) {
        for pair in sets.windows(2) {
            self.chained_sets.push(ChainedSets {
                first: pair[0].clone(),
                second: pair[1].clone(),
                at: Location::caller(),
            });
        }
    }

    pub(crate) fn waive(&mut self, one: ConstraintTarget, other: ConstraintTarget) {
        self.waived.push((one.0, other.0));
    }
}
