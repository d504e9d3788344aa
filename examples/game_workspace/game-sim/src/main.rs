//! The server without a client: `--ticks N` ticks, then a summary. `--record FILE` records them, and `--replay FILE` runs them again.

use std::error::Error;

use ecs::prelude::*;
use ecs::record::{Outcome, Recorder, Replay};
use ecs::snapshot::Snapshotter;
use game_model::Stores;
use game_sim::Colony;

fn main() -> Result<AppExit, Box<dyn Error>> {
    let (mut ticks, mut record, mut replay) = (500, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--ticks" | "--frames" => ticks = value()?.parse()?,
            "--record" => record = Some(value()?),
            "--replay" => replay = Some(value()?),
            _ => {
                let expected = "--ticks N, --record FILE or --replay FILE";
                return Err(format!("unknown argument {argument}; expected {expected}").into());
            }
        }
    }
    if let Some(file) = replay {
        let mut replay = Replay::open(file, server)?;
        return match replay.finish()? {
            Outcome::Same => {
                let (ticks, hashes) = (replay.frame(), replay.compared());
                println!("{ticks} ticks replayed: all {hashes} hashes are the same");
                Ok(AppExit::Success)
            }
            different => Err(different.to_string().into()),
        };
    }
    let mut app = server();
    if let Some(file) = record {
        app.add_plugin(Recorder::new(file).hash_every(1));
    }
    if let Some(exit) = app.update_times(ticks, App::DEFAULT_FIXED_STEP) {
        return Ok(exit);
    }
    let stores = app.world().resource::<Stores>().0;
    println!("{ticks} ticks: {stores} pieces of food in the nest");
    if ticks >= 500 {
        assert!(
            stores > 20,
            "five ants bring home what lay there at the start, and more"
        );
    }
    Ok(AppExit::Success)
}

fn server() -> App {
    let mut app = App::new();
    app.add_plugin(game_model::rules)
        .add_plugin(Colony::default());
    // The systems of `Startup` have captured the colony's numbers, which never change.
    app.set_snapshotter(Snapshotter::new().without_captured());
    app
}
