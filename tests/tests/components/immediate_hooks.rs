//! Hooks and observers that insert and remove immediate components during a structural change: the change reads the entity
//! again after they have run.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::{Hooks, StorageKind, Untracked};
use ecs_core::meta::ConstTypeIdOf;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace};
use ecs_core::world::{CommandQueue, TakeError};
use ecs_core::{ImmediateComponent, SparseComponent};
use ecs_tests::{Ledger, Token};

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    static LOG: RefCell<Vec<&'static str>> = RefCell::default();
    /// The effect of the hooks of `Loud`.
    static REACTION: Cell<Reaction> = const { Cell::new(nothing) };
    static MAKING_PANICS: Cell<bool> = const { Cell::new(false) };
}

type Reaction = fn(&World, Entity);

fn nothing(_: &World, _: Entity) {}

fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

fn alive() -> usize {
    LEDGER.with_borrow(Ledger::alive).len()
}

fn say(what: &'static str) {
    LOG.with_borrow_mut(|log| log.push(what));
}

fn log() -> Vec<&'static str> {
    LOG.take()
}

/// The component that hooks insert and remove. The number is its origin.
#[derive(Component, Debug)]
#[component(storage = "sparse", immediate)]
struct Lit(
    u32,
    #[expect(dead_code, reason = "held for its drop")] Token,
);

impl Lit {
    fn new(by: u32) -> Self {
        Self(by, token())
    }
}

const CHANGE: u32 = 1;
const HOOK: u32 = 2;
const REQUIRED: u32 = 3;

