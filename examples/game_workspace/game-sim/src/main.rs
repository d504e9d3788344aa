//! The server without a client: `--ticks N` ticks, then a summary.

use std::error::Error;

use game_model::{Field, Stores};
use game_sim::Server;

fn main() -> Result<(), Box<dyn Error>> {
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
    let mut server = Server::new(
        Field {
            width: 40,
            height: 12,
        },
        5,
    );
    for _ in 0..ticks {
        server.step()?;
    }
    let stores = server.world().resource::<Stores>().0;
    println!("{ticks} ticks: {stores} pieces of food in the nest");
    if ticks >= 500 {
        assert!(
            stores > 20,
            "five ants bring home what lay there at the start, and more"
        );
    }
    Ok(())
}
