//! Tests of the command line.

use std::ffi::OsString;

use ecs_examples::roguelike::{Headless, Options, Request, UsageError};

fn parse(line: &str) -> Result<Request, UsageError> {
    Request::parse(line.split_whitespace().map(OsString::from))
}

#[test]
fn no_arguments_play_the_built_in_map_in_the_terminal() {
    let options = Options {
        prefabs: None,
        load: None,
        save: None,
        saves: None,
        slot: "autosave".into(),
        load_slot: None,
        list: false,
        record: None,
        hash_every: 1,
        each_step: false,
        replay: None,
        map: None,
        seed: 1,
        headless: None,
    };
    assert_eq!(parse(""), Ok(Request::Play(options)));
}

#[test]
fn all_arguments_are_understood_in_any_order() {
    let options = Options {
        prefabs: Some("p".into()),
        load: Some("l.ron".into()),
        save: Some("s.ron".into()),
        saves: Some("d".into()),
        slot: "n".into(),
        load_slot: Some(2),
        list: true,
        record: Some("r.rec".into()),
        hash_every: 4,
        each_step: true,
        replay: Some("q.rec".into()),
        map: Some("m.txt".into()),
        seed: u64::MAX,
        headless: Some(Headless {
            frames: 7,
            script: Some("s.txt".into()),
        }),
    };
    for line in [
        "--map m.txt --prefabs p --load l.ron --save s.ron --saves d --slot n --load-slot 2 --list --record r.rec --each-step --hash-every 4 --replay q.rec --seed 18446744073709551615 --headless --frames 7 --script s.txt",
        "--script s.txt --hash-every 4 --each-step --replay q.rec --record r.rec --list --slot n --load-slot 2 --saves d --save s.ron --load l.ron --frames 7 --headless --prefabs p --seed 18446744073709551615 --map m.txt",
    ] {
        assert_eq!(
            parse(line),
            Ok(Request::Play(options.clone())),
            "for {line}"
        );
    }
}

#[test]
fn help_wins_over_what_follows() {
    assert_eq!(parse("--help --nonsense"), Ok(Request::Help));
    assert_eq!(parse("--seed 3 -h"), Ok(Request::Help));
}

#[test]
fn wrong_arguments_are_refused_with_advice() {
    for (line, message) in [
        ("--sed 1", "unknown argument \"--sed\"; see --help"),
        ("map.txt", "unknown argument \"map.txt\"; see --help"),
        ("--map", "--map requires a value; see --help"),
        (
            "--headless --script",
            "--script requires a value; see --help",
        ),
        ("--seed", "--seed requires a value; see --help"),
        (
            "--seed one",
            "--seed requires a whole number of at least 0, not \"one\"; see --help",
        ),
        (
            "--seed -1",
            "--seed requires a whole number of at least 0, not \"-1\"; see --help",
        ),
        (
            "--headless --frames 1.5",
            "--frames requires a whole number of at least 0, not \"1.5\"; see --help",
        ),
        ("--list", "--list requires --saves; see --help"),
        ("--slot x", "--slot requires --saves; see --help"),
        ("--load-slot 1", "--load-slot requires --saves; see --help"),
        ("--frames 5", "--frames requires --headless; see --help"),
        ("--script s.txt", "--script requires --headless; see --help"),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), message, "for {line}");
    }
}
