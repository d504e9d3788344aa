//! One sample: a child process that sets up one form of one workload, runs it and reports the times.
//!
//! Each sample is a process of its own, because allocators keep state: a second form in the same process would find the
//! memory that the first one fragmented.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::kind::{self, Unit};
use crate::memory;
use crate::peers::Peer;
use crate::subject::{Entry, Subject, Workload};

/// The number of runs before the checksum is taken; more than one, so that a run on the data of an earlier run is
/// checked as well. The timed runs follow, on warm caches.
pub const CHECKED_RUNS: u32 = 2;

/// The number of batches that each child times.
pub const BATCHES: u32 = 3;

/// The measurements of a child.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Digest of the data after [`CHECKED_RUNS`] runs.
    pub checksum: u64,
    /// Runs in each batch.
    pub runs: u32,
    /// Bytes that the set-up allocated, if the allocator reports them.
    pub bytes: Option<usize>,
    /// The time of each batch.
    pub batches: Vec<Duration>,
}

/// The task of a child: its command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the workload.
    pub workload: String,
    /// Name of the peer.
    pub peer: String,
    /// Name of the form.
    pub form: String,
    /// The minimal time of a batch.
    pub batch: Duration,
    /// Runs in each batch, if an earlier child has determined them.
    pub runs: Option<u32>,
}

impl Task {
    /// The number of arguments after `--child`.
    pub const ARGUMENTS: usize = 5;

    /// Reads the arguments after `--child`.
    ///
    /// # Errors
    /// If an argument is missing, or a number is invalid.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let [workload, peer, form, batch, runs] = arguments else {
            return Err("`--child` takes WORKLOAD PEER FORM NANOSECONDS RUNS".to_owned());
        };
        let number = |text: &str| {
            let wrong = |_| format!("`--child`: `{text}` is not a number");
            text.parse::<u32>().map_err(wrong)
        };
        let runs = number(runs)?;
        Ok(Self {
            workload: workload.clone(),
            peer: peer.clone(),
            form: form.clone(),
            batch: Duration::from_nanos(number(batch)?.into()),
            runs: (runs > 0).then_some(runs),
        })
    }

    fn arguments(&self) -> [String; Self::ARGUMENTS] {
        [
            self.workload.clone(),
            self.peer.clone(),
            self.form.clone(),
            self.batch.as_nanos().to_string(),
            self.runs.unwrap_or(0).to_string(),
        ]
    }

    /// Runs the task in a child process.
    ///
    /// # Errors
    /// If the child cannot be started or fails; the error then contains its output.
    pub fn spawn(&self) -> Result<Sample, String> {
        let what = format!("{}: `{} {}`", self.workload, self.peer, self.form);
        let this = std::env::current_exe()
            .map_err(|error| format!("cannot find the path of this program: {error}"))?;
        let output = Command::new(this)
            .arg("--child")
            .args(self.arguments())
            .output()
            .map_err(|error| format!("{what}: cannot start a process: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{what} failed ({}):\n{said}", output.status));
        }
        let said = String::from_utf8_lossy(&output.stdout);
        Sample::parse(&said)
            .ok_or_else(|| format!("{what} printed `{said}`, which is not a sample"))
    }

    /// Runs the task in this process.
    ///
    /// # Errors
    /// If this build has no such workload, peer or form.
    pub fn run(&self) -> Result<Sample, String> {
        let missing = || {
            format!(
                "no `{}` of `{}` in `{}`",
                self.form, self.peer, self.workload
            )
        };
        let spec = *kind::find(&self.workload).ok_or_else(missing)?;
        let peer = Peer::find(&self.peer).ok_or_else(missing)?;
        let workload = Workload::of(spec, peer);
        let entry = workload.find(&self.peer, &self.form).ok_or_else(missing)?;
        Ok(sample(entry, spec.unit(), self.batch, self.runs))
    }
}

fn sample(entry: &Entry, unit: Unit, batch: Duration, runs: Option<u32>) -> Sample {
    let before = memory::in_use();
    let mut subject = entry.build();
    let bytes = memory::in_use()
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before));
    for _ in 0..CHECKED_RUNS {
        subject.run();
    }
    let checksum = subject.checksum();
    let subject = subject.as_mut();
    let (runs, batches) = match unit {
        Unit::Bytes => (1, Vec::new()),
        Unit::Nanoseconds => {
            let runs = runs.unwrap_or_else(|| runs_for(subject, batch));
            let batches = (0..BATCHES).map(|_| time(subject, runs)).collect();
            (runs, batches)
        }
    };
    Sample {
        checksum,
        runs,
        bytes,
        batches,
    }
}

/// Returns how many runs fill a batch of a length, so that the cost and resolution of the clock are negligible.
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

impl Sample {
    /// Returns the line that a child prints.
    #[must_use]
    pub fn to_line(&self) -> String {
        let bytes = self.bytes.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let mut line = format!("{:016x} {} {bytes}", self.checksum, self.runs);
        for batch in &self.batches {
            let _ = write!(line, " {}", batch.as_nanos());
        }
        line
    }

    /// Parses the output of a child.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let checksum = u64::from_str_radix(words.next()?, 16).ok()?;
        let runs = words.next()?.parse().ok()?;
        let bytes = match words.next()? {
            "-" => None,
            number => Some(number.parse().ok()?),
        };
        let nanoseconds = |word: &str| word.parse().ok().map(Duration::from_nanos);
        Some(Self {
            checksum,
            runs,
            bytes,
            batches: words.map(nanoseconds).collect::<Option<_>>()?,
        })
    }
}
