//! Tests of saved games, and of the files of monsters and items.

use ecs_core::prelude::*;
use ecs_examples::roguelike::components::{Glyph, Health, Monster};
use ecs_examples::roguelike::{
    Failure, Game, Key, Log, Outcome, Prefabs, Tally, built_in_dungeon, list_slots, parse_prefab,
    picture, run,
};

use crate::files::TempFile;
use crate::stage::press;

fn game(seed: u64) -> Game {
    Game::new(built_in_dungeon().unwrap(), seed)
}

/// Lets the automatic player play.
fn play(game: &mut Game, keys: usize) {
    for _ in 0..keys {
        let key = game.advice();
        game.press(key).unwrap();
    }
}

/// Returns everything that the player can see of a game and its past.
fn seen(game: &Game) -> (String, Vec<String>, Outcome) {
    let log = game.world().resource::<Log>().lines().to_vec();
    (picture(game.world()), log, game.outcome())
}

#[test]
fn a_game_that_was_saved_goes_on_from_there() {
    let file = TempFile::new("goes-on.ron", b"");
    let games = [(7, 60), (2, 90), (7, 0), (7, 300), (3, 40)];
    // All of them before a change lands, as random tests have it.
    let count = match std::env::var_os("ECS_WORLDS") {
        Some(_) => games.len(),
        None => 2,
    };
    for (seed, keys) in games.into_iter().take(count) {
        let mut saved = game(seed);
        play(&mut saved, keys);
        saved.set_file(file.path().into());
        let before = seen(&saved);
        saved.press(Key::Save).unwrap();
        let mut loaded = game(99);
        loaded.load(file.path()).unwrap();
        assert_eq!(seen(&loaded), before, "seed {seed} after {keys} keys");
        // The message of the key comes after the save.
        let mut log = loaded.world_mut().resource_mut::<Log>();
        log.say("The game is saved.".to_owned());
        drop(log);
        play(&mut loaded, 500);
        play(&mut saved, 500);
        assert_ne!(saved.outcome(), Outcome::Playing);
        assert_eq!(
            seen(&loaded),
            seen(&saved),
            "seed {seed} after {keys} keys and 500 more"
        );
    }
}

#[test]
fn from_any_key_a_game_goes_on_from_its_bytes_as_it_would_without() {
    const KEYS: usize = 260;
    let mut straight = game(7);
    let (mut taken, mut hashes) = (Vec::new(), Vec::new());
    for key in 0..KEYS {
        if key % 40 == key % 3 {
            taken.push((key, straight.to_bytes().unwrap()));
        }
        hashes.push(straight.world().hash().unwrap());
        play(&mut straight, 1);
    }
    assert!(taken.len() > 5, "several keys were tried");
    let mut used = game(5);
    play(&mut used, 30);
    for (from, bytes) in taken {
        for other in [&mut game(99), &mut used] {
            other.continue_from(&bytes).unwrap();
            for (key, hash) in hashes.iter().enumerate().skip(from) {
                let now = other.world().hash().unwrap();
                assert_eq!(now, *hash, "after {key} keys, from {from}");
                play(other, 1);
            }
            assert_eq!(seen(other), seen(&straight), "from {from}");
        }
    }
}

#[test]
fn keys_save_and_load() {
    let file = TempFile::new("keys.ron", b"");
    let mut game = game(1);
    game.set_file(file.path().into());
    press(&mut game, "S");
    let before = picture(game.world());
    press(&mut game, "lll");
    assert_ne!(picture(game.world()), before);
    press(&mut game, "L");
    let log = game.world().resource::<Log>().lines().to_vec();
    assert_eq!(
        log,
        ["The game is loaded."],
        "the first message came after the save"
    );
    assert_eq!(Key::from_char('S'), Some(Key::Save));
}

#[test]
fn a_save_with_a_mistake_is_refused_and_the_game_stays() {
    let file = TempFile::new("mistake.ron", b"");
    let mut game = game(1);
    play(&mut game, 20);
    game.save(file.path()).unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let rat = text.find("\"health\":{\"now\":4,").expect("there is a rat");
    let text = format!(
        "{}\n{}",
        &text[..rat],
        text[rat..].replacen("4", "\"four\"", 1)
    );
    std::fs::write(file.path(), text).unwrap();
    let before = seen(&game);
    let error = game.load(file.path()).unwrap_err().to_string();
    let place = format!("{}:2:", file.path().display());
    assert!(error.starts_with(&place), "{error}");
    assert!(error.contains("`health`: "), "{error}");
    assert_eq!(seen(&game), before);
    game.set_file("no/such/file".into());
    press(&mut game, "LS");
    let log = game.world().resource::<Log>().last(2).join("\n");
    assert!(log.starts_with("no/such/file: cannot be read: "), "{log}");
    assert!(log.contains("no/such/file: cannot be written: "), "{log}");
}

#[test]
fn a_save_without_a_part_of_the_game_is_refused() {
    let file = TempFile::new("part.ron", b"");
    let mut game = game(1);
    game.save(file.path()).unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let without = text.replacen("\"outcome\":\"Playing\"", "", 1);
    assert_ne!(text, without);
    let without = without
        .replace(",,", ",")
        .replace("{,", "{")
        .replace(",}", "}");
    std::fs::write(file.path(), without).unwrap();
    let before = seen(&game);
    let error = game.load(file.path()).unwrap_err().to_string();
    assert!(
        error.ends_with(": the saved game has no `outcome`"),
        "{error}"
    );
    assert_eq!(seen(&game), before);
}

