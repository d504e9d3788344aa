//! Random operations on a closed world against a plain map: both agree, each value is dropped exactly once, and a panic in a
//! `Drop` leaves the world consistent.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::statics::{StaticWorld, component, system, world};
use ecs_tests::{ARMED, Held, Kept, Ledger, Mark, Plain, Wide};
use proptest::prelude::*;

world! { Model { Plain, Mark, Wide, Kept, Held } }

/// The components of an entity in the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    plain: Option<u32>,
    mark: bool,
    wide: Option<u8>,
    kept: Option<u32>,
    held: Option<u32>,
}

#[derive(Clone, Debug)]
enum Op {
    /// Spawns entities with the components whose bits are set.
    Spawn(u8, u8),
    Despawn(usize),
    Insert(usize, u8, u8),
    Remove(usize, u8),
    Take(usize),
    /// Makes the drop of one of the entity's tokens panic.
    Arm(usize),
    Write(u8),
    Renew,
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let entity = || any::<prop::sample::Index>().prop_map(|index| index.index(200));
    prop_oneof![
        8 => (0..32_u8, 1..40_u8).prop_map(|(kinds, count)| Op::Spawn(kinds, count)),
        8 => entity().prop_map(Op::Despawn),
        8 => (entity(), 0..5_u8, any::<u8>()).prop_map(|(e, kind, value)| Op::Insert(e, kind, value)),
        8 => (entity(), 0..5_u8).prop_map(|(e, kind)| Op::Remove(e, kind)),
        4 => entity().prop_map(Op::Take),
        3 => entity().prop_map(Op::Arm),
        2 => any::<u8>().prop_map(Op::Write),
        2 => Just(Op::Renew),
        1 => Just(Op::Clear),
    ]
}

#[derive(Default)]
struct WorldAndMap {
    world: Model,
    rows: BTreeMap<Entity, Row>,
    /// All ids that were ever allocated, in order.
    issued: Vec<Entity>,
    ledger: Ledger,
}

impl WorldAndMap {
    fn entity(&self, number: usize) -> Option<Entity> {
        let last = self.issued.len().checked_sub(1)?;
        Some(self.issued[last - number.min(last)])
    }

