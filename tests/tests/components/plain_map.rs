//! Random operations against a plain map: the world always agrees with the map, drops each value exactly once, keeps its
//! invariants, and survives components whose `Drop` panics.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::query::SortProgress;
use ecs_core::world::Shrunk;
use ecs_tests::{ARMED, Held, Kept, Ledger, Loose, Mark, Plain, Text, Token, Wide};
use proptest::prelude::*;

/// The components of an entity in the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    plain: Option<u32>,
    text: Option<String>,
    mark: bool,
    wide: Option<u8>,
    loose: Option<u64>,
    kept: Option<u32>,
    held: Option<u32>,
}

/// The components of an operation; each kind is a bundle type.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Empty,
    Plain,
    TextKept,
    PlainLoose,
    Tokens,
    WideText,
    All,
}

#[derive(Clone, Debug)]
enum Op {
    Spawn(Kind, u8),
    SpawnBatch(Kind, u8, u8),
    Insert(usize, Kind, u8),
    Replace(usize, u8),
    Remove(usize, Kind),
    Take(usize, Kind),
    Despawn(usize),
    DespawnBatch(Vec<usize>),
    /// Makes the drop of one of the entity's tokens panic.
    Arm(usize),
    Write(u8),
    Reserve,
    Defer(usize, Kind, u8),
    Flush,
    Clear,
    DespawnAll(Test),
    RemoveAll(Test, Kind),
    InsertAll(Test, Kind, u8),
    /// Sorts the rows, all of them or some.
    Sort(Option<u8>),
    /// Gives back unused memory, all of it or one piece.
    Shrink(bool),
}

/// The filter of a bulk operation.
#[derive(Clone, Copy, Debug)]
enum Test {
    Plain,
    NoText,
    Held,
    MarkOrWide,
}

impl Test {
    fn passes(self, row: &Row) -> bool {
        match self {
            Self::Plain => row.plain.is_some(),
            Self::NoText => row.text.is_none(),
            Self::Held => row.held.is_some(),
            Self::MarkOrWide => row.mark || row.wide.is_some(),
        }
    }
}

/// Runs `$operation` with the filter of a test as the type `$filter`.
macro_rules! with_filter {
    ($test:expr, |$filter:ident| $operation:expr) => {
        match $test {
            Test::Plain => {
                type $filter = With<Plain>;
                $operation
            }
            Test::NoText => {
                type $filter = Without<Text>;
                $operation
            }
            Test::Held => {
                type $filter = With<Held>;
                $operation
            }
            Test::MarkOrWide => {
                type $filter = Or<(With<Mark>, With<Wide>)>;
                $operation
            }
        }
    };
}

type All = ((Plain, Text), Mark, Wide, (Loose, (Kept, Held)));

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop::sample::select(vec![
        Empty, Plain, TextKept, PlainLoose, Tokens, WideText, All,
    ])
}

fn test() -> impl Strategy<Value = Test> {
    prop::sample::select(vec![
        Test::Plain,
        Test::NoText,
        Test::Held,
        Test::MarkOrWide,
    ])
}

fn op() -> impl Strategy<Value = Op> {
    let entity = || any::<prop::sample::Index>().prop_map(|index| index.index(64));
    prop_oneof![
        6 => (kind(), any::<u8>()).prop_map(|(k, v)| Op::Spawn(k, v)),
        1 => (kind(), any::<u8>(), 0..20_u8).prop_map(|(k, v, n)| Op::SpawnBatch(k, v, n)),
        6 => (entity(), kind(), any::<u8>()).prop_map(|(e, k, v)| Op::Insert(e, k, v)),
        2 => (entity(), any::<u8>()).prop_map(|(e, v)| Op::Replace(e, v)),
        4 => (entity(), kind()).prop_map(|(e, k)| Op::Remove(e, k)),
        4 => (entity(), kind()).prop_map(|(e, k)| Op::Take(e, k)),
        4 => entity().prop_map(Op::Despawn),
        2 => proptest::collection::vec(entity(), 0..20).prop_map(Op::DespawnBatch),
        3 => entity().prop_map(Op::Arm),
        2 => any::<u8>().prop_map(Op::Write),
        1 => Just(Op::Reserve),
        2 => (entity(), kind(), any::<u8>()).prop_map(|(e, k, v)| Op::Defer(e, k, v)),
        1 => Just(Op::Flush),
        1 => Just(Op::Clear),
        1 => test().prop_map(Op::DespawnAll),
        2 => (test(), kind()).prop_map(|(t, k)| Op::RemoveAll(t, k)),
        2 => (test(), kind(), any::<u8>()).prop_map(|(t, k, v)| Op::InsertAll(t, k, v)),
        2 => prop::option::of(0..8_u8).prop_map(Op::Sort),
        2 => any::<bool>().prop_map(Op::Shrink),
    ]
}

