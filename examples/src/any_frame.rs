//! The test of a game: from any frame, it has the same future as without a stop.
//!
//! The tests of breakout, `fixed_step`, `homing_missiles`, inspected and `menu_flow` call it. Boids, netplay and the roguelike have no
//! app, and do the same with their schedules; the city does it with its checkpoints, which other numbers of shards go on from. The
//! other examples have no such test:
//!
//! * The lift in `scripts` is an `async` function. The compiler makes a type of it that nothing can copy or write, so snapshots refuse
//!   the `Script`. A lift that returns is an `enum` of states and a `Timer`, which the guide shows beside the script.
//! * `static_game` has a closed world, which has neither snapshots nor saves, and a copy by hand would have other ids. The way back to a
//!   frame is to play its inputs again from the start; a test of the example does so, and compares all frames.
//! * In arena and replicate the future follows from packets that are on their way or lost, and from the server's knowledge about each
//!   client. Their programs compare all worlds at the end instead, and a recorded match of the arena is played again.
//! * The editor has no frames. Its script undoes and repeats every step, and compares the outline after each.
//! * `bevy_door` is a program of bevy: half of its state is in bevy's world.
//! * `first_difference` records two matches, and replays and compares them. `inspect_mcp` and `inspect_terminal` look into another
//!   program, and the ones in `small` and `game_workspace` end after a few lines of output.

use std::time::Duration;

use ecs_core::prelude::*;

/// Runs a game for `frames` frames of 16 ms, each after `input`. Then goes on from snapshots of some of its frames as bytes, in new
/// games and in one that has run further, and compares everything at the end.
///
/// # Panics
/// If a future differs.
pub fn assert_same_from_any_frame(
    game: impl Fn() -> App,
    frames: usize,
    input: impl Fn(&mut App, usize),
) {
    let run = |app: &mut App, from: usize| {
        for frame in from..frames {
            input(app, frame);
            app.update_by(Duration::from_millis(16));
        }
    };
    let bytes_of = |app: &mut App| {
        let snapshot = app.snapshot().expect("everything can be copied");
        snapshot.to_bytes().expect("everything is data")
    };
    let hash_of = |app: &App| app.world().hash().expect("everything is data");
    let mut straight = game();
    straight.build().expect("the game has no mistake");
    let mut taken = Vec::new();
    for frame in 0..frames {
        if frame % (frames / 8).max(1) == frame % 3 {
            taken.push((frame, bytes_of(&mut straight)));
        }
        input(&mut straight, frame);
        straight.update_by(Duration::from_millis(16));
    }
    let (rows, hash) = (rows_of(&straight), hash_of(&straight));
    assert!(taken.len() > 3, "several frames were tried");
    for (frame, bytes) in taken {
        let mut new = game();
        for app in [&mut new, &mut straight] {
            let restored = app.restore_bytes(&bytes);
            restored.expect("the same program has written it");
            run(app, frame);
            assert_eq!(hash_of(app), hash, "from frame {frame}");
            assert_eq!(rows_of(app), rows, "from frame {frame}");
        }
    }
}

/// Returns the entities of all tables, in the order of loops.
fn rows_of(app: &App) -> Vec<Vec<Entity>> {
    let tables = app.world().all_tables();
    let rows = tables.map(|(entities, _)| entities.to_vec());
    rows.filter(|rows| !rows.is_empty()).collect()
}
