//! The jobs of steps, and their dependencies.
//!
//! A step with conditions has two jobs: one evaluates them, the other runs the system. So systems that share a condition
//! still run at the same time. Only the evaluation is sequential.

use alloc::vec::Vec;

use super::job::Job;
use super::job_access::{EarlierJobs, JobAccesses};
use super::job_graph::JobGraph;
use super::{SchedulePlan, StepData};
use crate::bits::Bits;
use crate::graph::{self, Edges};
use crate::sort::sort_by_number;

/// All jobs, in the order of their steps, and their dependencies.
#[derive(Clone)]
pub(crate) struct Jobs {
    pub(crate) list: Vec<Job>,
    /// Dependencies, without the ones that follow from others.
    pub(crate) graph: JobGraph,
    /// The steps that each step waits for, ascending, without the ones that follow from others.
    pub(crate) waits: Vec<Vec<usize>>,
    /// The job that runs the system of each step.
    pub(crate) runs: Vec<usize>,
}

impl Jobs {
    /// Builds the jobs of the plan's steps.
    ///
    /// Compares each job with the earlier ones that touch the same types, unless it waits for them through others. Takes
    /// O(types that a job touches * jobs² / 64), beside the comparisons.
    pub(crate) fn new(plan: &SchedulePlan) -> Self {
        let accesses = JobAccesses::new(plan);
        let (mut edges, mut steps) = (Edges::new(), Edges::new());
        let mut list: Vec<Job> = Vec::with_capacity(accesses.len());
        let mut runs = Vec::with_capacity(plan.steps.len());
        // For each job, the end of its part of `steps`, the steps that it waits for. The next job's part starts there.
        let mut ends = Vec::with_capacity(accesses.len());
        // The steps that a job waits for.
        let mut before = Vec::new();
        // For each job, the earlier ones that it waits for because of their data, also through others.
        let mut reached_from: Vec<Bits> = Vec::with_capacity(accesses.len());
        let mut earlier = EarlierJobs::default();
        for n in 0..accesses.len() {
            let job = accesses.job(n);
            let mut reached = Bits::default();
            // Nearest first: a longer path between the same ends only leads through nearer jobs.
            let mut candidates = earlier.that_may_delay(&accesses, n);
            if cfg!(test) {
                let mut others = (0..n).filter(|&first| !candidates.contains(first));
                assert!(others.all(|first| !accesses.wait(first, n)));
            }
            while let Some(first) = candidates.take_last() {
                if accesses.wait(first, n) {
                    reached.insert(first);
                    reached.union_with(&reached_from[first]);
                    candidates.remove_all(&reached);
                    edges.push((first, n));
                    before.push(list[first].step);
                }
            }
            earlier.add(&accesses, n);
            reached_from.push(reached);
            let step = &plan.steps[job.step];
            if !job.evaluates_conditions && !step.conditions.is_empty() {
                edges.push((n - 1, n));
            } else {
                for &first in &step.after {
                    edges.push((runs[first], n));
                    before.push(first);
                }
            }
            // A job that shares a condition waits for the evaluation, not for the system of the step that evaluates it. In
            // terms of steps, it waits for the steps before the evaluation.
            for &evaluator in accesses.evaluated_by(n) {
                edges.push((evaluator, n));
                let start = if evaluator == 0 {
                    0
                } else {
                    ends[evaluator - 1]
                };
                for &(first, _) in &steps[start..ends[evaluator]] {
                    before.push(first);
                }
            }
            if !job.evaluates_conditions {
                runs.push(n);
            }
            sort_by_number(&mut before, |&first| first as u64);
            before.dedup();
            for first in before.drain(..).filter(|&first| first != job.step) {
                steps.push((first, job.step));
            }
            ends.push(steps.len());
            list.push(job);
        }
        let is_plain = |step: &StepData| step.after.is_empty() && step.conditions.is_empty();
        if plan.steps.iter().all(is_plain) {
            // Each step is one job, and all edges are of data: none follows from others.
            steps.clone_from(&edges);
        } else {
            graph::reduce(list.len(), &mut edges);
            graph::reduce(runs.len(), &mut steps);
        }
        let mut waits = vec![Vec::new(); runs.len()];
        for &(first, second) in steps.iter().rev() {
            waits[second].push(first);
        }
        let graph = JobGraph::new(list.len(), &edges);
        Self {
            list,
            graph,
            waits,
            runs,
        }
    }
}
