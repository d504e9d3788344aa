//! The game of the write-up in one closed world, and a test for each of its requirements.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings)]

use ecs_core::prelude::*;
use ecs_core::statics::{
    ComponentOf, StaticWorld, add_entity, component, component_mut, spawn, system, world,
};

#[derive(Clone, Debug, Default, PartialEq)]
struct Input {
    right: bool,
    jump: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Ai {
    Idle,
    Hunts(Entity),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Velocity {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Position {
    x: f32,
    y: f32,
}

#[derive(Clone, Debug, PartialEq)]
struct Collider {
    radius: f32,
    hit: Option<Entity>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Animation {
    frame: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct StatusBar<T> {
    value: i32,
    of: std::marker::PhantomData<T>,
}

#[derive(Clone, Debug, PartialEq)]
struct Health;

#[derive(Clone, Debug, PartialEq)]
struct Mana;

fn bar<T>(value: i32) -> StatusBar<T> {
    StatusBar {
        value,
        of: std::marker::PhantomData,
    }
}

world! {
    /// The world of the game.
    pub Game {
        Input,
        Ai,
        Velocity,
        Position,
        Collider,
        Animation,
        StatusBar<Health>,
        StatusBar<Mana>,
    }
}

fn hero(game: &mut Game) -> Entity {
    add_entity!(
        game;
        Input::default(),
        Velocity::default(),
        Position::default(),
        Collider { radius: 1.0, hit: None },
        Animation::default(),
        bar::<Health>(3),
        bar::<Mana>(5),
    )
}

fn enemy(game: &mut Game, x: f32, ai: Ai) -> Entity {
    let collider = Collider {
        radius: 1.0,
        hit: None,
    };
    spawn!(game; ai, Velocity::default(), Position { x, y: 0.0 }, collider, bar::<Health>(1))
}

/// Runs one frame of the game.
fn frame(game: &mut Game) {
    system!(game, |velocity: &mut Velocity, input: &Input| {
        velocity.x = if input.right { 1.0 } else { 0.0 };
        velocity.y = if input.jump { 1.0 } else { 0.0 };
    });
    let positions: Vec<(Entity, Position)> = component!(game, Position)
        .with_entity()
        .map(|(entity, position)| (entity, *position))
        .collect();
    let of = |wanted: Entity| positions.iter().find(|(entity, _)| *entity == wanted);
    system!(game, |ai: &mut Ai,
                   velocity: &mut Velocity,
                   position: &Position| {
        if let Ai::Hunts(target) = *ai {
            match of(target) {
                Some((_, target)) => velocity.x = (target.x - position.x).signum(),
                None => *ai = Ai::Idle,
            }
        }
    });
    system!(game, |position: &mut Position, velocity: &Velocity| {
        position.x += velocity.x;
        position.y += velocity.y;
    });
    system!(game, |entity,
                   collider: Collider,
                   position: &Position,
                   ai: Option<&Ai>|
     -> Collider {
        let touches = |other: &(Entity, &Collider)| {
            let place = game.get::<Position>(other.0);
            let near =
                place.is_some_and(|p| (p.x - position.x).abs() < collider.radius + other.1.radius);
            other.0 != entity && near && game.has::<Ai>(other.0) != ai.is_some()
        };
        let hit = component!(game, Collider).with_entity().find(touches);
        Collider {
            hit: hit.map(|(entity, _)| entity),
            ..collider
        }
    });
    system!(game, |collider: &Collider,
                   health: &mut StatusBar<Health>| {
        health.value -= i32::from(collider.hit.is_some());
    });
    system!(game, |animation: &mut Animation, velocity: &Velocity| {
        animation.frame += u32::from(velocity.x != 0.0);
    });
    let mut dead = Vec::new();
    system!(game, |entity, health: &StatusBar<Health>| {
        if health.value <= 0 {
            dead.push(entity);
        }
    });
    for entity in dead {
        game.despawn(entity).unwrap();
    }
}

#[test]
fn the_game_plays_to_its_end() {
    let mut game = Game::default();
    let hero = hero(&mut game);
    let hunter = enemy(&mut game, 6.0, Ai::Hunts(hero));
    let guard = enemy(&mut game, 100.0, Ai::Hunts(hunter));
    game.get_mut::<Input>(hero).unwrap().right = true;

    frame(&mut game);
    assert_eq!(game.get::<Position>(hero).unwrap().x, 1.0);
    assert_eq!(game.get::<Position>(hunter).unwrap().x, 5.0);
    frame(&mut game);
    assert!(game.contains(hunter), "their distance is two");
    frame(&mut game);
    assert!(!game.contains(hunter), "they have met");
    assert_eq!(game.get::<StatusBar<Health>>(hero).unwrap().value, 2);
    assert_eq!(game.get::<Animation>(hero).unwrap().frame, 3);

    frame(&mut game);
    assert_eq!(
        game.get::<Ai>(guard),
        Some(&Ai::Idle),
        "its prey is despawned"
    );
    assert_eq!(game.len(), 2);
}

#[test]
fn a_new_world_is_empty() {
    let mut game = Game::new();
    assert!(game.is_empty() && Game::default().is_empty());
    assert!(component!(game, Position).is_empty());
    system!(game, |_entity| panic!("the world is empty"));
    assert!(format!("{game:?}").starts_with("Game { ids: 0 entities, Input: 0 values, "));
}

#[test]
fn an_entity_has_exactly_the_components_it_was_spawned_with() {
    let mut game = Game::new();
    let entity = spawn!(game; Position { x: 1.0, y: 2.0 }, bar::<Mana>(4));
    assert_eq!(
        game.get::<Position>(entity),
        Some(&Position { x: 1.0, y: 2.0 })
    );
    assert_eq!(game.get::<StatusBar<Mana>>(entity), Some(&bar(4)));
    assert_eq!(
        game.get::<StatusBar<Health>>(entity),
        None,
        "an instance is a type of its own"
    );
    assert!(!game.has::<Velocity>(entity));
    let nothing = spawn!(game;);
    assert!(game.contains(nothing) && !game.has::<Position>(nothing));
}

#[test]
fn the_lowest_free_index_is_used_first_and_no_id_twice() {
    let mut game = Game::new();
    let ids: Vec<Entity> = (0..200)
        .map(|_| spawn!(game; Animation::default()))
        .collect();
    for index in [150, 7, 64] {
        game.despawn(ids[index]).unwrap();
    }
    let again: Vec<Entity> = (0..4).map(|_| spawn!(game; Velocity::default())).collect();
    assert_eq!(
        again.iter().map(|e| e.index()).collect::<Vec<_>>(),
        [7, 64, 150, 200]
    );
    assert!(again.iter().all(|entity| !ids.contains(entity)));
    assert!(
        again.iter().all(|&entity| !game.has::<Animation>(entity)),
        "a despawned entity has no components"
    );
}

#[test]
fn a_stale_id_finds_nothing() {
    let mut game = Game::new();
    let old = hero(&mut game);
    game.despawn(old).unwrap();
    let new = hero(&mut game);
    assert_eq!(old.index(), new.index());
    assert!(!game.contains(old) && game.get::<Input>(old).is_none());
    assert!(game.get_mut::<Input>(old).is_none() && !game.has::<Input>(old));
    assert_eq!(game.despawn(old).unwrap_err().entity, old);
    assert!(game.insert(old, Ai::Idle).is_err() && game.remove::<Input>(old).is_err());
    assert!(game.take::<Input>(old).is_err());
    assert!(component!(game, Input).get(old).is_none());
    assert_eq!(component_mut!(game, Input).take(old), None);
    assert!(
        component_mut!(game, Input)
            .replace(old, Input::default())
            .is_err()
    );
    assert!(game.has::<Input>(new));
}

#[test]
fn components_come_and_go_one_by_one() {
    let mut game = Game::new();
    let entity = spawn!(game; Position::default());
    game.insert(entity, bar::<Health>(1)).unwrap();
    assert_eq!(
        game.replace(entity, bar::<Health>(2)),
        Ok(Some(bar(1))),
        "the old value comes back"
    );
    assert_eq!(game.replace(entity, Ai::Idle), Ok(None));
    game.remove::<Position>(entity).unwrap();
    game.remove::<Position>(entity).unwrap();
    assert!(!game.has::<Position>(entity));
    assert_eq!(game.take::<StatusBar<Health>>(entity), Ok(bar(2)));
    let error = game
        .take::<StatusBar<Health>>(entity)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("StatusBar<statics::static_world::Health>` to take"),
        "{error}"
    );
    assert!(game.contains(entity));
}

#[test]
fn clear_leaves_nothing_and_reuses_no_id() {
    let mut game = Game::new();
    let old = [hero(&mut game), enemy(&mut game, 1.0, Ai::Idle)];
    game.clear();
    assert!(game.is_empty() && component!(game, Velocity).is_empty());
    let new = hero(&mut game);
    assert_eq!(new.index(), 0);
    assert!(!old.contains(&new) && !game.contains(old[0]) && !game.contains(old[1]));
}

#[test]
fn a_system_visits_entities_with_all_components_in_the_order_of_their_indices() {
    let mut game = Game::new();
    let mut expected = Vec::new();
    for number in 0..300_u16 {
        let entity = spawn!(game; Position { x: f32::from(number), y: 0.0 });
        if number % 3 == 0 || (64..200).contains(&number) {
            game.insert(entity, Velocity { x: 1.0, y: 0.0 }).unwrap();
            expected.push((entity, f32::from(number) + 1.0));
        }
    }
    system!(game, |position: &mut Position, velocity: &Velocity| {
        position.x += velocity.x;
    });
    let mut visited = Vec::new();
    system!(game, |entity: Entity,
                   _: &Velocity,
                   Position { x, .. }: &Position| {
        visited.push((entity, *x));
    });
    assert_eq!(visited, expected);
}

#[test]
fn optional_components_skip_no_entity() {
    let mut game = Game::new();
    for number in 0..130 {
        let entity = spawn!(game; Animation { frame: number });
        if number % 2 == 0 {
            game.insert(entity, bar::<Mana>(0)).unwrap();
        }
    }
    let (mut with, mut without, mut with_ai) = (0, 0, 0);
    system!(game, |animation: &Animation,
                   mana: Option<&mut StatusBar<Mana>>,
                   ai: Option<&Ai>| {
        match mana {
            Some(mana) => {
                mana.value = i32::try_from(animation.frame).unwrap();
                with += 1;
            }
            None => without += 1,
        }
        with_ai += u32::from(ai.is_some());
    });
    assert_eq!((with, without, with_ai), (65, 65, 0));
    let mut sum = 0;
    system!(game, |_id, mana: Option<&StatusBar<Mana>>| sum +=
        mana.map_or(0, |mana| mana.value));
    assert_eq!(sum, (0..130).step_by(2).sum::<i32>());
}

#[test]
fn several_components_are_written_at_once() {
    let mut game = Game::new();
    let entity = hero(&mut game);
    system!(game, |p: &mut Position,
                   v: &mut Velocity,
                   h: &mut StatusBar<Health>,
                   m: &mut StatusBar<Mana>| {
        (p.x, v.x) = (v.x + 1.0, p.x + 2.0);
        std::mem::swap(&mut h.value, &mut m.value);
    });
    assert_eq!(game.get::<Position>(entity).unwrap().x, 1.0);
    assert_eq!(game.get::<Velocity>(entity).unwrap().x, 2.0);
    assert_eq!(game.get::<StatusBar<Health>>(entity), Some(&bar(5)));
}

#[test]
fn returned_values_are_written_after_all_are_read() {
    let mut game = Game::new();
    let ids: Vec<Entity> = (0..100)
        .map(|number| spawn!(game; Animation { frame: number }, Velocity::default()))
        .collect();
    // Each entity takes the value of the previous one; with new values all would get the first entity's value.
    system!(game, |entity, animation: Animation| -> Animation {
        let before = ids
            .iter()
            .position(|id| *id == entity)
            .and_then(|at| at.checked_sub(1));
        before.map_or(animation, |before| {
            game.get::<Animation>(ids[before]).unwrap().clone()
        })
    });
    let frames = component!(game, Animation)
        .iter()
        .map(|animation| animation.frame);
    assert!(frames.eq(std::iter::once(0).chain(0..99)));
}

#[test]
fn two_components_are_returned_together() {
    let mut game = Game::new();
    let entity = spawn!(game; Position { x: 1.0, y: 2.0 }, Velocity { x: 3.0, y: 4.0 });
    let still = spawn!(game; Position { x: 5.0, y: 5.0 });
    system!(game, |mut p: Position,
                   v: Velocity|
     -> (Position, Velocity) {
        p.x += v.x;
        if v.y > 9.0 {
            return (p, v);
        }
        (p, Velocity { x: p.y, y: v.y })
    });
    assert_eq!(
        game.get::<Position>(entity),
        Some(&Position { x: 4.0, y: 2.0 })
    );
    assert_eq!(
        game.get::<Velocity>(entity),
        Some(&Velocity { x: 2.0, y: 4.0 })
    );
    assert_eq!(
        game.get::<Position>(still),
        Some(&Position { x: 5.0, y: 5.0 })
    );
}

#[test]
fn a_container_is_read_and_changed_by_its_type() {
    let mut game = Game::new();
    let hero = hero(&mut game);
    let enemy = enemy(&mut game, 3.0, Ai::Idle);
    for position in component_mut!(game, Position).iter_mut() {
        position.y = 1.0;
    }
    let mut health = component_mut!(game, StatusBar<Health>);
    for (entity, health) in health.with_entity_mut() {
        health.value = if entity == hero { 10 } else { 20 };
    }
    assert_eq!(health.get(enemy), Some(&bar(20)));
    health.get_mut(enemy).unwrap().value += 1;
    assert_eq!(health.replace(enemy, bar(0)), Ok(Some(bar(21))));
    assert_eq!(health.take(enemy), Some(bar(0)));
    assert!(health.contains(hero) && !health.contains(enemy));
    assert_eq!(
        (
            health.len(),
            health.iter().count(),
            health.with_entity().count()
        ),
        (1, 1, 1)
    );
    let positions = component!(game, Position);
    assert!(positions.iter().all(|position| position.y == 1.0));
    assert_eq!((positions.len(), positions.get(enemy).unwrap().x), (2, 3.0));
    let ids: Vec<Entity> = positions.with_entity().map(|(entity, _)| entity).collect();
    assert_eq!(ids, [hero, enemy]);
}

/// The macros take any expression that is a world or derefs to one.
#[test]
fn worlds_are_found_through_fields_references_and_guards() {
    struct App {
        games: [Game; 2],
    }
    let mut app = App {
        games: [Game::new(), Game::new()],
    };
    let entity = spawn!(app.games[1]; Animation { frame: 1 });
    system!(app.games[1], |animation: &mut Animation| animation.frame +=
        1);
    system!(app.games[1], |animation: Animation| -> Animation {
        Animation {
            frame: animation.frame + 1,
        }
    });
    fn second(app: &mut App) -> &mut Game {
        &mut app.games[1]
    }
    system!(second(&mut app), |animation: &mut Animation| animation
        .frame +=
        1);
    system!(second(&mut app), |animation: Animation| -> Animation {
        Animation {
            frame: animation.frame + 1,
        }
    });
    let shared = std::cell::RefCell::new(app);
    system!(shared.borrow_mut().games[1], |animation: &mut Animation| {
        animation.frame += 1;
    });
    let app = shared.borrow();
    assert_eq!(
        component!(app.games[1], Animation)
            .get(entity)
            .unwrap()
            .frame,
        6
    );
}

/// Functions for any world that has the component.
#[test]
fn functions_are_generic_over_worlds_and_components() {
    fn count<W: StaticWorld, T: ComponentOf<W>>(world: &mut W) -> usize {
        let mut count = 0;
        system!(world, |_: &T| count += 1);
        count
    }
    let mut game = Game::new();
    hero(&mut game);
    enemy(&mut game, 0.0, Ai::Idle);
    assert_eq!(count::<_, Position>(&mut game), 2);
    assert_eq!(count::<_, Input>(&mut game), 1);
}

/// More parameters than a tuple has elements.
#[test]
fn a_system_has_any_number_of_parameters() {
    struct N<const I: usize>(usize);
    world! {
        Wide {
            N<0>, N<1>, N<2>, N<3>, N<4>, N<5>, N<6>, N<7>, N<8>, N<9>, N<10>, N<11>, N<12>, N<13>, N<14>, N<15>, N<16>,
            N<17>,
        }
    }
    let mut wide = Wide::new();
    let entity = spawn!(
        wide; N::<0>(0), N::<1>(1), N::<2>(1), N::<3>(1), N::<4>(1), N::<5>(1), N::<6>(1), N::<7>(1), N::<8>(1), N::<9>(1),
        N::<10>(1), N::<11>(1), N::<12>(1), N::<13>(1), N::<14>(1), N::<15>(1)
    );
    wide.insert(entity, N::<16>(1)).unwrap();
    wide.insert(entity, N::<17>(1)).unwrap();
    system!(wide, |id,
                   sum: &mut N<0>,
                   a: &N<1>,
                   b: &N<2>,
                   c: &N<3>,
                   d: &N<4>,
                   e: &N<5>,
                   f: &N<6>,
                   g: &N<7>,
                   h: &N<8>,
                   i: &N<9>,
                   j: &N<10>,
                   k: &N<11>,
                   l: &N<12>,
                   m: &N<13>,
                   n: &N<14>,
                   o: &N<15>,
                   p: &N<16>,
                   q: &N<17>| {
        assert_eq!(id, entity);
        sum.0 = a.0
            + b.0
            + c.0
            + d.0
            + e.0
            + f.0
            + g.0
            + h.0
            + i.0
            + j.0
            + k.0
            + l.0
            + m.0
            + n.0
            + o.0
            + p.0
            + q.0;
    });
    assert_eq!(wide.get::<N<0>>(entity).unwrap().0, 17);
}

/// Nine parameters are a pair of tuples inside. Full pages are visited in blocks, others row by row.
#[test]
fn a_system_of_nine_parameters_visits_full_pages_and_single_rows() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct N<const I: usize>(usize);
    world! {
        Nine { N<0>, N<1>, N<2>, N<3>, N<4>, N<5>, N<6>, N<7>, N<8> }
    }
    let mut nine = Nine::new();
    let entities: Vec<Entity> = (0..150)
        .map(|n| {
            spawn!(
                nine; N::<0>(n), N::<1>(1), N::<2>(2), N::<3>(3), N::<4>(4), N::<5>(5), N::<6>(6), N::<7>(7), N::<8>(0)
            )
        })
        .collect();
    nine.remove::<N<4>>(entities[70]).unwrap();
    let mut visited = 0;
    system!(nine, |a: &N<0>,
                   b: &N<1>,
                   c: &N<2>,
                   d: &N<3>,
                   e: &N<4>,
                   f: &N<5>,
                   g: &N<6>,
                   h: &mut N<7>,
                   i: &mut N<8>| {
        i.0 = a.0 + b.0 + c.0 + d.0 + e.0 + f.0 + g.0;
        h.0 += 1;
        visited += 1;
    });
    assert_eq!(visited, 149);
    for (n, &entity) in entities.iter().enumerate() {
        let values = if n == 70 { (7, 0) } else { (8, n + 21) };
        assert_eq!(nine.get::<N<7>>(entity), Some(&N(values.0)));
        assert_eq!(nine.get::<N<8>>(entity), Some(&N(values.1)));
    }
    system!(nine, |a: N<0>,
                   b: N<1>,
                   c: N<2>,
                   d: N<3>,
                   e: N<4>,
                   f: N<5>,
                   g: N<6>,
                   h: N<7>,
                   i: N<8>|
     -> (
        N<0>,
        N<1>,
        N<2>,
        N<3>,
        N<4>,
        N<5>,
        N<6>,
        N<7>,
        N<8>
    ) {
        (
            N(i.0),
            N(h.0),
            N(g.0),
            N(f.0),
            e,
            N(d.0),
            N(c.0),
            N(b.0),
            N(a.0),
        )
    });
    for (n, &entity) in entities.iter().enumerate() {
        let values = if n == 70 { (70, 1, 0) } else { (n + 21, 8, n) };
        assert_eq!(nine.get::<N<0>>(entity), Some(&N(values.0)));
        assert_eq!(nine.get::<N<1>>(entity), Some(&N(values.1)));
        assert_eq!(nine.get::<N<8>>(entity), Some(&N(values.2)));
    }
}

/// `system!`, `spawn!` and `component!` on the dynamic world, beside `#[system]`.
mod dynamic {
    use ecs_core::prelude::*;
    use ecs_core::statics::{component, component_mut, spawn, system};

    #[derive(Component, Clone, Debug, PartialEq)]
    struct Heat(i32);
    #[derive(Component, Clone, Debug, PartialEq)]
    #[component(storage = "sparse")]
    struct Burning(i32);

    /// Both macros with that name in one module.
    #[system]
    fn burn(world: &World) {
        system!(world, |heat: &mut Heat, burning: &Burning| heat.0 +=
            burning.0);
    }

    #[test]
    fn the_same_macros_work_on_a_world() {
        let mut world = World::new();
        let cold = spawn!(world; Heat(1));
        let hot = spawn!(world; Heat(10), Burning(5));
        burn(&world);
        let mut seen = Vec::new();
        system!(world, |entity, heat: &Heat, burning: Option<&Burning>| seen
            .push((entity, heat.0, burning.is_some())));
        assert_eq!(seen, [(cold, 1, false), (hot, 15, true)]);
        system!(world, |heat: Heat, burning: Burning| -> (Heat, Burning) {
            (Heat(burning.0), Burning(heat.0))
        });
        assert_eq!(*world.get::<Burning>(hot).unwrap(), Burning(15));
        system!(&mut world, |heat: Heat| -> Heat { Heat(-heat.0) });
        component_mut!(world, Heat).get_mut(cold).unwrap().0 -= 1;
        assert_eq!(
            component!(world, Heat)
                .iter()
                .map(|heat| heat.0)
                .collect::<Vec<_>>(),
            [-2, -5]
        );
    }

    #[test]
    #[should_panic(expected = "`statics::static_world::dynamic::Heat` cannot be written now")]
    fn a_borrowed_component_is_refused() {
        let world = World::new();
        let mut other = World::new();
        spawn!(other; Heat(1));
        let _view = component!(other, Heat);
        system!(world, |_: &mut Heat| {});
        system!(other, |_: &mut Heat| {});
    }
}

/// A closed world is `Send` and `Sync` if its components are.
#[test]
fn a_world_is_send_and_sync_if_its_components_are() {
    fn send_and_sync<T: Send + Sync>() {}
    send_and_sync::<Game>();
    struct OfThisThread(std::rc::Rc<u8>);
    world! { Here { OfThisThread } }
    let mut here = Here::new();
    let entity = spawn!(here; OfThisThread(std::rc::Rc::new(1)));
    assert_eq!(*here.get::<OfThisThread>(entity).unwrap().0, 1);
}

/// `'static` data of types from other crates is a component like any other.
#[test]
fn components_are_static_data_of_any_kind() {
    world! { Words { &'static str, (u8, &'static str), [&'static str; 2], fn(u8) -> u8 } }
    let mut words = Words::new();
    let entity = spawn!(words; "one", (2, "two"), ["three", "four"]);
    system!(words, |word: &mut &'static str,
                    pair: &(u8, &'static str)| {
        *word = pair.1
    });
    assert_eq!(words.get::<&'static str>(entity), Some(&"two"));
    assert_eq!(
        words.get::<[&'static str; 2]>(entity),
        Some(&["three", "four"])
    );
}

/// Bodies that do not return, or return early, return nothing.
#[test]
#[should_panic(expected = "the last one")]
fn bodies_can_diverge() {
    world! { Small { Position } }
    let mut small = Small::new();
    spawn!(small; Position { x: 1.0, y: 1.0 });
    system!(small, |position: &mut Position| loop {
        position.x += 1.0;
        if position.x > 3.0 {
            return;
        }
    });
    system!(small, |position: &Position| match position.x {
        4.0 => {}
        _ => unreachable!(),
    });
    system!(small, |_position: &mut Position| panic!("the last one"));
}

/// The file denies warnings: none is about braces, which are needed where a parameter is converted first.
#[test]
#[rustfmt::skip]
fn braces_of_a_short_body_cause_no_warning() {
    world! { Small { Position } }
    let mut small = Small::new();
    let entity = spawn!(small; Position { x: 1.0, y: 1.0 });
    system!(small, |position: &mut Position| { position.x += 1.0 });
    system!(small, |Position { x, .. }: &mut Position| { *x += 1.0 });
    system!(small, |position: Position| -> Position { position });
    assert_eq!(small.get::<Position>(entity).unwrap().x, 3.0);
    let mut open = World::new();
    #[derive(Component)]
    struct Warmth(i32);
    open.spawn(Warmth(1));
    system!(open, |warmth: &mut Warmth| { warmth.0 += 1 });
    system!(open, |warmth: &Warmth| { assert_eq!(warmth.0, 2) });
}
