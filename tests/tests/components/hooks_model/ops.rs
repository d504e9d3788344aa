//! The operations.

use proptest::prelude::*;

use crate::hooks_model::bundles::{Kind, Test};
use crate::hooks_model::parts::{COUNT, EVENTS};

/// A structural change that commands can also make.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Spawn(Kind, u32),
    Insert(usize, Kind, u32),
    Remove(usize, Kind),
    Despawn(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Do(Change),
    SpawnBatch(Kind, u32, u8),
    ReplaceA(usize, u32),
    ReplaceC(usize, u32),
    ReplaceG(usize, u32),
    Take(usize, Kind),
    Clear,
    DespawnAll(Test),
    RemoveAll(Test, Kind),
    InsertAll(Test, Kind, u32),
    /// A queue of several commands, applied at once.
    Apply(Vec<Change>),
    /// A command that is deferred in the world.
    Defer(Change),
    Flush,
    Observe(usize, usize),
    Unobserve(usize),
    /// Makes one of the next calls panic, if the next operation makes that many.
    PanicAfter(u8),
}

impl Op {
    /// Returns true if the world first applies its deferred commands.
    pub(crate) fn flushes(&self) -> bool {
        matches!(
            self,
            Self::Clear
                | Self::DespawnAll(_)
                | Self::RemoveAll(..)
                | Self::InsertAll(..)
                | Self::Apply(_)
        )
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop::sample::select(vec![A, B, C, D, F, Ca, Bae, Cd, Ef, G, H, Ag, Gh, All])
}

fn test() -> impl Strategy<Value = Test> {
    prop::sample::select(vec![Test::WithA, Test::WithoutB, Test::WithC, Test::WithG])
}

fn change() -> impl Strategy<Value = Change> {
    let entity = || 0..64_usize;
    let value = || 0..4096_u32;
    prop_oneof![
        4 => (kind(), value()).prop_map(|(kind, value)| Change::Spawn(kind, value)),
        4 => (entity(), kind(), value()).prop_map(|(e, kind, value)| Change::Insert(e, kind, value)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Change::Remove(e, kind)),
        1 => entity().prop_map(Change::Despawn),
    ]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let entity = || 0..64_usize;
    let value = || 0..4096_u32;
    prop_oneof![
        12 => change().prop_map(Op::Do),
        1 => (kind(), value(), 0..5_u8).prop_map(|(kind, value, n)| Op::SpawnBatch(kind, value, n)),
        2 => (entity(), value()).prop_map(|(e, value)| Op::ReplaceA(e, value)),
        2 => (entity(), value()).prop_map(|(e, value)| Op::ReplaceC(e, value)),
        2 => (entity(), value()).prop_map(|(e, value)| Op::ReplaceG(e, value)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Op::Take(e, kind)),
        1 => Just(Op::Clear),
        1 => test().prop_map(Op::DespawnAll),
        1 => (test(), kind()).prop_map(|(test, kind)| Op::RemoveAll(test, kind)),
        2 => (test(), kind(), value()).prop_map(|(test, kind, value)| Op::InsertAll(test, kind, value)),
        2 => prop::collection::vec(change(), 1..5).prop_map(Op::Apply),
        1 => change().prop_map(Op::Defer),
        1 => Just(Op::Flush),
        2 => (0..COUNT, 0..EVENTS.len()).prop_map(|(part, kind)| Op::Observe(part, kind)),
        1 => (0..8_usize).prop_map(Op::Unobserve),
        4 => (0..12_u8).prop_map(Op::PanicAfter),
    ]
}
