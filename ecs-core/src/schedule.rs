//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order give a [`Plan`], which is immutable and public.
//! An executor then runs the plan. Systems themselves are defined in [`system`](mod@crate::system).

#[doc(inline)]
pub use ecs_engine::schedule::*;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use crate::__schedule as schedule;
