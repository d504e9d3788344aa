//! The relations, the values of their edges, and the records of observers.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, ToOne};
use ecs_core::world::hooks::{DeferredWorld, OnInsert, OnRemove, OnReplace};
use ecs_tests::{Ledger, Token};

thread_local! {
    pub(crate) static LEDGER: RefCell<Ledger> = RefCell::default();
    /// The place of the next panic.
    pub(crate) static TRAP: Cell<Option<Trap>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Trap {
    Add,
    Replace,
    Remove,
    Despawn,
    Observer,
    Drop,
}

pub(crate) const TRAPS: [Trap; 6] = [
    Trap::Add,
    Trap::Replace,
    Trap::Remove,
    Trap::Despawn,
    Trap::Observer,
    Trap::Drop,
];

fn step_on(trap: Trap) {
    if TRAP.get() == Some(trap) {
        TRAP.set(None);
        panic!("trap");
    }
}

/// The value of an edge.
pub(crate) struct Value(
    pub(crate) u32,
    #[expect(dead_code, reason = "dropped")] Token,
);

impl Drop for Value {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            step_on(Trap::Drop);
        }
    }
}

pub(crate) fn value(number: u32) -> Value {
    Value(number, LEDGER.with_borrow(Ledger::token))
}

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
pub(crate) struct ChildOf(pub(crate) Value);

#[derive(Relation)]
pub(crate) struct Follows(pub(crate) Value);

#[derive(Relation)]
#[relation(many)]
pub(crate) struct Likes(pub(crate) Value);

#[derive(Relation)]
#[relation(many, sources = "despawn")]
pub(crate) struct Needs(pub(crate) Value);

/// A component in tables, with hooks that may panic.
#[derive(Component)]
#[component(on_add = trapped::<0>, on_replace = trapped::<1>, on_remove = trapped::<2>, on_despawn = trapped::<3>)]
pub(crate) struct Mark;

fn trapped<const TRAP: usize>(_: DeferredWorld, _: Entity) {
    step_on(TRAPS[TRAP]);
}

/// The indices of the relations.
pub(crate) const CHILD_OF: usize = 0;
pub(crate) const FOLLOWS: usize = 1;
pub(crate) const LIKES: usize = 2;
pub(crate) const NEEDS: usize = 3;
pub(crate) const DESPAWNS: [usize; 2] = [CHILD_OF, NEEDS];

/// Calls `$body` with one of the relations to one target as `$R`.
macro_rules! with_one {
    ($relation:expr, $R:ident => $body:expr) => {
        match $relation {
            CHILD_OF => {
                use ChildOf as $R;
                $body
            }
            _ => {
                use Follows as $R;
                $body
            }
        }
    };
}

/// Calls `$body` with any of the four relations as `$R`.
macro_rules! with_any {
    ($relation:expr, $R:ident => $body:expr) => {
        match $relation {
            CHILD_OF => {
                use ChildOf as $R;
                $body
            }
            FOLLOWS => {
                use Follows as $R;
                $body
            }
            LIKES => {
                use Likes as $R;
                $body
            }
            _ => {
                use Needs as $R;
                $body
            }
        }
    };
}

pub(crate) use {with_any, with_one};

/// The edges of the relations to one target, seen by observers.
#[derive(Default)]
pub(crate) struct ObservedTargets(pub(crate) [BTreeMap<Entity, Entity>; 2]);

pub(crate) fn observe<R: ToOne, const INDEX: usize>(world: &mut World) {
    fn check<R: ToOne>(world: &World, entity: Entity) -> Entity {
        step_on(Trap::Observer);
        let target = world
            .get::<Target<R>>(entity)
            .expect("the entity has the component")
            .entity();
        assert!(world.contains(target), "targets are alive");
        let sources = world
            .get::<Sources<R>>(target)
            .expect("the other end exists");
        assert!(sources.iter().any(|source| source == entity));
        target
    }
    world.observe(|on: OnInsert<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<ObservedTargets>().0[INDEX].insert(on.entity(), target);
        assert_eq!(old, None);
    });
    world.observe(|on: OnReplace<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<ObservedTargets>().0[INDEX].remove(&on.entity());
        assert_eq!(old, Some(target));
    });
    world.observe(|on: OnRemove<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<ObservedTargets>().0[INDEX].remove(&on.entity());
        assert_eq!(old, Some(target));
    });
}
