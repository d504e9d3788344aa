//! An app that ends in the way given by its argument; `tests/app/process.rs` checks its exit code and its output.

use std::env::args;

use ecs_core::app::Exit;
use ecs_core::prelude::*;
use ecs_core::schedule::{ErrorPolicy, OnError, SystemError};

#[system]
fn fails() -> Result<(), String> {
    Err("no luck".into())
}

#[system]
fn ends(mut frames: Local<u32>, mut exit: ResMut<Exit>) {
    *frames += 1;
    if *frames == 3 {
        println!("the third frame");
        exit.success();
    }
}

#[system]
fn panics() {
    panic!("out of cheese");
}

fn go_on(error: &SystemError, _: &mut World) -> OnError {
    println!("called with: {error}");
    OnError::Continue
}

fn give_up(_: &SystemError, _: &mut World) -> OnError {
    OnError::Exit
}

fn main() -> AppExit {
    let how = args().nth(1).unwrap_or_default();
    let mut app = App::new();
    app.add_systems(Update, ends);
    match how.as_str() {
        "success" => {}
        "code" => _ = app.add_systems(Update, |mut exit: ResMut<Exit>| exit.error(42)),
        "error" => {
            app.add_systems(FixedUpdate, fails);
            app.fixed_step(std::time::Duration::from_nanos(1));
        }
        "startup" => _ = app.add_systems(Startup, fails),
        "log" => _ = app.add_systems(Update, fails).on_error(ErrorPolicy::Log),
        "panic policy" => _ = app.add_systems(Update, fails).on_error(ErrorPolicy::Panic),
        "go on" => {
            app.on_error(ErrorPolicy::Call(go_on));
            app.add_systems(Update, fails);
        }
        "give up" => _ = app.add_systems(Update, fails.on_error(ErrorPolicy::Call(give_up))),
        "panic" => _ = app.add_systems(Update, panics),
        "unbuilt" => _ = app.add_systems("nowhere", fails),
        "runner" => _ = app.set_runner(|_| AppExit::error(9)),
        other => panic!("unknown argument `{other}`"),
    }
    app.run()
}
