//! The jobs of steps, and which waits for which.
//!
//! A step that runs under conditions has two jobs: to ask them, and to run the system. So systems that share a
//! condition still run at the same time, and only asking is done in turns.

use super::Plan;
use super::graph::{self, Edges};
use super::job::Job;
use super::job_graph::JobGraph;
use super::reach::Reaches;
use crate::bits::Bits;

/// All jobs, in the order of their steps, and their dependencies.
#[derive(Clone)]
pub(crate) struct Jobs {
    pub(crate) list: Vec<Job>,
    /// What waits for what, without what follows from others.
    pub(crate) graph: JobGraph,
    /// The steps that each step waits for, without those that others wait for on the way, ascending.
    pub(crate) waits: Vec<Vec<usize>>,
    /// The job that runs the system of each step.
    pub(crate) runs: Vec<usize>,
}

impl Jobs {
    /// The jobs of the plan's steps, which are in the order in which they run.
    ///
    /// O(jobs²): compares every two of them.
    pub(crate) fn new(plan: &Plan) -> Self {
        let reaches = Reaches::new(plan);
        let (mut edges, mut steps) = (Edges::new(), Edges::new());
        let mut list: Vec<Job> = Vec::with_capacity(reaches.len());
        let mut runs = Vec::with_capacity(plan.steps.len());
        // Where in `steps` ends what each job waits for; what the next one waits for starts there.
        let mut ends = Vec::with_capacity(reaches.len());
        // The steps that a job waits for.
        let mut before = Bits::default();
        for n in 0..reaches.len() {
            let job = reaches.job(n);
            for (first, earlier) in list.iter().enumerate() {
                if reaches.wait(first, n) {
                    edges.push((first, n));
                    before.insert(earlier.step);
                }
            }
            let step = &plan.steps[job.step];
            if !job.asks && !step.conditions.is_empty() {
                edges.push((n - 1, n));
            } else {
                for &first in &step.after {
                    edges.push((runs[first], n));
                    before.insert(first);
                }
            }
            // Whoever wants to know waits for the question, not for the system that it was asked for: of steps, for those
            // that the question waits for.
            for &asker in reaches.asked_by(n) {
                edges.push((asker, n));
                let start = if asker == 0 { 0 } else { ends[asker - 1] };
                for &(first, _) in &steps[start..ends[asker]] {
                    before.insert(first);
                }
            }
            if !job.asks {
                runs.push(n);
            }
            while let Some(first) = before.take_first() {
                if first != job.step {
                    steps.push((first, job.step));
                }
            }
            ends.push(steps.len());
            list.push(job);
        }
        graph::reduce(list.len(), &mut edges);
        graph::reduce(runs.len(), &mut steps);
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
