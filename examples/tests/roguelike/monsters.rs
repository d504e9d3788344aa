//! Tests of the monsters' actions.

use ecs_core::prelude::*;
use ecs_examples::roguelike::components::{Hero, Hunting, Monster, Poisoned, Stunned};
use ecs_examples::roguelike::systems::{chase, give_up};
use ecs_examples::roguelike::{Attack, Game, Outcome};

use crate::stage::{game, health, log, monsters, only, place, press, seeded, set_health, tally};

fn hunts(game: &Game, hunter: Entity) -> Option<Entity> {
    game.world().get::<Hunting>(hunter).map(|hunting| hunting.0)
}

#[test]
fn a_monster_in_view_begins_to_hunt_the_hero() {
    let mut game = game("@....r>");
    press(&mut game, ".");
    assert_eq!(
        hunts(&game, only::<Monster>(&game)),
        Some(only::<Hero>(&game))
    );
    assert_eq!(log(&game), ["The rat notices you."]);
    press(&mut game, "..");
    assert_eq!(log(&game).len(), 1, "it notices once");
}

#[test]
fn a_monster_behind_a_door_notices_nothing_until_it_is_opened() {
    let mut game = game("@+....r>");
    let rat = only::<Monster>(&game);
    press(&mut game, "...");
    assert_eq!(hunts(&game, rat), None);
    press(&mut game, "l.");
    assert_eq!(hunts(&game, rat), Some(only::<Hero>(&game)));
}

#[test]
fn a_monster_without_a_target_walks_at_random() {
    let mut game = game("@#.....\n>#...r.");
    let rat = only::<Monster>(&game);
    let mut places = vec![place(&game, rat)];
    for _ in 0..30 {
        press(&mut game, ".");
        places.push(place(&game, rat));
    }
    assert!(places.windows(2).any(|step| step[0] != step[1]));
    assert!(
        places
            .windows(2)
            .all(|step| { (step[0].0 - step[1].0).abs() + (step[0].1 - step[1].1).abs() <= 1 })
    );
}

