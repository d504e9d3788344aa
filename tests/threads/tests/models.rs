//! Every order of events of the models.

use ecs_thread_models::models;

#[test]
fn a_borrow_flag_keeps_writers_alone() {
    models::a_borrow_flag_keeps_writers_alone();
}

#[test]
fn reserved_ids_are_different() {
    models::reserved_ids_are_different();
}

#[test]
fn parts_run_once_and_after_those_that_they_wait_for() {
    models::parts_run_once_and_after_those_that_they_wait_for();
}

#[test]
fn parked_parts_reach_the_calling_thread() {
    models::parked_parts_reach_the_calling_thread();
}

#[test]
fn failures_stop_later_steps_only() {
    models::failures_stop_later_steps_only();
}
