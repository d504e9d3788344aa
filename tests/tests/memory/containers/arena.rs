//! Random operations on an arena against a plain map: both agree, including the issued ids, each value is dropped exactly
//! once, and a panic in a `Drop` leaves the arena consistent.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::containers::{Arena, Id, ManyError, Rest};
use ecs_tests::Ledger;
use proptest::prelude::*;

use crate::containers::{Row, Value, dropping, nth, number};

#[derive(Clone, Debug)]
enum Op {
    Insert(u8),
    Extend(u8),
    Remove(usize),
    /// Makes the drop of a value panic.
    Arm(usize),
    Write(usize, usize),
    WriteMany([usize; 3]),
    /// Splits off one value, another one from the rest, and a third one.
    Split([usize; 3]),
    Retain(u64),
    /// Drains, takes so many values, and drops the others.
    Drain(usize),
    /// Drains, takes so many values, and forgets the iterator.
    Forget(usize),
    Clear,
    Shrink,
}

fn op() -> impl Strategy<Value = Op> {
    let numbers = || [number(), number(), number()];
    prop_oneof![
        8 => any::<u8>().prop_map(Op::Insert),
        2 => (0..9_u8).prop_map(Op::Extend),
        8 => number().prop_map(Op::Remove),
        3 => number().prop_map(Op::Arm),
        4 => (number(), number()).prop_map(|(a, b)| Op::Write(a, b)),
        2 => numbers().prop_map(Op::WriteMany),
        4 => numbers().prop_map(Op::Split),
        2 => (1..6_u64).prop_map(Op::Retain),
        1 => (0..9_usize).prop_map(Op::Drain),
        1 => (0..9_usize).prop_map(Op::Forget),
        1 => Just(Op::Clear),
        1 => Just(Op::Shrink),
    ]
}

#[derive(Default)]
struct ArenaAndMap {
    arena: Arena<Value>,
    rows: BTreeMap<Id, Row>,
    /// All ids that were ever issued, in order.
    issued: Vec<Id>,
    ledger: Ledger,
    /// The token whose drop panics.
    armed: Option<u32>,
}

impl ArenaAndMap {
    /// The lowest index without a value, and the generation after its last one.
    fn next_id(&self) -> (u32, u32) {
        let used: BTreeSet<u32> = self.rows.keys().map(|id| id.index()).collect();
        let index = (0..).find(|index| !used.contains(index)).unwrap();
        let of_index = self.issued.iter().filter(|id| id.index() == index);
        (
            index,
            of_index.map(|id| id.generation()).max().unwrap_or(0) + 1,
        )
    }

    fn record(&mut self, id: Id) {
        assert_eq!((id.index(), id.generation()), self.next_id());
        self.issued.push(id);
        self.rows.insert(id, self.arena[id].row());
    }

    fn id(&self, number: usize) -> Option<Id> {
        nth(&self.issued, number)
    }

    /// Changes a value, in the model too.
    fn write(rows: &mut BTreeMap<Id, Row>, id: Id, value: Option<&mut Value>) {
        assert_eq!(value.as_deref().map(Value::row), rows.get(&id).copied());
        if let Some(value) = value {
            value.number += 1;
            rows.get_mut(&id).unwrap().0 += 1;
        }
    }

    fn run(&mut self, op: Op) {
        match op {
            Op::Insert(number) => {
                let value = Value::new(&self.ledger, number.into());
                let mut given = None;
                let id = self.arena.insert_with(|id| {
                    given = Some(id);
                    value
                });
                assert_eq!(given, Some(id));
                self.record(id);
            }
            Op::Extend(count) => {
                let values = (0..count).map(|number| Value::new(&self.ledger, number.into()));
                self.arena.extend(values);
                let mut new: Vec<Id> = self.arena.ids().collect();
                new.retain(|id| !self.rows.contains_key(id));
                assert_eq!(new.len(), usize::from(count));
                new.into_iter().for_each(|id| self.record(id));
            }
            Op::Remove(number) => {
                let Some(id) = self.id(number) else { return };
                let removed = self.arena.remove(id);
                assert_eq!(removed.as_ref().map(Value::row), self.rows.remove(&id));
                dropping(|| drop(removed));
            }
            Op::Arm(number) => {
                let Some((_, token)) = self.id(number).and_then(|id| self.rows.get(&id)) else {
                    return;
                };
                if !self.ledger.is_armed() {
                    self.ledger.arm(*token);
                    self.armed = Some(*token);
                }
            }
            Op::Write(a, b) => {
                let (Some(a), Some(b)) = (self.id(a), self.id(b)) else {
                    return;
                };
                let (first, second) = self.arena.get_pair_mut(a, b);
                assert!(a != b || second.is_none());
                Self::write(&mut self.rows, a, first);
                if a != b {
                    Self::write(&mut self.rows, b, second);
                }
            }
            Op::WriteMany(numbers) => {
                let ids = numbers.map(|number| self.id(number));
                let [Some(a), Some(b), Some(c)] = ids else {
                    return;
                };
                let ids = [a, b, c];
                match self.arena.get_many_mut(ids) {
                    Ok(values) => {
                        for (id, value) in ids.into_iter().zip(values) {
                            Self::write(&mut self.rows, id, Some(value));
                        }
                    }
                    Err(ManyError::Duplicate { id }) => {
                        assert!(ids.iter().filter(|&&other| other == id).count() > 1);
                    }
                    Err(ManyError::Missing { id }) => assert!(!self.rows.contains_key(&id)),
                }
                let distinct = a != b && b != c && c != a;
                let found = ids.iter().all(|id| self.rows.contains_key(id));
                assert_eq!(self.arena.get_many_mut(ids).is_ok(), distinct && found);
            }
            Op::Split(numbers) => self.split(numbers),
            Op::Retain(divisor) => {
                let keep = |(number, _): Row| number % divisor != 0;
                // Values after a panicking drop are kept.
                let is_stop = |row: Row| !keep(row) && self.armed == Some(row.1);
                let stop = self.rows.iter().find(|(_, row)| is_stop(**row));
                let stop = stop.map(|(id, _)| *id);
                let arena = &mut self.arena;
                dropping(|| arena.retain(|_, value| keep(value.row())));
                let is_behind = |id| stop.is_some_and(|stop| id > stop);
                self.rows.retain(|id, row| keep(*row) || is_behind(*id));
            }
            Op::Drain(taken) => {
                let mut drain = self.arena.drain();
                let rows = std::mem::take(&mut self.rows);
                let values: Vec<(Id, Value)> = drain.by_ref().take(taken).collect();
                assert!(
                    values
                        .iter()
                        .map(|(id, value)| (*id, value.row()))
                        .eq(rows.into_iter().take(taken))
                );
                dropping(|| drop(drain));
                dropping(|| drop(values));
            }
            Op::Forget(taken) => {
                let mut drain = self.arena.drain();
                for (id, value) in drain.by_ref().take(taken) {
                    assert_eq!(self.rows.pop_first(), Some((id, value.row())));
                    dropping(|| drop(value));
                }
                std::mem::forget(drain);
            }
            Op::Clear => {
                dropping(|| self.arena.clear());
                self.rows.clear();
            }
            Op::Shrink => self.arena.shrink_to_fit(),
        }
    }

