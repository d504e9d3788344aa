//! Recordings of the game.

use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_examples::roguelike::{Game, Key, Outcome, built_in_dungeon};

fn new_game() -> Game {
    Game::new(
        built_in_dungeon().expect("the built-in map has no mistake"),
        7,
    )
}

#[test]
fn the_recorded_game_is_still_the_same() {
    let record = |path: &std::path::Path| {
        let mut game = new_game();
        game.record(Recorder::new(path).hash_every(1));
        for _ in 0..300 {
            game.press(game.advice()).unwrap();
        }
    };
    ecs_examples::assert_same_as_recorded("roguelike", record, || new_game().into_program());
}

#[test]
fn a_recording_goes_on_over_loads() {
    let folder = std::env::temp_dir().join(format!("roguelike-recorded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("game.rec");
    let mut game = new_game();
    game.set_file(folder.join("game.ron"));
    game.record(Recorder::new(&path).hash_every(1));
    for turn in 0..120 {
        match turn {
            30 => game.press(Key::Save).unwrap(),
            60 | 100 => game.press(Key::Load).unwrap(),
            _ => {}
        }
        game.press(game.advice()).unwrap();
        assert_eq!(game.outcome(), Outcome::Playing);
    }
    let hash = game.world().hash().unwrap();
    drop(game);
    let program = || new_game().into_program();
    let mut replay = ecs_core::record::Replay::open(&path, program).unwrap();
    assert_eq!(replay.finish().unwrap(), ecs_core::record::Outcome::Same);
    assert_eq!((replay.frame(), replay.compared()), (120, 120));
    assert_eq!(replay.world().hash().unwrap(), hash);
    std::fs::remove_dir_all(&folder).unwrap();
}
