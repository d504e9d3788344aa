//! Types for sharing between threads, in one place, so that tests can replace them by those of a model checker.

pub(crate) use core::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
pub(crate) use std::sync::{Mutex, MutexGuard};
