//! The benchmarks of `ecs-core`: workloads implemented by hand-written code, by this library and by its peers.
//!
//! [`kind`] lists the workloads, `workloads` contains the shared data, and [`peers`] has a module per library with its
//! forms of the workloads. The [`harness`] times each form in child processes and checks that all leave the same data;
//! the [`report`] prints the figures. The binary `ecs-bench` combines these; the binary `ir_guard` counts instructions
//! of our own forms. `README.md` describes how to run and read them.

pub mod child;
pub mod columns;
pub mod components;
mod data_shapes;
pub mod digest;
pub mod harness;
pub mod hero;
mod inspect_shapes;
pub mod kind;
pub mod memory;
pub mod options;
pub mod peers;
pub mod report;
pub mod shapes;
pub mod shuffle;
mod snapshot_shapes;
pub mod subject;
pub mod workloads;
