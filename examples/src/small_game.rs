//! A small game that the clients of the inspector look into.

use std::sync::mpsc::{self, RecvError};
use std::thread;
use std::time::Duration;

use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
}

#[system]
fn heal(mut health: CompMut<Health>) {
    for health in (&mut health).iter() {
        health.now += 1;
    }
}

/// Runs four entities, whose health is 1, 101, 201 and 301, in a thread, and returns the address of the inspector.
///
/// # Errors
/// If the inspector does not start.
pub fn small_game() -> Result<String, RecvError> {
    let (send, url) = mpsc::channel();
    thread::spawn(move || {
        let mut app = App::new();
        let inspect = Inspect::new(0).history(10);
        app.add_plugin(inspect.announce(move |url| _ = send.send(url.to_owned())));
        app.add_systems(Update, heal);
        app.world_mut().spawn_batch((0..4).map(|number| Health {
            now: 1 + number * 100,
        }));
        loop {
            app.update_by(Duration::from_millis(16));
            thread::sleep(Duration::from_millis(1));
        }
    });
    url.recv()
}
