//! The check of a schedule that has to be deterministic.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;

use super::{PlanError, SchedulePlan, Step};
use crate::schedule::declare::join_path;

impl SchedulePlan {
    /// Fails if the result of a run may depend on anything that is neither in the world nor in the metadata of the systems.
    pub(crate) fn check_determinism(&self) -> Result<(), PlanError> {
        for step in self.steps() {
            let mut is_outer = false;
            for (name, inner) in step.inner() {
                is_outer = true;
                inner
                    .check_determinism()
                    .map_err(|error| PlanError::Inside {
                        path: join_path(step.name(), name),
                        error: Box::new(error),
                    })?;
            }
            // A step has the accesses of the systems inside.
            let of_step = if is_outer { 1 } else { 0 };
            for meta in step.metas().into_iter().skip(of_step) {
                if let Some(message) = meta.determinism_refusal(meta.name, "") {
                    return Err(PlanError::NotDeterministic {
                        system: step.name(),
                        message: message.as_str().to_owned(),
                    });
                }
            }
        }
        match self.ambiguities().next() {
            None => Ok(()),
            Some((first, second, reason)) => Err(ambiguous(first, second, &reason)),
        }
    }
}

fn ambiguous(first: Step<'_>, second: Step<'_>, reason: &super::Reason) -> PlanError {
    PlanError::NotDeterministic {
        system: first.name(),
        message: alloc::format!(
            "`{}` and `{}` are `unordered` in a deterministic schedule, but their order makes a difference: {reason}; help: remove the `unordered`, so that list order holds",
            first.name(),
            second.name()
        ),
    }
}
