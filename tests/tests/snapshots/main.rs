//! Snapshots of worlds, and of parts of them.

mod snapshots;
mod snapshots_as_bytes;
mod snapshots_of_entities;
mod snapshots_of_schedules;
mod snapshots_of_writes;

#[global_allocator]
static ALLOCATOR: ecs_tests::counting::Counting = ecs_tests::counting::Counting;
