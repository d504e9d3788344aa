//! Tests of the hero's actions.

use ecs_examples::roguelike::components::{
    CarriedBy, Health, Hero, Hunting, Item, Monster, SideEffect, Strength, Stunned,
};
use ecs_examples::roguelike::{Map, Outcome, Position, Tile};

use crate::stage::{game, health, hero_place, log, only, press, set_health, tally};

#[test]
fn the_hero_walks_where_the_player_says() {
    let mut game = game("#####\n#..>#\n#.@.#\n#...#\n#####");
    for (key, place) in [
        ("h", (1, 2)),
        ("k", (1, 1)),
        ("j", (1, 2)),
        ("l", (2, 2)),
        (".", (2, 2)),
    ] {
        press(&mut game, key);
        assert_eq!(hero_place(&game), place, "after {key}");
    }
    assert_eq!(tally(&game).turns, 5);
}

#[test]
fn walls_and_the_edge_of_the_map_stop_the_hero() {
    let mut game = game("@#>");
    press(&mut game, "hjkl");
    assert_eq!(hero_place(&game), (0, 0));
}

#[test]
fn a_door_is_opened_by_one_step_and_passed_by_the_next() {
    let mut game = game("@+.>");
    let door = Position::new(1, 0);
    press(&mut game, "l");
    assert_eq!(hero_place(&game), (0, 0));
    assert_eq!(game.world().resource::<Map>().tile(door), Tile::OpenDoor);
    press(&mut game, "l");
    assert_eq!(hero_place(&game), (1, 0));
}

#[test]
fn help_and_quit_take_no_turn() {
    let mut game = game("@r>");
    press(&mut game, "?q");
    assert_eq!(tally(&game).turns, 0);
    assert!(log(&game).is_empty());
}

#[test]
fn gold_is_picked_up_once() {
    let mut game = game("@$>");
    press(&mut game, "lg");
    let gold = tally(&game).gold;
    assert!((5..=20).contains(&gold), "{gold}");
    assert_eq!(game.world().len(), 1, "the hero alone is left");
    press(&mut game, "g");
    assert_eq!(tally(&game).gold, gold);
    assert_eq!(
        log(&game),
        [
            format!("You find {gold} gold."),
            "There is nothing to pick up.".into()
        ]
    );
}

#[test]
fn nothing_is_picked_up_from_the_next_tile() {
    let mut game = game("@$>");
    press(&mut game, "g");
    assert_eq!(tally(&game).gold, 0);
    assert_eq!(game.world().len(), 2);
}

#[test]
fn a_potion_leaves_the_map_when_it_is_picked_up() {
    let mut game = game("@!>");
    let potion = only::<Item>(&game);
    press(&mut game, "lgg");
    assert!(!game.world().has::<Position>(potion));
    assert_eq!(
        *game.world().get::<CarriedBy>(potion).unwrap(),
        CarriedBy(only::<Hero>(&game))
    );
    assert_eq!(
        log(&game),
        ["You take the potion.", "There is nothing to pick up."]
    );
}

#[test]
fn a_potion_heals_once_and_not_beyond_the_maximum() {
    let mut game = game("@!>");
    let hero = only::<Hero>(&game);
    press(&mut game, "lg");
    set_health(&mut game, hero, 25);
    press(&mut game, "d");
    assert_eq!(
        *game.world().get::<Health>(hero).unwrap(),
        Health { now: 30, max: 30 }
    );
    set_health(&mut game, hero, 5);
    press(&mut game, "d");
    assert_eq!(health(&game, hero), 5);
    assert_eq!(log(&game).last().unwrap(), "You have no potion.");
}

#[test]
fn potions_on_the_ground_cannot_be_drunk() {
    let mut game = game("@!>");
    press(&mut game, "ld");
    assert_eq!(log(&game), ["You have no potion."]);
    assert_eq!(game.world().len(), 2);
}

#[test]
fn a_sword_makes_blows_stronger_and_lets_them_stun() {
    let mut game = game("@/>");
    let hero = only::<Hero>(&game);
    press(&mut game, "lg");
    assert_eq!(*game.world().get::<Strength>(hero).unwrap(), Strength(7));
    assert_eq!(
        *game.world().get::<SideEffect>(hero).unwrap(),
        SideEffect::Stun
    );
}

#[test]
fn a_stunned_hero_neither_walks_nor_picks_up_until_it_wears_off() {
    let mut game = game("@$.>");
    let hero = only::<Hero>(&game);
    press(&mut game, "l");
    game.world_mut().insert(hero, Stunned { turns: 2 }).unwrap();
    press(&mut game, "lg");
    assert_eq!((hero_place(&game), tally(&game).gold), ((1, 0), 0));
    assert_eq!(log(&game), ["You are stunned.", "You are stunned."]);
    assert!(!game.world().has::<Stunned>(hero));
    press(&mut game, "l");
    assert_eq!(hero_place(&game), (2, 0));
}

#[test]
fn only_the_pack_goes_downstairs_with_the_hero() {
    let mut game = game("= Up\n!@>\n#r#\n= Down\n#####\n>.@.r\n#####");
    let hero = only::<Hero>(&game);
    let potion = only::<Item>(&game);
    let rat = only::<Monster>(&game);
    // Keeps the rat out of the way.
    game.world_mut().insert(rat, Stunned { turns: 9 }).unwrap();
    press(&mut game, "hgll");
    let world = game.world();
    assert_eq!(
        (world.resource::<Map>().height(), hero_place(&game)),
        (3, (2, 1))
    );
    assert_eq!(world.get::<CarriedBy>(potion).unwrap().0, hero);
    assert_ne!(only::<Monster>(&game), rat);
    assert_eq!(world.len(), 3, "hero, potion and the other rat");
}

#[test]
fn the_last_stairs_win_the_game_and_end_it() {
    let mut game = game("@>.");
    press(&mut game, "l");
    assert_eq!(game.outcome(), Outcome::Won);
    press(&mut game, "lll");
    assert_eq!((tally(&game).turns, hero_place(&game)), (1, (1, 0)));
    assert_eq!(
        log(&game),
        ["You step out into the sun: you have won! Press q to leave the game."]
    );
}

#[test]
fn the_hero_dies_of_too_many_blows_and_the_game_is_over() {
    let mut game = game("@O>");
    let hero = only::<Hero>(&game);
    for _ in 0..100 {
        press(&mut game, ".");
    }
    assert_eq!(game.outcome(), Outcome::Died);
    assert!(!game.world().contains(hero));
    assert_eq!(
        log(&game).last().unwrap(),
        "You die. Press q to leave the game."
    );
    assert!(tally(&game).turns < 100);
    // Hunters hold a stale id now, which finds nothing.
    assert_eq!(
        game.world()
            .get::<Hunting>(only::<Monster>(&game))
            .unwrap()
            .0,
        hero
    );
}
