//! The same random operations on an arena and on the maps of the crate `slotmap`.

use ecs_core::containers::{Arena, GenerationalVec, Id, SparseSet};
use proptest::prelude::*;
use slotmap::{DefaultKey, Key, SecondaryMap, SlotMap, SparseSecondaryMap};

use crate::containers::{nth, number};

#[derive(Clone, Debug)]
enum Op {
    Insert(u32),
    Remove(usize),
    Add(usize, u32),
    Swap(usize, usize),
    Many([usize; 3]),
    Retain(u32),
    Clear,
    /// Inserts a value beside the value of an id, if that is alive.
    Attach(usize, u32),
    Detach(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        10 => any::<u32>().prop_map(Op::Insert),
        6 => number().prop_map(Op::Remove),
        3 => (number(), any::<u32>()).prop_map(|(at, by)| Op::Add(at, by)),
        3 => (number(), number()).prop_map(|(a, b)| Op::Swap(a, b)),
        2 => [number(), number(), number()].prop_map(Op::Many),
        1 => (2..5_u32).prop_map(Op::Retain),
        1 => Just(Op::Clear),
        8 => (number(), any::<u32>()).prop_map(|(at, value)| Op::Attach(at, value)),
        3 => number().prop_map(Op::Detach),
    ]
}

/// Returns the key of another crate as an id: it has an index and a generation, too.
fn foreign(key: DefaultKey) -> Id {
    Id::from_bits(key.data().as_ffi()).unwrap()
}

#[derive(Default)]
struct Both {
    arena: Arena<u32>,
    beside: GenerationalVec<u32>,
    by_index: SparseSet<u32>,
    map: SlotMap<DefaultKey, u32>,
    map_beside: SecondaryMap<DefaultKey, u32>,
    map_by_index: SparseSecondaryMap<DefaultKey, u32>,
    /// All ids that were ever issued, in order.
    issued: Vec<(Id, DefaultKey)>,
}

impl Both {
    fn run(&mut self, op: Op) {
        let find = |number| nth(&self.issued, number);
        match op {
            Op::Insert(value) => {
                let issued = (self.arena.insert(value), self.map.insert(value));
                self.issued.push(issued);
            }
            Op::Remove(at) => {
                let Some((id, key)) = find(at) else { return };
                let removed = self.arena.remove(id);
                assert_eq!(removed, self.map.remove(key));
                if removed.is_some() {
                    self.detach_removed();
                }
            }
            Op::Add(at, by) => {
                let Some((id, key)) = find(at) else { return };
                let values = (self.arena.get_mut(id), self.map.get_mut(key));
                if let (Some(ours), Some(theirs)) = values {
                    *ours = ours.wrapping_add(by);
                    *theirs = theirs.wrapping_add(by);
                }
            }
            Op::Swap(a, b) => {
                let (Some(a), Some(b)) = (find(a), find(b)) else {
                    return;
                };
                let theirs = self.map.get_disjoint_mut([a.1, b.1]);
                let ours = self.arena.get_pair_mut(a.0, b.0);
                assert_eq!(ours.0.is_some() && ours.1.is_some(), theirs.is_some());
                if let ((Some(a), Some(b)), Some([c, d])) = (ours, theirs) {
                    std::mem::swap(a, b);
                    std::mem::swap(c, d);
                }
            }
            Op::Many(numbers) => {
                let [Some(a), Some(b), Some(c)] = numbers.map(find) else {
                    return;
                };
                let ours = self.arena.get_many_mut([a.0, b.0, c.0]);
                assert_eq!(ours.ok(), self.map.get_disjoint_mut([a.1, b.1, c.1]));
            }
            Op::Retain(divisor) => {
                self.arena.retain(|_, value| *value % divisor != 0);
                self.map.retain(|_, value| *value % divisor != 0);
                self.detach_removed();
            }
            Op::Clear => {
                self.arena.clear();
                self.map.clear();
                self.detach_removed();
            }
            Op::Attach(at, value) => {
                let Some((id, key)) = find(at) else { return };
                if !self.arena.contains(id) {
                    return;
                }
                let old = self.map_beside.insert(key, value);
                assert_eq!(self.beside.insert(foreign(key), value).unwrap(), old);
                assert_eq!(self.map_by_index.insert(key, value), old);
                assert_eq!(self.by_index.insert(id.index(), value), old);
            }
            Op::Detach(at) => {
                let Some((id, key)) = find(at) else { return };
                let old = self.map_beside.remove(key);
                assert_eq!(self.beside.remove(foreign(key)), old);
                assert_eq!(self.map_by_index.remove(key), old);
                if old.is_some() {
                    assert_eq!(self.by_index.remove(id.index()), old);
                }
            }
        }
    }

    /// Removes the values beside removed ones.
    fn detach_removed(&mut self) {
        let map = &self.map;
        self.map_beside.retain(|key, _| map.contains_key(key));
        self.map_by_index.retain(|key, _| map.contains_key(key));
        let alive: Vec<Id> = map.keys().map(foreign).collect();
        self.beside.retain(|id, _| alive.contains(&id));
        let indices: Vec<u32> = self.arena.ids().map(Id::index).collect();
        self.by_index.retain(|index, _| indices.contains(&index));
    }

    fn check(&self) {
        assert_eq!(self.arena.len(), self.map.len());
        assert_eq!(self.beside.len(), self.map_beside.len());
        assert_eq!(self.by_index.len(), self.map_by_index.len());
        for &(id, key) in &self.issued {
            assert_eq!(self.arena.get(id), self.map.get(key));
            assert_eq!(self.beside.get(foreign(key)), self.map_beside.get(key));
            if self.arena.contains(id) {
                assert_eq!(self.by_index.get(id.index()), self.map_by_index.get(key));
            }
        }
        let sorted = |values: &mut dyn Iterator<Item = u32>| {
            let mut values: Vec<u32> = values.collect();
            values.sort_unstable();
            values
        };
        assert_eq!(
            sorted(&mut self.arena.values().copied()),
            sorted(&mut self.map.values().copied())
        );
        assert_eq!(
            sorted(&mut self.by_index.values().iter().copied()),
            sorted(&mut self.map_by_index.values().copied())
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agree_with_slotmap(ops in prop::collection::vec(op(), 1..120)) {
        let mut both = Both::default();
        for op in ops {
            both.run(op);
            both.check();
        }
    }
}
