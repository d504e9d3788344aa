//! What jobs of steps reach in the world, and who asks which condition.

use core::any::TypeId;

use super::job::{Job, Place};
use super::step::Step;
use super::{Flush, Plan};
use crate::bits::Bits;
use crate::hash::TypeMap;
use crate::meta::{Compatibility, ParamAccess, SystemMeta, between};

/// What all jobs of a plan reach.
pub(crate) struct Reaches<'a> {
    list: Vec<Reach<'a>>,
    /// Where in the list the jobs of each step start, and the end of the list.
    starts: Vec<usize>,
}

/// What a job reaches, in a form that is quickly compared.
struct Reach<'a> {
    job: Job,
    metas: Vec<&'a SystemMeta>,
    /// A bit for each type.
    reads: Bits,
    writes: Bits,
    touches: bool,
    /// What it puts off is done directly afterwards.
    flushes: bool,
    /// It touches types that it does not name, so that the bits do not say all.
    unnamed: bool,
    /// Earlier jobs that ask what this one wants to know, too.
    asked_by: Vec<usize>,
}

impl<'a> Reaches<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        let (mut types, mut askers) = (Types::default(), Askers::default());
        let mut list: Vec<Reach<'a>> = Vec::with_capacity(plan.steps.len());
        let mut starts = vec![0];
        for step in plan.steps() {
            if step.conditions().len() > 0 {
                let (metas, asked_by) = askers.ask(step, list.len());
                let mut reach = Reach::new(step, metas, true, &mut types);
                reach.asked_by = asked_by;
                list.push(reach);
            }
            list.push(Reach::new(step, vec![step.system()], false, &mut types));
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

    /// Earlier jobs that ask what this one wants to know, too.
    pub(crate) fn asked_by(&self, job: usize) -> &[usize] {
        &self.list[job].asked_by
    }

    /// Whether the second job, which comes later, has to wait for the first one by what they touch.
    pub(crate) fn wait(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.list[first], &self.list[second]);
        if !first.touches || !second.touches {
            return false;
        }
        first.flushes
            || (first.job.defers && second.job.defers)
            || first.job.place == Place::Alone
            || second.job.place == Place::Alone
            || (first.may_meet(second) && first.intersects(second))
    }

    /// As [`wait`](Self::wait), for steps.
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

impl<'a> Reach<'a> {
    fn new(step: Step<'a>, metas: Vec<&'a SystemMeta>, asks: bool, types: &mut Types) -> Self {
        let any = |question: fn(&SystemMeta) -> bool| metas.iter().any(|meta| question(meta));
        let defers = any(SystemMeta::defers);
        // What a condition puts off is done before its system runs.
        let place = if any(SystemMeta::runs_alone) || (asks && defers) {
            Place::Alone
        } else if any(SystemMeta::on_calling_thread) {
            Place::CallingThread
        } else {
            Place::Anywhere
        };
        let [reads, writes] = types.bits(&metas);
        Self {
            job: Job {
                step: step.number(),
                asks,
                place,
                defers,
            },
            reads,
            writes,
            touches: any(SystemMeta::touches_world),
            flushes: defers && step.flush() != Flush::Later,
            unnamed: any(touches_unnamed),
            asked_by: Vec::new(),
            metas,
        }
    }

    /// `false` is certain: both name all types that they touch, and none of them is written.
    fn may_meet(&self, other: &Self) -> bool {
        self.unnamed
            || other.unnamed
            || self.writes.intersects(&other.writes)
            || self.writes.intersects(&other.reads)
            || self.reads.intersects(&other.writes)
    }

    fn intersects(&self, other: &Self) -> bool {
        for one in &self.metas {
            for two in &other.metas {
                // Those that filters keep apart may run at the same time.
                if let Compatibility::Conflict(_) = between(one, two) {
                    return true;
                }
            }
        }
        false
    }
}

/// Who asks which condition.
///
/// The first step that wants to know asks, and the answer holds for the others. What lies before a condition in the list
/// of its step decides whether it is asked at all. So of steps with the same conditions before it only the first one can
/// be the one that asks: later, there is an answer, or it is clear that none is needed.
#[derive(Default)]
struct Askers<'a> {
    /// The conditions up to and including one in the list of a step, and the job that may ask that one.
    list: Vec<(&'a [usize], usize)>,
}

impl<'a> Askers<'a> {
    /// What the job of `step` may ask, and whom it has to wait for.
    fn ask(&mut self, step: Step<'a>, job: usize) -> (Vec<&'a SystemMeta>, Vec<usize>) {
        let (mut metas, mut waits_for) = (Vec::new(), Vec::new());
        let indices = step.condition_indices();
        for (i, &index) in indices.iter().enumerate() {
            let path = &indices[..=i];
            let known = self.list.iter().any(|(other, _)| *other == path);
            for &(other, asker) in &self.list {
                let asks = if known {
                    other == path
                } else {
                    other[other.len() - 1] == index
                };
                // A condition that is there twice does not wait for itself.
                if asks && asker != job {
                    waits_for.push(asker);
                }
            }
            if !known {
                for meta in &step.plan.conditions[index].parts {
                    metas.push(meta);
                }
                self.list.push((path, job));
            }
        }
        (metas, waits_for)
    }
}

/// Numbers the types that systems touch; as a component and as a resource a type has the same number.
#[derive(Default)]
struct Types {
    numbers: TypeMap,
}

impl Types {
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

    /// The types that the systems read, and that they write, a bit for each.
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

/// Whether the system touches types that [`SystemMeta::access`] does not name.
fn touches_unnamed(meta: &SystemMeta) -> bool {
    fn of(tree: &ParamAccess) -> bool {
        match tree {
            ParamAccess::World(_) | ParamAccess::WorldRef | ParamAccess::ResourcesRef => true,
            ParamAccess::All(jobs) | ParamAccess::OneOf(jobs) => jobs.iter().any(|job| of(job)),
            ParamAccess::Nothing
            | ParamAccess::Shape
            | ParamAccess::Deferred
            | ParamAccess::Leaf(_)
            | ParamAccess::NonSend(_)
            | ParamAccess::Query { .. } => false,
        }
    }
    meta.params.iter().any(|param| of(param.of.access))
}
