//! Models of what threads share: the engine's own files, compiled on the types of [loom], which runs a model once
//! for every order in which its threads can take turns, and for every value that a load may see.

// The files are those of the engine, where all of it is used.
#![allow(
    dead_code,
    missing_docs,
    unexpected_cfgs,
    unreachable_pub,
    unused_imports,
    reason = "parts of another crate"
)]

mod sync {
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    };
    pub(crate) use loom::sync::{Mutex, MutexGuard};
}

#[path = "../../../ecs-core/engine/src/bits.rs"]
mod bits;
#[path = "../../../ecs-core/engine/src/borrow.rs"]
mod borrow;
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
