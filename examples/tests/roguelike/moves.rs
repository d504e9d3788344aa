//! Tests the steps of many entities at once; the systems are called one by one like functions.

use ecs_core::prelude::*;
use ecs_examples::roguelike::components::{Hero, Hunting, Monster, Step, Stunned};
use ecs_examples::roguelike::systems::walk;
use ecs_examples::roguelike::{Attack, Direction, Game, Position};

use crate::stage::{game, health, hero_place, log, monsters, only, place, press};

/// Makes all monsters step in a direction.
fn march(game: &mut Game, direction: Direction) {
    for (id, _) in monsters(game) {
        let step = Step(Some(direction));
        game.world_mut().insert(id, step).unwrap();
    }
    walk::<Monster>(game.world());
}

fn places(game: &Game) -> Vec<(i32, i32)> {
    monsters(game).into_iter().map(|(_, at)| at).collect()
}

fn attacks(game: &Game) -> usize {
    game.world().resource::<Events<Attack>>().len()
}

#[test]
fn one_can_step_to_a_place_that_another_has_just_left() {
    let mut game = game("@#.rr>");
    march(&mut game, Direction::Left);
    assert_eq!(places(&game), [(2, 0), (3, 0)]);
}

#[test]
fn of_two_who_step_to_the_same_place_one_gets_there() {
    let mut game = game("@#r.r>");
    let [(left, _), (right, _)] = monsters(&game)[..] else {
        panic!("two rats expected")
    };
    let world = game.world_mut();
    world.insert(left, Step(Some(Direction::Right))).unwrap();
    world.insert(right, Step(Some(Direction::Left))).unwrap();
    walk::<Monster>(world);
    let places = places(&game);
    assert!(
        places == [(3, 0), (4, 0)] || places == [(2, 0), (3, 0)],
        "{places:?}"
    );
}

#[test]
fn monsters_stop_at_each_other_and_hit_the_hero() {
    let mut game = game(">rr\n##@");
    march(&mut game, Direction::Right);
    assert_eq!((places(&game), attacks(&game)), (vec![(1, 0), (2, 0)], 0));
    march(&mut game, Direction::Down);
    assert_eq!((places(&game), attacks(&game)), (vec![(1, 0), (2, 0)], 1));
}

#[test]
fn only_the_named_side_walks() {
    let mut game = game("@.r.>");
    let hero = only::<Hero>(&game);
    game.world_mut()
        .insert(hero, Step(Some(Direction::Right)))
        .unwrap();
    march(&mut game, Direction::Right);
    assert_eq!((hero_place(&game), places(&game)), ((0, 0), vec![(3, 0)]));
    walk::<Hero>(game.world());
    assert_eq!((hero_place(&game), places(&game)), ((1, 0), vec![(3, 0)]));
}

#[test]
fn a_hunter_goes_around_another_one_that_is_in_the_way() {
    let mut game = game("....\n@rr>");
    let hero = only::<Hero>(&game);
    let [(first, _), (second, _)] = monsters(&game)[..] else {
        panic!("two rats expected")
    };
    game.world_mut()
        .insert(first, Stunned { turns: 9 })
        .unwrap();
    for id in [first, second] {
        game.world_mut().insert(id, Hunting(hero)).unwrap();
    }
    for at in [(2, 0), (1, 0), (0, 0)] {
        press(&mut game, ".");
        assert_eq!(place(&game, second), at);
    }
    assert_eq!(health(&game, hero), 30);
    press(&mut game, ".");
    assert!(health(&game, hero) < 30);
}

#[test]
fn a_monster_at_a_place_that_is_only_remembered_is_not_noticed() {
    let mut game = game("@.........#r>");
    let rat = only::<Monster>(&game);
    press(&mut game, "lllllllll");
    game.world_mut().insert(rat, Stunned { turns: 9 }).unwrap();
    game.world_mut().replace(rat, Position::new(0, 0)).unwrap();
    press(&mut game, ".");
    assert!(log(&game).is_empty());
    press(&mut game, "h.");
    assert_eq!(log(&game), ["The rat notices you."]);
}
