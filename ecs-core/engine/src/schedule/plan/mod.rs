//! The plan: the order of systems, their dependencies, and the reasons for them.

use alloc::string::String;
use alloc::vec::Vec;
mod contract;
mod cycle;
mod determinism;
mod error;
mod inner;
mod job;
mod job_access;
mod job_graph;
mod jobs;
mod members;
mod resolve;
mod sets;
mod step;
mod waive;
mod why;

use crate::graph;
use crate::sync::OnceLock;
use core::fmt;

pub use contract::{ContractError, EffectOf};
pub use error::PlanError;
pub(crate) use inner::{InnerPlans, forget_changed, forget_removed, refuse_states};
pub(crate) use job::Job;
pub use job::ThreadPlacement;
pub(crate) use jobs::Jobs;
pub use step::{Reason, Step};
pub use why::{InPlan, Why};

use super::declare::{ErrorPolicy, Flush, Unread};
use crate::meta::{ConditionMeta, Conflict, CrateContract, ForeignWrite, SystemMeta};
use crate::sort::sort_by_number;
use crate::system::SystemId;

/// A system as input of the planner, with names resolved.
pub(crate) struct Planned {
    pub(crate) id: SystemId,
    pub(crate) meta: SystemMeta,
    /// Positions in the list of conditions, in the order of evaluation.
    pub(crate) conditions: Vec<usize>,
    pub(crate) flush: Flush,
    pub(crate) unread: Option<Unread>,
    /// The number of its part of the schedule.
    pub(crate) part: usize,
    pub(crate) on_error: Option<ErrorPolicy>,
}

/// The order of the systems of a schedule and their dependencies: the immutable result of planning.
///
/// It contains names and metadata but no system, so it can be read, printed and compared without a world. An
/// [`Executor`](crate::schedule::Executor) runs it.
///
/// # Dependencies
/// A step waits for an earlier one
/// * that `after`, `before` or `chain` place before it,
/// * that touches the same data, if one of them writes (systems with [`run_if`](crate::IntoConfigs::run_if) count the data
///   of their conditions),
/// * that has `Commands` or can otherwise defer structural changes, if the later step touches anything in the world.
///
/// All other steps may run at the same time. [`Step::reason`] returns the reason.
#[derive(Clone)]
pub struct SchedulePlan {
    /// In running order.
    pub(crate) steps: Vec<StepData>,
    /// The steps in running order, split into stretches that a sequential run handles quickly.
    pub(crate) stretches: Vec<Stretch>,
    /// All conditions of the schedule.
    pub(crate) conditions: Vec<ConditionMeta>,
    /// Notes about possible mistakes; the outermost plan has the notes of all depths.
    notes: Vec<String>,
    /// The plans inside steps, in the order of the list.
    inner: Vec<InnerPlans>,
    /// The choice about unread events for all systems of the step around this plan.
    unread: Option<Unread>,
    /// True if a system or a condition, at any depth, has readers.
    pub(crate) has_readers: bool,
    /// The number of its first step among all steps of the outermost plan.
    first_id: usize,
    /// The number of its steps, at all depths.
    pub(crate) size: usize,
    /// Numbers of steps, the lower one first.
    ambiguities: Vec<(usize, usize)>,
    /// Dependencies, computed on demand: a sequential run does not need them, and they take several times as long as the
    /// rest of planning.
    jobs: OnceLock<Jobs>,
}

#[derive(Clone)]
pub(crate) struct StepData {
    /// The position in running order.
    pub(crate) number: usize,
    /// The id of the system.
    pub(crate) id: SystemId,
    pub(crate) meta: SystemMeta,
    /// The position in the list of systems.
    pub(crate) listed: usize,
    /// The steps that constraints place before this one, ascending.
    pub(crate) after: Vec<usize>,
    /// Positions in the list of conditions, in the order of evaluation.
    pub(crate) conditions: Vec<usize>,
    pub(crate) flush: Flush,
    /// The step's own choice about unread events.
    pub(crate) unread: Option<Unread>,
    /// True if the system, or one inside the step, has readers.
    pub(crate) has_readers: bool,
    pub(crate) on_error: Option<ErrorPolicy>,
    /// True if the system, conditions aside, can defer structural changes.
    pub(crate) defers: bool,
    /// True if there are no conditions and the system defers nothing.
    pub(crate) is_plain: bool,
}

/// Adjacent steps that are all plain and in list order, or a single other step.
#[derive(Clone)]
pub(crate) struct Stretch {
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// The position of the first one in the list of systems.
    pub(crate) listed: usize,
    pub(crate) is_plain: bool,
}