/// A world and its model.
struct Pair {
    world: World,
    rows: BTreeMap<Entity, Row>,
    /// Every id that was ever issued, in order.
    issued: Vec<Entity>,
    ledger: Ledger,
    /// Deferred insertions: an entity and its new components.
    deferred: Vec<(Entity, Row)>,
}

/// Runs `$operation` with the bundle of a kind.
macro_rules! with_bundle {
    ($kind:expr, $value:expr, $ledger:expr, |$bundle:ident| $operation:expr) => {{
        let (value, ledger): (u8, &Ledger) = ($value, $ledger);
        match $kind {
            Kind::Empty => {
                let $bundle = ();
                $operation
            }
            Kind::Plain => {
                let $bundle = Plain(value.into());
                $operation
            }
            Kind::TextKept => {
                let $bundle = (text(value), Kept(ledger.token()));
                $operation
            }
            Kind::PlainLoose => {
                let $bundle = (Plain(value.into()), Loose(value.into()));
                $operation
            }
            Kind::Tokens => {
                let $bundle = (Kept(ledger.token()), Held(ledger.token()), Mark);
                $operation
            }
            Kind::WideText => {
                let $bundle = (Wide([value; 700]), text(value));
                $operation
            }
            Kind::All => {
                let $bundle = all(value, ledger);
                $operation
            }
        }
    }};
}

fn text(value: u8) -> Text {
    Text(format!("text {value}"))
}

fn all(value: u8, ledger: &Ledger) -> All {
    let tokens = (Kept(ledger.token()), Held(ledger.token()));
    (
        (Plain(value.into()), text(value)),
        Mark,
        Wide([value; 700]),
        (Loose(value.into()), tokens),
    )
}

impl Row {
    /// The row of a bundle of the kind; its tokens are numbered from `next_token`.
    fn of(kind: Kind, value: u8, mut next_token: u32) -> Self {
        let mut token = || {
            next_token += 1;
            Some(next_token - 1)
        };
        let (plain, loose, text) = (Some(value.into()), Some(value.into()), Some(text(value).0));
        let none = Self::default();
        match kind {
            Kind::Empty => none,
            Kind::Plain => Self { plain, ..none },
            Kind::TextKept => Self {
                text,
                kept: token(),
                ..none
            },
            Kind::PlainLoose => Self {
                plain,
                loose,
                ..none
            },
            Kind::Tokens => Self {
                kept: token(),
                held: token(),
                mark: true,
                ..none
            },
            Kind::WideText => Self {
                wide: Some(value),
                text,
                ..none
            },
            Kind::All => Self {
                plain,
                text,
                mark: true,
                wide: Some(value),
                loose,
                kept: token(),
                held: token(),
            },
        }
    }

    fn insert(&mut self, new: Self) {
        let Self {
            plain,
            text,
            mark,
            wide,
            loose,
            kept,
            held,
        } = new;
        self.plain = plain.or(self.plain);
        self.text = text.or(self.text.take());
        self.mark |= mark;
        self.wide = wide.or(self.wide);
        self.loose = loose.or(self.loose);
        self.kept = kept.or(self.kept);
        self.held = held.or(self.held);
    }

    fn remove(&mut self, kind: Kind) {
        let gone = Self::of(kind, 0, 0);
        self.plain = self.plain.filter(|_| gone.plain.is_none());
        self.text = self.text.take().filter(|_| gone.text.is_none());
        self.mark &= !gone.mark;
        self.wide = self.wide.filter(|_| gone.wide.is_none());
        self.loose = self.loose.filter(|_| gone.loose.is_none());
        self.kept = self.kept.filter(|_| gone.kept.is_none());
        self.held = self.held.filter(|_| gone.held.is_none());
    }

