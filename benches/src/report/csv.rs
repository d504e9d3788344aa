//! All figures as comma-separated values.

use std::fmt::Write as _;

use super::tables::ratio;
use crate::harness::Outcome;

const HEADER: &str = "workload,unit,peer,form,elements,runs_per_batch,min,median,ratio_to_limit,ratio_to_best_peer\n";

/// Returns a line per workload, peer and form.
#[must_use]
pub fn csv(outcomes: &[Outcome]) -> String {
    let mut text = HEADER.to_owned();
    for outcome in outcomes {
        let spec = &outcome.spec;
        for figure in &outcome.figures {
            let _ = writeln!(
                text,
                "{},{},{},\"{}\",{},{},{:.4},{:.4},{},{}",
                spec.name,
                spec.unit().name(),
                figure.peer,
                figure.form,
                spec.elements,
                figure.runs,
                figure.min,
                figure.median,
                ratio(figure.value, outcome.limit().map(|limit| limit.value)),
                ratio(figure.value, outcome.best_rival().map(|rival| rival.value)),
            );
        }
    }
    text
}
