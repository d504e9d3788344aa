//! The ground, and the figures on it at the start.

use ecs_core::prelude::*;
use ecs_core::statics::{StaticWorld, add_entity};

use crate::model::{
    Ai, Animation, Collider, Game, Grace, Health, Input, Position, StatusBar, Velocity,
};

/// The map: `#` ground, `@` the hero, `w` walks to and fro, `h` hunts the hero, `F` the flag.
const MAP: [&str; 11] = [
    "################################################",
    "#                                              #",
    "#                                              #",
    "#                                              #",
    "#                       #####                  #",
    "#                                          F   #",
    "#                 ###         ###         ###  #",
    "#            #                      h          #",
    "#           ##                     ####        #",
    "# @     w  ###    w          h                 #",
    "################################################",
];

pub(crate) fn width() -> usize {
    MAP[0].len()
}

pub(crate) fn height() -> usize {
    MAP.len()
}

fn cell(x: f32, y: f32) -> u8 {
    let row = (y.floor() as usize).min(height() - 1);
    MAP[row].as_bytes()[(x.floor() as usize).min(width() - 1)]
}

/// Returns whether a point is in the ground.
pub(crate) fn is_wall(x: f32, y: f32) -> bool {
    cell(x, y) == b'#'
}

/// Returns the background to draw at a cell.
pub(crate) fn ground(x: usize, y: usize) -> char {
    match MAP[y].as_bytes()[x] {
        b'#' => '#',
        b'F' => 'F',
        _ => ' ',
    }
}

/// Returns whether the hero is at the flag or right of it.
pub(crate) fn is_won(game: &Game, hero: Entity) -> bool {
    let flag = MAP.iter().find_map(|row| row.find('F'));
    let at = game.get::<Position>(hero);
    at.zip(flag).is_some_and(|(at, flag)| at.x >= flag as f32)
}

/// Makes the world at the start, and returns it with its hero.
pub(crate) fn start() -> (Game, Entity) {
    let mut game = Game::new();
    let hero = figures('@').map(|at| {
        add_entity!(
            game;
            Input::default(),
            Velocity::default(),
            at,
            Collider::default(),
            Animation { pictures: ['@', 'a'], step: 0.0 },
            StatusBar::<Health>::full(5),
            StatusBar::<Grace> { value: 0, ..StatusBar::full(30) },
        )
    });
    let hero = hero.last().expect("the map has a hero");
    for (figure, ai) in [
        ('w', Ai::Patrol { right: false }),
        ('h', Ai::Hunt { prey: hero }),
    ] {
        for at in figures(figure) {
            add_entity!(
                game;
                ai,
                Velocity::default(),
                at,
                Collider::default(),
                Animation { pictures: [figure, figure.to_ascii_uppercase()], step: 0.0 },
                StatusBar::<Health>::full(1),
            );
        }
    }
    (game, hero)
}

/// The positions of a letter on the map.
fn figures(letter: char) -> impl Iterator<Item = Position> {
    let row = move |(y, row): (usize, &'static &str)| {
        let places = row.match_indices(letter);
        places.map(move |(x, _)| Position {
            x: x as f32 + 0.5,
            y: y as f32 + 0.5,
        })
    };
    MAP.iter().enumerate().flat_map(row)
}
