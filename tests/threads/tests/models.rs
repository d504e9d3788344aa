//! Runs every interleaving of the models.

use ecs_thread_models::models;

#[test]
fn a_borrow_flag_keeps_writers_exclusive() {
    models::a_borrow_flag_keeps_writers_exclusive();
}

#[test]
fn reserved_ids_are_different() {
    models::reserved_ids_are_different();
}

#[test]
fn ticks_are_in_the_order_of_borrows() {
    models::ticks_are_in_the_order_of_borrows();
}

#[test]
fn ticks_are_different() {
    models::ticks_are_different();
}

#[test]
fn every_row_is_fetched_once() {
    models::every_row_is_fetched_once();
}

#[test]
fn readers_of_events_read_each_one_once() {
    models::log::readers_of_events_read_each_one_once();
}

#[test]
fn readers_of_events_know_what_they_missed() {
    models::log::readers_of_events_know_what_they_missed();
}

#[test]
fn readers_of_removals_may_register_before_their_log() {
    models::log::readers_of_removals_may_register_before_their_log();
}

#[test]
fn readers_may_go_while_others_come() {
    models::log::readers_may_go_while_others_come();
}

#[test]
fn jobs_run_once_and_after_those_that_they_wait_for() {
    models::run::jobs_run_once_and_after_those_that_they_wait_for();
}

#[test]
fn parked_jobs_reach_the_calling_thread() {
    models::run::parked_jobs_reach_the_calling_thread();
}

#[test]
fn failures_stop_later_steps_only() {
    models::run::failures_stop_later_steps_only();
}

#[test]
fn an_answer_reaches_all_jobs_that_wait_for_it() {
    models::run::an_answer_reaches_all_jobs_that_wait_for_it();
}
