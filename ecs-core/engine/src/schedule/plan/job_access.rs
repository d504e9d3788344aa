//! The access of jobs to the world, and the jobs that evaluate shared conditions.

use alloc::vec::Vec;
use core::any::TypeId;

use super::job::{Job, ThreadPlacement};
use super::step::Step;
use super::{Flush, SchedulePlan};
use crate::bits::Bits;
use crate::hash::TypeMap;
use crate::meta::{Compatibility, SystemMeta, systems_compatible};

/// The access of all jobs of a plan.
pub(crate) struct JobAccesses<'a> {
    list: Vec<JobAccess<'a>>,
    /// Positions in the list where the jobs of each step start, and the end of the list.
    starts: Vec<usize>,
}

/// The access of a job, in a form that is fast to compare.
struct JobAccess<'a> {
    job: Job,
    metas: Vec<&'a SystemMeta>,
    /// A bit for each type.
    reads: Bits,
    writes: Bits,
    touches: bool,
    /// Its deferred changes are applied directly afterwards.
    flushes: bool,
    /// It touches types that it does not name, so the bits are incomplete.
    unnamed: bool,
    /// Earlier jobs that ask some of this job's conditions.
    evaluated_by: Vec<usize>,
}

impl<'a> JobAccesses<'a> {
    pub(crate) fn new(plan: &'a SchedulePlan) -> Self {
        let (mut types, mut evaluators) = (TypeNumbers::default(), Evaluators::default());
        let mut list: Vec<JobAccess<'a>> = Vec::with_capacity(plan.steps.len());
        let mut starts = vec![0];
        for step in plan.steps() {
            if step.conditions().len() > 0 {
                let (metas, evaluated_by) = evaluators.assign(step, list.len());
                let mut access = JobAccess::new(step, metas, true, &mut types);
                access.evaluated_by = evaluated_by;
                list.push(access);
            }
            list.push(JobAccess::new(step, vec![step.system()], false, &mut types));
            starts.push(list.len());
        }
        Self { list, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn job(&self, job: usize) -> Job {
        self.list[job].job
    }

    /// Returns the earlier jobs that ask some of this job's conditions.
    pub(crate) fn evaluated_by(&self, job: usize) -> &[usize] {
        &self.list[job].evaluated_by
    }

    /// Returns true if the second, later job has to wait for the first one because of their data.
    pub(crate) fn wait(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.list[first], &self.list[second]);
        if !first.touches || !second.touches {
            return false;
        }
        first.flushes
            || (first.job.defers && second.job.defers)
            || first.job.place == ThreadPlacement::Alone
            || second.job.place == ThreadPlacement::Alone
            || (first.may_conflict(second) && first.conflicts(second))
    }

    /// Like [`wait`](Self::wait), for steps.
    pub(crate) fn steps_wait(&self, first: usize, second: usize) -> bool {
        for one in self.starts[first]..self.starts[first + 1] {
            for two in self.starts[second]..self.starts[second + 1] {
                if self.wait(one, two) {
                    return true;
                }
            }
        }
        false
    }
}

impl<'a> JobAccess<'a> {
    fn new(
        step: Step<'a>,
        metas: Vec<&'a SystemMeta>,
        evaluates_conditions: bool,
        types: &mut TypeNumbers,
    ) -> Self {
        let any = |question: fn(&SystemMeta) -> bool| metas.iter().any(|meta| question(meta));
        let defers = any(SystemMeta::defers);
        // Deferred changes of a condition are applied before its system runs.
        let place = if any(SystemMeta::runs_alone) || (evaluates_conditions && defers) {
            ThreadPlacement::Alone
        } else if any(SystemMeta::on_calling_thread) {
            ThreadPlacement::CallingThread
        } else {
            ThreadPlacement::Anywhere
        };
        let [reads, writes] = types.bits(&metas);
        Self {
            job: Job {
                step: step.number(),
                evaluates_conditions,
                place,
                defers,
            },
            reads,
            writes,
            touches: any(SystemMeta::touches_world),
            flushes: defers && step.flush() != Flush::Later,
            unnamed: any(SystemMeta::locks_at_run_time),
            evaluated_by: Vec::new(),
            metas,
        }
    }

    /// Returns true if it may conflict with any other that touches the world, earlier or later.
    fn delays_all(&self) -> bool {
        self.unnamed || self.job.place == ThreadPlacement::Alone
    }