#[test]
fn a_hunter_comes_one_step_closer_each_turn_and_then_bites() {
    let mut game = game("@.....r>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    game.world_mut().insert(rat, Hunting(hero)).unwrap();
    for x in [5, 4, 3, 2, 1] {
        press(&mut game, ".");
        assert_eq!(place(&game, rat), (x, 0));
    }
    assert_eq!(health(&game, only::<Hero>(&game)), 30);
    press(&mut game, ".");
    assert_eq!(place(&game, rat), (1, 0));
    assert!(health(&game, only::<Hero>(&game)) < 30);
}

#[test]
fn a_hunter_finds_the_way_around_a_wall() {
    let mut game = game(".....\n.###.\n@###r\n####>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    game.world_mut().insert(rat, Hunting(hero)).unwrap();
    press(&mut game, ".......");
    assert_eq!(place(&game, rat), (0, 1));
}

#[test]
fn monsters_stand_side_by_side_and_never_on_one_another_or_fight_each_other() {
    let mut game = game("#######>\n@.rrr.O#\n#.rrr..#");
    let hero = only::<Hero>(&game);
    for _ in 0..20 {
        set_health(&mut game, hero, 30);
        press(&mut game, ".");
        let mut places: Vec<_> = monsters(&game).into_iter().map(|(_, at)| at).collect();
        places.push(place(&game, hero));
        let all = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!((all, places.len()), (8, 8));
    }
    assert!(
        log(&game)
            .iter()
            .all(|line| line.ends_with("notices you.") || line.contains("hits you"))
    );
}

#[test]
fn a_hunter_whose_target_was_despawned_stands_still_then_gives_up() {
    let mut game = game("@....r>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    press(&mut game, "..");
    assert_eq!(hunts(&game, rat), Some(hero));
    game.world_mut().despawn(hero).unwrap();

    let before = place(&game, rat);
    chase(game.world());
    assert_eq!(
        game.world()
            .get::<ecs_examples::roguelike::components::Step>(rat)
            .unwrap()
            .0,
        None
    );
    press(&mut game, ".");
    assert_eq!(hunts(&game, rat), None);
    let after = place(&game, rat);
    assert!((before.0 - after.0).abs() <= 1);
}

#[test]
fn monsters_stop_hunting_when_the_hero_dies() {
    let mut game = game("rO@Or>");
    let hero = only::<Hero>(&game);
    press(&mut game, ".");
    assert!(
        monsters(&game)
            .iter()
            .all(|(id, _)| hunts(&game, *id).is_some())
    );
    while game.outcome() == Outcome::Playing {
        press(&mut game, ".");
    }
    assert!(!game.world().contains(hero));
    give_up(game.world());
    game.world_mut().flush();
    assert!(
        monsters(&game)
            .iter()
            .all(|(id, _)| hunts(&game, *id).is_none())
    );
}

#[test]
fn a_target_whose_index_was_reused_is_still_gone() {
    let mut game = game("@....r>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    press(&mut game, ".");
    game.world_mut().despawn(hero).unwrap();
    let stranger = game.world_mut().spawn_empty();
    assert_eq!(
        stranger.index(),
        hero.index(),
        "the test needs the index to be used again"
    );
    press(&mut game, ".");
    assert_eq!(hunts(&game, rat), None);
}

#[test]
fn the_slain_do_not_strike_back() {
    for seed in 0..20 {
        let mut game = seeded("@r>", seed);
        let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
        press(&mut game, ".");
        set_health(&mut game, hero, 30);
        set_health(&mut game, rat, 1);
        press(&mut game, "l");
        assert!(!game.world().contains(rat));
        assert_eq!(health(&game, hero), 30, "seed {seed}");
        assert_eq!(tally(&game).slain, 1);
    }
}

#[test]
fn attacks_by_or_on_despawned_entities_are_lost() {
    let mut game = game("@#r>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    game.world_mut().despawn(rat).unwrap();
    for (attacker, victim) in [(hero, rat), (rat, hero), (rat, rat)] {
        let attack = Attack { attacker, victim };
        game.world_mut()
            .resource_mut::<Events<Attack>>()
            .send(attack);
    }
    press(&mut game, ".");
    assert_eq!(health(&game, hero), 30);
    assert!(log(&game).is_empty());
}

#[test]
fn a_stunned_monster_neither_walks_nor_bites() {
    let mut game = game("@..r>");
    let (hero, rat) = (only::<Hero>(&game), only::<Monster>(&game));
    game.world_mut().insert(rat, Hunting(hero)).unwrap();
    game.world_mut().insert(rat, Stunned { turns: 2 }).unwrap();
    press(&mut game, "..");
    assert_eq!(place(&game, rat), (3, 0));
    press(&mut game, ".");
    assert_eq!(place(&game, rat), (2, 0));
}

#[test]
fn poison_takes_one_health_a_turn_and_wears_off() {
    let mut game = game("@>");
    let hero = only::<Hero>(&game);
    game.world_mut()
        .insert(hero, Poisoned { turns: 3 })
        .unwrap();
    for left in [29, 28, 27, 27] {
        press(&mut game, ".");
        assert_eq!(health(&game, hero), left);
    }
    assert!(!game.world().has::<Poisoned>(hero));
}

#[test]
fn snakes_poison_and_ogres_stun_the_hero_sooner_or_later() {
    let afflicted = |map, is: fn(&World, Entity) -> bool| {
        let mut game = game(map);
        let hero = only::<Hero>(&game);
        (0..50).any(|_| {
            set_health(&mut game, hero, 30);
            press(&mut game, ".");
            is(game.world(), hero)
        })
    };
    assert!(afflicted("@s>", |world, hero| world.has::<Poisoned>(hero)));
    assert!(afflicted("@O>", |world, hero| world.has::<Stunned>(hero)));
    assert!(!afflicted("@r>", |world, hero| world.has::<Poisoned>(hero)
        || world.has::<Stunned>(hero)));
}
