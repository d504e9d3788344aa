//! Small games to test, and accessors to their worlds.

use ecs_core::prelude::*;
use ecs_examples::roguelike::components::{Health, Hero, Monster};
use ecs_examples::roguelike::{Game, Log, Position, Tally, parse_dungeon, parse_script};

/// Makes a game on the levels of `map`.
pub(crate) fn game(map: &str) -> Game {
    seeded(map, 1)
}

pub(crate) fn seeded(map: &str, seed: u64) -> Game {
    Game::new(parse_dungeon("test.txt", map).expect("a valid map"), seed)
}

/// Presses `keys` one after the other.
pub(crate) fn press(game: &mut Game, keys: &str) {
    for key in parse_script("test.txt", keys).expect("valid keys") {
        game.press(key).expect("a turn runs");
    }
}

/// Returns the only entity with component `T`.
pub(crate) fn only<T: Component>(game: &Game) -> Entity {
    let found: Vec<Entity> = game
        .world()
        .query_filtered::<Entity, With<T>>()
        .iter()
        .collect();
    assert_eq!(
        found.len(),
        1,
        "entities with {}",
        core::any::type_name::<T>()
    );
    found[0]
}

/// Returns the position of `id`.
pub(crate) fn place(game: &Game, id: Entity) -> (i32, i32) {
    let at = *game.world().get::<Position>(id).expect("it is somewhere");
    (at.x, at.y)
}

/// Returns the position of the hero.
pub(crate) fn hero_place(game: &Game) -> (i32, i32) {
    place(game, only::<Hero>(game))
}

/// Returns the health of `id`.
pub(crate) fn health(game: &Game, id: Entity) -> i32 {
    game.world().get::<Health>(id).expect("it has health").now
}

/// Sets the health of `id`.
pub(crate) fn set_health(game: &mut Game, id: Entity, now: i32) {
    game.world_mut()
        .get_mut::<Health>(id)
        .expect("it has health")
        .now = now;
}

/// Returns all messages to the player so far.
pub(crate) fn log(game: &Game) -> Vec<String> {
    game.world().resource::<Log>().lines().to_vec()
}

pub(crate) fn tally(game: &Game) -> Tally {
    Tally::clone(&game.world().resource())
}

/// Returns all monsters, from left to right.
pub(crate) fn monsters(game: &Game) -> Vec<(Entity, (i32, i32))> {
    let query = game.world().query_filtered::<Entity, With<Monster>>();
    let mut found: Vec<_> = query.iter().map(|id| (id, place(game, id))).collect();
    found.sort_by_key(|(_, at)| *at);
    found
}
