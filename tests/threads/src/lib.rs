//! Models of code that threads share: files of the engine, compiled with the types of [loom]. Loom runs a model once for
//! every possible interleaving of its threads, and for every value that a load may return.

// The engine uses all of these files; the models use parts of them.
#![allow(
    dead_code,
    missing_docs,
    unexpected_cfgs,
    unreachable_pub,
    unused_imports,
    reason = "parts of another crate"
)]

extern crate alloc;

mod sync {
    pub(crate) use core::sync::atomic::AtomicU64 as StaticAtomicU64;
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    };
    pub(crate) use loom::sync::{Mutex, MutexGuard};
    pub(crate) use std::sync::{PoisonError, TryLockError};
}

#[path = "../../../ecs-core/engine/src/bits.rs"]
mod bits;
#[path = "../../../ecs-core/engine/src/borrow.rs"]
mod borrow;
#[path = "../../../ecs-core/engine/src/bytes.rs"]
mod bytes;
#[path = "../../../ecs-core/engine/src/entity/mod.rs"]
mod entity;
#[path = "../../../ecs-core/engine/src/fail.rs"]
mod fail;
#[path = "../../../ecs-core/engine/src/schedule/plan/job_graph.rs"]
mod job_graph;
#[path = "../../../ecs-core/engine/src/log/mod.rs"]
mod log;
#[path = "../../../ecs-core/engine/src/join/pieces.rs"]
mod pieces;
#[path = "../../../ecs-core/engine/src/schedule/execute/progress.rs"]
mod progress;
#[path = "../../../ecs-core/engine/src/tick.rs"]
mod tick;
#[path = "../../../ecs-core/engine/src/schedule/execute/turn_cell.rs"]
mod turn_cell;

pub mod models;
