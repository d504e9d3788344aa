//! Prints what was measured.

use std::fmt::Write as _;

use crate::harness::Figure;
use crate::subject::{Peer, Workload};

/// The first line of a CSV file.
pub const CSV_HEADER: &str = "workload,peer,form,elements,runs_per_batch,ns_min,ns_median,ratio_to_limit,ratio_to_best_peer\n";

/// What a reader must know about this build to trust the figures.
#[must_use]
pub fn conditions(malloc_pinned: bool) -> String {
    let yes_no = |yes| if yes { "yes" } else { "no" };
    let mut text = format!(
        "target {}, AVX {}, malloc thresholds pinned {}\n",
        std::env::consts::ARCH,
        yes_no(cfg!(target_feature = "avx")),
        yes_no(malloc_pinned),
    );
    if cfg!(debug_assertions) {
        text.push_str("WARNING: built with debug assertions; the figures mean nothing\n");
    }
    if !cfg!(feature = "peers") {
        text.push_str("without the feature `peers`: only hand-written code and ours\n");
    }
    text
}

/// The figures of one workload as a table.
#[must_use]
pub fn table(workload: &Workload, figures: &[Figure]) -> String {
    let base = Base::of(figures);
    let mut text = format!("\n{}: {}\n", workload.name, workload.about);
    let _ = writeln!(
        text,
        "  {:<6} {:<28} {:>10} {:>10} {:>9} {:>11}",
        "who", "form", "ns min", "ns median", "x limit", "x best peer"
    );
    for figure in figures {
        let _ = writeln!(
            text,
            "  {:<6} {:<28} {:>10.3} {:>10.3} {:>9} {:>11}",
            figure.peer,
            figure.form,
            figure.min,
            figure.median,
            ratio(figure.min, base.limit),
            ratio(figure.min, base.rival),
        );
    }
    text
}

/// The figures of one workload as lines of a CSV file.
#[must_use]
pub fn csv(workload: &Workload, figures: &[Figure]) -> String {
    let base = Base::of(figures);
    let mut text = String::new();
    for figure in figures {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.4},{:.4},{},{}",
            workload.name,
            figure.peer,
            figure.form,
            workload.elements,
            figure.runs,
            figure.min,
            figure.median,
            ratio(figure.min, base.limit),
            ratio(figure.min, base.rival),
        );
    }
    text
}

/// What ratios are taken to: the best hand-written form, and the best form of any other library.
struct Base {
    limit: Option<f64>,
    rival: Option<f64>,
}

impl Base {
    fn of(figures: &[Figure]) -> Self {
        let best = |wanted: fn(Peer) -> bool| {
            let matching = figures.iter().filter(|figure| wanted(figure.peer));
            matching.map(|figure| figure.min).reduce(f64::min)
        };
        Self {
            limit: best(|peer| peer == Peer::Limit),
            rival: best(Peer::is_rival),
        }
    }
}

fn ratio(value: f64, base: Option<f64>) -> String {
    base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", value / base))
}
