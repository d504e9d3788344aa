//! The plan of an app.

use ecs_core::prelude::*;

use crate::{app, log, note};

#[derive(Resource)]
struct One(u32);
#[derive(Resource)]
struct Two(u32);

#[system]
fn writes_one(mut one: ResMut<One>) {
    one.0 += 1;
}

#[system]
fn writes_two(mut two: ResMut<Two>) {
    two.0 += 1;
}

#[system]
fn reads_one(one: Res<One>) {
    assert!(one.0 > 0);
}

#[test]
fn systems_of_two_schedules_wait_only_for_what_they_touch() {
    let mut app = app();
    app.add_systems(PreUpdate, writes_one);
    app.add_systems(Update, writes_two);
    app.add_systems(PostUpdate, reads_one);
    let plan = app.build().unwrap();
    let waits = plan.frame().steps().map(|step| step.waits_for().count());
    assert_eq!(Vec::from_iter(waits), [0, 0, 1]);
}

#[test]
fn building_runs_nothing_and_twice_does_nothing() {
    let mut app = app();
    app.add_systems(Startup, note!("startup"));
    app.finally(|app| _ = app.add_systems(Update, note!("update")));
    app.build().unwrap();
    app.build().unwrap();
    assert_eq!(log(&mut app), "");
    app.update();
    assert_eq!(log(&mut app), "startup update");
}

#[test]
fn what_is_inside_steps_is_part_of_the_plan() {
    let mut app = app();
    app.add_systems(FixedUpdate, note!("fixed"));
    app.add_systems(Startup, note!("startup"));
    let plan = app.build().unwrap();
    assert_eq!(plan.startup().steps().len(), 1);
    let text = format!("{:?}", plan.frame());
    assert!(text.contains("FixedUpdate"), "{text}");
}
