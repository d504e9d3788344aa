//! `Single` as a parameter: the one entity that matches, or an error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::SingleError;
use ecs_core::prelude::*;
use ecs_core::query::Not;
use ecs_core::system::ParamError;

#[derive(Component, Debug, PartialEq)]
struct Position(i32);
#[derive(Component, Clone, Copy)]
struct Velocity(i32);
#[derive(Component)]
struct Player;
#[derive(Component)]
#[component(storage = "sparse")]
struct Boss(i32);
#[derive(Component)]
#[component(track)]
struct Score(u32);

fn player(world: &mut World) -> Entity {
    world.spawn((Player, Position(0), Velocity(2)))
}

fn position(world: &World, entity: Entity) -> i32 {
    world.get::<Position>(entity).unwrap().0
}

#[system]
fn steer(mut player: Single<&mut Position, With<Player>>, boss: Option<Single<(Entity, &Boss)>>) {
    player.0 += 1;
    if let Some(boss) = boss {
        let entity = boss.entity();
        let (id, boss) = boss.into_inner();
        assert_eq!(entity, id);
        player.0 += boss.0;
    }
}

#[system]
fn advance(body: Single<(&mut Position, &Velocity)>) -> Entity {
    let entity = body.entity();
    let (position, velocity) = body.into_inner();
    position.0 += velocity.0;
    entity
}

/// Two queries that filters keep apart.
#[system]
fn follow(
    player: Single<&Position, With<Player>>,
    mut other: Single<&mut Position, Without<Player>>,
) {
    other.0 = player.0;
}

#[test]
fn the_one_entity_is_read_and_written() {
    let mut world = World::new();
    world.spawn(Position(70));
    let hero = player(&mut world);
    steer(&world);
    world.spawn((Boss(5), Velocity(1)));
    world.run(steer);
    assert_eq!(position(&world, hero), 7);
    assert_eq!(world.run(advance), hero);
    assert_eq!(position(&world, hero), 9);
}

#[test]
fn filters_keep_two_of_them_apart() {
    let mut world = World::new();
    let hero = player(&mut world);
    let dog = world.spawn(Position(-4));
    *world.get_mut::<Position>(hero).unwrap() = Position(3);
    follow(&world);
    assert_eq!(position(&world, dog), 3);
    let mut frame = Schedule::new();
    frame.add((steer, follow));
    frame.run(&mut world).unwrap();
    assert_eq!(position(&world, dog), 4);
}

fn panic_message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_run_without_exactly_one_is_an_error_as_without_a_resource() {
    let mut world = World::new();
    let none = "system `queries::single::steer`, parameter `player: Single<&mut Position, With<Player>>`: no entity matches the query `(&mut queries::single::Position, With<queries::single::Player>)`, but one was expected; help: take `Option<Single<..>>`, or run the system under a condition";
    assert_eq!(panic_message(|| steer(&world)), none);
    assert_eq!(panic_message(|| world.run(steer)), none);
    let mut frame = Schedule::new();
    frame.add(steer);
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(error.contains(none), "{error}");

    let heroes = [(); 3].map(|()| player(&mut world));
    let several = "3 entities match the query `(&mut queries::single::Position, With<queries::single::Player>)`, but one was expected; help: add a filter that one of them passes, or take a `Query`";
    let message = panic_message(|| steer(&world));
    assert!(message.ends_with(several), "{message}");
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(error.contains(several), "{error}");
    assert!(heroes.iter().all(|&hero| position(&world, hero) == 0));

    // Nothing stays borrowed.
    assert!(world.try_view_mut::<Position>().is_ok());
    world.despawn(heroes[0]).unwrap();
    world.despawn(heroes[2]).unwrap();
    frame.run(&mut world).unwrap();
    assert_eq!(position(&world, heroes[1]), 1);
}

#[test]
fn several_are_an_error_for_an_option_too() {
    let mut world = World::new();
    let hero = player(&mut world);
    world.spawn(Boss(1));
    world.spawn(Boss(1));
    let message = panic_message(|| steer(&world));
    assert!(
        message.contains(
            "parameter `boss: Option<Single<(Entity, &Boss)>>`: 2 entities match the query `(Entity, &queries::single::Boss)`, but"
        ),
        "{message}"
    );
    assert_eq!(position(&world, hero), 0);
}

