//! Random programs whose values, hooks, systems and worlds do the worst that safe code can: drops panic, ends of relations
//! are taken out and put into other entities and other worlds, worlds are swapped inside of commands, closures run
//! themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnRemove, OnReplace};
use ecs_tests::{Ledger, Token};
use proptest::prelude::*;

#[derive(Component, Debug)]
#[component(track)]
struct Table(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", track)]
struct Sparse(#[expect(dead_code, reason = "held for its drop")] Token);

/// Disables its entity.
#[derive(Component, Debug)]
#[component(disables, on_remove = removed)]
struct Off(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Component, Debug)]
#[component(track, toggle)]
struct Shield(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Relation, Debug)]
#[relation(tree, sources = "despawn")]
struct ChildOf(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Relation, Debug)]
struct OwnedBy(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Relation, Debug)]
#[relation(many)]
struct Likes(#[expect(dead_code, reason = "held for its drop")] Token);

/// The tokens of a world, and another world.
#[derive(Resource)]
struct Around {
    ledger: Ledger,
    other: Option<Box<World>>,
}

/// Takes a component of the entity in a command, which may come after the entity's end.
fn removed(mut world: DeferredWorld, entity: Entity) {
    world.commands().queue(move |world: &mut World| {
        let _ = world.remove::<Table>(entity);
        let _ = world.take::<Targets<Likes>>(entity);
    });
}

fn new_world(ledger: &Ledger) -> World {
    let mut world = World::new();
    world.insert_resource(Around {
        ledger: ledger.clone(),
        other: None,
    });
    world.observe(|event: OnAdd<Off>, mut commands: Commands| {
        commands.entity(event.entity()).turn_on::<Shield>();
    });
    world.observe(|event: OnRemove<Target<OwnedBy>>, mut commands: Commands| {
        let entity = event.entity();
        commands.queue(move |world: &mut World| _ = world.remove::<Off>(entity));
    });
    world.observe(|event: OnReplace<Targets<Likes>>, mut commands: Commands| {
        let entity = event.entity();
        commands.queue(move |world: &mut World| {
            if entity.index().is_multiple_of(3) {
                let _ = world.despawn(entity);
            }
        });
    });
    world
}

/// Swaps the world with the one inside of it, or with a new one.
fn swap(world: &mut World) {
    let (other, ledger) = {
        let mut around = world.resource_mut::<Around>();
        (around.other.take(), around.ledger.clone())
    };
    let mut other = other.unwrap_or_else(|| new_world(&ledger).into());
    std::mem::swap(world, &mut other);
    world.resource_mut::<Around>().other = Some(other);
}

/// Runs a function with a value that was taken out of one world, also in the world inside of it.
fn elsewhere<T>(world: &mut World, value: T, put: impl Fn(&mut World, T)) {
    swap(world);
    put(world, value);
    swap(world);
}

/// One action: its kind, two entities, and a number.
type Step = (u8, u8, u8, u8);

fn run((what, a, b, n): Step, world: &mut World) {
    let ledger = world.resource::<Around>().ledger.clone();
    let all: Vec<Entity> = world
        .query_filtered::<Entity, AndDisabled>()
        .iter()
        .collect();
    if all.is_empty() || what % 24 < 3 && all.len() < 12 {
        world.spawn((Table(ledger.token()), Sparse(ledger.token())));
        return;
    }
    let [a, b] = [a, b].map(|which| all[usize::from(which) % all.len()]);
    let token = || ledger.token();
    // An insertion refused by a panic, which would be the second one.
    let is_refused = |may_panic: bool| may_panic && ledger.is_armed();
    // Refused values are dropped.
    match what % 24 {
        3 => _ = world.relate(a, ChildOf(token()), b),
        4 => _ = world.relate(a, OwnedBy(token()), b),
        5 | 6 => _ = world.relate(a, Likes(token()), b),
        7 => {
            if let Ok(targets) = world.take::<Targets<Likes>>(a)
                && !is_refused(targets.contains(b))
            {
                if n % 2 == 0 {
                    _ = world.insert(b, targets);
                } else {
                    elsewhere(world, targets, move |world, targets| {
                        _ = world.insert(b, targets);
                    });
                }
            }
        }
        8 => {
            if let Ok(target) = world.take::<Target<OwnedBy>>(a)
                && !is_refused(target.entity() == b)
            {
                if n % 2 == 0 {
                    _ = world.insert(b, (target, Table(token())));
                } else {
                    elsewhere(world, target, move |world, target| {
                        _ = world.insert(b, target);
                    });
                }
            }
        }
        9 => {
            if let Ok(target) = world.take::<Target<ChildOf>>(a)
                && !is_refused(true)
            {
                _ = world.insert(b, target);
            }
        }
        10 => _ = world.insert(a, Off(token())),
        11 => _ = world.remove::<Off>(a),
        12 => world.remove_all::<Off, With<Off>>(),
        13 => _ = world.insert(a, Shield(token())),
        14 if n % 2 == 0 => _ = world.turn_off::<Shield>(a),
        14 => _ = world.turn_on::<Shield>(a),
        15 => _ = world.despawn(a),
        16 => _ = world.remove::<Sources<Likes>>(a),
        17 => {
            if let Some(mut sources) = world.sources_mut::<Likes>(a) {
                sources.sort_by(|x, y| y.id().cmp(&x.id()));
            }
        }
        18 => swap(world),
        19 => {
            let swaps = move |world: &mut World| {
                swap(world);
                _ = world.despawn(a);
            };
            world.borrow::<Commands>().get().queue(swaps);
            world.flush();
        }
        20 => remember(world, &ledger, n % 4),
        21 => {
            // Readers run now and then, so that some are late.
            let seen = world.run(
                |tables: Query<Entity, Changed<Table>>, shields: Query<Entity, Added<Shield>>| {
                    tables.iter().count() + shields.iter().count()
                },
            );
            assert!(seen <= 2 * all.len());
        }
        22 => _ = world.insert(a, (Table(token()), Sparse(token()))),
        _ => _ = world.unrelate::<Likes>(a, b),
    }
}

/// Runs a closure that keeps tokens, and then runs itself inside of a command, `depth` times; the last call panics.
fn remember(world: &mut World, ledger: &Ledger, depth: u8) {
    let mut token = Some(ledger.token());
    // Two panics at once would end the program.
    let is_armed = ledger.is_armed();
    let ledger = ledger.clone();
    world.run(move |mut kept: Local<Vec<Token>>, mut commands: Commands| {
        kept.extend(token.take());
        if kept.len() > 5 {
            kept.clear();
        }
        let ledger = ledger.clone();
        commands.queue(move |world: &mut World| {
            if depth > 0 {
                swap(world);
                remember(world, &ledger, depth - 1);
            }
        });
        assert!(depth != 3 || is_armed, "this system panics");
    });
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(200))
    })]

    #[test]
    fn worlds_survive_all_that_safe_code_can_do(
        steps in prop::collection::vec((any::<Step>(), prop::option::weighted(0.3, any::<u8>())), 1..60),
    ) {
        let ledger = Ledger::default();
        let mut world = new_world(&ledger);
        for (step, armed) in steps {
            let alive = ledger.alive();
            if let Some(armed) = armed
                && !ledger.is_armed()
                && !alive.is_empty()
            {
                ledger.arm(alive[usize::from(armed) % alive.len()]);
            }
            _ = catch_unwind(AssertUnwindSafe(|| run(step, &mut world)));
            _ = catch_unwind(AssertUnwindSafe(|| world.flush()));
            world.check_invariants();
            if let Some(other) = &world.resource::<Around>().other {
                other.check_invariants();
            }
        }
        _ = catch_unwind(AssertUnwindSafe(|| drop(world)));
        assert_eq!(ledger.alive(), [0_u32; 0], "nothing leaks");
    }
}
