//! The game in a window or a page: the cells of the terminal, drawn on a canvas.

use ecs_core::data::WorldData as _;
use ecs_examples::roguelike::{Direction, Failure, Game, Key, Outcome, draw_game, draw_help};
use ecs_examples::{end_script, frames_of_page, open_window};
use macroquad::prelude as mq;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

/// The cells of the terminal.
const COLUMNS: u16 = 80;
const ROWS: u16 = 27;

/// Plays until the player quits. In a page the function returns at once, and the game goes on.
pub(crate) fn play(game: Game) -> Result<(), Failure> {
    open_window("roguelike", 960, 648, run(game));
    Ok(())
}

async fn run(mut game: Game) {
    let script = frames_of_page();
    let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
    let (mut help, mut frame) = (false, 0);
    let start = game.to_bytes().expect("everything is data");
    while script != Some(frame) {
        let key = match script {
            Some(_) => Some(game.advice()),
            None => pressed_key(),
        };
        frame += 1;
        match key {
            Some(Key::Quit) => break,
            Some(Key::Help) => help = !help,
            // A key of a game that has ended: another one begins.
            None if is_over(&game)
                && script.is_none()
                && mq::is_key_pressed(mq::KeyCode::Enter) =>
            {
                let returned = game.continue_from(&start);
                returned.expect("the bytes are of this game");
            }
            Some(key) => {
                help = false;
                if let Err(error) = game.press(key) {
                    eprintln!("roguelike: {error}");
                    break;
                }
            }
            None => {}
        }
        buffer.reset();
        draw_game(buffer.area, &mut buffer, game.world());
        if help {
            draw_help(buffer.area, &mut buffer);
        }
        if is_over(&game) {
            let last = buffer.area.rows().last().expect("there are rows");
            let text = " Enter plays again, L loads the saved game ";
            buffer.set_string(last.x, last.y, text, Color::Yellow);
        }
        draw(&buffer);
        mq::next_frame().await;
    }
    match script {
        Some(frames) => end_script(frames, game.world().hash().expect("everything is data")),
        None => {
            game.save_to_slot();
            if let Err(error) = game.finish_saves() {
                eprintln!("roguelike: {error}");
            }
        }
    }
}

fn is_over(game: &Game) -> bool {
    game.outcome() != Outcome::Playing
}

/// Returns the key of the game that was pressed since the last frame.
fn pressed_key() -> Option<Key> {
    let arrows = [
        (mq::KeyCode::Left, Direction::Left),
        (mq::KeyCode::Down, Direction::Down),
        (mq::KeyCode::Up, Direction::Up),
        (mq::KeyCode::Right, Direction::Right),
    ];
    // Every queued character is taken, so that arrows, which also have one on some systems, leave none for the next frame.
    let mut typed = None;
    while let Some(character) = mq::get_char_pressed() {
        typed = typed.or(Key::from_char(character));
    }
    let arrow = arrows.iter().find(|(code, _)| mq::is_key_pressed(*code));
    arrow.map(|(_, direction)| Key::Walk(*direction)).or(typed)
}

/// Draws each cell with the size that fits.
fn draw(buffer: &Buffer) {
    mq::clear_background(mq::BLACK);
    let wide = mq::screen_width() / f32::from(COLUMNS);
    let high = mq::screen_height() / f32::from(ROWS);
    let size = (high * 1.1).min(wide * 2.2);
    for place in buffer.area.positions() {
        let cell = &buffer[place];
        // The built-in font has no lines for boxes.
        let symbol = match cell.symbol() {
            " " => continue,
            "─" => "-",
            "│" => "|",
            "┌" | "┐" | "└" | "┘" => "+",
            other => other,
        };
        let (left, top) = (f32::from(place.x) * wide, f32::from(place.y) * high);
        mq::draw_text(symbol, left, top + high * 0.75, size, color(cell.fg));
    }
}

fn color(color: Color) -> mq::Color {
    match color {
        Color::Black => mq::BLACK,
        Color::Red | Color::LightRed => mq::RED,
        Color::Green | Color::LightGreen => mq::GREEN,
        Color::Yellow | Color::LightYellow => mq::YELLOW,
        Color::Blue | Color::LightBlue => mq::SKYBLUE,
        Color::Magenta | Color::LightMagenta => mq::MAGENTA,
        Color::Cyan | Color::LightCyan => mq::SKYBLUE,
        Color::Gray => mq::LIGHTGRAY,
        Color::DarkGray => mq::DARKGRAY,
        Color::Rgb(red, green, blue) => mq::Color::from_rgba(red, green, blue, 255),
        _ => mq::WHITE,
    }
}