    fn has_all(&self, kind: Kind) -> bool {
        let mut without = self.clone();
        without.remove(kind);
        let wanted = Self::of(kind, 0, 0);
        let count = |row: &Self| {
            [
                row.plain.is_some(),
                row.text.is_some(),
                row.mark,
                row.wide.is_some(),
                row.loose.is_some(),
                row.kept.is_some(),
                row.held.is_some(),
            ]
            .into_iter()
            .filter(|&has| has)
            .count()
        };
        count(self) - count(&without) == count(&wanted)
    }

    fn tokens(&self) -> impl Iterator<Item = u32> {
        [self.kept, self.held].into_iter().flatten()
    }
}

/// Runs `f` and returns `None` if an armed token panics; resumes any other panic.
fn survive<R>(f: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => Some(result),
        Err(payload) if payload.downcast_ref::<&str>() == Some(&ARMED) => None,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

impl Pair {
    fn new() -> Self {
        Self {
            world: World::new(),
            rows: BTreeMap::new(),
            issued: Vec::new(),
            ledger: Ledger::default(),
            deferred: Vec::new(),
        }
    }

    fn issue(&mut self, entity: Entity, row: Row) {
        assert!(!self.issued.contains(&entity), "{entity} was issued twice");
        let lowest_free = (0..).find(|&index| self.rows.keys().all(|other| other.index() != index));
        assert_eq!(
            Some(entity.index()),
            lowest_free,
            "the lowest free index is preferred"
        );
        self.issued.push(entity);
        self.rows.insert(entity, row);
    }

    /// Returns an issued entity, alive or not.
    fn pick(&self, index: usize) -> Option<Entity> {
        self.issued.get(index % self.issued.len().max(1)).copied()
    }

    /// Returns the number of the next token.
    fn next_token(&self) -> u32 {
        let probe: Token = self.ledger.token();
        probe.id() + 1
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Spawn(kind, value) => {
                let row = Row::of(kind, value, self.next_token());
                let entity =
                    with_bundle!(kind, value, &self.ledger, |bundle| self.world.spawn(bundle));
                self.issue(entity, row);
            }
            Op::SpawnBatch(kind, value, count) => {
                let first = self.next_token();
                let per_row = Row::of(kind, value, 0).tokens().count() as u32;
                let ledger = &self.ledger;
                let ids: Vec<Entity> = match kind {
                    Kind::All => self
                        .world
                        .spawn_batch((0..count).map(|_| all(value, ledger)))
                        .to_vec(),
                    Kind::TextKept => {
                        let bundles = (0..count).map(|_| (text(value), Kept(ledger.token())));
                        self.world.spawn_batch(bundles).to_vec()
                    }
                    _ => self
                        .world
                        .spawn_batch((0..count).map(|_| Plain(value.into())))
                        .to_vec(),
                };
                let kind = if matches!(kind, Kind::All | Kind::TextKept) {
                    kind
                } else {
                    Kind::Plain
                };
                for (i, entity) in (0..).zip(ids) {
                    self.issue(entity, Row::of(kind, value, first + i * per_row));
                }
            }
            Op::Insert(index, kind, value) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let row = Row::of(kind, value, self.next_token());
                let world = &mut self.world;
                let ledger = &self.ledger;
                let result = survive(|| {
                    with_bundle!(kind, value, ledger, |bundle| world.insert(entity, bundle))
                });
                if let Some(result) = result {
                    assert_eq!(result.is_ok(), self.rows.contains_key(&entity));
                }
                if let Some(old) = self.rows.get_mut(&entity) {
                    old.insert(row);
                }
            }
            Op::Replace(index, value) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let old = self.world.replace(entity, Loose(value.into()));
                match self.rows.get_mut(&entity) {
                    Some(row) => {
                        assert_eq!(old.unwrap().map(|loose| loose.0), row.loose);
                        row.loose = Some(value.into());
                    }
                    None => assert!(old.is_err()),
                }
            }
            Op::Remove(index, kind) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let world = &mut self.world;
                let result = survive(|| match kind {
                    Kind::Empty => world.remove::<()>(entity),
                    Kind::Plain => world.remove::<Plain>(entity),
                    Kind::TextKept => world.remove::<(Text, Kept)>(entity),
                    Kind::PlainLoose => world.remove::<(Plain, Loose)>(entity),
                    Kind::Tokens => world.remove::<(Kept, Held, Mark)>(entity),
                    Kind::WideText => world.remove::<(Wide, Text)>(entity),
                    Kind::All => world.remove::<All>(entity),
                });
                if let Some(result) = result {
                    assert_eq!(result.is_ok(), self.rows.contains_key(&entity));
                }
                if let Some(row) = self.rows.get_mut(&entity) {
                    row.remove(kind);
                }
            }
            Op::Take(index, kind) => self.take(index, kind),
            Op::Despawn(index) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let world = &mut self.world;
                if let Some(result) = survive(|| world.despawn(entity)) {
                    assert_eq!(result.is_ok(), self.rows.contains_key(&entity));
                }
                self.rows.remove(&entity);
            }
            Op::DespawnBatch(indices) => {
                let list: Vec<Entity> = indices.iter().filter_map(|&i| self.pick(i)).collect();
                let gone = list
                    .iter()
                    .filter(|entity| self.rows.remove(entity).is_some());
                let gone = gone.count();
                let world = &mut self.world;
                // Nothing is observed, so all are despawned even if a drop panics.
                if let Some(count) = survive(|| world.despawn_batch(list)) {
                    assert_eq!(count, gone);
                }
            }
            Op::Arm(index) => {
                let token = self
                    .pick(index)
                    .and_then(|entity| self.rows.get(&entity)?.tokens().next());
                // A second panic during unwinding would abort, as in a `Vec`.
                if let Some(token) = token
                    && !self.ledger.is_armed()
                {
                    self.ledger.arm(token);
                }
            }
            Op::Write(value) => {
                let (mut plain, loose) =
                    (self.world.view_mut::<Plain>(), self.world.view::<Loose>());
                (&mut plain, &loose)
                    .for_each(|(plain, loose)| plain.0 = loose.0 as u32 + u32::from(value));
                plain
                    .exclude(&loose)
                    .for_each(|plain| assert!(plain.0 < 1 << 16));
                for row in self.rows.values_mut() {
                    if let (Some(plain), Some(loose)) = (&mut row.plain, row.loose) {
                        *plain = loose as u32 + u32::from(value);
                    }
                }
            }
            Op::Reserve => {
                let entity = self.world.reserve_entity();
                self.issue(entity, Row::default());
            }
            Op::Defer(index, kind, value) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let row = Row::of(kind, value, self.next_token());
                let mut queue = ecs_core::world::CommandQueue::new();
                with_bundle!(kind, value, &self.ledger, |bundle| queue.push(
                    move |world: &mut World| {
                        let _ = world.insert(entity, bundle);
                    }
                ));
                self.world.defer(&mut queue);
                self.deferred.push((entity, row));
            }
            Op::Flush => {
                if self.ledger.is_armed() {
                    // The tests of the queue cover which commands a panic drops.
                    return;
                }
                self.world.flush();
                for (entity, row) in self.deferred.drain(..) {
                    if let Some(old) = self.rows.get_mut(&entity) {
                        old.insert(row);
                    }
                }
            }
            // The progress of bulk operations before a panic is unspecified, so none of them panics here.
            Op::DespawnAll(_) | Op::RemoveAll(..) | Op::InsertAll(..) if self.ledger.is_armed() => {
            }
            Op::DespawnAll(test) => {
                with_filter!(test, |Filter| self.world.despawn_all::<Filter>());
                self.rows.retain(|_, row| !test.passes(row));
            }
            Op::RemoveAll(test, kind) => {
                let world = &mut self.world;
                with_filter!(test, |Filter| match kind {
                    Kind::Empty => world.remove_all::<(), Filter>(),
                    Kind::Plain => world.remove_all::<Plain, Filter>(),
                    Kind::TextKept => world.remove_all::<(Text, Kept), Filter>(),
                    Kind::PlainLoose => world.remove_all::<(Plain, Loose), Filter>(),
                    Kind::Tokens => world.remove_all::<(Kept, Held, Mark), Filter>(),
                    Kind::WideText => world.remove_all::<(Wide, Text), Filter>(),
                    Kind::All => world.remove_all::<All, Filter>(),
                });
                for row in self.rows.values_mut().filter(|row| test.passes(row)) {
                    row.remove(kind);
                }
            }
            Op::InsertAll(test, kind, value) => self.insert_all(test, kind, value),
            Op::Clear => {
                let world = &mut self.world;
                survive(|| world.clear());
                self.rows.clear();
            }
            Op::Sort(None) => {
                self.world
                    .sort_rows_by_key::<(Entity, Option<&Loose>), _>(|(entity, loose)| {
                        (loose.map(|loose| loose.0), Reverse(entity.index()))
                    });
            }
            Op::Sort(Some(rows)) => {
                let progress = &mut SortProgress::default();
                self.world
                    .sort_some_rows_by_key::<&Plain, _>(progress, rows.into(), |plain| plain.0);
            }
            Op::Shrink(all) => {
                let budget = if all { Duration::MAX } else { Duration::ZERO };
                let shrunk = self.world.shrink(budget);
                if all {
                    assert_eq!(shrunk, Shrunk::Fully);
                }
            }
        }
    }

    fn insert_all(&mut self, test: Test, kind: Kind, value: u8) {
        let (world, ledger) = (&mut self.world, &self.ledger);
        let next_token = ledger.token().id() + 1;
        let mut made = Vec::new();
        let mut note = |entity| made.push(entity);
        with_filter!(test, |Filter| match kind {
            Kind::Plain => world.insert_all_with::<Filter, _>(|entity| {
                note(entity);
                Plain(value.into())
            }),
            Kind::TextKept => world.insert_all_with::<Filter, _>(|entity| {
                note(entity);
                (text(value), Kept(ledger.token()))
            }),
            Kind::PlainLoose => world.insert_all_with::<Filter, _>(|entity| {
                note(entity);
                (Plain(value.into()), Loose(value.into()))
            }),
            Kind::WideText => world.insert_all_with::<Filter, _>(|entity| {
                note(entity);
                (Wide([value; 700]), text(value))
            }),
            Kind::Empty | Kind::Tokens | Kind::All =>
                world.insert_all_with::<Filter, _>(|entity| {
                    note(entity);
                    all(value, ledger)
                }),
        });
        let kind = if matches!(kind, Kind::Empty | Kind::Tokens) {
            Kind::All
        } else {
            kind
        };
        let passing = self.rows.values().filter(|row| test.passes(row)).count();
        assert_eq!(
            made.len(),
            passing,
            "one bundle for each entity that passes"
        );
        let mut next_token = next_token;
        for entity in made {
            let row = Row::of(kind, value, next_token);
            next_token += row.tokens().count() as u32;
            let old = self.rows.get_mut(&entity).expect("the entity is alive");
            assert!(test.passes(old));
            old.insert(row);
        }
    }

    fn take(&mut self, index: usize, kind: Kind) {
        let Some(entity) = self.pick(index) else {
            return;
        };
        let row = self.rows.get(&entity).cloned();
        let possible = row.as_ref().is_some_and(|row| row.has_all(kind));
        let row = row.unwrap_or_default();
        let world = &mut self.world;
        let taken = survive(|| match kind {
            Kind::Empty => world.take::<()>(entity).is_ok(),
            Kind::Plain => world
                .take::<Plain>(entity)
                .is_ok_and(|plain| Some(plain.0) == row.plain),
            Kind::TextKept => world
                .take::<(Text, Kept)>(entity)
                .is_ok_and(|(text, kept)| {
                    Some(text.0) == row.text && Some(kept.0.id()) == row.kept
                }),
            Kind::PlainLoose => world
                .take::<(Plain, Loose)>(entity)
                .is_ok_and(|(plain, loose)| {
                    Some(plain.0) == row.plain && Some(loose.0) == row.loose
                }),
            Kind::Tokens => {
                world
                    .take::<(Kept, Held, Mark)>(entity)
                    .is_ok_and(|(kept, held, _)| {
                        Some(kept.0.id()) == row.kept && Some(held.0.id()) == row.held
                    })
            }
            Kind::WideText => world
                .take::<(Wide, Text)>(entity)
                .is_ok_and(|(wide, text)| {
                    Some(wide.0[699]) == row.wide && Some(text.0) == row.text
                }),
            Kind::All => world.take::<All>(entity).is_ok(),
        });
        // If `take` panics, the token panicked after the entity had lost its components, so they count as taken.
        assert_eq!(
            taken.unwrap_or(true),
            possible,
            "take {kind:?} from {entity}"
        );
        if possible {
            self.rows
                .get_mut(&entity)
                .expect("the entity was in the model")
                .remove(kind);
        }
    }

    fn check(&self) {
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.rows.len());
        for &entity in &self.issued {
            assert_eq!(
                self.world.contains(entity),
                self.rows.contains_key(&entity),
                "{entity}"
            );
            assert_eq!(
                self.read(entity),
                self.rows.get(&entity).cloned().unwrap_or_default(),
                "{entity}"
            );
        }
        self.check_joins();
        let mut tokens: Vec<u32> = self
            .rows
            .values()
            .chain(self.deferred.iter().map(|(_, row)| row))
            .flat_map(Row::tokens)
            .collect();
        tokens.sort_unstable();
        assert_eq!(
            self.ledger.alive(),
            tokens,
            "exactly the values of the world are alive"
        );
    }

    fn read(&self, entity: Entity) -> Row {
        let world = &self.world;
        Row {
            plain: world.get::<Plain>(entity).map(|plain| plain.0),
            text: world.get::<Text>(entity).map(|text| text.0.clone()),
            mark: world.has::<Mark>(entity),
            wide: world.get::<Wide>(entity).map(|wide| wide.0[0]),
            loose: world.get::<Loose>(entity).map(|loose| loose.0),
            kept: world.get::<Kept>(entity).map(|kept| kept.0.id()),
            held: world.get::<Held>(entity).map(|held| held.0.id()),
        }
    }

    /// Checks that each join visits exactly the entities of the model, once.
    fn check_joins(&self) {
        let world = &self.world;
        let those = |test: &dyn Fn(&Row) -> bool| -> BTreeSet<Entity> {
            self.rows
                .iter()
                .filter(|(_, row)| test(row))
                .map(|(&entity, _)| entity)
                .collect()
        };
        let once = |ids: Vec<Entity>| {
            let set: BTreeSet<Entity> = ids.iter().copied().collect();
            assert_eq!(set.len(), ids.len(), "visited twice");
            set
        };
        let (plain, text, loose) = (
            world.view::<Plain>(),
            world.view::<Text>(),
            world.view::<Loose>(),
        );
        let (kept, held, mark) = (
            world.view::<Kept>(),
            world.view::<Held>(),
            world.view::<Mark>(),
        );
        let joined =
            |ids: Vec<Entity>, test: &dyn Fn(&Row) -> bool| assert_eq!(once(ids), those(test));

        joined((&plain, &text).entities().collect(), &|row| {
            row.plain.is_some() && row.text.is_some()
        });
        joined((&loose, &plain).entities().collect(), &|row| {
            row.plain.is_some() && row.loose.is_some()
        });
        joined((&held, &loose).entities().collect(), &|row| {
            row.held.is_some() && row.loose.is_some()
        });
        joined(
            kept.include(&mark)
                .exclude((&loose, &text))
                .entities()
                .collect(),
            &|row| row.kept.is_some() && row.mark && row.loose.is_none() && row.text.is_none(),
        );
        let mut ids = Vec::new();
        (world.entities(), &text, Some(&held)).for_each(|(entity, _, held)| {
            assert_eq!(held.map(|held| held.0.id()), self.rows[&entity].held);
            ids.push(entity);
        });
        joined(ids, &|row| row.text.is_some());
        joined(
            world
                .query_filtered::<Entity, Or<(With<Held>, With<Wide>)>>()
                .iter()
                .collect(),
            &|row| row.held.is_some() || row.wide.is_some(),
        );
        joined(
            world
                .query_filtered::<(Entity, &Plain), Without<Kept>>()
                .iter()
                .map(|(e, _)| e)
                .collect(),
            &|row| row.plain.is_some() && row.kept.is_none(),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(256),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_world_agrees_with_a_plain_map(ops in prop::collection::vec(op(), 1..if cfg!(miri) { 25 } else { 80 })) {
        let mut pair = Pair::new();
        for op in ops {
            pair.apply(op);
            pair.check();
        }
        let Pair { world, ledger, .. } = pair;
        survive(|| drop(world));
        prop_assert_eq!(ledger.alive(), Vec::<u32>::new(), "dropping the world drops everything, also after a panic");
    }
}
