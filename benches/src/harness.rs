//! Times all forms of a workload in turns, each time in a new process, and checks that they do the same work.

use std::time::Duration;

use crate::child::{Sample, Task};
use crate::kind::{Spec, Unit};
use crate::options::Options;
use crate::peers::Peer;
use crate::subject::{Entry, Workload};

/// The number of elements above which a workload is timed in at most [`LARGE_ROUNDS`]: its set-up takes seconds, and
/// its batches are longer than the usual disturbances.
const LARGE: u32 = 1_000_000;

/// The rounds of large workloads.
const LARGE_ROUNDS: u32 = 2;

/// The measurements of one entry.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The library.
    pub peer: Peer,
    /// The form.
    pub form: &'static str,
    /// `true` for the plain hand-written loop.
    pub plain: bool,
    /// Runs in each timed batch.
    pub runs: u32,
    /// Nanoseconds (or bytes) per element in the best batch.
    pub min: f64,
    /// The same in the middle batch: far above `min` means a noisy machine.
    pub median: f64,
    /// The figure to compare: `median` if several threads work, otherwise `min`.
    pub value: f64,
}

/// The measurements of one workload.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The workload.
    pub spec: Spec,
    /// A figure per entry, in their order.
    pub figures: Vec<Figure>,
    /// The peers that do not support it, with the reasons.
    pub absent: Vec<(Peer, &'static str)>,
}

impl Outcome {
    /// Returns the best figure among the peers that `wanted` accepts.
    #[must_use]
    pub fn best(&self, wanted: impl Fn(Peer) -> bool) -> Option<&Figure> {
        let matching = self.figures.iter().filter(|figure| wanted(figure.peer));
        matching.min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Returns the best figure of hand-written code.
    #[must_use]
    pub fn limit(&self) -> Option<&Figure> {
        self.best(|peer| peer == Peer::Limit)
    }

    /// Returns the figure of the plain hand-written loop.
    #[must_use]
    pub fn plain(&self) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.plain)
    }

    /// Returns the best figure of the other libraries.
    #[must_use]
    pub fn best_rival(&self) -> Option<&Figure> {
        self.best(Peer::is_rival)
    }

    /// Returns a figure as a multiple of the best hand-written code.
    #[must_use]
    pub fn to_limit(&self, figure: &Figure) -> Option<f64> {
        Some(figure.value / self.limit()?.value)
    }
}

/// Times all entries of a workload that the options select.
///
/// # Errors
/// If a child fails, or leaves different data than the first one.
pub fn measure(spec: Spec, options: &Options) -> Result<Outcome, String> {
    let mut workload = Workload::of_all_peers(spec);
    workload
        .entries
        .retain(|entry| options.wants_peer(entry.peer));
    let mut series: Vec<Series> = workload.entries.iter().map(Series::new).collect();
    let mut expected = None;
    let rounds = match spec.unit() {
        Unit::Bytes => 1,
        Unit::Nanoseconds if spec.elements > LARGE => options.rounds.min(LARGE_ROUNDS),
        Unit::Nanoseconds => options.rounds,
    };
    // Each entry once per round: a slowdown of the machine affects all of them.
    for _ in 0..rounds {
        for (entry, series) in workload.entries.iter().zip(&mut series) {
            let sample = series.task(&spec, entry, options).spawn()?;
            agree(&spec, entry, sample.checksum, &mut expected)?;
            series.add(sample);
        }
    }
    let entries = workload.entries.iter().zip(series);
    Ok(Outcome {
        spec,
        figures: entries
            .map(|(entry, series)| series.figure(entry, &spec))
            .collect(),
        absent: workload.absent,
    })
}

/// Compares the checksum of an entry with the checksums before it.
///
/// # Errors
/// If they differ: they do different work, and their times cannot be compared.
pub fn agree(
    spec: &Spec,
    entry: &Entry,
    found: u64,
    expected: &mut Option<u64>,
) -> Result<(), String> {
    let expected = *expected.get_or_insert(found);
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{}: `{} {}` and the first entry leave different data: checksum {found:016x}, not {expected:016x}",
        spec.name, entry.peer, entry.form,
    ))
}

/// The samples of one entry.
struct Series {
    runs: Option<u32>,
    bytes: Option<usize>,
    batches: Vec<Duration>,
}

impl Series {
    fn new(_: &Entry) -> Self {
        Self {
            runs: None,
            bytes: None,
            batches: Vec::new(),
        }
    }

    fn task(&self, spec: &Spec, entry: &Entry, options: &Options) -> Task {
        Task {
            workload: spec.name.to_owned(),
            peer: entry.peer.name().to_owned(),
            form: entry.form.to_owned(),
            batch: options.batch,
            runs: self.runs,
        }
    }

    fn add(&mut self, sample: Sample) {
        self.runs = Some(sample.runs);
        self.bytes = sample.bytes;
        self.batches.extend(sample.batches);
    }

    fn figure(mut self, entry: &Entry, spec: &Spec) -> Figure {
        self.batches.sort_unstable();
        let runs = self.runs.unwrap_or(1);
        let per_element = |total: f64| total / f64::from(runs) / f64::from(spec.elements);
        let (min, median) = match spec.unit() {
            Unit::Nanoseconds => {
                let at = |place: usize| per_element(self.batches[place].as_secs_f64() * 1e9);
                (at(0), at(self.batches.len() / 2))
            }
            Unit::Bytes => {
                let bytes = self.bytes.map_or(f64::NAN, |bytes| bytes as f64);
                (per_element(bytes), per_element(bytes))
            }
        };
        Figure {
            peer: entry.peer,
            form: entry.form,
            plain: entry.plain,
            runs,
            min,
            median,
            value: if spec.kind.is_parallel() { median } else { min },
        }
    }
}
