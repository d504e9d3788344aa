//! The server without a client: `--ticks N` ticks, then a summary.

use std::error::Error;

use ecs::prelude::*;
use game_model::Stores;
use game_sim::Colony;

fn main() -> Result<AppExit, Box<dyn Error>> {
    let mut ticks = 500;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--ticks" | "--frames" => {
                ticks = arguments.next().ok_or("a number is missing")?.parse()?
            }
            _ => return Err(format!("unknown argument {argument}; expected --ticks N").into()),
        }
    }
    let mut app = App::new();
    app.add_plugin(game_model::rules)
        .add_plugin(Colony::default());
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
