//! Worlds that know many sparse components: an entity that ends loses exactly its own, in order.

use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use ecs_core::CommandQueue;
use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicComponent, DynamicRelation};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::world::ErasedColumn;
use ecs_core::world::hooks::DeferredWorld;
use proptest::prelude::*;

thread_local! {
    /// The numbers of the components that were dropped, in order.
    static DROPPED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// The numbers of the components whose removal hooks were called, in order.
    static REMOVED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The number of components that are defined at run time, because so many types take long to compile. A word of a set of
/// components has 64.
const DEFINED: usize = 139;
/// The number of a typed component.
const PLAIN: usize = DEFINED;
/// The number of the immediate component.
const LIT: usize = DEFINED + 1;
/// The number of the component with a hook.
const WATCHED: usize = DEFINED + 2;
const KINDS: usize = DEFINED + 3;

/// # Safety
/// `values` points to `len` numbers.
unsafe fn drop_numbers(values: *mut u8, len: usize) {
    // SAFETY: these are numbers, by the caller's contract.
    let numbers = unsafe { std::slice::from_raw_parts(values.cast::<usize>(), len) };
    DROPPED.with_borrow_mut(|dropped| dropped.extend(numbers));
}

/// Returns the component that is defined for a number, which is the value of each one.
fn defined(number: usize) -> ComponentId {
    static COMPONENTS: OnceLock<Vec<ComponentId>> = OnceLock::new();
    let define = |number| {
        let (name, layout) = (format!("sparse_kinds.{number}"), Layout::new::<usize>());
        // SAFETY: values are numbers, which are `Send` and `Sync`, and for which `drop_numbers` is sound.
        let component = unsafe { DynamicComponent::raw(name, layout, Some(drop_numbers), None) };
        component.sparse().register().unwrap()
    };
    COMPONENTS.get_or_init(|| (0..DEFINED).map(define).collect())[number]
}

#[derive(Component)]
#[component(storage = "sparse")]
struct Plain;

impl Drop for Plain {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push(PLAIN));
    }
}

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Lit;

impl Drop for Lit {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push(LIT));
    }
}

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
struct PartOf;

fn insert(world: &mut World, entity: Entity, number: usize) {
    match number {
        PLAIN => world.insert(entity, Plain).unwrap(),
        // Through a view, and so through a shared reference.
        LIT => drop(world.view_mut::<Lit>().insert(entity, Lit).unwrap()),
        WATCHED => world.insert(entity, Watched).unwrap(),
        _ => {
            let mut column = ErasedColumn::new(defined(number));
            // SAFETY: values of the component are numbers.
            unsafe { column.push_bytes((&raw const number).cast()) };
            world.insert_erased(entity, &mut column).unwrap();
        }
    }
}

fn remove(world: &mut World, entity: Entity, number: usize) {
    match number {
        PLAIN => world.remove::<Plain>(entity).unwrap(),
        LIT => drop(world.view_mut::<Lit>().remove(entity)),
        WATCHED => world.remove::<Watched>(entity).unwrap(),
        _ => _ = world.remove_erased(entity, defined(number)).unwrap(),
    }
}

fn has(world: &World, entity: Entity, number: usize) -> bool {
    match number {
        PLAIN => world.has::<Plain>(entity),
        LIT => world.has::<Lit>(entity),
        WATCHED => world.has::<Watched>(entity),
        _ => world.has_erased(entity, defined(number)),
    }
}

fn register(world: &mut World, number: usize) {
    match number {
        PLAIN => world.register::<Plain>(),
        LIT => world.register::<Lit>(),
        WATCHED => world.register::<Watched>(),
        _ => {
            let entity = world.spawn_empty();
            insert(world, entity, number);
            world.despawn(entity).unwrap();
            dropped();
        }
    }
}

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
            register(&mut model.world, number);
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
                    register(&mut self.world, number);
                    self.rank.insert(number, rank);
                }
                insert(&mut self.world, entity, number);
                let replaced = !self.has.get_mut(&entity).unwrap().insert(number);
                assert_eq!(dropped(), vec![number; usize::from(replaced)]);
            }
            (8, Some(entity)) => {
                remove(&mut self.world, entity, number);
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
            for number in 0..KINDS {
                assert_eq!(
                    self::has(&self.world, entity, number),
                    has.contains(&number)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_entity_that_ends_loses_what_it_has_in_order(
        order in proptest::collection::vec(0..KINDS, 0..KINDS),
        steps in proptest::collection::vec((0..13_u8, 0..KINDS, 0..64_usize), 0..120),
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
    let mut world = World::new();
    for number in 0..KINDS {
        register(&mut world, number);
    }
    let [source, target] = [(); 2].map(|()| world.spawn_empty());
    let kinds: Vec<_> = (0..35)
        .map(|number| DynamicRelation::new(format!("sparse_kinds.relation_{number}")))
        .map(|relation| relation.register().unwrap())
        .collect();
    for &kind in &kinds {
        world.relate_dynamic(source, kind, target).unwrap();
    }
    world.insert(source, PartOf.to(target)).unwrap();
    world.despawn(source).unwrap();
    world.check_invariants();
    assert!(!world.has::<Sources<PartOf>>(target));
    for kind in kinds {
        assert_eq!(world.sources_dynamic(target, kind).count(), 0);
    }
}
