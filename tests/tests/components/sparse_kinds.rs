//! Worlds that know many sparse components: an entity that ends loses exactly its own, in order.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ecs_core::CommandQueue;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::world::hooks::DeferredWorld;
use proptest::prelude::*;

thread_local! {
    /// The numbers of the components that were dropped, in order.
    static DROPPED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// The numbers of the components whose removal hooks were called, in order.
    static REMOVED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A component for each number.
#[derive(Component)]
#[component(storage = "sparse")]
struct Kind<const N: usize>;

impl<const N: usize> Drop for Kind<N> {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push(N));
    }
}

/// The number of the immediate component.
const LIT: usize = KINDS;

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Lit;

impl Drop for Lit {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push(LIT));
    }
}

/// The number of the component with a hook.
const WATCHED: usize = KINDS + 1;

#[derive(Component)]
#[component(storage = "sparse", on_remove = note_removed)]
struct Watched;

fn note_removed(_: DeferredWorld<'_>, _: Entity) {
    REMOVED.with_borrow_mut(|removed| removed.push(WATCHED));
}

impl Drop for Watched {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push(WATCHED));
    }
}

#[derive(Relation)]
struct PartOf<const N: usize>;

/// The changes of one component.
#[derive(Clone, Copy)]
struct Changes {
    register: fn(&mut World),
    insert: fn(&mut World, Entity),
    remove: fn(&mut World, Entity),
    has: fn(&World, Entity) -> bool,
}

impl Changes {
    const fn of<const N: usize>() -> Self {
        Self {
            register: World::register::<Kind<N>>,
            insert: |world, entity| world.insert(entity, Kind::<N>).unwrap(),
            remove: |world, entity| world.remove::<Kind<N>>(entity).unwrap(),
            has: |world, entity| world.has::<Kind<N>>(entity),
        }
    }

    /// Changes through a view, and so through a shared reference.
    const fn of_lit() -> Self {
        Self {
            register: World::register::<Lit>,
            insert: |world, entity| drop(world.view_mut::<Lit>().insert(entity, Lit).unwrap()),
            remove: |world, entity| drop(world.view_mut::<Lit>().remove(entity)),
            has: |world, entity| world.has::<Lit>(entity),
        }
    }

    const fn of_watched() -> Self {
        Self {
            register: World::register::<Watched>,
            insert: |world, entity| world.insert(entity, Watched).unwrap(),
            remove: |world, entity| world.remove::<Watched>(entity).unwrap(),
            has: |world, entity| world.has::<Watched>(entity),
        }
    }
}

macro_rules! changes {
    ($($number:literal)*) => {
        [$(Changes::of::<$number>(),)* Changes::of_lit(), Changes::of_watched()]
    };
}

const KINDS: usize = 140;

#[rustfmt::skip]
static CHANGES: [Changes; KINDS + 2] = changes![
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
        37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69
        70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101
        102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126
        127 128 129 130 131 132 133 134 135 136 137 138 139
];

/// Returns the components dropped since the last call.
fn dropped() -> Vec<usize> {
    DROPPED.take()
}

/// A world, and the components of each living entity.
#[derive(Default)]
struct Model {
    world: World,
    entities: Vec<Entity>,
    has: BTreeMap<Entity, BTreeSet<usize>>,
    /// The position of each component in the order of registration.
    rank: BTreeMap<usize, usize>,
}

impl Model {
    fn new(order: &[usize]) -> Self {
        let mut model = Self::default();
        for &number in order {
            (CHANGES[number].register)(&mut model.world);
            let rank = model.rank.len();
            model.rank.entry(number).or_insert(rank);
        }
        dropped();
        REMOVED.take();
        model
    }

    /// Returns the components of an entity in the order of registration, and forgets it.
    fn forget(&mut self, entity: Entity) -> Vec<usize> {
        let has = self.has.remove(&entity).unwrap();
        self.entities.retain(|&other| other != entity);
        let mut has: Vec<usize> = has.into_iter().collect();
        has.sort_by_key(|number| self.rank[number]);
        has
    }

