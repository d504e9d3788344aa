//! Change tracking, removals, events and observers.

mod event_pipelines;
mod inline_tracking;
mod mutations;
mod observer_systems;
mod removed;
mod tracking;
mod tracking_model;
mod tracking_shapes;
mod unread;
