//! Scripts over frames.

mod ends;
mod model;
mod waits;

use std::time::Duration;

use ecs_core::app::script::{Script, ScriptContext, run_scripts};
use ecs_core::prelude::*;

const FRAME: Duration = Duration::from_millis(10);

/// The lines that scripts noted.
#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Notes(Vec<String>);

fn app() -> App {
    let mut app = App::new();
    app.init_resource::<Notes>();
    app.add_systems(Update, run_scripts);
    app
}

/// Runs a number of frames, and returns the notes of each.
fn frames(app: &mut App, frames: usize) -> Vec<String> {
    let mut notes = Vec::new();
    for _ in 0..frames {
        app.update_by(FRAME);
        notes.push(taken(app));
    }
    notes
}

/// Takes the notes.
fn taken(app: &mut App) -> String {
    let mut notes = app.world_mut().resource_mut::<Notes>();
    std::mem::take(&mut notes.0).join(" ")
}

/// Notes a line.
async fn note(script: &ScriptContext, line: impl ToString) {
    let line = line.to_string();
    script
        .world(|world| world.resource_mut::<Notes>().0.push(line))
        .await;
}

/// Spawns an entity with a script.
#[track_caller]
fn spawn<F, R>(app: &mut App, script: F) -> Entity
where
    F: FnOnce(ScriptContext) -> R + Send + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    app.world_mut().spawn(Script::new(script))
}

/// Runs a frame that panics; returns the message.
fn panic_of(app: &mut App) -> String {
    let update = std::panic::AssertUnwindSafe(|| app.update_by(FRAME));
    let panic = std::panic::catch_unwind(update).unwrap_err();
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast_ref::<&str>().unwrap().to_string(),
    }
}
