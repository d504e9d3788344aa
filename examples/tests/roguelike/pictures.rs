//! Tests the pictures that a terminal receives.

use ecs_examples::roguelike::components::{Hero, Monster, Poisoned, Stunned};
use ecs_examples::roguelike::{Game, draw_game, draw_help};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::stage::{game, only, press};

/// Draws the game on a terminal of a size.
fn screen(game: &Game, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw_game(frame.area(), frame.buffer_mut(), game.world()))
        .unwrap();
    terminal.backend().buffer().clone()
}

/// Returns the lines without colours and trailing blanks.
fn text(buffer: &Buffer) -> Vec<String> {
    buffer
        .area
        .rows()
        .map(|row| {
            let line: String = row.positions().map(|cell| buffer[cell].symbol()).collect();
            line.trim_end().to_owned()
        })
        .collect()
}

#[test]
fn a_small_map_is_drawn_cell_by_cell() {
    let mut game = game("= Den\n######\n#@.r>#\n#$...#\n###+##");
    press(&mut game, ".");
    let status = "1: Den  Turn 1  Health 30/30  Potions 0  Gold 0";
    let mut expected = Buffer::with_lines([
        format!("{status:50}"),
        format!("{:50}", "######"),
        format!("{:50}", "#@r.>#"),
        format!("{:50}", "#$...#"),
        format!("{:50}", "###+##"),
        format!("{:50}", "The rat notices you."),
        format!("{:50}", ""),
        format!("{:50}", ""),
    ]);
    let mut paint = |x, y, width, color| {
        expected.set_style(Rect::new(x, y, width, 1), Style::new().fg(color));
    };
    paint(0, 0, status.len() as u16, Color::White);
    for y in 1..=4 {
        paint(0, y, 6, Color::Gray);
    }
    paint(1, 2, 1, Color::White);
    paint(2, 2, 1, Color::Yellow);
    paint(1, 3, 1, Color::LightYellow);
    paint(0, 5, 20, Color::Gray);
    assert_eq!(screen(&game, 50, 8), expected);
}

#[test]
fn unseen_places_are_blank_and_places_out_of_view_are_dark_without_monsters() {
    let mut game = game(".r$.........>\n@............");
    let rat = only::<Monster>(&game);
    game.world_mut()
        .insert(rat, Stunned { turns: 100 })
        .unwrap();
    assert_eq!(
        text(&screen(&game, 40, 6))[1..3],
        [".r$......", "@........"]
    );

    press(&mut game, "llllllllllll");
    let buffer = screen(&game, 40, 6);
    assert_eq!(text(&buffer)[1..3], ["..$.........>", "............@"]);
    assert_eq!(buffer[(0, 1)].fg, Color::DarkGray);
    assert_eq!(buffer[(11, 1)].fg, Color::Gray);
}

#[test]
fn the_hero_is_drawn_on_top_of_what_lies_there() {
    let mut game = game("@$>");
    press(&mut game, "l");
    assert_eq!(text(&screen(&game, 40, 5))[1], ".@>");
}

#[test]
fn a_dead_hero_is_not_drawn_and_the_log_says_why() {
    let mut game = game("@O>");
    let hero = only::<Hero>(&game);
    crate::stage::set_health(&mut game, hero, 1);
    while game.world().contains(hero) {
        press(&mut game, ".");
    }
    let lines = text(&screen(&game, 60, 5));
    assert_eq!(lines[1], ".O>");
    assert_eq!(lines[4], "You die. Press q to leave the game.");
    assert!(!lines[0].contains("Health"), "{}", lines[0]);
}

#[test]
fn the_status_line_shows_poison_and_stunning() {
    let mut game = game("@>");
    let hero = only::<Hero>(&game);
    game.world_mut()
        .insert(hero, (Poisoned { turns: 2 }, Stunned { turns: 2 }))
        .unwrap();
    assert_eq!(
        text(&screen(&game, 76, 5))[0],
        "1: The Dungeon  Turn 0  Health 30/30 poisoned stunned  Potions 0  Gold 0"
    );
}

#[test]
fn the_log_shows_its_last_three_lines() {
    let mut game = game("@>");
    press(&mut game, "gdgd");
    assert_eq!(
        text(&screen(&game, 40, 5))[2..],
        [
            "You have no potion.",
            "There is nothing to pick up.",
            "You have no potion."
        ]
    );
}

#[test]
fn a_small_screen_shows_the_part_of_the_map_around_the_hero() {
    let mut game = game("..........@.........>");
    assert_eq!(text(&screen(&game, 5, 5))[1], "..@..");
    press(&mut game, "hhhhhhhhhh");
    assert_eq!(text(&screen(&game, 5, 5))[1], "@....");
}

#[test]
fn no_screen_is_too_small_to_draw() {
    let game = game("###\n#@>\n###");
    for width in 1..12 {
        for height in 1..9 {
            let mut buffer = screen(&game, width, height);
            draw_help(buffer.area, &mut buffer);
        }
    }
    let nothing = Rect::new(0, 0, 0, 0);
    draw_game(nothing, &mut Buffer::empty(nothing), game.world());
    draw_help(nothing, &mut Buffer::empty(nothing));
}

#[test]
fn help_lies_over_the_picture() {
    let area = Rect::new(0, 0, 40, 10);
    let mut buffer = Buffer::filled(area, ratatui::buffer::Cell::new("x"));
    draw_help(area, &mut buffer);
    assert_eq!(
        text(&buffer),
        [
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "xx┌ Keys ────────────────────────────┐xx",
            "xx│arrows, hjkl  walk, open, attack  │xx",
            "xx│.             wait                │xx",
            "xx│g             pick up             │xx",
            "xx│d             drink a potion      │xx",
            "xx│S, L          save, load          │xx",
            "xx│?             help                │xx",
            "xx│q             quit                │xx",
            "xx└──────────────────────────────────┘xx",
        ]
    );
}