    /// Splits off three values, nested, and adds 1 to each value of the arena.
    fn split(&mut self, numbers: [usize; 3]) {
        let [Some(a), Some(b), Some(c)] = numbers.map(|number| self.id(number)) else {
            return;
        };
        let issued = &self.issued;
        let mut rows = self.rows.clone();
        let (one, mut rest) = self.arena.split(a);
        assert_eq!(one.as_deref().map(Value::row), rows.remove(&a));
        check_rest(&mut rest, &rows, issued);
        {
            let mut rows = rows.clone();
            let (two, mut rest) = rest.split(b);
            assert_eq!(two.as_deref().map(Value::row), rows.remove(&b));
            check_rest(&mut rest, &rows, issued);
            let (three, mut rest) = rest.split(c);
            assert_eq!(three.as_deref().map(Value::row), rows.remove(&c));
            check_rest(&mut rest, &rows, issued);
            let others = rest.iter_mut().map(|(_, value)| value);
            for value in others.chain(one).chain(two).chain(three) {
                value.number += 1;
            }
        }
        rows.values_mut().for_each(|row| row.0 += 1);
        check_rest(&mut rest, &rows, issued);
        self.rows.values_mut().for_each(|row| row.0 += 1);
    }

    fn check(&self) {
        let Self { arena, rows, .. } = self;
        assert_eq!(
            (arena.len(), arena.is_empty()),
            (rows.len(), rows.is_empty())
        );
        let found = || arena.iter().map(|(id, value)| (id, value.row()));
        assert!(found().eq(rows.iter().map(|(id, row)| (*id, *row))));
        assert!(
            found()
                .rev()
                .eq(rows.iter().rev().map(|(id, row)| (*id, *row)))
        );
        assert_eq!(arena.iter().len(), rows.len());
        assert!(arena.ids().eq(rows.keys().copied()));
        assert!(arena.values().map(Value::row).eq(rows.values().copied()));
        for id in &self.issued {
            assert_eq!(arena.get(*id).map(Value::row), rows.get(id).copied());
            assert_eq!(arena.contains(*id), rows.contains_key(id));
        }
        let mut tokens: Vec<u32> = rows.values().map(|row| row.1).collect();
        tokens.sort_unstable();
        assert_eq!(self.ledger.alive(), tokens);
        assert!(arena.capacity() >= arena.len());
    }
}

fn check_rest(rest: &mut Rest<'_, Value>, rows: &BTreeMap<Id, Row>, issued: &[Id]) {
    let rows_of = || rows.iter().map(|(id, row)| (*id, *row));
    assert!(
        rest.iter()
            .map(|(id, value)| (id, value.row()))
            .eq(rows_of())
    );
    assert!(
        rest.iter_mut()
            .map(|(id, value)| (id, value.row()))
            .eq(rows_of())
    );
    for id in issued {
        assert_eq!(rest.get(*id).map(Value::row), rows.get(id).copied());
        assert_eq!(
            rest.get_mut(*id).map(|value| value.row()),
            rows.get(id).copied()
        );
        assert_eq!(rest.contains(*id), rows.contains_key(id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_map(ops in prop::collection::vec(op(), 1..80)) {
        let mut both = ArenaAndMap::default();
        for op in ops {
            both.run(op);
            if !both.ledger.is_armed() {
                both.armed = None;
            }
            both.check();
        }
        let ArenaAndMap { arena, ledger, .. } = both;
        dropping(|| drop(arena));
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}
