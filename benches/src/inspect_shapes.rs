//! Frames of an app with an inspector, and answers to its page, that `ir_guard` counts.

use std::hint::black_box;
use std::time::Duration;

use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use crate::peers::Peer::Ours;
use crate::subject::Workload;

/// The frames of one run.
pub(crate) const FRAMES: u32 = 1000;
/// The entities of the app that a page looks at.
const WATCHED: u32 = 1_000_000;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "page.health")]
struct Seen {
    now: u32,
    most: u32,
    regen: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "page.place")]
struct SeenPlace(f32, f32);

/// Adds our forms of a shape; does nothing for other names.
pub(crate) fn add(name: &str, workload: &mut Workload) {
    match name {
        "inspected_frame" => {
            workload.add(Ours, "no inspector", App::new, frames, rows);
            let attached = || {
                let mut app = App::new();
                app.add_plugin(Inspect::new(0).announce(|_| ()));
                app
            };
            workload.add(Ours, "attached, idle", attached, frames, rows);
        }
        "watched_page" => {
            let page = r#"{"jsonrpc": "2.0", "id": 1, "method": "watch", "params": {"set": [
                {"method": "app.status"},
                {"method": "entities.find", "params": {
                    "query": "page.health.now > 40, page.place", "from": 500, "limit": 40, "columns": ["page.health"]}},
                {"method": "entity.get", "params": {"entity": "7v1"}}]}}"#;
            workload.add(
                Ours,
                "watch",
                watched,
                |(app, inspector)| drop(black_box(inspector.answer(app, page))),
                |(app, _)| app.world().len() as u64,
            );
            workload.add(
                Ours,
                "watch, between frames",
                watched,
                |(app, inspector)| drop(black_box(inspector.answer_apart(app, page))),
                |(app, _)| app.world().len() as u64,
            );
        }
        _ => {}
    }
}

fn frames(app: &mut App) {
    for _ in 0..FRAMES {
        assert_eq!(app.update_by(Duration::ZERO), None, "nothing ends the app");
    }
}

fn rows(app: &mut App) -> u64 {
    app.world().len() as u64
}

fn watched() -> (App, Inspector) {
    let mut app = App::new();
    let seen = |now| Seen {
        now,
        most: WATCHED,
        regen: 0.5,
    };
    let rows = (0..WATCHED).map(|now| (seen(now), SeenPlace(now as f32, 0.5)));
    app.world_mut().spawn_batch(rows);
    let inspector = Inspect::new(0).attach(&mut app);
    (app, inspector)
}
