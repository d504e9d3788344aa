//! Components of unusual layouts in every operation, and leaked handles.

use std::collections::BTreeMap;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_tests::{Held, Kept, Ledger, Loose, Plain};

/// A component that can be made from a number.
trait Odd: Component + PartialEq + std::fmt::Debug {
    fn new(n: u32) -> Self;

    /// Returns true if its address is a multiple of its alignment.
    fn is_aligned(&self) -> bool {
        (&raw const *self).addr().is_multiple_of(align_of::<Self>())
    }
}

macro_rules! odd {
    ($($(#[$attr:meta])* $name:ident($ty:ty) = |$n:ident| $value:expr;)*) => {$(
        #[derive(Component, Debug, PartialEq)]
        $(#[$attr])*
        struct $name($ty);

        impl Odd for $name {
            fn new($n: u32) -> Self {
                Self($value)
            }
        }
    )*};
}

odd! {
    Nothing(()) = |_n| ();
    #[repr(align(4096))] Page(()) = |_n| ();
    #[repr(align(64))] Line([u8; 3]) = |n| [n as u8; 3];
    #[repr(align(2048))] Far(u32) = |n| n;
    Byte(u8) = |n| n as u8;
    Three([u8; 3]) = |n| [n as u8, 1, 2];
    Five([u8; 5]) = |n| [n as u8; 5];
    Twelve([u32; 3]) = |n| [n, n + 1, n + 2];
    Sixteen(u128) = |n| u128::from(n) << 64 | 7;
    Seventeen([u8; 17]) = |n| [n as u8; 17];
    Large(Vast) = |n| Vast([n as u8; VAST]);
    Truth(Option<bool>) = |n| (!n.is_multiple_of(3)).then_some(n.is_multiple_of(2));
    Function(Callable) = |n| Callable(if n.is_multiple_of(2) { u32::count_ones } else { u32::leading_zeros });
    Boxed(Dynamic) = |n| Dynamic(Box::new(n));
    Choice(Result<Box<u32>, String>) = |n| if n.is_multiple_of(2) { Ok(Box::new(n)) } else { Err(n.to_string()) };
    #[component(storage = "sparse")] SparsePage(Aligned) = |_n| Aligned;
    #[component(storage = "sparse")] SparseFive([u8; 5]) = |n| [n as u8; 5];
    #[component(storage = "sparse")] SparseText(String) = |n| n.to_string();
    #[component(track)] Watched([u16; 3]) = |n| [n as u16; 3];
}

const VAST: usize = if cfg!(miri) { 5_000 } else { 1 << 15 };

#[derive(Debug, PartialEq)]
struct Vast([u8; VAST]);

#[derive(Debug, PartialEq)]
#[repr(align(1024))]
struct Aligned;

/// A function pointer; equal to another if both return the same.
#[derive(Debug)]
struct Callable(fn(u32) -> u32);

impl PartialEq for Callable {
    fn eq(&self, other: &Self) -> bool {
        self.0(1000) == other.0(1000)
    }
}

/// A trait object.
struct Dynamic(Box<dyn Named>);

trait Named: Send + Sync {
    fn name(&self) -> String;
}

impl Named for u32 {
    fn name(&self) -> String {
        self.to_string()
    }
}

impl std::fmt::Debug for Dynamic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.name())
    }
}

