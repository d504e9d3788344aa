//! Schedules: plans, conditions, states, time, threads and tasks.

mod access_text;
mod changed_schedules;
mod contracts;
mod determinism_check;
mod fixed_timestep;
mod nested_schedules;
mod owners;
mod parallel_model;
mod parallel_schedule;
mod schedule;
mod schedule_conditions;
mod schedule_sets;
mod schedule_trace;
mod states;
mod states_model;
mod tasks;
mod time;
mod timers;