    /// Runs an operation that may drop an armed token; returns its result, or `None` if it panicked.
    fn dropping<R>(&mut self, operation: impl FnOnce(&mut Model) -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(|| operation(&mut self.world))) {
            Ok(result) => Some(result),
            Err(payload) => {
                assert_eq!(payload.downcast_ref::<&str>(), Some(&ARMED));
                None
            }
        }
    }

    fn spawn(&mut self, kinds: u8) {
        let lowest = (0..).find(|index| !self.rows.keys().any(|e| e.index() == *index));
        let entity = self.world.spawn(());
        assert_eq!(Some(entity.index()), lowest, "the lowest free index");
        assert!(
            !self.issued.contains(&entity),
            "{entity} was allocated before"
        );
        self.issued.push(entity);
        self.rows.insert(entity, Row::default());
        for kind in (0..5).filter(|kind| kinds & (1 << kind) != 0) {
            self.insert(entity, kind, kinds);
        }
    }

    fn insert(&mut self, entity: Entity, kind: u8, value: u8) {
        let (kept, held) = (self.ledger.token(), self.ledger.token());
        let (kept_id, held_id) = (kept.id(), held.id());
        let inserted = self.dropping(|world| match kind {
            0 => world.insert(entity, Plain(value.into())),
            1 => world.insert(entity, Mark),
            2 => world.insert(entity, Wide([value; 700])),
            3 => world.insert(entity, Kept(kept)),
            _ => world.insert(entity, Held(held)),
        });
        let row = self.rows.get_mut(&entity);
        assert_eq!(inserted.is_none_or(|result| result.is_ok()), row.is_some());
        let Some(row) = row else { return };
        match kind {
            0 => row.plain = Some(value.into()),
            1 => row.mark = true,
            2 => row.wide = Some(value),
            3 => row.kept = Some(kept_id),
            _ => row.held = Some(held_id),
        }
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::Spawn(kinds, count) => (0..count).for_each(|_| self.spawn(kinds)),
            Op::Despawn(number) => {
                let Some(entity) = self.entity(number) else {
                    return;
                };
                let result = self.dropping(|world| world.despawn(entity));
                let lived = self.rows.remove(&entity).is_some();
                assert_eq!(result.is_none_or(|result| result.is_ok()), lived);
            }
            Op::Insert(number, kind, value) => {
                let Some(entity) = self.entity(number) else {
                    return;
                };
                self.insert(entity, kind, value);
            }
            Op::Remove(number, kind) => {
                let Some(entity) = self.entity(number) else {
                    return;
                };
                let result = self.dropping(|world| match kind {
                    0 => world.remove::<Plain>(entity),
                    1 => world.remove::<Mark>(entity),
                    2 => world.remove::<Wide>(entity),
                    3 => world.remove::<Kept>(entity),
                    _ => world.remove::<Held>(entity),
                });
                let row = self.rows.get_mut(&entity);
                assert_eq!(result.is_none_or(|result| result.is_ok()), row.is_some());
                let Some(row) = row else { return };
                match kind {
                    0 => row.plain = None,
                    1 => row.mark = false,
                    2 => row.wide = None,
                    3 => row.kept = None,
                    _ => row.held = None,
                }
            }
            Op::Take(number) => {
                let Some(entity) = self.entity(number) else {
                    return;
                };
                let taken = self.world.take::<Plain>(entity).ok().map(|plain| plain.0);
                let expected = self.rows.get_mut(&entity).and_then(|row| row.plain.take());
                assert_eq!(taken, expected);
            }
            Op::Arm(number) => {
                // One at a time: a second panic during unwinding aborts.
                if !self.ledger.is_armed()
                    && let Some(row) = self
                        .entity(number)
                        .and_then(|entity| self.rows.get(&entity))
                    && let Some(token) = row.kept.or(row.held)
                {
                    self.ledger.arm(token);
                }
            }
            Op::Write(value) => {
                system!(self.world, |plain: &mut Plain,
                                     wide: Option<&mut Wide>,
                                     _: &Mark| {
                    plain.0 = plain.0.wrapping_add(value.into());
                    if let Some(wide) = wide {
                        wide.0.fill(value);
                    }
                });
                for row in self.rows.values_mut().filter(|row| row.mark) {
                    if let Some(plain) = &mut row.plain {
                        *plain = plain.wrapping_add(value.into());
                        row.wide = row.wide.map(|_| value);
                    }
                }
            }
            Op::Renew => {
                let world = &mut self.world;
                let sum = |world: &Model| {
                    component!(world, Plain)
                        .iter()
                        .fold(0, |s, p| p.0.wrapping_add(s))
                };
                system!(world, |entity, old: Plain| -> Plain {
                    Plain(sum(world) ^ old.0 ^ entity.index())
                });
                let sum = self
                    .rows
                    .values()
                    .filter_map(|row| row.plain)
                    .fold(0, u32::wrapping_add);
                for (entity, row) in &mut self.rows {
                    row.plain = row.plain.map(|old| sum ^ old ^ entity.index());
                }
            }
            Op::Clear => {
                self.dropping(Model::clear);
                self.rows.clear();
            }
        }
    }

    /// Compares the world with the map by every way of access.
    fn compare(&mut self) {
        assert_eq!(self.world.len(), self.rows.len());
        for &entity in &self.issued {
            let row = self.rows.get(&entity).cloned();
            assert_eq!(self.world.contains(entity), row.is_some());
            let row = row.unwrap_or_default();
            assert_eq!(
                self.world.get::<Plain>(entity).map(|plain| plain.0),
                row.plain
            );
            assert_eq!(self.world.has::<Mark>(entity), row.mark);
            assert_eq!(
                self.world.get::<Wide>(entity).map(|wide| wide.0[699]),
                row.wide
            );
            assert_eq!(
                self.world.get::<Kept>(entity).map(|kept| kept.0.id()),
                row.kept
            );
        }
        let mut visited = BTreeMap::new();
        let mut indices = Vec::new();
        system!(
            self.world,
            |entity,
             plain: Option<&Plain>,
             mark: Option<&Mark>,
             wide: Option<&Wide>,
             kept: Option<&Kept>,
             held: Option<&mut Held>| {
                let row = Row {
                    plain: plain.map(|plain| plain.0),
                    mark: mark.is_some(),
                    wide: wide.map(|wide| wide.0[0]),
                    kept: kept.map(|kept| kept.0.id()),
                    held: held.map(|held| held.0.id()),
                };
                indices.push(entity.index());
                visited.insert(entity, row);
            }
        );
        assert_eq!(visited, self.rows);
        assert!(indices.is_sorted());
        let held: BTreeMap<Entity, u32> = component!(self.world, Held)
            .with_entity()
            .map(|(e, held)| (e, held.0.id()))
            .collect();
        let expected = self
            .rows
            .iter()
            .filter_map(|(entity, row)| Some((*entity, row.held?)));
        assert!(held.into_iter().eq(expected));
        let alive: BTreeSet<u32> = self.ledger.alive().into_iter().collect();
        let owned: BTreeSet<u32> = self
            .rows
            .values()
            .flat_map(|row| [row.kept, row.held])
            .flatten()
            .collect();
        assert_eq!(alive, owned, "exactly the values of the world are alive");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_closed_world_agrees_with_a_map(ops in prop::collection::vec(op(), 1..if cfg!(miri) { 12 } else { 60 })) {
        let mut both = WorldAndMap::default();
        for op in &ops {
            both.apply(op);
            both.compare();
        }
        let WorldAndMap { world, ledger, .. } = both;
        // A token may still be armed; the others are dropped even so.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(world)));
        prop_assert_eq!(ledger.alive(), Vec::<u32>::new());
    }
}