#[test]
fn it_is_borrowed_without_a_system_and_by_closures() {
    let mut world = World::new();
    assert!(world.borrow::<Option<Single<&Boss>>>().get().is_none());
    let error = world.try_borrow::<Single<&Boss>>().err().unwrap();
    assert!(matches!(
        error,
        ParamError::Single(SingleError::None { .. })
    ));
    let boss = world.spawn(Boss(1));
    let mut borrowed = world.borrow::<Single<&mut Boss>>();
    assert!(world.try_view::<Boss>().is_err());
    borrowed.get().0 = 7;
    assert_eq!((borrowed.get().0, borrowed.get().entity()), (7, boss));
    drop(borrowed);
    world.run(|mut boss: Single<&mut Boss>| boss.0 += 1);
    assert_eq!(world.run(|boss: Single<&Boss>| boss.0), 8);
}

#[system(for_each)]
fn add_up(velocity: &Velocity, mut score: Single<Mut<Score>, Not<Mutated<Score>>>) {
    score.0 += velocity.0 as u32;
}

/// The entity stays the found one, even if a change through the parameter itself ends its match.
#[test]
fn a_write_does_not_end_the_match() {
    let mut world = World::new();
    let score = world.spawn(Score(1));
    add_up(&world);
    world.spawn(Velocity(1));
    world.spawn(Velocity(2));
    // The first call of the function changes the score, so it no longer counts as unchanged.
    add_up(&world);
    assert_eq!(world.get::<Score>(score).unwrap().0, 4);
}

#[system]
fn seen(changed: Option<Single<&Score, Changed<Score>>>) -> Option<u32> {
    changed.map(|score| score.0)
}

#[test]
fn filters_by_tick_are_those_of_the_system() {
    let mut world = World::new();
    let scores = [world.spawn(Score(1)), world.spawn(Score(2))];
    assert!(catch_unwind(AssertUnwindSafe(|| seen(&world))).is_err());
    assert_eq!(seen(&world), None, "the failed run has seen both");
    world.get_mut::<Score>(scores[1]).unwrap().0 = 5;
    assert_eq!(seen(&world), Some(5));
    assert_eq!(seen(&world), None);
}

#[derive(SystemParam)]
struct Hero<'w> {
    body: Single<'w, (&'w mut Position, &'w Velocity), With<Player>>,
    boss: Option<Single<'w, &'w Boss>>,
}

#[system]
fn as_fields(hero: Hero<'_>) -> bool {
    let (position, velocity) = hero.body.into_inner();
    position.0 += velocity.0;
    hero.boss.is_some()
}

#[test]
fn a_derived_parameter_has_it_as_a_field() {
    let mut world = World::new();
    let message = panic_message(|| {
        as_fields(&world);
    });
    assert!(
        message.contains("field `body: Single<'w, (&'w mut Position, &'w Velocity), With<Player>>`: no entity matches"),
        "{message}"
    );
    let hero = player(&mut world);
    assert!(!as_fields(&world));
    world.spawn(Boss(1));
    assert!(as_fields(&world));
    assert_eq!(position(&world, hero), 4);
}

#[system(for_each)]
fn chase(velocity: &mut Velocity, player: Single<&Position, With<Player>>) {
    velocity.0 = player.0;
}

#[system(par_for_each)]
fn chase_in_parallel(
    velocity: &mut Velocity,
    player: Single<&Position, With<Player>>,
    boss: Option<Single<&Boss>>,
) {
    velocity.0 = player.0 + boss.map_or(0, |boss| boss.0);
}

#[test]
fn loops_over_other_entities_read_it() {
    let mut world = World::new();
    let hero = player(&mut world);
    let others = [(); 9].map(|()| world.spawn(Velocity(0)));
    *world.get_mut::<Position>(hero).unwrap() = Position(6);
    chase(&world);
    assert!(
        others
            .iter()
            .all(|&other| world.get::<Velocity>(other).unwrap().0 == 6)
    );
    world.spawn(Boss(4));
    chase_in_parallel(&world);
    assert!(
        others
            .iter()
            .all(|&other| world.get::<Velocity>(other).unwrap().0 == 10)
    );
}

#[system]
fn in_turns(
    mut set: ParamSet<(
        CompMut<Position>,
        Single<&mut Position, With<Player>>,
        Option<Single<&mut Position, Without<Player>>>,
    )>,
) -> bool {
    set.p0().iter_mut().for_each(|position| position.0 += 1);
    set.p1().0 *= 10;
    let found = set.try_p2();
    found.is_ok_and(|other| other.is_some())
}

#[test]
fn it_takes_turns_with_other_parameters() {
    let mut world = World::new();
    let hero = player(&mut world);
    assert!(!in_turns(&world));
    let other = world.spawn(Position(1));
    assert!(in_turns(&world));
    assert_eq!((position(&world, hero), position(&world, other)), (110, 2));
    world.spawn(Position(1));
    assert!(!in_turns(&world), "several");
}
