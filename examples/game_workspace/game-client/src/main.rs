//! A client that draws the server's world as text: `--frames N` frames, ten ticks each.

use std::error::Error;

use game_model::prelude::*;
use game_sim::Server;

/// Draws a world as text. A plain function, which borrows its views from the world.
fn picture(world: &World) -> String {
    let field = *world.resource::<Field>();
    let mut cells = vec![b' '; (field.width * field.height) as usize];
    let mut draw = |at: &Position, letter: u8| {
        cells[(at.y * field.width + at.x) as usize] = letter;
    };
    let positions = world.view::<Position>();
    for (at, food) in (&positions, &world.view::<Food>()).iter() {
        draw(at, if food.left > 5 { b'%' } else { b':' });
    }
    for at in (&positions).include(&world.view::<Nest>()).iter() {
        draw(at, b'O');
    }
    for (at, ant) in (&positions, &world.view::<Ant>()).iter() {
        draw(at, if ant.carries { b'A' } else { b'a' });
    }
    let rows = cells.chunks(field.width as usize);
    rows.map(String::from_utf8_lossy)
        .collect::<Vec<_>>()
        .join("\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut frames = 20;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--frames" => {
                frames = arguments
                    .next()
                    .ok_or("--frames requires a number")?
                    .parse()?
            }
            _ => return Err(format!("unknown argument {argument}; expected --frames N").into()),
        }
    }
    let mut server = Server::new(
        Field {
            width: 40,
            height: 12,
        },
        5,
    );
    for frame in 1..=frames {
        for _ in 0..10 {
            server.step()?;
        }
        let picture = picture(server.world());
        assert!(picture.contains(['a', 'A']), "ants are never out of sight");
        println!(
            "-- frame {frame}: {} in the nest\n{picture}",
            server.world().resource::<Stores>().0
        );
    }
    Ok(())
}
