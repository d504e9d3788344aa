//! The benchmarks of `ecs-core`: workloads done side by side by hand-written code, by us and by our peers.
//!
//! A [`Workload`](subject::Workload) lists who does it and in which form, a [`harness`] checks that all of them leave
//! the same data and times them in turns, a [`report`] prints the figures. The binary `ecs-bench` puts these together;
//! the binary `ir_guard` counts instructions of our own forms. How to run and read them: `README.md`.

pub mod columns;
pub mod components;
pub mod digest;
pub mod harness;
pub mod memory;
pub mod options;
pub mod report;
pub mod shuffle;
pub mod subject;
pub mod workloads;
