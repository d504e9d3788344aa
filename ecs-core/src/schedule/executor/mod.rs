//! Ways to run a plan.

pub(super) mod sequential;
