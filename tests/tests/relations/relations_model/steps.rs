//! The operations.

use proptest::prelude::*;

use crate::relations_model::relations::TRAPS;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Spawn(Option<(usize, usize)>, bool),
    SpawnBatch(usize, usize),
    SpawnMany(usize, usize),
    Insert(usize, usize, usize),
    InsertBoth(usize, usize, usize),
    Replace(usize, usize, usize),
    Relate(usize, usize, usize),
    Unrelate(usize, usize, usize),
    /// Relates one entity to many new ones, so that a long list of edges grows and shrinks.
    Crowd(usize, usize),
    RemoveOutgoing(usize, usize),
    RemoveSources(usize, usize),
    MoveOutgoing(usize, usize, usize),
    MoveSources(usize, usize, usize),
    Mark(usize),
    Despawn(usize),
    DespawnMarked,
    DespawnFollowers,
    RemoveAll(usize),
    InsertAll(usize),
    Sort(usize, usize),
    MoveTo(usize, usize, usize),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let one = || 0..2_usize;
    let kind = || 0..4_usize;
    let who = || 0..24_usize;
    prop_oneof![
        6 => (prop::option::of((one(), who())), any::<bool>()).prop_map(|(to, mark)| Step::Spawn(to, mark)),
        1 => (one(), who()).prop_map(|(r, t)| Step::SpawnBatch(r, t)),
        1 => (who(), who()).prop_map(|(s, t)| Step::SpawnMany(s, t)),
        4 => (one(), who(), who()).prop_map(|(r, s, t)| Step::Insert(r, s, t)),
        2 => (one(), who(), who()).prop_map(|(r, s, t)| Step::InsertBoth(r, s, t)),
        1 => (one(), who(), who()).prop_map(|(r, s, t)| Step::Replace(r, s, t)),
        12 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::Relate(r, s, t)),
        3 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::Unrelate(r, s, t)),
        1 => (kind(), who()).prop_map(|(r, e)| Step::Crowd(r, e)),
        2 => (kind(), who()).prop_map(|(r, s)| Step::RemoveOutgoing(r, s)),
        1 => (kind(), who()).prop_map(|(r, t)| Step::RemoveSources(r, t)),
        2 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::MoveOutgoing(r, s, t)),
        4 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::MoveSources(r, s, t)),
        2 => who().prop_map(Step::Mark),
        2 => who().prop_map(Step::Despawn),
        1 => Just(Step::DespawnMarked),
        1 => Just(Step::DespawnFollowers),
        1 => kind().prop_map(Step::RemoveAll),
        1 => who().prop_map(Step::InsertAll),
        1 => (kind(), who()).prop_map(|(r, t)| Step::Sort(r, t)),
        1 => (kind(), who(), who()).prop_map(|(r, t, s)| Step::MoveTo(r, t, s)),
        1 => Just(Step::Clear),
    ]
}

#[derive(Clone, Debug)]
pub(crate) enum Act {
    Call(Step),
    Queue(Vec<Step>),
    /// A step with a trap set.
    Trapped(Step, usize),
}

pub(crate) fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => step().prop_map(Act::Call),
        3 => prop::collection::vec(step(), 1..6).prop_map(Act::Queue),
        4 => (step(), 0..TRAPS.len()).prop_map(|(step, trap)| Act::Trapped(step, trap)),
    ]
}