    fn step(&mut self, (kind, number, which): (u8, usize, usize)) {
        let Changes { insert, remove, .. } = CHANGES[number];
        let some = (!self.entities.is_empty()).then(|| self.entities[which % self.entities.len()]);
        match (kind, some) {
            (0 | 1, _) | (_, None) => {
                let entity = self.world.spawn_empty();
                self.entities.push(entity);
                self.has.insert(entity, BTreeSet::new());
            }
            (2..=7, Some(entity)) => {
                let rank = self.rank.len();
                if !self.rank.contains_key(&number) {
                    (CHANGES[number].register)(&mut self.world);
                    self.rank.insert(number, rank);
                }
                insert(&mut self.world, entity);
                let replaced = !self.has.get_mut(&entity).unwrap().insert(number);
                assert_eq!(dropped(), vec![number; usize::from(replaced)]);
            }
            (8, Some(entity)) => {
                remove(&mut self.world, entity);
                if number == WATCHED {
                    // Its hook is looked up with the component, which registers it.
                    let rank = self.rank.len();
                    self.rank.entry(number).or_insert(rank);
                }
                let removed = self.has.get_mut(&entity).unwrap().remove(&number);
                assert_eq!(dropped(), vec![number; usize::from(removed)]);
                REMOVED.take();
            }
            (9 | 10, Some(entity)) => {
                self.world.despawn(entity).unwrap();
                let had = self.forget(entity);
                let watched = had.iter().filter(|&&number| number == WATCHED);
                assert_eq!(REMOVED.take().len(), watched.count());
                assert_eq!(dropped(), had);
            }
            (11, Some(entity)) => {
                // A run of commands, which despawns entities without values to drop together.
                let other = self.entities[(which + 1) % self.entities.len()];
                let mut queue = CommandQueue::new();
                let mut commands = Commands::new(&mut queue, self.world.entities());
                commands.despawn(entity);
                commands.despawn(other);
                queue.apply(&mut self.world);
                let mut had = self.forget(entity);
                if other != entity {
                    had.append(&mut self.forget(other));
                }
                assert_eq!(dropped(), had);
                REMOVED.take();
            }
            (_, Some(_)) => {
                self.world.despawn_all::<()>();
                self.entities.clear();
                self.has.clear();
                dropped();
                REMOVED.take();
            }
        }
        self.world.check_invariants();
    }

    fn check(&self) {
        for (&entity, has) in &self.has {
            for (number, changes) in CHANGES.iter().enumerate() {
                assert_eq!((changes.has)(&self.world, entity), has.contains(&number));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_entity_that_ends_loses_what_it_has_in_order(
        order in proptest::collection::vec(0..CHANGES.len(), 0..CHANGES.len()),
        steps in proptest::collection::vec((0..13_u8, 0..CHANGES.len(), 0..64_usize), 0..120),
    ) {
        let mut model = Model::new(&order);
        for step in steps {
            model.step(step);
        }
        model.check();
        dropped();
    }
}

#[test]
fn all_relations_of_an_entity_end_with_it_among_many_kinds() {
    macro_rules! relate {
        ($world:ident $source:ident $target:ident $($number:literal)*) => {
            $($world.register::<Target<PartOf<$number>>>();)*
            $($world.insert($source, PartOf::<$number>.to($target)).unwrap();)*
            $world.despawn($source).unwrap();
            $world.check_invariants();
            $(assert!(!$world.has::<Sources<PartOf<$number>>>($target));)*
        };
    }
    let mut world = World::new();
    for Changes { register, .. } in CHANGES {
        register(&mut world);
    }
    let [source, target] = [(); 2].map(|()| world.spawn_empty());
    relate!(world source target 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35);
}
