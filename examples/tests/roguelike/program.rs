//! Tests of the whole program: from arguments to text and exit code.

use std::ffi::OsString;
use std::process::Command;

use ecs_examples::roguelike::{Failure, Game, Key, Outcome, USAGE, built_in_dungeon, picture, run};

use crate::files::TempFile;

/// Runs the program with the arguments in `line`, without a terminal.
fn output(line: &str) -> Result<String, Failure> {
    run(line.split_whitespace().map(OsString::from), |_| {
        Err(Failure::NoTerminal)
    })
}

/// Returns the message and exit code of the program for `line`.
fn failure(line: &str) -> (String, u8) {
    let failure = output(line).expect_err("it should fail");
    (failure.to_string(), failure.exit_code())
}

fn asset(name: &str) -> String {
    format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the last lines of the output: the summary.
fn summary(output: &str) -> Vec<&str> {
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len() - 6..].to_vec()
}

#[test]
fn the_automatic_player_gets_as_far_as_last_time() {
    let text = output("--headless --frames 1000 --seed 7").unwrap();
    assert_eq!(
        summary(&text),
        [
            "outcome:  won",
            "turns:    417",
            "health:   17",
            "gold:     107",
            "slain:    13",
            "entities: 5",
        ]
    );
}

#[test]
fn the_script_in_the_assets_plays_as_last_time() {
    let line = format!("--headless --seed 7 --script {}", asset("keys.txt"));
    assert_eq!(output(&line).unwrap(), AFTER_SCRIPT);
}

const AFTER_SCRIPT: &str = "\
1: The Cellar  Turn 61  Health 30/30  Potions 0  Gold 0
##################################
#.....#..........#.......@........
#.....#..........#..####.####  ...
#.....'..........#..#  ...
#.....#.....#....'..#.......
####+##.....#....#..#.......'
      #.....#....#..#.......#.
      #######....#..#########
      #.....'....#...
      #.....#....#####
      +.....#....+
      #.....#....#
      ############
You take the sword.
You drink the potion and feel better.
The rat notices you.

outcome:  still on the way
turns:    61
health:   30
gold:     0
slain:    1
entities: 9
";

#[test]
fn the_same_seed_plays_the_same_game_and_another_one_another() {
    let first = output("--headless --frames 150 --seed 3").unwrap();
    assert_eq!(first, output("--headless --frames 150 --seed 3").unwrap());
    assert_ne!(first, output("--headless --frames 150 --seed 4").unwrap());
}

#[test]
fn the_automatic_player_ends_every_game_that_it_begins() {
    // All of them before a change lands, as random tests have it.
    let games = if std::env::var_os("ECS_WORLDS").is_some() {
        12
    } else {
        4
    };
    let mut won = 0;
    for seed in 0..games {
        let mut game = Game::new(built_in_dungeon().unwrap(), seed);
        for _ in 0..2000 {
            if game.outcome() == Outcome::Playing {
                game.press(game.advice()).unwrap();
            }
        }
        assert_ne!(
            game.outcome(),
            Outcome::Playing,
            "seed {seed}:\n{}",
            picture(game.world())
        );
        won += u64::from(game.outcome() == Outcome::Won);
    }
    assert!(
        2 * won >= games,
        "it wins most of the time, not {won} of {games} times"
    );
}

#[test]
fn no_sequence_of_keys_breaks_the_game() {
    let keys: Vec<Key> = "hjkl.gd".chars().filter_map(Key::from_char).collect();
    for seed in 0..10 {
        let mut dice = ecs_examples::roguelike::Rng::new(seed);
        let mut game = Game::new(built_in_dungeon().unwrap(), seed);
        for _ in 0..500 {
            game.press(keys[dice.roll(0..=6) as usize]).unwrap();
            game.world().check_invariants();
        }
    }
}

#[test]
fn frames_limit_the_number_of_keys() {
    let text = output("--headless --frames 5").unwrap();
    assert_eq!(summary(&text)[1], "turns:    5");
    let text = output("--headless --frames 0").unwrap();
    assert_eq!(summary(&text)[1], "turns:    0");
}

#[test]
fn a_script_ends_the_game_with_its_last_key_or_with_q() {
    let script = TempFile::new("short.txt", b"..?.\nq....");
    let line = format!("--headless --script {}", script.path().display());
    assert_eq!(summary(&output(&line).unwrap())[1], "turns:    3");
}

#[test]
fn another_map_can_be_played() {
    let map = TempFile::new("tiny.txt", b"= Tiny\n@$>\n");
    let line = format!("--headless --map {}", map.path().display());
    let text = output(&line).unwrap();
    assert_eq!(summary(&text)[0], "outcome:  won");
    assert!(text.starts_with("1: Tiny  Turn 3"), "{text}");
}

#[test]
fn help_is_printed() {
    assert_eq!(output("--help").unwrap(), USAGE);
}

#[test]
fn a_game_that_is_not_headless_is_left_to_the_terminal() {
    let mut played = None;
    let text = run([], |game| {
        played = Some(game.outcome());
        Ok(())
    });
    assert_eq!(
        (text.unwrap().as_str(), played),
        ("", Some(Outcome::Playing))
    );
}

#[test]
fn bad_input_ends_with_exit_code_2_and_a_message() {
    let map = TempFile::new("bad-map.txt", b"@>\n.x\n");
    let map = map.path().display().to_string();
    let keys = TempFile::new("bad-keys.txt", b"ll\nlz\n");
    let keys = keys.path().display().to_string();
    let cases = [
        (
            "--fast".to_owned(),
            "unknown argument \"--fast\"; see --help".to_owned(),
        ),
        (
            format!("--map {map}"),
            format!("{map}:2:2: unknown glyph 'x'; expected "),
        ),
        (
            format!("--headless --script {keys}"),
            format!("{keys}:2:2: unknown key 'z'; expected "),
        ),
        (
            "--headless --map no/such.txt".to_owned(),
            "no/such.txt: cannot be read: ".to_owned(),
        ),
        (
            "--headless --script no/such.txt".to_owned(),
            "no/such.txt: cannot be read: ".to_owned(),
        ),
        (
            String::new(),
            "not a terminal; run the game in a terminal, or with --headless".to_owned(),
        ),
    ];
    for (line, begin) in cases {
        let (message, code) = failure(&line);
        assert_eq!(code, 2, "for {line}");
        assert!(message.starts_with(&begin), "for {line}: {message}");
    }
}

#[test]
fn the_built_program_returns_2_without_a_terminal_and_suggests_headless() {
    // Cargo itself runs the example: this folder's tests don't know where it was built. In the folder of the workspace, cargo
    // enables the same features as `cargo test --workspace`, so that everything is built.
    let done = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--example", "roguelike"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(
        message.contains("roguelike: not a terminal") && message.contains("--headless"),
        "{message}"
    );
    assert_eq!(done.stdout, b"");
}
