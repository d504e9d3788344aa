//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order give a [`Plan`], an immutable result that
//! anybody can read. An executor then runs the plan. This room knows nothing of what systems are made of; that is the
//! business of [`system`](mod@crate::system).

#[doc(inline)]
pub use ecs_engine::schedule::*;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use crate::__schedule as schedule;
