//! A client that draws the server's world as text: `--frames N` frames, eight ticks each.

use std::error::Error;

use game_model::prelude::*;
use game_sim::Colony;

/// Draws the world as text.
#[system]
fn draw(
    positions: Comp<Position>,
    food: Comp<Food>,
    nests: Comp<Nest>,
    ants: Comp<Ant>,
    field: Res<Field>,
    stores: Res<Stores>,
    time: Res<Time>,
) {
    let mut cells = vec![b' '; (field.width * field.height) as usize];
    let mut draw = |at: &Position, letter: u8| {
        cells[(at.y * field.width + at.x) as usize] = letter;
    };
    for (at, food) in (&positions, &food).iter() {
        draw(at, if food.left > 5 { b'%' } else { b':' });
    }
    for at in (&positions).include(&nests).iter() {
        draw(at, b'O');
    }
    for (at, ant) in (&positions, &ants).iter() {
        draw(at, if ant.carries { b'A' } else { b'a' });
    }
    assert!(
        cells.iter().any(|cell| b"aA".contains(cell)),
        "ants are never out of sight"
    );
    println!("-- frame {}: {} in the nest", time.frame(), stores.0);
    for row in cells.chunks(field.width as usize) {
        println!("{}", String::from_utf8_lossy(row));
    }
}

/// Adds the picture; a plugin.
fn picture(app: &mut App) {
    app.add_systems(Update, draw);
}

fn main() -> Result<AppExit, Box<dyn Error>> {
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
    let mut app = App::new();
    app.add_plugin(game_model::rules)
        .add_plugin(Colony::default())
        .add_plugin(picture);
    let end = app.update_times(frames, 8 * App::DEFAULT_FIXED_STEP);
    Ok(end.unwrap_or(AppExit::Success))
}
