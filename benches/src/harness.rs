//! Times all ways of a workload in turns, each time in a new process, and checks that they do the same.

use std::time::Duration;

use crate::child::{Sample, Task};
use crate::kind::{Spec, Unit};
use crate::options::Options;
use crate::peers::Peer;
use crate::subject::{Entry, Workload};

/// What was measured for one entry.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Who did the work.
    pub peer: Peer,
    /// In which way.
    pub form: &'static str,
    /// Whether it is the loop that everybody writes first.
    pub plain: bool,
    /// Runs in each timed batch.
    pub runs: u32,
    /// Nanoseconds (or bytes) per element in the best batch.
    pub min: f64,
    /// The same in the middle batch: far above `min` means a noisy machine.
    pub median: f64,
    /// What is compared: `median` where several threads work, `min` elsewhere.
    pub value: f64,
}

/// What was measured for one workload.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it is.
    pub spec: Spec,
    /// A figure per entry, in their order.
    pub figures: Vec<Figure>,
    /// Who cannot do it, and why not.
    pub absent: Vec<(Peer, &'static str)>,
}

impl Outcome {
    /// The best figure among those of the peers that `wanted` accepts.
    #[must_use]
    pub fn best(&self, wanted: impl Fn(Peer) -> bool) -> Option<&Figure> {
        let matching = self.figures.iter().filter(|figure| wanted(figure.peer));
        matching.min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The best hand-written code.
    #[must_use]
    pub fn limit(&self) -> Option<&Figure> {
        self.best(|peer| peer == Peer::Limit)
    }

    /// The hand-written code that everybody writes first.
    #[must_use]
    pub fn plain(&self) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.plain)
    }

    /// The best of the other libraries.
    #[must_use]
    pub fn best_rival(&self) -> Option<&Figure> {
        self.best(Peer::is_rival)
    }

    /// A figure as a multiple of the best hand-written code.
    #[must_use]
    pub fn to_limit(&self, figure: &Figure) -> Option<f64> {
        Some(figure.value / self.limit()?.value)
    }
}

/// Times all entries of a workload that the options want.
///
/// # Errors
/// If a child fails, or leaves other data than the first one.
pub fn measure(spec: Spec, options: &Options) -> Result<Outcome, String> {
    let mut workload = Workload::of_all_peers(spec);
    workload
        .entries
        .retain(|entry| options.wants_peer(entry.peer));
    let mut series: Vec<Series> = workload.entries.iter().map(Series::new).collect();
    let mut expected = None;
    let rounds = match spec.unit() {
        Unit::Bytes => 1,
        Unit::Nanoseconds => options.rounds,
    };
    // Everybody once per round: a machine that gets slower gets slower for all.
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

/// Compares the checksum of an entry with that of those before it.
///
/// # Errors
/// If they differ: then they do not do the same work, and comparing their times would mean nothing.
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
        "{}: `{} {}` leaves other data than the first entry: checksum {found:016x}, not {expected:016x}",
        spec.name, entry.peer, entry.form,
    ))
}

/// What the children of one entry said.
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
