//! Checks that all entries of a workload do the same, then times them in turns.

use std::time::{Duration, Instant};

use crate::options::Options;
use crate::subject::{Entry, Peer, Subject, Workload};

/// How often each subject runs before the checksums are compared; more than once, so that a second run that finds
/// what the first one left is checked as well.
const CHECKED_RUNS: u32 = 2;

/// What was measured for one entry.
pub struct Figure {
    /// Who did the work.
    pub peer: Peer,
    /// In which way.
    pub form: &'static str,
    /// Runs in each timed batch.
    pub runs: u32,
    /// Nanoseconds per element in the best round.
    pub min: f64,
    /// Nanoseconds per element in the middle round: far above `min` means a noisy machine.
    pub median: f64,
}

/// Sets up, checks and times all entries of the workload.
///
/// # Panics
/// If two entries leave different data, see [`checked_subjects`].
#[must_use]
pub fn measure(workload: &Workload, options: &Options) -> Vec<Figure> {
    let mut subjects = checked_subjects(workload);
    let runs: Vec<u32> = subjects
        .iter_mut()
        .map(|subject| runs_for(subject.as_mut(), options.batch))
        .collect();
    let mut rounds: Vec<Vec<Duration>> = vec![Vec::new(); subjects.len()];
    // Everybody once per round: a machine that gets slower gets slower for all.
    for _ in 0..options.rounds {
        for ((subject, &runs), times) in subjects.iter_mut().zip(&runs).zip(&mut rounds) {
            times.push(time(subject.as_mut(), runs));
        }
    }
    let entries = workload.entries.iter().zip(runs).zip(rounds);
    entries
        .map(|((entry, runs), times)| figure(entry, runs, times, workload.elements))
        .collect()
}

/// The subjects of the workload in the order of its entries, each run a few times.
///
/// # Panics
/// If the checksum of an entry differs from that of the first: then they do not do the same work, and comparing their
/// times would mean nothing.
#[must_use]
pub fn checked_subjects(workload: &Workload) -> Vec<Box<dyn Subject>> {
    let mut expected = None;
    let check = |entry: &Entry| {
        let mut subject = entry.build();
        for _ in 0..CHECKED_RUNS {
            subject.run();
        }
        let found = subject.checksum();
        let expected = *expected.get_or_insert(found);
        assert!(
            found == expected,
            "{}: `{} {}` leaves other data than the first entry: checksum {found:016x}, not {expected:016x}",
            workload.name,
            entry.peer,
            entry.form,
        );
        subject
    };
    workload.entries.iter().map(check).collect()
}

/// How many runs fill a batch of that length, so that the clock's own cost and resolution vanish.
fn runs_for(subject: &mut dyn Subject, batch: Duration) -> u32 {
    let mut runs = 1;
    loop {
        let elapsed = time(subject, runs);
        if elapsed >= batch {
            return runs;
        }
        // Aims a little above the batch, but never trusts one short measurement further than tenfold.
        let factor = 1.2 * batch.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        runs = (f64::from(runs) * factor.clamp(1.5, 10.0)).ceil() as u32;
    }
}

fn time(subject: &mut dyn Subject, runs: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..runs {
        subject.run();
    }
    start.elapsed()
}

fn figure(entry: &Entry, runs: u32, mut times: Vec<Duration>, elements: u32) -> Figure {
    times.sort_unstable();
    let per_element =
        |time: Duration| time.as_secs_f64() * 1e9 / f64::from(runs) / f64::from(elements);
    Figure {
        peer: entry.peer,
        form: entry.form,
        runs,
        min: per_element(times[0]),
        median: per_element(times[times.len() / 2]),
    }
}
