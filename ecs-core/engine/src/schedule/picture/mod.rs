//! Plans as pictures.
//!
//! All functions are `#[inline]`, so that they are compiled where somebody draws, and by nobody else.

mod dot;
mod layers;
mod mermaid;
mod svg;

pub(super) use dot::draw_error;

use super::plan::Plan;
use super::step::Reason;

/// That a step waits for an earlier one.
struct Arrow {
    first: usize,
    second: usize,
    /// What keeps list order; `None` if somebody asked for it.
    why: Option<String>,
}

/// Who waits for whom, without what follows from others.
#[inline]
fn arrows(plan: &Plan) -> impl Iterator<Item = Arrow> {
    plan.steps().flat_map(|second| {
        second.waits_for().map(move |first| Arrow {
            first: first.number(),
            second: second.number(),
            why: match second.reason(first) {
                Some(Reason::Asked) | None => None,
                Some(Reason::Conflict(conflict)) => Some(conflict.overlap.to_string()),
                Some(Reason::Commands) => Some(String::from("commands")),
                Some(Reason::Answer) => Some(String::from("a condition")),
            },
        })
    })
}
