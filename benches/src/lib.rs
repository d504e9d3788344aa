//! The benchmarks of `ecs-core`: workloads done side by side by hand-written code, by us and by our peers.
//!
//! [`kind`] lists the workloads, `workloads` holds the data that all share, [`peers`] has a module per library with its
//! ways of doing them. A [`harness`] times each way in child processes, checks that all leave the same data, and a
//! [`report`] prints the figures. The binary `ecs-bench` puts these together; the binary `ir_guard` counts instructions
//! of our own forms. How to run and read them: `README.md`.

pub mod child;
pub mod columns;
pub mod components;
pub mod digest;
pub mod harness;
pub mod kind;
pub mod memory;
pub mod options;
pub mod peers;
pub mod report;
pub mod shuffle;
pub mod subject;
pub mod workloads;
