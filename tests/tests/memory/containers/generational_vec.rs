//! Random operations on a vector by generational id against a plain map: both agree, each value is dropped exactly once, and a
//! panic in a `Drop` leaves the vector consistent.

use std::collections::BTreeMap;

use ecs_core::containers::{GenerationalVec, Id, ManyError};
use ecs_tests::Ledger;
use proptest::prelude::*;

use crate::containers::{Row, Value, dropping};

#[derive(Clone, Debug)]
enum Op {
    Insert(Id, u8),
    Remove(Id),
    /// Makes the drop of a value panic.
    Arm(Id),
    Write(Id, Id),
    Split(Id),
    /// Keeps odd numbers.
    Retain,
    /// Drains, takes so many values, and drops the others.
    Drain(usize),
    Clear,
}

fn id() -> impl Strategy<Value = Id> {
    // Few indices and generations, so that ids meet.
    let bits = (0..8_u64, 1..5_u64).prop_map(|(index, generation)| generation << 32 | index);
    bits.prop_map(|bits| Id::from_bits(bits).unwrap())
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        10 => (id(), any::<u8>()).prop_map(|(id, number)| Op::Insert(id, number)),
        6 => id().prop_map(Op::Remove),
        3 => id().prop_map(Op::Arm),
        4 => (id(), id()).prop_map(|(a, b)| Op::Write(a, b)),
        3 => id().prop_map(Op::Split),
        1 => Just(Op::Retain),
        1 => (0..9_usize).prop_map(Op::Drain),
        1 => Just(Op::Clear),
    ]
}

#[derive(Default)]
struct VecAndMap {
    vec: GenerationalVec<Value>,
    rows: BTreeMap<Id, Row>,
    /// The last generation of each index.
    last: BTreeMap<u32, u32>,
    ledger: Ledger,
    /// The token whose drop panics.
    armed: Option<u32>,
}

impl VecAndMap {
    fn run(&mut self, op: Op) {
        let vec = &mut self.vec;
        match op {
            Op::Insert(id, number) => {
                let value = Value::new(&self.ledger, number.into());
                let row = value.row();
                let last = self.last.entry(id.index()).or_insert(1);
                let result = vec.insert(id, value);
                if id.generation() < *last {
                    let stale = result.unwrap_err();
                    assert_eq!((stale.id, stale.newer.generation()), (id, *last));
                    assert_eq!((stale.newer.index(), stale.value.row()), (id.index(), row));
                    return;
                }
                *last = id.generation();
                let former = self
                    .rows
                    .keys()
                    .find(|other| other.index() == id.index())
                    .copied();
                let former = former.and_then(|id| self.rows.remove(&id));
                let old = result.unwrap();
                assert_eq!(old.as_ref().map(Value::row), former);
                self.rows.insert(id, row);
                dropping(|| drop(old));
            }
            Op::Remove(id) => {
                let removed = vec.remove(id);
                assert_eq!(removed.as_ref().map(Value::row), self.rows.remove(&id));
                dropping(|| drop(removed));
            }
            Op::Arm(id) => {
                if let Some(value) = vec.get(id)
                    && !self.ledger.is_armed()
                {
                    self.ledger.arm(value.token.id());
                    self.armed = Some(value.token.id());
                }
            }
            Op::Write(a, b) => {
                let expected = |id| self.rows.get(&id).copied();
                let (first, second) = vec.get_pair_mut(a, b);
                assert_eq!(first.map(|value| value.row()), expected(a));
                let second_row = second.map(|value| value.row());
                assert_eq!(second_row, expected(b).filter(|_| a != b));
                match vec.get_many_mut([a, b]) {
                    Ok(values) => {
                        assert_eq!(
                            values.each_ref().map(|value| Some(value.row())),
                            [a, b].map(expected)
                        );
                        values.into_iter().for_each(|value| value.number += 1);
                        for id in [a, b] {
                            self.rows.get_mut(&id).unwrap().0 += 1;
                        }
                    }
                    Err(ManyError::Duplicate { id }) => assert!(a == id && b == id),
                    Err(ManyError::Missing { id }) => {
                        assert!(a != b && (id == a || id == b) && expected(id).is_none());
                    }
                }
                if let Some(value) = vec.get_mut(a) {
                    value.number += 1;
                    self.rows.get_mut(&a).unwrap().0 += 1;
                }
            }
            Op::Split(id) => {
                let (one, mut rest) = vec.split(id);
                assert_eq!(one.as_deref().map(Value::row), self.rows.get(&id).copied());
                let others = self.rows.iter().filter(|(other, _)| **other != id);
                assert!(
                    rest.iter()
                        .map(|(id, value)| (id, value.row()))
                        .eq(others.map(|(id, row)| (*id, *row)))
                );
                let others = rest.iter_mut().map(|(_, value)| value);
                others.chain(one).for_each(|value| value.number += 1);
                self.rows.values_mut().for_each(|row| row.0 += 1);
            }
            Op::Retain => {
                let keep = |(number, _): Row| number % 2 == 1;
                let is_stop = |row: Row| !keep(row) && self.armed == Some(row.1);
                let stop = self.rows.iter().find(|(_, row)| is_stop(**row));
                let stop = stop.map(|(id, _)| *id);
                dropping(|| vec.retain(|_, value| keep(value.row())));
                let is_behind = |id| stop.is_some_and(|stop| id > stop);
                self.rows.retain(|id, row| keep(*row) || is_behind(*id));
            }
            Op::Drain(taken) => {
                let mut drain = vec.drain();
                let values: Vec<(Id, Value)> = drain.by_ref().take(taken).collect();
                dropping(|| drop(drain));
                let rows = std::mem::take(&mut self.rows).into_iter().take(taken);
                assert!(values.iter().map(|(id, value)| (*id, value.row())).eq(rows));
                dropping(|| drop(values));
            }
            Op::Clear => {
                dropping(|| vec.clear());
                self.rows.clear();
            }
        }
    }

    fn check(&self) {
        let Self { vec, rows, .. } = self;
        assert_eq!((vec.len(), vec.is_empty()), (rows.len(), rows.is_empty()));
        let found = || vec.iter().map(|(id, value)| (id, value.row()));
        assert!(found().eq(rows.iter().map(|(id, row)| (*id, *row))));
        assert!(
            found()
                .rev()
                .eq(rows.iter().rev().map(|(id, row)| (*id, *row)))
        );
        assert_eq!(vec.iter().len(), rows.len());
        for bits in (0..9).flat_map(|index| (1..6).map(move |generation| generation << 32 | index))
        {
            let id = Id::from_bits(bits).unwrap();
            assert_eq!(vec.get(id).map(Value::row), rows.get(&id).copied());
        }
        let mut tokens: Vec<u32> = rows.values().map(|row| row.1).collect();
        tokens.sort_unstable();
        assert_eq!(self.ledger.alive(), tokens);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_map(ops in prop::collection::vec(op(), 1..80)) {
        let mut both = VecAndMap::default();
        for op in ops {
            both.run(op);
            if !both.ledger.is_armed() {
                both.armed = None;
            }
            both.check();
        }
        let VecAndMap { vec, ledger, .. } = both;
        dropping(|| drop(vec));
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}
