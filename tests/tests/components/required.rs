//! `#[component(require(..))]`: components that are inserted with another one.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::world::CommandQueue;
use ecs_core::world::hooks::{DeferredWorld, OnAdd};
use ecs_tests::{Ledger, Token};

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    /// The number of `Counted` values that can be made before one panics.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
    static LOG: RefCell<Vec<String>> = RefCell::default();
}

fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

fn alive() -> usize {
    LEDGER.with_borrow(Ledger::alive).len()
}

fn log() -> Vec<String> {
    LOG.take()
}

fn commands(world: &mut World, give: impl FnOnce(&mut Commands<'_>)) {
    let mut queue = CommandQueue::new();
    give(&mut Commands::new(&mut queue, world.entities()));
    queue.apply(world);
}

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

fn log_hook<const KIND: usize, T: Component>(world: DeferredWorld<'_>, entity: Entity) {
    assert!(
        world.has::<T>(entity) && world.has::<Place>(entity),
        "all components are inserted"
    );
    let name = std::any::type_name::<T>().rsplit("::").next().unwrap();
    let kind = ["add", "insert", "replace", "remove"][KIND];
    LOG.with_borrow_mut(|log| log.push(format!("{kind} {name}")));
}

#[derive(Component, Clone, Debug, Default, PartialEq)]
#[component(on_add = log_hook::<0, Self>, on_insert = log_hook::<1, Self>, on_replace = log_hook::<2, Self>)]
struct Place(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", on_add = log_hook::<0, Self>, on_remove = log_hook::<3, Self>)]
enum Seen {
    Yes,
    No,
}

#[derive(Component, Clone, Debug, PartialEq)]
#[component(require(Place, Seen = Seen::No))]
struct Sprite(u8);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(require(Sprite = Sprite(1)), on_add = log_hook::<0, Self>)]
struct Hero;

#[test]
fn required_components_are_spawned_with_the_requiring_one() {
    let mut world = World::new();
    let entity = world.spawn(Sprite(4));
    assert_eq!(*world.get::<Place>(entity).unwrap(), Place(0));
    assert_eq!(*world.get::<Seen>(entity).unwrap(), Seen::No);
    assert_eq!(*world.get::<Sprite>(entity).unwrap(), Sprite(4));
}

#[test]
fn required_components_have_requirements_of_their_own() {
    let mut world = World::new();
    let entity = world.spawn(Hero);
    assert_eq!(*world.get::<Sprite>(entity).unwrap(), Sprite(1));
    assert!(world.has::<Place>(entity) && world.has::<Seen>(entity));
}

#[test]
fn the_value_of_the_bundle_wins() {
    let mut world = World::new();
    for entity in [
        world.spawn((Hero, Place(7), Seen::Yes)),
        world.spawn((Seen::Yes, (Place(7), Hero))),
    ] {
        assert_eq!(*world.get::<Place>(entity).unwrap(), Place(7));
        assert_eq!(*world.get::<Seen>(entity).unwrap(), Seen::Yes);
        assert_eq!(*world.get::<Sprite>(entity).unwrap(), Sprite(1));
    }
}

#[test]
fn the_value_of_the_entity_wins() {
    let mut world = World::new();
    let entity = world.spawn((Place(7), Seen::Yes));
    world.insert(entity, Hero).unwrap();
    assert_eq!(*world.get::<Place>(entity).unwrap(), Place(7));
    assert_eq!(*world.get::<Seen>(entity).unwrap(), Seen::Yes);
    assert_eq!(*world.get::<Sprite>(entity).unwrap(), Sprite(1));
    let bare = world.spawn_empty();
    world.insert(bare, Hero).unwrap();
    assert_eq!(*world.get::<Seen>(bare).unwrap(), Seen::No);
}

#[test]
fn an_insertion_restores_a_removed_required_component() {
    let mut world = World::new();
    let entity = world.spawn(Hero);
    world.remove::<(Place, Seen)>(entity).unwrap();
    assert!(world.has::<Sprite>(entity) && !world.has::<Place>(entity));
    world.insert(entity, Hero).unwrap();
    assert!(world.has::<Place>(entity) && world.has::<Seen>(entity));
}

#[test]
fn required_components_stay_when_the_requiring_one_is_removed() {
    let mut world = World::new();
    let entity = world.spawn((Hero, Place(3)));
    world.remove::<Hero>(entity).unwrap();
    assert_eq!(world.take::<Sprite>(entity), Ok(Sprite(1)));
    assert!(!world.has::<Hero>(entity) && !world.has::<Sprite>(entity));
    assert!(world.has::<Place>(entity) && world.has::<Seen>(entity));
    world.despawn(entity).unwrap();
    assert!(world.is_empty());
}

#[derive(Component, Debug, PartialEq)]
struct Colour(&'static str);

#[derive(Component)]
#[component(require(Colour = Colour("far")))]
struct Far;

#[derive(Component)]
#[component(require(Far = Far, Colour = Colour("near")))]
struct Near;

#[derive(Component)]
#[component(require(Far = Far))]
struct One;

#[derive(Component)]
#[component(require(Colour = Colour("second")))]
struct Two;

#[test]
fn the_nearest_requirement_wins_and_then_the_first() {
    let mut world = World::new();
    let near = world.spawn(Near);
    assert_eq!(*world.get::<Colour>(near).unwrap(), Colour("near"));
    // Requirements of `Two` itself are nearer than those that `One` inherits.
    let both = world.spawn((One, Two));
    assert_eq!(*world.get::<Colour>(both).unwrap(), Colour("second"));
    let first = world.spawn((Far, Two));
    assert_eq!(*world.get::<Colour>(first).unwrap(), Colour("far"));
}

#[test]
fn hooks_run_after_all_components_are_inserted() {
    log();
    let mut world = World::new();
    let entity = world.spawn(Hero);
    assert_eq!(log(), ["add Hero", "add Place", "insert Place", "add Seen"]);
    world.insert(entity, Hero).unwrap();
    assert!(log().is_empty(), "no required component was missing");
    world.remove::<(Hero, Seen)>(entity).unwrap();
    assert_eq!(log(), ["remove Seen"]);
    world.insert(entity, (Hero, Place(1))).unwrap();
    assert_eq!(
        log(),
        ["replace Place", "add Hero", "insert Place", "add Seen"]
    );
}

#[test]
fn observers_run_even_if_the_bundle_was_used_before() {
    let mut world = World::new();
    world.insert_resource(0_u32);
    world.spawn(Near);
    world.observe(|_: OnAdd<Colour>, world: DeferredWorld| *world.resource_mut::<u32>() += 1);
    let entity = world.spawn(Near);
    world.spawn(Near);
    assert_eq!(*world.resource::<u32>(), 2);
    world.insert(entity, Near).unwrap();
    assert_eq!(*world.resource::<u32>(), 2);
}

#[test]
fn batches_insert_required_components_that_each_entity_lacks() {
    let mut world = World::new();
    let ids = world.spawn_batch((0..5).map(Sprite)).to_vec();
    for (index, &entity) in ids.iter().enumerate() {
        assert_eq!(world.get::<Sprite>(entity).unwrap().0, index as u8);
        assert_eq!(*world.get::<Place>(entity).unwrap(), Place(0));
    }
    assert_eq!(world.view::<Seen>().len(), 5);
}

#[test]
fn an_insertion_into_many_inserts_required_components_that_each_lacks() {
    #[derive(Component)]
    struct Rock;
    let mut world = World::new();
    world.spawn_batch((0..3).map(|_| Rock));
    let placed = world.spawn((Rock, Place(9)));
    world.insert_all::<With<Rock>, _>(Hero);
    assert_eq!(world.view::<Seen>().len(), 4);
    assert_eq!(world.view::<Sprite>().len(), 4);
    assert_eq!(*world.get::<Place>(placed).unwrap(), Place(9));
    assert_eq!(
        world
            .view::<Place>()
            .iter()
            .filter(|place| place.0 == 0)
            .count(),
        3
    );
}

#[test]
fn replacing_inserts_required_components_only_without_an_old_value() {
    let mut world = World::new();
    let entity = world.spawn_empty();
    assert_eq!(world.replace(entity, Sprite(2)), Ok(None));
    assert!(world.has::<Place>(entity));
    world.remove::<Place>(entity).unwrap();
    assert_eq!(world.replace(entity, Sprite(3)), Ok(Some(Sprite(2))));
    assert!(!world.has::<Place>(entity));
}

#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
struct Weight(u32);

/// Has neither drop glue nor hooks, so that consecutive commands on it could be applied together.
#[derive(Component, Clone, Copy)]
#[component(require(Weight = Weight(5)))]
struct Heavy;

#[test]
fn consecutive_commands_insert_required_components_that_each_entity_lacks() {
    let mut world = World::new();
    let old = [
        world.spawn_empty(),
        world.spawn(Weight(1)),
        world.spawn_empty(),
    ];
    let mut new = Vec::new();
    commands(&mut world, |commands| {
        for entity in old {
            commands.insert(entity, Heavy);
        }
        new.extend((0..3).map(|_| commands.spawn(Heavy).id()));
    });
    let weights = |world: &World, ids: &[Entity]| {
        let weights = ids.iter().map(|&id| world.get::<Weight>(id).unwrap().0);
        weights.collect::<Vec<_>>()
    };
    assert_eq!(weights(&world, &old), [5, 1, 5]);
    assert_eq!(weights(&world, &new), [5, 5, 5]);
    for entity in old {
        world.remove::<Weight>(entity).unwrap();
    }
    commands(&mut world, |commands| {
        old.iter()
            .for_each(|&entity| commands.insert(entity, Heavy));
    });
    assert_eq!(weights(&world, &old), [5, 5, 5]);
}

/// Required by a sparse component, whose insertion otherwise does not depend on the table.
#[derive(Component)]
#[component(storage = "sparse", require(Weight, Large))]
struct Light;

#[derive(Component)]
#[component(storage = "sparse", track)]
#[repr(align(64))]
struct Large([u8; 100]);

impl Default for Large {
    fn default() -> Self {
        Self([3; 100])
    }
}

#[test]
fn a_sparse_component_can_require_components_in_tables() {
    let mut world = World::new();
    let spawned = world.spawn(Light);
    let inserted = world.spawn((Place(1), Seen::Yes));
    world.insert(inserted, Light).unwrap();
    for entity in [spawned, inserted] {
        assert_eq!(*world.get::<Weight>(entity).unwrap(), Weight(0));
        assert!(world.get::<Large>(entity).unwrap().0 == [3; 100]);
    }
    world.remove::<Light>(spawned).unwrap();
    assert!(world.has::<Weight>(spawned) && !world.has::<Light>(spawned));
}

#[derive(Component, Default)]
#[component(track)]
struct Health(#[expect(dead_code, reason = "only its ticks count")] u8);

#[derive(Component)]
#[component(require(Health, Large))]
struct Alive;

#[test]
fn required_components_count_as_added() {
    #[system]
    fn added(
        health: Query<&Health, Added<Health>>,
        large: Query<&Large, Added<Large>>,
    ) -> [usize; 2] {
        [health.iter().count(), large.iter().count()]
    }
    let mut world = World::new();
    let (a, b) = (world.spawn(Alive), world.spawn_empty());
    assert_eq!(added(&world), [1, 1]);
    assert_eq!(added(&world), [0, 0]);
    world.insert(a, Alive).unwrap();
    world.insert(b, Alive).unwrap();
    assert_eq!(added(&world), [1, 1]);
}

#[derive(Component)]
struct Counted(#[expect(dead_code, reason = "dropped")] Token);

impl Default for Counted {
    fn default() -> Self {
        Self(token())
    }
}

#[derive(Component)]
#[component(storage = "sparse")]
struct Fragile(#[expect(dead_code, reason = "dropped")] Token);

impl Default for Fragile {
    fn default() -> Self {
        LEFT.set(LEFT.get() - 1);
        assert!(LEFT.get() > 0, "making another one panics");
        Self(token())
    }
}

#[derive(Component)]
#[component(require(Counted, Fragile))]
struct Risky(#[expect(dead_code, reason = "dropped")] Token);

impl Risky {
    fn new() -> Self {
        Self(token())
    }
}

#[test]
fn every_value_is_dropped_once() {
    let mut world = World::new();
    let entity = world.spawn(Risky::new());
    assert_eq!(alive(), 3);
    world.insert(entity, Risky::new()).unwrap();
    assert_eq!(alive(), 3);
    world.remove::<Counted>(entity).unwrap();
    world
        .insert(entity, (Fragile::default(), Risky::new()))
        .unwrap();
    assert_eq!(alive(), 3);
    world.despawn(entity).unwrap();
    assert_eq!(alive(), 0);
    world.spawn(Risky::new());
    drop(world);
    assert_eq!(alive(), 0);
}

#[test]
fn a_panicking_constructor_leaves_no_entity() {
    let mut world = World::new();
    LEFT.set(1);
    assert!(panics(|| _ = world.spawn(Risky::new())));
    assert!(world.is_empty());
    assert_eq!(alive(), 0);
    LEFT.set(2);
    world.spawn(Risky::new());
    assert_eq!((world.len(), alive()), (1, 3));
}

#[test]
fn a_panicking_constructor_leaves_the_entity_unchanged() {
    let mut world = World::new();
    let entity = world.spawn(Place(1));
    log();
    LEFT.set(1);
    assert!(panics(|| _ = world.insert(entity, (Place(2), Risky::new()))));
    assert_eq!(
        log(),
        ["replace Place"],
        "it is called before required values are made"
    );
    assert_eq!(*world.get::<Place>(entity).unwrap(), Place(1));
    assert!(!world.has::<Risky>(entity) && !world.has::<Counted>(entity));
    assert_eq!(alive(), 0);
    LEFT.set(2);
    world.insert(entity, (Place(2), Risky::new())).unwrap();
    assert_eq!((world.get::<Place>(entity).unwrap().0, alive()), (2, 3));
}

#[test]
fn a_batch_keeps_entities_spawned_before_a_constructor_panics() {
    let mut world = World::new();
    LEFT.set(3);
    let risky = || (0..4).map(|_| Risky::new());
    assert!(panics(|| _ = world.spawn_batch(risky())));
    assert_eq!((world.len(), alive()), (2, 6));
    LEFT.set(u32::MAX);
    assert_eq!(world.spawn_batch(risky()).len(), 4);
    world.clear();
    assert_eq!(alive(), 0);
}

#[test]
fn a_panicking_constructor_leaves_an_entity_reserved_by_a_command_empty() {
    let mut world = World::new();
    LEFT.set(1);
    let mut entity = None;
    assert!(panics(|| commands(&mut world, |commands| {
        entity = Some(commands.spawn(Risky::new()).id());
    })));
    world.flush();
    let entity = entity.unwrap();
    assert!(world.contains(entity) && !world.has::<Counted>(entity));
    assert_eq!(alive(), 0);
}

#[test]
fn generic_components_require_and_are_required() {
    #[derive(Component, Default, Debug, PartialEq)]
    struct Of<T: Default>(T);

    #[derive(Component)]
    #[component(require(Of<T>, Of<(u8, T)> = Of((4, T::default()))))]
    struct With<T: Default + Send + Sync + 'static>(T);

    let mut world = World::new();
    let entity = world.spawn(With(1_u64));
    assert_eq!(*world.get::<Of<u64>>(entity).unwrap(), Of(0));
    assert_eq!(*world.get::<Of<(u8, u64)>>(entity).unwrap(), Of((4, 0)));
}

#[test]
fn a_value_is_any_expression() {
    #[derive(Component, Debug, PartialEq)]
    struct Sum(u32);

    const BASE: u32 = 2;

    #[derive(Component)]
    #[component(require(Sum = {
        let mut sum = Sum(BASE);
        for n in [1, 2, 3] {
            sum.0 += n;
        }
        sum
    }, Colour = Colour("red".trim())))]
    struct Summed;

    let mut world = World::new();
    let entity = world.spawn(Summed);
    assert_eq!(*world.get::<Sum>(entity).unwrap(), Sum(8));
    assert_eq!(*world.get::<Colour>(entity).unwrap(), Colour("red"));
}

#[test]
fn a_bundle_struct_inserts_what_its_fields_require() {
    #[derive(Bundle)]
    struct Unit {
        heavy: Heavy,
        place: Place,
    }
    let mut world = World::new();
    let entity = world.spawn(Unit {
        heavy: Heavy,
        place: Place(6),
    });
    assert_eq!(
        world.take::<(Weight, Place)>(entity),
        Ok((Weight(5), Place(6)))
    );
}

#[test]
fn the_compiler_knows_which_bundles_require_nothing() {
    #[derive(Bundle)]
    struct Lone {
        place: Place,
        seen: Seen,
    }
    #[derive(Bundle)]
    struct Deep {
        lone: Lone,
        pair: ((), (Heavy,)),
    }
    const fn may_require<B: ecs_core::Bundle>() -> bool {
        B::MAY_REQUIRE
    }
    const {
        assert!(!may_require::<()>() && !may_require::<(Place, (Seen, ()))>());
        assert!(!may_require::<Lone>());
        assert!(may_require::<Heavy>() && may_require::<(Place, (Heavy,))>());
        assert!(may_require::<Deep>());
    }
}

thread_local! {
    /// The parent that a required edge is made to.
    static PARENT: Cell<Option<Entity>> = const { Cell::new(None) };
}

#[derive(Relation)]
#[relation(tree)]
struct ChildOf;

#[derive(Relation)]
struct Likes;

#[derive(Component)]
#[component(require(
    Target<ChildOf> = ChildOf.to(PARENT.get().unwrap()),
    Target<Likes> = Likes.to(PARENT.get().unwrap())
))]
struct Related;

#[test]
fn a_required_edge_leads_neither_to_the_entity_itself_nor_closes_a_cycle() {
    let mut world = World::new();
    let root = world.spawn(());
    PARENT.set(Some(root));
    world.insert(root, Related).unwrap();
    assert!(!world.has::<Target<ChildOf>>(root) && !world.has::<Target<Likes>>(root));
    assert!(!world.has::<Sources<Likes>>(root));
    let leaf = world.spawn(ChildOf.to(root));
    world.remove::<Related>(root).unwrap();
    PARENT.set(Some(leaf));
    world.insert(root, Related).unwrap();
    assert!(!world.has::<Target<ChildOf>>(root));
    assert_eq!(world.get::<Target<Likes>>(root).unwrap().entity(), leaf);
    assert_eq!(**world.get::<Sources<ChildOf>>(root).unwrap(), [leaf]);
    world.check_invariants();
}
