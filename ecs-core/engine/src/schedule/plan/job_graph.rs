//! Dependencies between jobs.

use alloc::vec::Vec;
/// Dependencies between jobs. Jobs are numbered, and wait for lower numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobGraph {
    /// The number of jobs that each one waits for.
    waits_for: Vec<usize>,
    /// For each job, the end of its successors in `next`. The successors of the next job start there.
    ends: Vec<usize>,
    next: Vec<usize>,
}

impl JobGraph {
    /// Builds the graph. The successors of a job keep the order of the edges.
    pub(crate) fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let (mut waits_for, mut ends) = (vec![0; count], vec![0; count]);
        for &(first, second) in edges {
            waits_for[second] += 1;
            ends[first] += 1;
        }
        // `ends` first holds the number of successors of each job, then their start. Filling them in advances the start to
        // the end.
        let mut start = 0;
        for end in &mut ends {
            start += core::mem::replace(end, start);
        }
        let mut next = vec![0; edges.len()];
        for &(first, second) in edges {
            next[ends[first]] = second;
            ends[first] += 1;
        }
        Self {
            waits_for,
            ends,
            next,
        }
    }

    /// Returns the number of jobs that each one waits for.
    pub(crate) fn waits_for(&self) -> &[usize] {
        &self.waits_for
    }

    /// Returns the jobs that wait for nothing.
    pub(crate) fn first(&self) -> impl Iterator<Item = usize> {
        (0..self.waits_for.len()).filter(|&n| self.waits_for[n] == 0)
    }

    /// Returns the jobs that wait for this one.
    pub(crate) fn successors(&self, job: usize) -> &[usize] {
        let start = job.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.next[start..self.ends[job]]
    }
}
