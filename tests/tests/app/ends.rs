//! Errors of systems, and the end of an app.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::app::Exit;
use ecs_core::app::Last;
use ecs_core::prelude::*;
use ecs_core::schedule::{ErrorPolicy, OnError, SystemError};

use crate::{app, log, note};

#[system]
fn fails() -> Result<(), String> {
    Err("no luck".into())
}

#[test]
fn an_error_ends_the_app_after_the_frame() {
    let mut app = app();
    app.add_systems(Update, (fails, note!("others")));
    app.add_systems(Last, note!("last"));
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "others last");
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(app.run(), AppExit::error(1));
    assert_eq!(
        log(&mut app),
        "",
        "nothing ran, and the world is still there"
    );
}

#[test]
fn after_an_error_in_startup_no_frame_runs() {
    let mut app = app();
    app.add_systems(Startup, (fails, note!("startup")));
    app.add_systems(Update, note!("update"));
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "startup");
}

#[test]
fn logged_errors_let_the_app_go_on() {
    let mut app = app();
    app.on_error(ErrorPolicy::Log);
    app.add_systems(Update, fails);
    assert_eq!(app.update(), None);
    assert_eq!(app.update(), None);
}

#[test]
fn a_system_may_have_a_policy_of_its_own() {
    let mut app = app();
    app.add_systems(Update, (fails, fails).on_error(ErrorPolicy::Log));
    assert_eq!(app.update(), None);
    app.add_systems(Update, fails);
    assert_eq!(app.update(), Some(AppExit::error(1)));
}

#[test]
fn the_policy_of_a_schedule_holds_for_the_systems_inside() {
    let mut app = app();
    let mut inner = Schedule::named("inner");
    inner.add((fails, fails.on_error(ErrorPolicy::Log)));
    app.add_systems(Update, inner.on_error(ErrorPolicy::Panic));
    let caught = catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("in `inner`: system `") && message.contains("no luck"),
        "{message}"
    );
}

#[test]
fn a_function_decides_what_an_error_means() {
    thread_local!(static SEEN: Cell<u32> = const { Cell::new(0) });
    fn decide(error: &SystemError, world: &mut World) -> OnError {
        assert!(error.system.ends_with("fails"));
        world.resource_mut::<crate::Log>().0.push("decide");
        SEEN.set(SEEN.get() + 1);
        if SEEN.get() < 3 {
            OnError::Continue
        } else {
            OnError::Exit
        }
    }
    let mut app = app();
    app.on_error(ErrorPolicy::Call(decide));
    app.add_systems(Update, (fails, note!("after")));
    assert_eq!(app.run_frames(), AppExit::error(1));
    assert_eq!(log(&mut app), "after decide after decide after decide");
}

trait RunFrames {
    fn run_frames(&mut self) -> AppExit;
}

impl RunFrames for App {
    /// Like `run`, but the app can be inspected afterwards.
    fn run_frames(&mut self) -> AppExit {
        loop {
            if let Some(exit) = self.update() {
                return exit;
            }
        }
    }
}

#[test]
fn an_error_with_the_policy_panic_names_the_system() {
    let mut app = app();
    app.on_error(ErrorPolicy::Panic);
    app.add_systems(Update, fails);
    app.add_systems(Last, note!("last"));
    let caught = catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("ends::fails` failed: no luck"),
        "{message}"
    );
    assert_eq!(log(&mut app), "last");
}

#[test]
fn a_panic_stays_one_and_the_app_goes_on_if_it_is_caught() {
    let mut app = app();
    app.add_systems(Update, |mut frames: Local<u32>| {
        *frames += 1;
        assert!(*frames != 2, "the second frame");
    });
    app.add_systems(Last, note!("last"));
    assert_eq!(app.update(), None);
    let caught = catch_unwind(AssertUnwindSafe(|| app.update()));
    let message = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("the second frame"), "{message}");
    assert_eq!(app.update(), None);
    assert_eq!(log(&mut app), "last last");
}

#[test]
fn a_frame_that_asks_for_the_end_is_the_last_one_also_if_it_panics() {
    let mut app = app();
    app.add_systems(Update, (note!("update"), fails));
    app.add_systems(Last, (|| Err("no luck")).on_error(ErrorPolicy::Panic));
    catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "update");
}

#[test]
fn the_frame_of_an_exit_comes_to_its_end_and_the_first_error_counts() {
    let mut app = app();
    app.add_systems(Update, |mut exit: ResMut<Exit>| exit.success());
    app.add_systems(Update, |mut exit: ResMut<Exit>| exit.error(3));
    app.add_systems(Update, |mut exit: ResMut<Exit>| exit.error(4));
    app.add_systems(Last, |mut exit: ResMut<Exit>| exit.success());
    app.add_systems(Last, note!("last"));
    assert_eq!(app.update(), Some(AppExit::error(3)));
    assert_eq!(log(&mut app), "last");
    assert_eq!(app.update(), Some(AppExit::error(3)));
    assert_eq!(log(&mut app), "");
}

#[test]
fn startup_may_end_the_app() {
    let mut app = app();
    app.add_systems(Startup, |mut exit: ResMut<Exit>| exit.success());
    app.add_systems(Update, note!("update"));
    assert_eq!(app.run_frames(), AppExit::Success);
    assert_eq!(log(&mut app), "");
}

#[test]
fn what_cannot_be_built_runs_nothing_and_fails() {
    let mut app = app();
    app.add_systems(Startup, note!("startup"));
    app.add_systems("nowhere", note!("nothing"));
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "");

    let mut app = self::app();
    app.on_error(ErrorPolicy::Panic);
    app.add_systems("nowhere", note!("nothing"));
    let caught = catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    assert!(caught.downcast_ref::<String>().unwrap().contains("nowhere"));
}

#[test]
fn a_missing_resource_is_an_error_with_the_path() {
    let mut app = app();
    app.add_systems(FixedUpdate, |_: Res<String>| {});
    app.add_systems(Update, note!("update"));
    assert_eq!(
        app.update_by(App::DEFAULT_FIXED_STEP),
        Some(AppExit::error(1))
    );
    assert_eq!(log(&mut app), "update");
}