/// A component whose hooks react.
#[derive(Component, Debug)]
#[component(
    on_add = Self::react,
    on_insert = Self::react,
    on_replace = Self::react,
    on_remove = Self::react,
    on_despawn = Self::react
)]
struct Loud(#[expect(dead_code, reason = "held for its drop")] Token);

impl Loud {
    fn new() -> Self {
        Self(token())
    }

    fn react(world: DeferredWorld<'_>, entity: Entity) {
        REACTION.get()(&world, entity);
    }
}

/// Like [`Loud`], and requires `Lit`.
#[derive(Component, Debug)]
#[component(on_replace = Loud::react, require(Lit = required()))]
struct Lamp(#[expect(dead_code, reason = "held for its drop")] Token);

fn required() -> Lit {
    say("made");
    assert!(!MAKING_PANICS.get(), "making it panics");
    Lit::new(REQUIRED)
}

/// A component in a table, without hooks.
#[derive(Component, Debug)]
struct Kept(#[expect(dead_code, reason = "held for its drop")] Token);

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
struct PartOf;

/// Creates a world with `Lit` registered, and with observers that log their events and check that the entity has the
/// value.
fn world() -> World {
    LEDGER.set(Ledger::default());
    LOG.take();
    REACTION.set(nothing);
    MAKING_PANICS.set(false);
    let mut world = World::new();
    world.register::<Lit>();
    macro_rules! observe {
        ($($event:ident $what:literal),*) => {$(
            world.observe(|event: $event<Lit>, world: DeferredWorld<'_>| {
                assert!(world.has::<Lit>(event.entity()), "the value is there");
                say($what);
            });
        )*};
    }
    observe!(OnAdd "add", OnInsert "insert", OnReplace "replace", OnRemove "remove", OnDespawn "despawn");
    world
}

fn inserts(world: &World, entity: Entity) {
    world
        .view_mut::<Lit>()
        .insert(entity, Lit::new(HOOK))
        .expect("the entity is alive");
}

fn removes(world: &World, entity: Entity) {
    drop(world.view_mut::<Lit>().remove(entity));
}

fn removes_and_inserts(world: &World, entity: Entity) {
    removes(world, entity);
    inserts(world, entity);
}

fn lit(world: &World, entity: Entity) -> Option<u32> {
    world.check_invariants();
    let mut all: Vec<Entity> = world.view::<Lit>().as_entities().to_vec();
    all.dedup();
    assert_eq!(all.len(), world.view::<Lit>().len(), "each has one value");
    world.get::<Lit>(entity).map(|lit| lit.0)
}

/// Drops the world, and checks that all values were dropped.
fn end(world: World) {
    REACTION.set(nothing);
    drop(world);
    assert_eq!(alive(), 0, "nothing leaks");
}

#[test]
fn an_on_replace_hook_may_insert_an_immediate_component_that_the_bundle_requires() {
    let mut world = world();
    let entity = world.spawn(Lamp(token()));
    world.remove::<Lit>(entity).unwrap();
    log();
    REACTION.set(inserts);
    world.insert(entity, Lamp(token())).unwrap();
    assert_eq!(lit(&world, entity), Some(HOOK));
    assert!(
        log().is_empty(),
        "a view inserted it, and no required value was made"
    );
    let (mut lit, lamp) = (world.view_mut::<Lit>(), world.view::<Lamp>());
    assert_eq!((&mut lit, &lamp).iter().count(), 1);
    drop((lit, lamp));
    end(world);
}

#[test]
fn a_required_component_is_inserted_if_an_on_replace_hook_has_removed_it() {
    let mut world = world();
    let entity = world.spawn(Lamp(token()));
    world.insert(entity, Lit::new(CHANGE)).unwrap();
    log();
    REACTION.set(removes);
    world.insert(entity, Lamp(token())).unwrap();
    assert_eq!(lit(&world, entity), Some(REQUIRED));
    assert_eq!(log(), ["made", "add", "insert"]);
    end(world);
}

#[test]
fn a_constructor_that_panics_after_on_replace_leaves_the_old_values() {
    let mut world = world();
    let entity = world.spawn((Lamp(token()), Kept(token())));
    REACTION.set(removes);
    MAKING_PANICS.set(true);
    let before = alive();
    let insert = AssertUnwindSafe(|| world.insert(entity, (Kept(token()), Lamp(token()))));
    assert!(catch_unwind(insert).is_err());
    assert_eq!(lit(&world, entity), None);
    assert!(world.has::<Kept>(entity) && world.has::<Lamp>(entity));
    assert_eq!(
        alive(),
        before - 1,
        "the new values are dropped, the old ones are not"
    );
    MAKING_PANICS.set(false);
    world.insert(entity, Lamp(token())).unwrap();
    assert_eq!(lit(&world, entity), Some(REQUIRED));
    end(world);
}

#[test]
fn a_bundle_replaces_what_an_on_replace_hook_has_inserted() {
    let mut world = world();
    let entity = world.spawn(Loud::new());
    REACTION.set(inserts);
    world
        .insert(entity, (Loud::new(), Lit::new(CHANGE)))
        .unwrap();
    // The `on_insert` hook has replaced it again.
    assert_eq!(lit(&world, entity), Some(HOOK));
    assert_eq!(
        log(),
        ["insert"],
        "the entity had one when the bundle was inserted"
    );
    end(world);
}

#[test]
fn a_value_that_an_on_replace_hook_has_removed_is_added() {
    let mut world = world();
    let entity = world.spawn((Lamp(token()), Lit::new(CHANGE)));
    log();
    REACTION.set(removes);
    world
        .insert(entity, (Lit::new(CHANGE), Lamp(token())))
        .unwrap();
    assert_eq!(lit(&world, entity), Some(CHANGE));
    assert_eq!(log(), ["replace", "add", "insert"]);
    end(world);
}

#[test]
fn observers_of_an_addition_are_not_called_if_a_hook_has_removed_the_value() {
    let mut world = world();
    REACTION.set(removes);
    let entity = world.spawn((Loud::new(), Lit::new(CHANGE)));
    assert_eq!(lit(&world, entity), None);
    assert!(log().is_empty());
    world
        .insert(entity, (Lit::new(CHANGE), Loud::new()))
        .unwrap();
    assert_eq!(lit(&world, entity), None);
    let ids = [1, 2].map(|_| (Loud::new(), Lit::new(CHANGE)));
    let ids = world.spawn_batch(ids).to_vec();
    assert_eq!(lit(&world, ids[1]), None);
    assert!(log().is_empty());
    end(world);
}

#[test]
fn an_observer_that_removes_a_value_ends_the_calls_for_it() {
    let mut world = world();
    // Registered after the observer that logs "add", and before the one below.
    world.observe(|added: OnAdd<Lit>, world: DeferredWorld<'_>| removes(&world, added.entity()));
    world.observe(|_: OnAdd<Lit>, _: DeferredWorld<'_>| say("second"));
    let entity = world.spawn(Lit::new(CHANGE));
    assert_eq!(log(), ["add"]);
    assert_eq!(lit(&world, entity), None);
    end(world);
}

#[test]
fn take_finds_that_a_hook_has_removed_a_component_and_takes_nothing() {
    let mut world = world();
    let bundle = || (Lit::new(CHANGE), Loud::new(), Kept(token()));
    let entity = world.spawn(bundle());
    log();
    REACTION.set(removes);
    let error = world
        .take::<(Lit, Loud, Kept)>(entity)
        .expect_err("there is no `Lit` any more");
    assert!(matches!(error, TakeError::Missing { component, .. } if component.contains("Lit")));
    assert_eq!(
        log(),
        ["remove"],
        "it was there when the observer was called"
    );
    assert!(world.has::<Loud>(entity) && world.has::<Kept>(entity));
    assert_eq!(lit(&world, entity), None);
    assert_eq!(alive(), 2);
    REACTION.set(inserts);
    world.insert(entity, Lit::new(CHANGE)).unwrap();
    let (taken, ..) = world.take::<(Lit, Loud, Kept)>(entity).unwrap();
    assert_eq!(taken.0, HOOK, "the value that the hook inserted");
    drop(taken);
    end(world);
}

#[test]
fn take_that_takes_nothing_applies_commands_of_hooks() {
    let mut world = world();
    let entity = world.spawn((Lit::new(CHANGE), Loud::new()));
    world.observe(|removed: OnRemove<Loud>, mut world: DeferredWorld<'_>| {
        removes(&world, removed.entity());
        let entity = removed.entity();
        world.commands().insert(entity, Kept(token()));
    });
    assert!(world.take::<(Lit, Loud)>(entity).is_err());
    assert!(world.has::<Kept>(entity));
    end(world);
}

#[test]
fn replace_inserts_where_an_observer_has_removed_the_value() {
    let mut world = world();
    let entity = world.spawn(Lit::new(CHANGE));
    world.observe(|old: OnReplace<Lit>, world: DeferredWorld<'_>| removes(&world, old.entity()));
    log();
    let old = world.replace(entity, Lit::new(CHANGE)).unwrap();
    assert!(old.is_none());
    assert_eq!(lit(&world, entity), Some(CHANGE));
    assert_eq!(log(), ["replace", "add", "insert"]);
    end(world);
}

#[test]
fn replace_returns_the_value_that_an_observer_has_inserted() {
    let mut world = world();
    let entity = world.spawn(Lit::new(CHANGE));
    world.observe(|old: OnReplace<Lit>, world: DeferredWorld<'_>| {
        removes_and_inserts(&world, old.entity());
    });
    let old = world.replace(entity, Lit::new(CHANGE)).unwrap();
    assert_eq!(old.map(|old| old.0), Some(HOOK));
    assert_eq!(lit(&world, entity), Some(CHANGE));
    end(world);
}

#[test]
fn removal_includes_what_a_hook_has_inserted() {
    let mut world = world();
    let entity = world.spawn((Loud::new(), Kept(token())));
    REACTION.set(inserts);
    world.remove::<(Lit, Loud)>(entity).unwrap();
    assert_eq!(lit(&world, entity), None);
    assert!(
        log().is_empty(),
        "a view inserted it, so its removal is silent"
    );
    assert_eq!(alive(), 1);
    end(world);
}

#[test]
fn removal_calls_no_observer_of_a_value_that_an_earlier_one_removed() {
    let mut world = world();
    world.observe(|gone: OnRemove<Loud>, world: DeferredWorld<'_>| removes(&world, gone.entity()));
    let entity = world.spawn((Loud::new(), Lit::new(CHANGE)));
    log();
    world.remove::<(Loud, Lit)>(entity).unwrap();
    assert!(log().is_empty());
    world
        .insert(entity, (Loud::new(), Lit::new(CHANGE)))
        .unwrap();
    log();
    world.remove::<(Lit, Loud)>(entity).unwrap();
    assert_eq!(log(), ["remove"], "the value was there at its removal");
    assert_eq!(lit(&world, entity), None);
    end(world);
}

#[test]
fn values_that_hooks_insert_into_a_despawned_entity_are_dropped() {
    for reaction in [inserts, removes, removes_and_inserts] {
        let mut world = world();
        let other = world.spawn(Lit::new(CHANGE));
        let all: Vec<Entity> = (0..3)
            .map(|_| world.spawn((Loud::new(), Lit::new(CHANGE), Kept(token()))))
            .collect();
        REACTION.set(reaction);
        world.despawn(all[0]).unwrap();
        assert_eq!(lit(&world, other), Some(CHANGE));
        assert_eq!(alive(), 1 + 2 * 3);
        world.despawn_all::<With<Kept>>();
        assert_eq!(lit(&world, other), Some(CHANGE));
        assert_eq!(alive(), 1);
        let again = world.spawn(Kept(token()));
        assert_eq!(lit(&world, again), None, "a reused index has no components");
        end(world);
    }
}

/// Removes `Lit` from all entities that have it, and inserts it into all others.
fn toggles_all(world: &World, _: Entity) {
    let all: Vec<Entity> = world.query::<Entity>().iter().collect();
    let mut lit = world.view_mut::<Lit>();
    for entity in all {
        if lit.remove(entity).is_none() {
            lit.insert(entity, Lit::new(HOOK))
                .expect("the entity is alive");
        }
    }
}

#[test]
fn a_world_is_cleared_whatever_hooks_do_to_immediate_components() {
    for reaction in [inserts, removes, toggles_all] {
        let mut world = world();
        for _ in 0..3 {
            world.spawn((Loud::new(), Lit::new(CHANGE)));
            world.spawn(Kept(token()));
        }
        REACTION.set(reaction);
        world.clear();
        assert!(world.is_empty() && world.view::<Lit>().is_empty());
        world.check_invariants();
        assert_eq!(alive(), 0);
        end(world);
    }
}

#[test]
fn bulk_operations_read_each_entity_again() {
    for reaction in [inserts, removes, toggles_all] {
        let mut world = world();
        for _ in 0..3 {
            world.spawn((Loud::new(), Lit::new(CHANGE)));
            world.spawn((Loud::new(), Kept(token())));
        }
        REACTION.set(reaction);
        world.insert_all_with::<With<Kept>, _>(|_| (Lit::new(CHANGE), Loud::new()));
        world.check_invariants();
        world.insert_all_with::<With<Lit>, _>(|_| (Lamp(token()), Loud::new()));
        world.check_invariants();
        world.insert_all_with::<With<Loud>, _>(|_| Lamp(token()));
        world.check_invariants();
        world.remove_all::<(Loud, Lit), With<Kept>>();
        assert!((&world.view::<Lit>(), &world.view::<Kept>()).iter().count() == 0);
        world.remove_all::<(Lit, Loud), With<Lit>>();
        world.check_invariants();
        world.despawn_all::<With<Lit>>();
        world.check_invariants();
        world.despawn_all::<()>();
        assert!(world.is_empty());
        assert_eq!(alive(), 0);
        end(world);
    }
}

#[test]
fn consecutive_commands_read_each_entity_again() {
    for reaction in [inserts, removes, removes_and_inserts, toggles_all] {
        let mut world = world();
        let ids: Vec<Entity> = (0..4).map(|_| world.spawn(Lamp(token()))).collect();
        REACTION.set(reaction);
        let mut queue = CommandQueue::new();
        let mut commands = Commands::new(&mut queue, world.entities());
        let new: Vec<Entity> = (0..3)
            .map(|_| commands.spawn((Loud::new(), Lit::new(CHANGE))).id())
            .collect();
        for &entity in ids.iter().chain(&new) {
            commands.insert(entity, (Lamp(token()), Loud::new()));
        }
        for &entity in ids.iter().chain(&new) {
            commands.insert(entity, Lamp(token()));
        }
        for &entity in &ids {
            commands.remove::<(Lit, Loud)>(entity);
        }
        for &entity in &new {
            commands.despawn(entity);
        }
        queue.apply(&mut world);
        world.check_invariants();
        assert_eq!(world.len(), 4);
        assert_eq!(alive(), 4 + world.view::<Lit>().len());
        end(world);
    }
}

#[test]
fn a_tree_is_despawned_with_values_that_hooks_insert_into_its_nodes() {
    for reaction in [inserts, removes, toggles_all] {
        let mut world = world();
        let root = world.spawn((Loud::new(), Lit::new(CHANGE)));
        let child = world.spawn((Loud::new(), PartOf.to(root)));
        for _ in 0..3 {
            world.spawn((Loud::new(), Lit::new(CHANGE), PartOf.to(child)));
        }
        let other = world.spawn(Kept(token()));
        world.observe(|gone: OnRemove<Target<PartOf>>, world: DeferredWorld<'_>| {
            toggles_all(&world, gone.entity());
        });
        REACTION.set(reaction);
        world.remove::<Sources<PartOf>>(child).unwrap();
        world.check_invariants();
        world.relate(root, PartOf, other).unwrap();
        world
            .insert(child, (PartOf.to(other), Loud::new()))
            .unwrap();
        world.despawn(other).unwrap();
        world.check_invariants();
        assert_eq!(world.len(), 3, "the children were detached before");
        world.clear();
        assert_eq!(alive(), 0);
        end(world);
    }
}

#[test]
fn a_leaked_view_does_not_keep_a_change_from_reading_the_entity() {
    drop(world());
    // Without observers of `Lit`: they could not borrow it while the leaked view counts as a borrow.
    let mut world = World::new();
    let entity = world.spawn((Lamp(token()), Kept(token())));
    REACTION.set(|world, entity| {
        let mut lit = world.view_mut::<Lit>();
        drop(lit.remove(entity));
        std::mem::forget(lit);
    });
    world.insert(entity, Lamp(token())).unwrap();
    assert!(world.has::<Kept>(entity) && world.try_get::<Lit>(entity).is_err());
    assert_eq!(world.take::<Lit>(entity).unwrap().0, REQUIRED);
    end(world);
}

/// An immediate component with hooks of its own, which the derive does not allow.
struct Glow(#[expect(dead_code, reason = "held for its drop")] Token);

impl Component for Glow {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("immediate_hooks", "components::immediate_hooks::Glow");
    const STORAGE: StorageKind = StorageKind::Sparse;
    const IMMEDIATE: bool = true;
    type Tracking = Untracked;
    const HOOKS: Hooks = Hooks::NONE
        .on_add(Self::called)
        .on_insert(Self::called)
        .on_replace(Self::called)
        .on_remove(Self::called)
        .on_despawn(Self::called);
}

impl SparseComponent for Glow {}
impl ImmediateComponent for Glow {}

impl Glow {
    fn called(world: DeferredWorld<'_>, entity: Entity) {
        assert!(world.has::<Self>(entity), "the value is there");
        say("glow");
    }
}

#[test]
fn hooks_of_an_immediate_component_are_called_while_it_is_there() {
    let mut world = world();
    world.observe(|gone: OnDespawn<Glow>, world: DeferredWorld<'_>| {
        drop(world.view_mut::<Glow>().remove(gone.entity()));
    });
    world.observe(|old: OnReplace<Glow>, world: DeferredWorld<'_>| {
        drop(world.view_mut::<Glow>().remove(old.entity()));
    });
    let entity = world.spawn((Kept(token()), Glow(token())));
    assert_eq!(log(), ["glow", "glow"]);
    world.insert(entity, Glow(token())).unwrap();
    assert_eq!(
        log(),
        ["glow", "glow"],
        "it was removed, so it counts as added"
    );
    world.remove::<Glow>(entity).unwrap();
    assert_eq!(log(), ["glow"]);
    world.insert(entity, Glow(token())).unwrap();
    log();
    world.despawn(entity).unwrap();
    assert!(log().is_empty(), "the observer came first and removed it");
    assert_eq!(alive(), 0);
    end(world);
}
