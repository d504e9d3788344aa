//! Programs and wishes of articles about entity component systems, on our engine.

mod fluent_entities;
mod generational_arena;
mod minimal_ecs;
mod sparsey_reading;

#[global_allocator]
static ALLOCATOR: ecs_tests::counting::Counting = ecs_tests::counting::Counting;