#[test]
fn monsters_come_from_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/prefabs");
    let prefabs = Prefabs::read(folder.as_ref()).unwrap();
    let mut from_files = Game::with_prefabs(built_in_dungeon().unwrap(), 7, prefabs);
    let mut built_in = game(7);
    play(&mut from_files, 200);
    play(&mut built_in, 200);
    assert_eq!(seen(&from_files), seen(&built_in));
    let error = Prefabs::read("no/such/folder".as_ref())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("no/such/folder/hero.ron: cannot be read: "),
        "{error}"
    );
}

#[test]
fn a_prefab_has_the_components_of_its_file() {
    let text = r#"{ "entities": [{ "monster": (), "health": (now: 1, max: 2), "glyph": (symbol: 'x', color: "Red") }] }"#;
    let world = parse_prefab("bat.ron", text).unwrap().to_world().unwrap();
    let query = world.query::<(&Monster, &Health, &Glyph)>();
    let (_, health, glyph) = query.single().unwrap();
    assert_eq!((health.now, health.max, glyph.symbol), (1, 2, 'x'));
}

#[test]
fn mistakes_in_prefabs_are_named_with_their_places() {
    let mistake = |text: &str| parse_prefab("rat.ron", text).unwrap_err().to_string();
    let line = |component: &str| {
        format!("{{\n  \"entities\": [\n    {{\n      {component},\n    }},\n  ],\n}}\n")
    };
    for (component, expected) in [
        (
            "\"helth\": (now: 1, max: 1)",
            "entity 0: the save has `helth`, which the loader does not know; help: there is `health`",
        ),
        ("\"health\": (now: 1)", "entity 0, `health`: "),
        ("\"health\": (now: \"one\", max: 1)", "entity 0, `health`: "),
        (
            "\"health\": (now: 1, max: 1, mx: 1)",
            "entity 0, `health`: ",
        ),
        (
            "\"glyph\": (symbol: 'r', color: \"Yelow\")",
            "`Yelow` is not a colour",
        ),
        ("\"item\": \"Crown\"", "entity 0, `item`: "),
        ("\"strength\": -3000000000", "entity 0, `strength`: "),
    ] {
        let error = mistake(&line(component));
        assert!(
            error.starts_with("rat.ron:") && error.contains(expected),
            "{error}"
        );
        let place = error.strip_prefix("rat.ron:").unwrap();
        let line: usize = place.split(':').next().unwrap().parse().unwrap();
        assert!((4..=6).contains(&line), "{error}");
    }
    assert!(mistake("{ \"entities\": [] }").contains("the prefab has no entity"));
    assert!(mistake("{ \"entities\": [{").starts_with("rat.ron:1:"));
}

/// A folder that is removed when dropped.
struct TempFolder(std::path::PathBuf);

impl TempFolder {
    fn new(name: &str) -> Self {
        let name = format!("roguelike-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn slots_are_written_while_the_game_goes_on_and_loaded_by_number() {
    let folder = TempFolder::new("slots");
    let mut first = game(7);
    first.set_slot(folder.0.clone(), "first".to_owned());
    assert_eq!(list_slots(&folder.0).unwrap(), "", "nothing has happened");
    // Not every key is a turn.
    while first.world().resource::<Tally>().turns < 25 {
        play(&mut first, 1);
    }
    first.finish_saves().unwrap();
    let list = list_slots(&folder.0).unwrap();
    assert!(
        list.contains("  first ") && list.contains("turn 20"),
        "{list}"
    );

    // A later game in another slot is the first of the list.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let mut second = game(2);
    second.set_slot(folder.0.clone(), "second".to_owned());
    play(&mut second, 90);
    second.save_to_slot();
    second.finish_saves().unwrap();
    let list = list_slots(&folder.0).unwrap();
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(names, ["second", "first"], "{list}");

    let mut loaded = game(99);
    loaded.load_slot(&folder.0, 1).unwrap();
    assert_eq!(seen(&loaded), seen(&second));
    loaded.load_slot(&folder.0, 2).unwrap();
    assert_eq!(loaded.world().resource::<Tally>().turns, 20);
    let before = seen(&loaded);
    let error = loaded.load_slot(&folder.0, 3).unwrap_err();
    assert!(error.to_string().ends_with("there is no slot 3"), "{error}");
    assert_eq!(seen(&loaded), before);

    // A damaged slot is in the list, and loads nothing.
    let file = std::fs::read_dir(&folder.0).unwrap();
    let mut files = file.map(|entry| entry.unwrap().path());
    let file = files
        .find(|path| path.display().to_string().contains("first"))
        .unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&file, bytes).unwrap();
    let list = list_slots(&folder.0).unwrap();
    let mut lines = list.lines();
    let place = lines.position(|line| line.contains("  first ")).unwrap();
    loaded.load_slot(&folder.0, place + 1).unwrap_err();
    assert_eq!(seen(&loaded), before);
}

#[test]
fn the_program_saves_lists_and_loads_slots() {
    let folder = TempFolder::new("program-slots");
    let run = |line: &str| {
        let line = format!("--saves {} {line}", folder.0.display());
        let arguments = line.split_whitespace().map(std::ffi::OsString::from);
        run(arguments, |_| Err(Failure::NoTerminal)).map_err(|failure| failure.to_string())
    };
    run("--slot mine --seed 7 --headless --frames 60").unwrap();
    let list = run("--list").unwrap();
    assert!(
        list.starts_with("  1  mine ") && list.contains("just now"),
        "{list}"
    );
    let whole = run("--slot whole --seed 7 --headless --frames 1000").unwrap();
    let rest = run("--load-slot 2 --slot rest --headless --frames 1000").unwrap();
    assert!(whole.contains("outcome:  won") && !rest.contains("still on the way"));
    let error = run("--load-slot 9 --headless").unwrap_err();
    assert!(error.ends_with("there is no slot 9"), "{error}");
}
