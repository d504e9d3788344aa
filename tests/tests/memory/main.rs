//! Memory: its use against a counting allocator, and containers.

mod containers;
mod memory;
mod sparse_memory;

#[global_allocator]
static ALLOCATOR: ecs_tests::counting::Counting = ecs_tests::counting::Counting;
