//! `World::despawn_batch` has the same result as `despawn` for one entity after the other, whatever its iterator, the hooks
//! and the drops do.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use ecs_core::world::hooks::{DeferredWorld, OnDespawn, OnRemove};
use ecs_tests::{ARMED, Held, Kept, Ledger, Loose, Mark, Plain, Text, Token};

#[derive(Component, Debug)]
#[component(track)]
struct Tracked(#[expect(dead_code, reason = "written only")] u32);

#[derive(Component, Debug)]
#[component(storage = "sparse", track)]
struct LooseTracked(#[expect(dead_code, reason = "printed")] u32);

/// In a group with `Loose`.
#[derive(Component, Debug)]
#[component(storage = "sparse")]
struct Grouped(#[expect(dead_code, reason = "printed")] u32);

/// Inserted by hooks.
#[derive(Component, Debug)]
#[component(storage = "sparse", immediate)]
struct Note(#[expect(dead_code, reason = "printed")] Entity, Token);

#[derive(Component, Debug)]
#[component(on_despawn = hooked, on_remove = hooked)]
struct Hooked;

#[derive(Relation)]
#[relation(sources = "despawn")]
struct PartOf;

#[derive(Relation, Debug)]
#[relation(many)]
struct Likes(#[expect(dead_code, reason = "printed")] u32);

/// The calls of hooks and observers, and the number of entities at the time.
#[derive(Default, Debug, PartialEq)]
struct Calls(Vec<(&'static str, Entity, usize)>);

fn called(name: &'static str, world: &World, entity: Entity) {
    let plain = world.view::<Plain>().len();
    world.resource_mut::<Calls>().0.push((name, entity, plain));
}

fn hooked(world: DeferredWorld, entity: Entity) {
    called("hook", &world, entity);
    // The first entity of the world is never despawned.
    let mut notes = world.view_mut::<Note>();
    let first = world.resource::<First>();
    let note = Note(entity, first.1.token());
    notes.insert(first.0, note).expect("the entity is alive");
}

/// The first entity, and the ledger.
struct First(Entity, Ledger);

impl Resource for First {}
impl Resource for Calls {}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Properties of a world that make despawning more than moving rows.
#[derive(Clone, Copy)]
struct Extras {
    hooks: bool,
    relations: bool,
}

struct Subject {
    world: World,
    all: Vec<Entity>,
    ledger: Ledger,
}

impl Subject {
    fn new(seed: u64, with: Extras, count: usize) -> Self {
        let mut random = Random(seed);
        let ledger = Ledger::default();
        let mut world = World::builder().group::<(Loose, Grouped)>().build();
        world.insert_resource(Calls::default());
        world.register::<Note>();
        let first = world.spawn(Mark);
        world.insert_resource(First(first, ledger.clone()));
        let mut all: Vec<Entity> = Vec::new();
        for n in 0..count as u32 {
            let plain = Plain(n);
            let entity = match random.below(6) {
                0 => world.spawn(plain),
                1 => world.spawn((plain, Text(n.to_string()), Kept(ledger.token()))),
                2 => world.spawn((Kept(ledger.token()), Held(ledger.token()))),
                3 => world.spawn((plain, Tracked(n))),
                4 => world.spawn((plain, LooseTracked(n), Loose(n.into()))),
                _ => world.spawn((Text(n.to_string()), Mark)),
            };
            if random.below(3) == 0 {
                world.insert(entity, (Loose(n.into()), Grouped(n))).unwrap();
            }
            if random.below(5) == 0 {
                world.insert(entity, Held(ledger.token())).unwrap();
            }
            if with.hooks && random.below(4) == 0 {
                world.insert(entity, Hooked).unwrap();
            }
            if with.relations
                && let Some(&other) = all.get(random.below(all.len() + 3))
            {
                if random.below(2) == 0 {
                    world.insert(entity, PartOf.to(other)).unwrap();
                } else {
                    world.relate(entity, Likes(n), other).unwrap();
                }
            }
            all.push(entity);
        }
        if with.hooks {
            world.observe(|event: OnRemove<LooseTracked>, world: DeferredWorld| {
                called("observer", &world, event.entity());
            });
            world.observe(|event: OnDespawn<Held>, world: DeferredWorld| {
                called("despawn observer", &world, event.entity());
            });
        }
        removed(&world);
        Self { world, all, ledger }
    }

    /// Some of the entities in random order, including dead ones and duplicates.
    fn victims(&mut self, seed: u64) -> Vec<Entity> {
        let mut random = Random(seed ^ 0xf00d);
        let dead = self.world.spawn(Mark);
        self.world.despawn(dead).unwrap();
        let count = random.below(2 * self.all.len() + 1);
        let mut victims = Vec::new();
        for _ in 0..count {
            victims.push(match random.below(20) {
                0 => dead,
                _ => self.all[random.below(self.all.len())],
            });
        }
        victims
    }

    /// Describes everything visible in the world, in the order of iteration.
    fn seen(&mut self) -> String {
        let world = &mut self.world;
        world.check_invariants();
        let mut rows = Vec::new();
        for &entity in &self.all {
            rows.push((
                world.contains(entity),
                world.get::<Text>(entity).map(|text| text.0.clone()),
                world.get::<Kept>(entity).map(|kept| kept.0.id()),
                world.get::<Targets<Likes>>(entity).map(|likes| {
                    format!(
                        "{:?}",
                        likes
                            .iter()
                            .map(|(e, l)| (e, format!("{l:?}")))
                            .collect::<Vec<_>>()
                    )
                }),
                world
                    .get::<Sources<PartOf>>(entity)
                    .map(|parts| parts.to_vec()),
                world
                    .get::<Sources<Likes>>(entity)
                    .map(|fans| fans.to_vec()),
            ));
        }
        let plain: Vec<_> = world
            .query::<(Entity, &Plain)>()
            .iter()
            .map(|(entity, plain)| (entity, plain.0))
            .collect();
        let texts: Vec<_> = world
            .query::<(Entity, &Text)>()
            .iter()
            .map(|(entity, _)| entity)
            .collect();
        let held: Vec<_> = world
            .query::<(Entity, &Held)>()
            .iter()
            .map(|(entity, held)| (entity, held.0.id()))
            .collect();
        let group: Vec<_> = world
            .query::<(Entity, &Loose, &Grouped)>()
            .iter()
            .map(|(entity, loose, _)| (entity, loose.0))
            .collect();
        let notes: Vec<_> = world
            .query::<(Entity, &Note)>()
            .iter()
            .map(|(entity, note)| format!("{entity} {note:?}"))
            .collect();
        let alive = self.ledger.alive();
        let next: Vec<Entity> = (0..5).map(|_| world.spawn(Mark)).collect();
        let (removed, calls) = (removed(world), &world.resource::<Calls>().0);
        format!(
            "{rows:#?}{plain:?}{texts:?}{held:?}{group:?}{notes:?}{alive:?}{next:?}{removed:?}{calls:?}"
        )
    }
}

/// The removals since the last call.
#[system]
fn removed(
    mut tracked: Removed<Tracked>,
    mut loose: Removed<LooseTracked>,
) -> (Vec<Entity>, Vec<Entity>) {
    (tracked.read().collect(), loose.read().collect())
}

const PLAIN: Extras = Extras {
    hooks: false,
    relations: false,
};
const HOOKS: Extras = Extras {
    hooks: true,
    relations: false,
};

fn each_world(check: impl Fn(u64, Extras, usize)) {
    let (worlds, most) = if cfg!(miri) { (4, 12) } else { (60, 300) };
    for seed in 0..worlds {
        let (hooks, relations) = (seed % 4 >= 2, seed % 2 == 1);
        let extras = Extras { hooks, relations };
        check(seed, extras, 1 + (seed as usize * 7) % most);
    }
}

#[test]
fn a_batch_has_the_result_of_single_despawns() {
    each_world(|seed, with, count| {
        let mut batch = Subject::new(seed, with, count);
        let mut single = Subject::new(seed, with, count);
        let victims = batch.victims(seed);
        assert_eq!(victims, single.victims(seed));
        let mut gone = 0;
        for &victim in &victims {
            gone += usize::from(single.world.despawn(victim).is_ok());
        }
        assert_eq!(batch.world.despawn_batch(victims), gone);
        assert_eq!(batch.seen(), single.seen());
    });
}

#[test]
fn many_entities_of_one_table_are_despawned_in_any_order() {
    for step in [1, 7, 99, 100] {
        let ledger = Ledger::default();
        let mut world = World::new();
        let row = |n: u32| (Plain(n), Text(n.to_string()), Kept(ledger.token()));
        let all = world.spawn_batch((0..200).map(row)).to_vec();
        let victims: Vec<Entity> = (0..150).map(|n| all[n * step % 199]).collect();
        let different: std::collections::BTreeSet<&Entity> = victims.iter().collect();
        assert_eq!(
            world.despawn_batch(victims.iter().copied()),
            different.len()
        );
        world.check_invariants();
        assert_eq!(ledger.alive().len(), 200 - different.len());
        for (n, entity) in all.iter().enumerate() {
            let text = world.get::<Text>(*entity).map(|text| text.0.clone());
            let expected = (!different.contains(entity)).then(|| n.to_string());
            assert_eq!(text, expected);
        }
        let again = world.spawn_batch((0..200).map(row)).to_vec();
        assert!(again.is_sorted(), "the lowest free indices come first");
        world.check_invariants();
        drop(world);
        assert!(ledger.alive().is_empty());
    }
}

#[test]
fn values_of_any_size_fill_the_gaps() {
    #[derive(Component, Clone, Copy, Debug, PartialEq)]
    struct Bytes<const N: usize>([u8; N]);

    type All = (
        (Bytes<0>, Bytes<1>, Bytes<4>, Bytes<7>, Bytes<8>),
        (Bytes<12>, Bytes<16>, Bytes<40>, Bytes<64>, Bytes<100>),
    );

    fn all(n: u8) -> All {
        let small = (Bytes([]), Bytes([n]), Bytes([n; 4]), Bytes([n; 7]));
        let (a, b, c, d) = small;
        (
            (a, b, c, d, Bytes([n; 8])),
            (
                Bytes([n; 12]),
                Bytes([n; 16]),
                Bytes([n; 40]),
                Bytes([n; 64]),
                Bytes([n; 100]),
            ),
        )
    }

    fn has<const N: usize>(world: &World, entity: Entity, n: u8) -> bool {
        world.get::<Bytes<N>>(entity).unwrap().0 == [n; N]
    }

    let mut world = World::new();
    let entities = world.spawn_batch((0..200).map(all)).to_vec();
    let victims: Vec<Entity> = (0..100).map(|n| entities[n * 77 % 199]).collect();
    assert_eq!(world.despawn_batch(victims.iter().copied()), 100);
    for (n, &entity) in (0..200).zip(&entities) {
        if world.contains(entity) {
            assert!(has::<0>(&world, entity, n) && has::<1>(&world, entity, n));
            assert!(has::<4>(&world, entity, n) && has::<7>(&world, entity, n));
            assert!(has::<8>(&world, entity, n) && has::<12>(&world, entity, n));
            assert!(has::<16>(&world, entity, n) && has::<40>(&world, entity, n));
            assert!(has::<64>(&world, entity, n) && has::<100>(&world, entity, n));
        }
    }
    world.check_invariants();
}

#[test]
fn a_panicking_iterator_leaves_the_world_as_it_was() {
    each_world(|seed, with, count| {
        let mut subject = Subject::new(seed, with, count);
        let mut same = Subject::new(seed, with, count);
        let victims = subject.victims(seed);
        same.victims(seed);
        let after = victims.len() / 2;
        let iterator = victims.into_iter().enumerate().map(|(n, victim)| {
            assert!(n < after, "the iterator panics");
            victim
        });
        let batch = AssertUnwindSafe(|| subject.world.despawn_batch(iterator));
        let panicked = catch_unwind(batch).is_err();
        assert!(panicked || after == 0);
        assert_eq!(subject.seen(), same.seen());
    });
}

#[test]
fn a_wrong_hint_of_the_length_does_no_harm() {
    struct Endless(std::vec::IntoIter<Entity>);

    impl Iterator for Endless {
        type Item = Entity;

        fn next(&mut self) -> Option<Entity> {
            self.0.next()
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, Some(1))
        }
    }

    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Plain)).to_vec();
    assert_eq!(world.despawn_batch(Endless(all.into_iter())), 100);
    assert!(world.is_empty());
}

#[test]
fn a_panicking_drop_keeps_no_other_value_and_no_entity() {
    for armed in [0, 1, 70, 199] {
        let ledger = Ledger::default();
        let mut world = World::new();
        let row = |n: u32| (Plain(n), Kept(ledger.token()), Held(ledger.token()));
        let all: Vec<Entity> = (0..100).map(|n| world.spawn(row(n))).collect();
        let kept = world.spawn(row(100));
        ledger.arm(armed);
        let batch = AssertUnwindSafe(|| world.despawn_batch(all));
        let panic = catch_unwind(batch).expect_err("an armed token panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&ARMED));
        world.check_invariants();
        assert_eq!((world.len(), ledger.alive()), (1, vec![200, 201]));
        world.spawn_batch((0..100).map(row));
        assert_eq!(world.get::<Plain>(kept).unwrap().0, 100);
        drop(world);
        assert!(ledger.alive().is_empty());
    }
}

#[test]
fn values_are_dropped_before_hooks_run() {
    // The hook inserts an immediate component where one was just removed.
    let ledger = Ledger::default();
    let mut world = World::new();
    world.insert_resource(Calls::default());
    let first = world.spawn(Mark);
    world.register::<Note>();
    world.insert_resource(First(first, ledger.clone()));
    let victims: Vec<Entity> = (0..10)
        .flat_map(|n| {
            let old = world.spawn((Plain(n), Kept(ledger.token())));
            let note = Note(first, ledger.token());
            world.view_mut::<Note>().insert(old, note).unwrap();
            [old, world.spawn((Plain(n), Kept(ledger.token()), Hooked))]
        })
        .collect();
    assert_eq!(world.despawn_batch(victims), 20);
    world.check_invariants();
    let note = world.get::<Note>(first).unwrap().1.id();
    assert_eq!(ledger.alive(), [note], "only the last note is alive");
    assert_eq!(world.resource::<Calls>().0.len(), 20);
}

#[test]
fn commands_of_hooks_are_applied_after_the_last_entity() {
    let mut world = World::new();
    world.observe(|_: OnDespawn<Plain>, mut world: DeferredWorld| {
        world.commands().queue(|world: &mut World| {
            assert!(world.view::<Plain>().is_empty());
            world.spawn(Mark);
        });
    });
    let all = world.spawn_batch((0..5).map(Plain)).to_vec();
    assert_eq!(world.despawn_batch(all), 5);
    assert_eq!((world.len(), world.view::<Mark>().len()), (5, 5));
}

#[test]
fn a_panicking_hook_leaves_the_entities_behind_it() {
    let mut subject = Subject::new(2, HOOKS, 100);
    subject
        .world
        .observe(|event: OnDespawn<Plain>, world: DeferredWorld| {
            let plain = world.get::<Plain>(event.entity()).unwrap().0;
            assert!(plain < 50, "the observer panics");
        });
    let all = subject.all.clone();
    let batch = AssertUnwindSafe(|| subject.world.despawn_batch(all));
    assert!(catch_unwind(batch).is_err());
    subject.world.check_invariants();
    let alive = |entity: &&Entity| subject.world.contains(**entity);
    let (first, last) = subject.all.split_at(50);
    assert_eq!(first.iter().filter(alive).count(), 0);
    assert!(last.iter().filter(alive).count() > 40);
    let ledger = subject.ledger.clone();
    drop(subject.world);
    assert!(ledger.alive().is_empty());
}

#[test]
fn reserved_entities_can_be_in_a_batch() {
    let mut subject = Subject::new(0, PLAIN, 10);
    let reserved = [(); 3].map(|()| subject.world.reserve_entity());
    let batch = [subject.all[0], reserved[1], reserved[1]];
    assert_eq!(subject.world.despawn_batch(batch), 2);
    assert!(subject.world.contains(reserved[0]) && !subject.world.contains(reserved[1]));
    subject.world.check_invariants();
}

/// Compares the command, after others in its queue, with the method of the world.
fn check_despawn_all<F: QueryFilter>(seed: u64, with: Extras, count: usize) {
    let mut direct = Subject::new(seed, with, count);
    let mut queued = Subject::new(seed, with, count);
    let victims = direct.victims(seed);
    assert_eq!(victims, queued.victims(seed));
    let new = |ledger: &Ledger| (Plain(7), Tracked(8), Held(ledger.token()));
    if let Some(&victim) = victims.first() {
        let _ = direct.world.insert(victim, Plain(9));
    }
    let last = direct.world.spawn(new(&direct.ledger));
    direct.all.push(last);
    direct.world.despawn_all::<F>();

    let mut queue = ecs_core::command::CommandQueue::new();
    let mut commands = Commands::new(&mut queue, queued.world.entities());
    if let Some(&victim) = victims.first() {
        commands.insert(victim, Plain(9));
    }
    let token = queued.ledger.clone();
    queued.all.push(commands.spawn(new(&token)).id());
    commands.despawn_all::<F>();
    queue.apply(&mut queued.world);
    assert_eq!(direct.seen(), queued.seen());
}

#[test]
fn a_command_despawns_all_that_pass_a_filter() {
    each_world(|seed, with, count| {
        check_despawn_all::<With<Plain>>(seed, with, count);
        check_despawn_all::<(Without<Text>, With<Held>)>(seed, with, count);
        check_despawn_all::<Or<(Added<Tracked>, Changed<LooseTracked>)>>(seed, with, count);
    });
}

#[test]
fn a_world_finds_all_values_added_and_changed() {
    let mut world = World::new();
    let old = world.spawn(Tracked(1));
    let plain = world.spawn(Plain(1));
    let despawn = |added: Query<Entity, Added<Tracked>>, mut commands: Commands| {
        if added.iter().next().is_none() {
            commands.despawn_all::<(Added<Tracked>, Changed<Tracked>)>();
        }
    };
    let id = world.register_system(despawn);
    world.run_system(id, ()).unwrap();
    assert!(world.contains(old), "the system has just seen it");
    world.run_system(id, ()).unwrap();
    assert!(!world.contains(old) && world.contains(plain));
}

#[test]
fn a_panicking_drop_leaves_a_consistent_world() {
    for armed in [false, true] {
        let ledger = Ledger::default();
        let mut world = World::new();
        let kept = world.spawn(Plain(0));
        for _ in 0..4 {
            world.spawn((Kept(ledger.token()), Mark));
        }
        if armed {
            ledger.arm(ledger.alive()[1]);
        }
        let mut queue = ecs_core::command::CommandQueue::new();
        Commands::new(&mut queue, world.entities()).despawn_all::<With<Mark>>();
        let result = catch_unwind(AssertUnwindSafe(|| queue.apply(&mut world)));
        let payload = result
            .err()
            .and_then(|payload| payload.downcast_ref::<&str>().copied());
        assert_eq!(payload, armed.then_some(ARMED));
        world.check_invariants();
        assert!(ledger.alive().is_empty() && world.len() == 1 && world.contains(kept));
    }
}
