//! What threads share, by one name: tests put the types of a model checker in its place.

pub(crate) use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard};