impl PartialEq for Dynamic {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

/// Checks that the entities have exactly the `expected` values, correctly aligned.
fn compare<T: Odd>(world: &World, expected: &BTreeMap<Entity, u32>) {
    world.check_invariants();
    let view = world.view::<T>();
    assert_eq!(view.len(), expected.len());
    for (&entity, &n) in expected {
        let value = view.get(entity).unwrap();
        assert_eq!(*value, T::new(n));
        assert!(value.is_aligned());
    }
    let mut seen = 0;
    (&view, world.entities()).for_each(|(value, entity)| {
        assert_eq!(*value, T::new(expected[&entity]));
        assert!(value.is_aligned());
        seen += 1;
    });
    assert_eq!(seen, expected.len());
}

/// Takes a component through all operations, next to components of other sizes.
fn through_all_operations<T: Odd>() {
    let count = if cfg!(miri) { 11 } else { 40 };
    let mut world = World::new();
    let mut expected = BTreeMap::new();
    let batch = world.spawn_batch((0..count).map(|n| (Byte(n as u8), T::new(n), Five([9; 5]))));
    for (&entity, n) in batch.iter().zip(0..) {
        expected.insert(entity, n);
    }
    for n in count..count + 9 {
        expected.insert(world.spawn((T::new(n), Sixteen(5))), n);
        let entity = world.spawn(Three([1; 3]));
        world.insert(entity, T::new(n)).unwrap();
        expected.insert(entity, n);
    }
    compare::<T>(&world, &expected);
    let all: Vec<Entity> = expected.keys().copied().collect();
    for (i, &entity) in all.iter().enumerate() {
        let n = expected.get_mut(&entity).unwrap();
        match i % 7 {
            0 => {
                *n += 1;
                world.insert(entity, (T::new(*n), Line([3; 3]))).unwrap();
            }
            1 => {
                assert_eq!(world.take::<T>(entity), Ok(T::new(*n)));
                world.insert(entity, (Twelve([1; 3]), T::new(*n))).unwrap();
            }
            2 => {
                world.remove::<T>(entity).unwrap();
                expected.remove(&entity);
            }
            3 => {
                world.despawn(entity).unwrap();
                expected.remove(&entity);
            }
            4 => {
                *n += 2;
                *world.get_mut::<T>(entity).unwrap() = T::new(*n);
            }
            5 => {
                let old = world.replace(entity, T::new(7)).unwrap();
                assert_eq!(old, Some(T::new(*n)));
                *n = 7;
            }
            _ => world.remove::<(Byte, Five)>(entity).unwrap(),
        }
    }
    compare::<T>(&world, &expected);
    world.insert_all::<With<T>, _>(Loose(1));
    world.remove_all::<Loose, With<T>>();
    compare::<T>(&world, &expected);
    world.remove_all::<T, ()>();
    compare::<T>(&world, &BTreeMap::new());
    world.clear();
    world.check_invariants();
}

#[test]
fn components_of_every_layout_go_through_all_operations() {
    through_all_operations::<Nothing>();
    through_all_operations::<Page>();
    through_all_operations::<Far>();
    through_all_operations::<Seventeen>();
    through_all_operations::<Large>();
    through_all_operations::<Truth>();
    through_all_operations::<Function>();
    through_all_operations::<Boxed>();
    through_all_operations::<Choice>();
    through_all_operations::<SparsePage>();
    through_all_operations::<SparseFive>();
    through_all_operations::<SparseText>();
    through_all_operations::<Watched>();
}

#[test]
fn components_of_mixed_sizes_come_back_whatever_the_order_of_insertion() {
    type Step = fn(&mut World, Entity, u32);
    fn insert<T: Odd>(world: &mut World, entity: Entity, n: u32) {
        world.insert(entity, T::new(n)).unwrap();
    }
    fn check<T: Odd>(world: &mut World, entity: Entity, n: u32) {
        assert_eq!(world.take::<T>(entity), Ok(T::new(n)));
    }
    let steps: [(Step, Step); 6] = [
        (insert::<Byte>, check::<Byte>),
        (insert::<Line>, check::<Line>),
        (insert::<Three>, check::<Three>),
        (insert::<Sixteen>, check::<Sixteen>),
        (insert::<Choice>, check::<Choice>),
        (insert::<Far>, check::<Far>),
    ];
    let mut world = World::new();
    let most = if cfg!(miri) { 20 } else { 720 };
    for n in 0..most {
        // The n-th permutation.
        let (mut code, mut left) = (n as usize, steps.to_vec());
        let entity = world.spawn_empty();
        let mut order = Vec::new();
        while !left.is_empty() {
            order.push(left.remove(code % left.len()));
            code /= left.len() + 1;
        }
        order
            .iter()
            .for_each(|(insert, _)| insert(&mut world, entity, n));
        order
            .iter()
            .for_each(|(_, check)| check(&mut world, entity, n));
    }
    world.check_invariants();
}

#[test]
fn unallocated_ids_find_nothing_and_change_nothing() {
    let mut world = World::new();
    let spawned = world.spawn_batch((0..20).map(|n| (Plain(n), Loose(1))));
    let victim = spawned[7];
    world.despawn(victim).unwrap();
    let living = world.spawn(Plain(50));
    let ids = [
        victim.to_bits(),
        living.to_bits() + (1 << 32),
        1 << 32 | 20,
        1 << 32 | 63,
        1 << 32 | u64::from(u32::MAX - 1),
        u64::MAX - 1,
        4_194_303 << 32 | 3,
    ];
    for id in ids.map(|bits| Entity::from_bits(bits).unwrap()) {
        assert!(!world.contains(id) && !world.has::<Plain>(id));
        assert!(world.get::<Plain>(id).is_none() && world.get_mut::<Loose>(id).is_none());
        assert!(world.insert(id, Plain(1)).is_err() && world.insert(id, Loose(1)).is_err());
        assert!(world.remove::<Plain>(id).is_err() && world.remove::<Loose>(id).is_err());
        assert!(world.take::<Plain>(id).is_err() && world.despawn(id).is_err());
        let (mut plain, loose) = (world.view_mut::<Plain>(), world.view::<Loose>());
        assert!(plain.get(id).is_none() && loose.get(id).is_none());
        assert!((&mut plain, &loose).get(id).is_none());
        let (found, missing) = plain.get_pair_mut(living, id);
        assert!(found.is_some() && missing.is_none());
        drop((plain, loose));
        assert!(world.query::<(&Plain, Entity)>().get(id).is_none());
        world.check_invariants();
        assert_eq!(world.len(), 20);
    }
}

#[test]
fn leaked_handles_break_nothing() {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.spawn_batch((0..20).map(|_| (Kept(ledger.token()), Held(ledger.token()))));
    {
        let mut kept = world.view_mut::<Kept>();
        assert!(kept.iter_mut().next().is_some());
        let query = world.query::<(&Held, Entity)>();
        assert!(query.iter().next().is_some());
        forget(kept);
        forget(query);
    }
    // The leaked run-time borrows never end; nothing else is affected.
    assert!(world.try_view::<Kept>().is_err());
    assert!(world.try_view::<Held>().is_ok() && world.try_view_mut::<Held>().is_err());
    let entities: Vec<Entity> = world.entities().iter().collect();
    world.remove::<Kept>(entities[3]).unwrap();
    world.despawn(entities[4]).unwrap();
    world.spawn((Kept(ledger.token()), Held(ledger.token())));
    world.check_invariants();
    assert_eq!(ledger.alive().len(), 39);
    let panics = catch_unwind(AssertUnwindSafe(|| world.view::<Kept>().len()));
    assert!(panics.is_err());
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[system]
fn tidy(mut log: EventReader<u32>, mut gone: Removed<Watched>) -> [usize; 2] {
    let _ = (log.read().next(), gone.read().next());
    [log.len(), gone.len()]
}

#[test]
fn abandoned_readers_continue_after_the_last_item() {
    let mut world = World::new();
    world.insert_resource(Events::<u32>::new());
    assert_eq!(tidy(&world), [0, 0]);
    let spawned = world.spawn_batch((0..5).map(Watched::new)).to_vec();
    for entity in spawned {
        world.despawn(entity).unwrap();
        world.resource_mut::<Events<u32>>().send(1);
    }
    assert_eq!([tidy(&world), tidy(&world)], [[4, 4], [3, 3]]);
}