    /// Returns true if the two may conflict. `false` is exact: both name all types that they touch, and neither writes a
    /// type that the other one touches.
    fn may_conflict(&self, other: &Self) -> bool {
        self.unnamed
            || other.unnamed
            || self.writes.intersects(&other.writes)
            || self.writes.intersects(&other.reads)
            || self.reads.intersects(&other.writes)
    }

    fn conflicts(&self, other: &Self) -> bool {
        for one in &self.metas {
            for two in &other.metas {
                // Systems that are disjoint because of filters may run at the same time.
                if let Compatibility::Conflict(_) = systems_compatible(one, two) {
                    return true;
                }
            }
        }
        false
    }
}

/// The jobs before the next one, by what they touch: finds those that it may have to wait for without a look at the others.
#[derive(Default)]
pub(crate) struct EarlierJobs {
    /// The jobs that read each type, and those that write it.
    by_type: Vec<[Bits; 2]>,
    /// The jobs that touch the world.
    touching: Bits,
    /// Those that may delay all that touch the world.
    delaying_all: Bits,
    /// Those that defer changes.
    deferring: Bits,
}

impl EarlierJobs {
    /// Adds the next job.
    pub(crate) fn add(&mut self, accesses: &JobAccesses<'_>, number: usize) {
        let access = &accesses.list[number];
        if !access.touches {
            return;
        }
        self.touching.insert(number);
        if access.delays_all() || access.flushes {
            self.delaying_all.insert(number);
        }
        if access.job.defers {
            self.deferring.insert(number);
        }
        for (at, types) in [&access.reads, &access.writes].into_iter().enumerate() {
            for ty in types.iter() {
                if self.by_type.len() <= ty {
                    self.by_type.resize_with(ty + 1, Default::default);
                }
                self.by_type[ty][at].insert(number);
            }
        }
    }

    /// Returns all that a job has to [wait](JobAccesses::wait) for, and possibly others.
    pub(crate) fn that_may_delay(&self, accesses: &JobAccesses<'_>, number: usize) -> Bits {
        let access = &accesses.list[number];
        if !access.touches {
            return Bits::default();
        }
        if access.delays_all() {
            return self.touching.clone();
        }
        let mut found = self.delaying_all.clone();
        if access.job.defers {
            found.union_with(&self.deferring);
        }
        let of = |ty: usize| self.by_type.get(ty);
        for [_, writers] in access.reads.iter().filter_map(of) {
            found.union_with(writers);
        }
        for [readers, writers] in access.writes.iter().filter_map(of) {
            found.union_with(readers);
            found.union_with(writers);
        }
        found
    }
}

/// The job that asks each condition: the job of the first step that has it. Its answer holds for the other steps.
#[derive(Default)]
struct Evaluators {
    /// By condition.
    jobs: Vec<Option<usize>>,
}

impl Evaluators {
    /// Returns the conditions that the job of `step` asks, and the other jobs that ask the rest.
    fn assign<'a>(&mut self, step: Step<'a>, job: usize) -> (Vec<&'a SystemMeta>, Vec<usize>) {
        let (mut metas, mut waits_for) = (Vec::new(), Vec::new());
        self.jobs.resize(step.plan.conditions.len(), None);
        for &index in step.condition_indices() {
            match self.jobs[index] {
                // A condition that is listed twice does not wait for itself.
                Some(asks) if asks == job => {}
                Some(asks) => waits_for.push(asks),
                None => {
                    for meta in &step.plan.conditions[index].parts {
                        metas.push(meta);
                    }
                    self.jobs[index] = Some(job);
                }
            }
        }
        (metas, waits_for)
    }
}

/// Numbers the types that systems touch; a type has the same number as a component and as a resource.
#[derive(Default)]
struct TypeNumbers {
    numbers: TypeMap,
}

impl TypeNumbers {
    fn number(&mut self, id: TypeId) -> usize {
        let next = self.numbers.len();
        match self.numbers.get(&id) {
            Some(&number) => number,
            None => {
                self.numbers.insert(id, next);
                next
            }
        }
    }

    /// Returns the types that the systems read, and the types that they write, one bit per type.
    fn bits(&mut self, metas: &[&SystemMeta]) -> [Bits; 2] {
        let mut bits = [Bits::default(), Bits::default()];
        for meta in metas {
            for access in meta.access() {
                let number = self.number(access.ident.type_id());
                bits[usize::from(access.kind.writes())].insert(number);
            }
        }
        bits
    }
}
