//! Random operations on a sparse set against a list of keys and values: both agree, including the order, each value is
//! dropped exactly once, and a panic in a `Drop` or a closure leaves the set consistent.

use ecs_core::containers::SparseSet;
use ecs_tests::Ledger;
use proptest::prelude::*;

use crate::containers::{Row, Value, dropping};

#[derive(Clone, Debug)]
enum Op {
    Insert(u32, u8),
    Remove(u32),
    /// Makes the drop of a value panic.
    Arm(u32),
    Write,
    Sort(u64),
    Retain(u64),
    /// Panics in the closure of `retain` at a position.
    PanicInRetain(usize),
    /// Drains, takes so many values, and drops the others.
    Drain(usize),
    Clear,
    Shrink,
}

fn key() -> impl Strategy<Value = u32> {
    // Also around the ends of pages.
    prop_oneof![0..12_u32, 1020..1028_u32, 1_000_000..1_000_002_u32]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        12 => (key(), any::<u8>()).prop_map(|(key, number)| Op::Insert(key, number)),
        8 => key().prop_map(Op::Remove),
        3 => key().prop_map(Op::Arm),
        2 => Just(Op::Write),
        3 => (1..300_u64).prop_map(Op::Sort),
        2 => (2..6_u64).prop_map(Op::Retain),
        1 => (0..20_usize).prop_map(Op::PanicInRetain),
        1 => (0..9_usize).prop_map(Op::Drain),
        1 => Just(Op::Clear),
        2 => Just(Op::Shrink),
    ]
}

#[derive(Default)]
struct SetAndList {
    set: SparseSet<Value>,
    rows: Vec<(u32, Row)>,
    ledger: Ledger,
}

impl SetAndList {
    fn position(&self, key: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.0 == key)
    }

    fn run(&mut self, op: Op) {
        let set = &mut self.set;
        match op {
            Op::Insert(key, number) => {
                let value = Value::new(&self.ledger, number.into());
                let row = value.row();
                let old = set.insert(key, value);
                let position = self.position(key);
                assert_eq!(
                    old.as_ref().map(Value::row),
                    position.map(|at| self.rows[at].1)
                );
                match position {
                    Some(position) => self.rows[position].1 = row,
                    None => self.rows.push((key, row)),
                }
                dropping(|| drop(old));
            }
            Op::Remove(key) => {
                let removed = set.remove(key);
                let position = self.position(key);
                let expected = position.map(|position| self.rows.swap_remove(position).1);
                assert_eq!(removed.as_ref().map(Value::row), expected);
                dropping(|| drop(removed));
            }
            Op::Arm(key) => {
                if let Some(value) = set.get(key)
                    && !self.ledger.is_armed()
                {
                    self.ledger.arm(value.token.id());
                }
            }
            Op::Write => {
                set.values_mut()
                    .iter_mut()
                    .for_each(|value| value.number += 1);
                set.iter_mut()
                    .for_each(|(key, value)| value.number += u64::from(key));
                for (key, row) in &mut self.rows {
                    row.0 += 1 + u64::from(*key);
                }
            }
            Op::Sort(divisor) => {
                // Many equal keys: the order of the others stays.
                set.sort_by_key(|_, value| value.number % divisor);
                self.rows.sort_by_key(|(_, row)| row.0 % divisor);
            }
            Op::Retain(divisor) => {
                dropping(|| set.retain(|_, value| value.number % divisor != 0));
                self.rows.retain(|(_, row)| row.0 % divisor != 0);
            }
            Op::PanicInRetain(at) => {
                let mut count = 0;
                dropping(|| {
                    set.retain(|_, value| {
                        count += 1;
                        if count > at {
                            std::panic::panic_any(ecs_tests::ARMED);
                        }
                        value.number % 2 == 0
                    });
                });
                if at < self.rows.len() {
                    // In any order.
                    let order = self.set.keys();
                    self.rows
                        .sort_by_key(|row| order.iter().position(|&key| key == row.0));
                } else {
                    self.rows.retain(|(_, row)| row.0 % 2 == 0);
                }
            }
            Op::Drain(taken) => {
                let mut drain = set.drain();
                let values: Vec<(u32, Value)> = drain.by_ref().take(taken).collect();
                dropping(|| drop(drain));
                let rows = values.iter().map(|(key, value)| (*key, value.row()));
                assert!(rows.eq(self.rows.drain(..).take(taken)));
                dropping(|| drop(values));
            }
            Op::Clear => {
                dropping(|| set.clear());
                self.rows.clear();
            }
            Op::Shrink => set.shrink_to_fit(),
        }
    }

    fn check(&self) {
        let Self { set, rows, .. } = self;
        assert_eq!((set.len(), set.is_empty()), (rows.len(), rows.is_empty()));
        assert!(
            set.iter()
                .map(|(key, value)| (key, value.row()))
                .eq(rows.iter().copied())
        );
        assert!(set.keys().iter().eq(rows.iter().map(|(key, _)| key)));
        assert!(
            set.values()
                .iter()
                .map(Value::row)
                .eq(rows.iter().map(|(_, row)| *row))
        );
        let keys = (0..13)
            .chain(1019..1029)
            .chain(999_999..1_000_003)
            .chain([u32::MAX]);
        for key in keys {
            let expected = self.position(key).map(|position| rows[position].1);
            assert_eq!(set.get(key).map(Value::row), expected);
            assert_eq!(set.contains(key), expected.is_some());
        }
        let mut tokens: Vec<u32> = rows.iter().map(|(_, row)| row.1).collect();
        tokens.sort_unstable();
        assert_eq!(self.ledger.alive(), tokens);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_list(ops in prop::collection::vec(op(), 1..80)) {
        let mut both = SetAndList::default();
        for op in ops {
            both.run(op);
            both.check();
        }
        let SetAndList { set, ledger, .. } = both;
        dropping(|| drop(set));
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}

#[test]
fn any_key_can_be_used() {
    let mut set = SparseSet::from_iter([(u32::MAX, 'z'), (0, 'a')]);
    assert_eq!((set[u32::MAX], set[0]), ('z', 'a'));
    assert_eq!(set.insert(u32::MAX, 'y'), Some('z'));
    assert_eq!(set.remove(u32::MAX), Some('y'));
    assert_eq!(set.keys(), [0]);
}

#[test]
fn a_long_cycle_is_sorted() {
    let mut set = SparseSet::from_iter((0..10_000).map(|key| (key, u64::from(key))));
    set.sort_by_key(|key, _| (key + 1) % 10_000);
    assert!(
        set.keys()
            .iter()
            .copied()
            .eq([9_999].into_iter().chain(0..9_999))
    );
    set.sort_by_key(|key, _| std::cmp::Reverse(key));
    assert!(
        set.iter()
            .map(|(key, value)| (u64::from(key), *value))
            .eq((0..10_000).rev().map(|n| (n, n)))
    );
    assert!((0..10_000).all(|key| set[key] == u64::from(key)));
}

#[test]
fn equal_values_keep_their_order() {
    let mut set = SparseSet::from_iter((0..1000).map(|key| (key, key % 3)));
    set.sort_by_key(|_, &value| value);
    let expected = (0..3).flat_map(|value| (value..1000).step_by(3));
    assert!(set.keys().iter().copied().eq(expected));
    assert!(set.iter().all(|(key, &value)| value == key % 3));
}
