//! The containers of `ecs_core::containers`, without a world: against plain maps, with panicking drops and clones, against
//! the crate `slotmap`, and their memory.

mod arena;
mod generational_vec;
mod memory;
mod panics;
mod peers;
mod sparse_set;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::containers::{Arena, Id};
use ecs_tests::{ARMED, Ledger, Token};
use proptest::prelude::*;

/// A number that can be changed, with a record of its drop.
#[derive(Debug)]
struct Value {
    token: Token,
    number: u64,
}

/// The number and the token of a value.
type Row = (u64, u32);

impl Value {
    fn new(ledger: &Ledger, number: u64) -> Self {
        let token = ledger.token();
        Self { token, number }
    }

    fn row(&self) -> Row {
        (self.number, self.token.id())
    }
}

/// Runs code that may drop an armed token; returns its result, or `None` if it panicked for that reason.
fn dropping<R>(operation: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Ok(result) => Some(result),
        Err(payload) => {
            assert_eq!(payload.downcast_ref::<&str>(), Some(&ARMED));
            None
        }
    }
}

/// A position in a list that may be empty: 0 is the last one.
fn nth<T: Copy>(list: &[T], number: usize) -> Option<T> {
    let last = list.len().checked_sub(1)?;
    Some(list[last - number.min(last)])
}

fn number() -> impl Strategy<Value = usize> {
    any::<prop::sample::Index>().prop_map(|index| index.index(40))
}

#[test]
fn ids_and_optional_ids_have_eight_bytes() {
    assert_eq!((size_of::<Id>(), size_of::<Option<Id>>()), (8, 8));
    assert_eq!(Id::from_bits(7), None, "generation 0");
    assert_eq!(Id::from_bits(1 << 32 | u64::from(u32::MAX)), None);
    let last = Id::from_bits(u64::MAX - 1).unwrap();
    assert_eq!((last.index(), last.generation()), (u32::MAX - 1, u32::MAX));
    assert_eq!(Id::from(ecs_core::Entity::from(last)), last);
    assert!(Arena::from_iter([0]).get(last).is_none());
}

#[test]
fn containers_and_rests_are_as_sendable_as_their_values() {
    fn check<T: Send + Sync>() {}
    check::<ecs_core::containers::Arena<u8>>();
    check::<ecs_core::containers::GenerationalVec<u8>>();
    check::<ecs_core::containers::SparseSet<u8>>();
    check::<ecs_core::containers::Rest<'_, u8>>();
}