impl SchedulePlan {
    /// Plans `systems`, which are in list order. `edges` (the first one runs first) and `waived` (list order need not be
    /// kept) are pairs of positions in that list. `explain` returns the text about a cycle of positions.
    pub(crate) fn new(
        systems: &[Planned],
        edges: &[(usize, usize)],
        waived: &[(usize, usize)],
        conditions: Vec<ConditionMeta>,
        explain: &dyn Fn(&[usize]) -> Vec<String>,
    ) -> Result<Self, PlanError> {
        let parts = conditions.iter().flat_map(|condition| &condition.parts);
        let metas = systems.iter().map(|system| &system.meta).chain(parts);
        // The contract of each crate with a system here holds for all systems.
        let mut contracts = Vec::<&CrateContract>::new();
        for contract in metas.clone().filter_map(SystemMeta::contract) {
            if !contracts
                .iter()
                .any(|other| core::ptr::eq(*other, contract))
            {
                contracts.push(contract);
            }
        }
        for meta in metas {
            check(meta, &contracts)?;
        }
        let mut preferred = Vec::from_iter(0..systems.len());
        sort_by_number(&mut preferred, |&listed| systems[listed].part as u64);
        let order = match graph::order_as(&preferred, edges) {
            Ok(order) => order,
            Err(cycle) => {
                let mut names = Vec::with_capacity(cycle.len());
                for &listed in &cycle {
                    names.push(systems[listed].meta.name);
                }
                return Err(PlanError::Cycle {
                    systems: names,
                    sets: explain(&cycle),
                });
            }
        };
        let mut plan = Self {
            steps: Vec::new(),
            stretches: Vec::new(),
            notes: Vec::new(),
            inner: Vec::new(),
            unread: None,
            has_readers: systems.iter().any(|system| system.meta.has_readers())
                || conditions.iter().any(ConditionMeta::has_readers),
            first_id: 0,
            size: systems.len(),
            ambiguities: Vec::new(),
            jobs: OnceLock::new(),
            conditions,
        };
        plan.set_order(systems, &order, edges);
        if !waived.is_empty() {
            let (chosen, ambiguous) = plan.choose(edges, waived);
            let order = graph::order_as(&preferred, &chosen).expect("edges along an order");
            let place = plan.set_order(systems, &order, edges);
            for (a, b) in ambiguous {
                let pair = (place[a].min(place[b]), place[a].max(place[b]));
                if let Err(at) = plan.ambiguities.binary_search(&pair) {
                    plan.ambiguities.insert(at, pair);
                }
            }
        }
        Ok(plan)
    }

    /// Puts the systems into this order, and returns the step number of each.
    fn set_order(
        &mut self,
        systems: &[Planned],
        order: &[usize],
        edges: &[(usize, usize)],
    ) -> Vec<usize> {
        self.steps.clear();
        self.stretches.clear();
        let mut place = vec![0; order.len()];
        for (number, &listed) in order.iter().enumerate() {
            place[listed] = number;
            let system = &systems[listed];
            let defers = system.meta.defers();
            let is_plain = system.conditions.is_empty() && !defers;
            self.add_to_stretches(number, listed, is_plain);
            self.steps.push(StepData {
                number,
                id: system.id,
                meta: system.meta,
                listed,
                after: Vec::new(),
                conditions: system.conditions.clone(),
                flush: system.flush,
                unread: system.unread,
                has_readers: system.meta.has_readers(),
                on_error: system.on_error,
                defers,
                is_plain,
            });
        }
        for &(first, second) in edges {
            let after = &mut self.steps[place[second]].after;
            if let Err(at) = after.binary_search(&place[first]) {
                after.insert(at, place[first]);
            }
        }
        place
    }

    /// Appends the next step to the last stretch, or starts a new one.
    fn add_to_stretches(&mut self, first: usize, listed: usize, is_plain: bool) {
        match self.stretches.last_mut() {
            Some(last) if last.is_plain && is_plain && last.listed + last.len == listed => {
                last.len += 1;
            }
            _ => self.stretches.push(Stretch {
                first,
                len: 1,
                listed,
                is_plain,
            }),
        }
    }

    /// Returns the jobs, for executors with several threads.
    pub(crate) fn jobs(&self) -> &Jobs {
        self.jobs.get_or_init(|| Jobs::new(self))
    }

    pub(crate) fn step(&self, number: usize) -> Step<'_> {
        Step {
            plan: self,
            data: &self.steps[number],
        }
    }

    /// Returns the steps in running order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step<'_>> {
        let plan = self;
        plan.steps.iter().map(move |data| Step { plan, data })
    }

    /// Returns notes about valid code that may be a mistake: sets that only constraints name, because no system is in them.
    /// Notes about schedules inside steps begin with the path of the step.
    ///
    /// This is not an error, because plugins order their systems against sets of plugins that may be absent. But a label with a
    /// typing error looks the same.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn draw() {}
    ///
    /// let mut frame = Schedule::new();
    /// frame.add(draw.after("phisics"));
    /// let plan = frame.plan()?;
    /// assert_eq!(plan.notes(), ["no system is in the set `\"phisics\"`, which is only named by constraints"]);
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns every pair of `unordered` systems whose order makes a difference, and the difference. The first system of a
    /// pair runs earlier.
    ///
    /// Planning chooses their order once, and puts the system first that can start sooner. Every executor keeps the order of
    /// the plan, so results are the same for all executors and numbers of threads. They may change when another system is
    /// added.
    pub fn ambiguities(&self) -> impl Iterator<Item = (Step<'_>, Step<'_>, Reason)> {
        self.ambiguities.iter().filter_map(|&(first, second)| {
            let (first, second) = (self.step(first), self.step(second));
            let reason = second.reason(first).or_else(|| first.reason(second))?;
            Some((first, second, reason))
        })
    }

    /// Returns every pair of systems that must not run at the same time according to their metadata, and the conflict. The
    /// first system of a pair runs earlier. Conditions count as jobs of their systems.
    ///
    /// O(pairs of systems).
    pub fn conflicts(&self) -> impl Iterator<Item = (Step<'_>, Step<'_>, Conflict)> {
        self.steps().flat_map(move |second| {
            self.steps()
                .take(second.number())
                .filter_map(move |first| first.conflict(second).map(|why| (first, second, why)))
        })
    }
}

fn check(meta: &SystemMeta, contracts: &[&'static CrateContract]) -> Result<(), PlanError> {
    let system = meta.name;
    if let Some(message) = meta.refusal() {
        return Err(PlanError::ConflictingParameters { system, message });
    }
    match meta.foreign_write(contracts) {
        None => Ok(()),
        Some(ForeignWrite {
            data,
            owners,
            message,
        }) => Err(PlanError::ForeignWrite {
            system,
            data,
            owners,
            message,
        }),
    }
}

impl fmt::Debug for SchedulePlan {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps()).finish()
    }
}
