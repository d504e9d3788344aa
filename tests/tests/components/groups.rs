//! Groups of sparse components: refused layouts, joins, and a property test of the packing against a plain model.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::join::NotGrouped;
use ecs_core::prelude::*;
use ecs_core::world::LayoutError;
use ecs_core::{CommandQueue, Layout, Tick};
use ecs_tests::{ARMED, Ledger, Token};
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct A(u32);

#[derive(Component, Debug)]
#[component(storage = "sparse")]
struct B(Token);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct C(String);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct D([u64; 5]);

#[derive(Component, Clone, Debug, PartialEq)]
struct InTable(u8);

/// A component in no group.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Alone(u32);

fn three() -> World {
    World::builder()
        .group::<(A, D)>()
        .group::<(A, D, C)>()
        .build()
}

fn d(value: u64) -> D {
    D([value; 5])
}

fn c(text: &str) -> C {
    C(text.to_owned())
}

#[test]
fn overlapping_groups_are_refused_by_name() {
    let layout = || World::builder().group::<(A, D)>().group::<(D, C)>();
    let error = layout().try_build().unwrap_err();
    let LayoutError::Overlap { one, other, shared } = error else {
        panic!("{error}")
    };
    assert!(one.contains("A") && other.contains("C") && shared.ends_with("D"));
    let message = error.to_string();
    assert!(
        message.contains(one) && message.contains(other),
        "{message}"
    );
    let panic = catch_unwind(|| layout().build()).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&message));
}

#[test]
fn a_component_is_in_a_group_once() {
    let error = World::builder()
        .group::<(A, D, A)>()
        .try_build()
        .unwrap_err();
    let LayoutError::Duplicate { component, .. } = error else {
        panic!("{error}")
    };
    assert!(component.ends_with("A"));
    assert!(error.to_string().contains("twice"));
}

#[test]
fn a_refused_layout_changes_nothing() {
    let mut world = three();
    world.spawn((A(1), d(1)));
    let refused = Layout::new().group::<(A, C)>().group::<(A, D)>();
    assert!(world.set_layout(&refused).is_err());
    assert_eq!((&world.view::<A>(), &world.view::<D>()).slices().0, [A(1)]);
}

#[test]
fn nested_disjoint_and_repeated_groups_are_accepted() {
    let world = World::builder()
        .group::<(A, D)>()
        .group::<(D, A)>()
        .group::<(B, Alone)>()
        .group::<(C, A, D)>()
        .group::<(A, D)>()
        .build();
    world.check_invariants();
}

#[test]
fn slices_hold_exactly_the_entities_with_all_members_in_one_order() {
    let mut world = three();
    world.spawn(A(0));
    let one = world.spawn((A(1), d(1)));
    world.spawn(d(9));
    let two = world.spawn((A(2), d(2), c("two")));
    let (a, mut d) = (world.view::<A>(), world.view_mut::<D>());
    let (ids, (first, second)) = (&a, &mut d).with_entity().slices();
    assert_eq!(ids, [two, one], "the larger group comes first");
    assert_eq!(first, [A(2), A(1)]);
    second[1].0[0] = 7;
    assert_eq!(d.get(one).unwrap().0[0], 7);
    let c = world.view::<C>();
    let (a, d, c) = (&a, &d, &c).slices();
    assert_eq!((a.len(), d.len(), &*c[0].0), (1, 1, "two"));
}

#[test]
fn tracked_members_note_changes_through_slices() {
    let mut world = three();
    let [x, y] = ["x", "y"].map(|text| world.spawn((A(0), d(0), c(text))));
    let tick = world.tick();
    {
        let (a, d, mut text) = (world.view::<A>(), world.view::<D>(), world.view_mut::<C>());
        let (_, _, mut texts) = (&a, &d, &mut text).slices();
        texts.get_mut(1).unwrap().0.push('!');
    }
    let text = world.view::<C>().since(tick);
    assert!(!text.is_changed(x) && text.is_changed(y));
    assert_eq!(text.get(y).unwrap().0, "y!");
}

#[test]
fn members_that_are_no_group_have_no_slices() {
    let mut world = three();
    world.spawn((A(1), d(1), c("c"), Alone(1)));
    let (a, c, alone) = (world.view::<A>(), world.view::<C>(), world.view::<Alone>());
    let error: NotGrouped = (&a, &c).try_slices().unwrap_err();
    assert!(error.to_string().contains("::A") && error.to_string().contains("World::builder()"));
    assert!((&alone, &a).try_slices().is_err());
    assert!((&a, &world.view::<D>(), &alone).try_slices().is_err());
    assert!((&alone, &a, &world.view::<D>()).try_slices().is_err());
    let panic = catch_unwind(AssertUnwindSafe(|| (&a, &c).slices())).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&error.to_string()));
    assert!(catch_unwind(AssertUnwindSafe(|| (&a, &c).chunks().count())).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| (&a, &c).par_chunks(|_| ()))).is_err());
}

#[test]
fn a_component_alone_is_a_slice_without_a_group() {
    let mut world = World::new();
    assert!(
        (&world.view::<Alone>(),).slices().0.is_empty(),
        "not registered"
    );
    assert!(
        (&mut world.view_mut::<C>())
            .try_slices()
            .unwrap()
            .is_empty()
    );
    assert!(
        (&world.view::<Alone>(), &world.view::<A>())
            .try_slices()
            .is_err()
    );
    let e = world.spawn(Alone(3));
    let alone = world.view::<Alone>();
    assert_eq!(alone.with_entity().slices(), (&[e][..], &[Alone(3)][..]));
    assert_eq!((&alone, &alone).slices().1, [Alone(3)]);
    assert_eq!((world.entities(), &alone).slices().0, [e]);
}

#[test]
fn a_member_named_twice_counts_once() {
    let mut world = three();
    world.spawn(A(1));
    world.spawn((A(2), d(2)));
    let (a, d) = (world.view::<A>(), world.view::<D>());
    assert_eq!((&a, &a).slices().0.len(), 2);
    assert_eq!((&a, &d, &a).slices().2, [A(2)]);
}

#[test]
fn include_and_exclude_of_group_members_stay_slices() {
    let mut world = three();
    world.spawn((A(1), d(1)));
    world.spawn((A(2), d(2), c("two")));
    world.spawn((A(3), d(3), Alone(0)));
    world.spawn(A(4));
    let (a, d, c, alone) = (
        world.view::<A>(),
        world.view::<D>(),
        world.view::<C>(),
        world.view::<Alone>(),
    );
    assert_eq!(a.include(&d).slices(), [A(2), A(1), A(3)]);
    assert_eq!(a.exclude(&d).slices(), [A(4)]);
    assert_eq!((&a, &d).include(&c).slices().0, [A(2)]);
    assert_eq!((&a, &d).exclude(&c).slices().0, [A(1), A(3)]);
    assert!((&a, &d).exclude(&c).include(&c).slices().0.is_empty());
    assert!((&a, &d).exclude(&alone).try_slices().is_err());
    assert!((&a, &d).exclude((&c, &alone)).try_slices().is_err());
    let values: Vec<u32> = (&a, &d)
        .exclude((&c, &alone))
        .iter()
        .map(|(a, _)| a.0)
        .collect();
    assert_eq!(values, [1]);
}

#[test]
fn queries_walk_groups_too() {
    let mut world = three();
    world.spawn((A(1), d(1)));
    world.spawn((A(2), d(2), c("two")));
    let mut query = world.query::<(&mut A, &D)>();
    let pieces: Vec<usize> = query.chunks_mut().map(|(a, _)| a.len()).collect();
    assert_eq!(pieces, [2]);
    query.for_each(|(a, d)| a.0 += d.0[0] as u32);
    assert_eq!(query.iter().map(|(a, _)| a.0).sum::<u32>(), 6);
    drop(query);
    let with = world.query_filtered::<&A, (With<D>, Without<C>)>();
    assert_eq!(with.iter().collect::<Vec<_>>(), [&A(2)]);
}

#[test]
#[cfg_attr(
    miri,
    ignore = "the thread pool casts integers to pointers, and is slow"
)]
fn a_parallel_loop_visits_each_entity_of_a_range_once() {
    let mut world = three();
    for i in 0..5_000 {
        world.spawn((A(i), d(0)));
        if i % 3 == 0 {
            world.spawn((A(i), d(0), c("")));
        }
    }
    let (a, mut d, c) = (world.view::<A>(), world.view_mut::<D>(), world.view::<C>());
    (&a, &mut d)
        .exclude(&c)
        .par_for_each_min(1, |(a, d)| d.0[0] += u64::from(a.0) + 1);
    (&a, &mut d)
        .exclude(&c)
        .par_chunks_min(1, |(_, d)| d.iter_mut().for_each(|d| d.0[1] += 1));
    (&a, &d, Some(&c)).for_each(|(a, d, c)| {
        let expected = if c.is_some() {
            [0; 2]
        } else {
            [u64::from(a.0) + 1, 1]
        };
        assert_eq!(d.0[..2], expected);
    });
}

#[test]
fn one_and_the_rest_work_in_groups() {
    let mut world = three();
    let ids: Vec<Entity> = (0..5).map(|i| world.spawn((A(i), d(0)))).collect();
    let (a, mut d) = (world.view::<A>(), world.view_mut::<D>());
    let ((_, one), mut rest) = (&a, &mut d).split(ids[2]).unwrap();
    rest.for_each(|(a, d)| {
        one.0[0] += u64::from(a.0);
        d.0[0] = 1;
    });
    assert_eq!(one.0[0], 8);
    (&a, &mut d).for_each_with_rest(|(_, one), rest| one.0[1] = rest.iter().count() as u64);
    assert!((&a, &d).iter().all(|(_, d)| d.0[1] == 4));
}

#[test]
fn entities_that_commands_despawn_in_a_row_leave_their_groups() {
    let mut world = World::builder().group::<(A, D)>().build();
    let ids: Vec<Entity> = (0..6).map(|i| world.spawn((A(i), d(0)))).collect();
    let mut queue = CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    ids[1..4].iter().for_each(|&id| commands.despawn(id));
    queue.apply(&mut world);
    world.check_invariants();
    let left = (&world.view::<A>(), &world.view::<D>()).slices().0.to_vec();
    assert_eq!(left, [A(0), A(5), A(4)]);
}

/// The components of an entity in the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    a: Option<u32>,
    b: Option<u32>,
    c: Option<String>,
    d: Option<u64>,
    table: Option<u8>,
}

/// A component or bundle of the model.
trait Part: Bundle {
    fn make(value: u8, ledger: &Ledger) -> Self;
    fn note(row: &mut Row, value: u8, ledger: &mut dyn FnMut() -> u32);
    fn remove(row: &mut Row);
    fn has(row: &Row) -> bool;
}

macro_rules! part {
    ($component:ty, $field:ident, |$value:ident, $ledger:ident| $make:expr, |$token:ident| $note:expr) => {
        impl Part for $component {
            fn make($value: u8, $ledger: &Ledger) -> Self {
                let _ = ($value, $ledger);
                $make
            }

            fn note(row: &mut Row, $value: u8, $token: &mut dyn FnMut() -> u32) {
                let _ = ($value, &$token);
                row.$field = Some($note);
            }

            fn remove(row: &mut Row) {
                row.$field = None;
            }

            fn has(row: &Row) -> bool {
                row.$field.is_some()
            }
        }
    };
}

part!(A, a, |value, ledger| Self(value.into()), |token| value
    .into());
part!(B, b, |value, ledger| Self(ledger.token()), |token| token());
part!(C, c, |value, ledger| c(&value.to_string()), |token| value
    .to_string());
part!(D, d, |value, ledger| d(value.into()), |token| value.into());
part!(InTable, table, |value, ledger| Self(value), |token| value);

macro_rules! parts {
    ($($name:ident),+) => {
        impl<$($name: Part),+> Part for ($($name,)+) {
            fn make(value: u8, ledger: &Ledger) -> Self {
                ($($name::make(value, ledger),)+)
            }

            fn note(row: &mut Row, value: u8, token: &mut dyn FnMut() -> u32) {
                $($name::note(row, value, token);)+
            }

            fn remove(row: &mut Row) {
                $($name::remove(row);)+
            }

            fn has(row: &Row) -> bool {
                $($name::has(row))&&+
            }
        }
    };
}

parts!(X, Y);
parts!(X, Y, Z);
parts!(X, Y, Z, W);

/// The components of an operation.
#[derive(Clone, Copy, Debug)]
enum Kind {
    A,
    B,
    C,
    D,
    Table,
    Ba,
    Ad,
    Cd,
    Cab,
    All,
}

/// Runs `$operation` with the bundle type of a kind as `$bundle`.
macro_rules! with_kind {
    ($kind:expr, $bundle:ident, $operation:expr) => {
        with_kind!($kind, $bundle, $operation; A A, B B, C C, D D, Table InTable, Ba (B, A), Ad (A, D), Cd (C, D), Cab (C, A, B), All (InTable, B, (D, C), A))
    };
    ($kind:expr, $bundle:ident, $operation:expr; $($name:ident $type:ty),+) => {
        match $kind {
            $(Kind::$name => {
                type $bundle = $type;
                $operation
            })+
        }
    };
}

#[derive(Clone, Debug)]
enum Op {
    Spawn(Kind, u8),
    SpawnBatch(Kind, u8, u8),
    Insert(usize, Kind, u8),
    Commands(Change, Vec<usize>, Kind, u8),
    Remove(usize, Kind),
    Take(usize, Kind),
    Despawn(usize),
    Arm(usize),
    Write(u8),
    SetLayout(usize),
    Clear,
    DespawnAll(Kind),
    RemoveAll(Kind, Kind),
    InsertAll(Kind, Kind, u8),
}

/// A change of several entities by consecutive commands.
#[derive(Clone, Copy, Debug)]
enum Change {
    Spawn,
    Insert,
    Remove,
    Despawn,
}

fn op() -> impl Strategy<Value = Op> {
    let change = {
        use Change::*;
        prop::sample::select(vec![Spawn, Insert, Remove, Despawn])
    };
    let entity = || any::<prop::sample::Index>().prop_map(|index| index.index(64));
    let kind = || {
        use Kind::*;
        prop::sample::select(vec![A, B, C, D, Table, Ba, Ad, Cd, Cab, All])
    };
    prop_oneof![
        6 => (kind(), any::<u8>()).prop_map(|(k, v)| Op::Spawn(k, v)),
        1 => (kind(), any::<u8>(), 0..9_u8).prop_map(|(k, v, n)| Op::SpawnBatch(k, v, n)),
        12 => (entity(), kind(), any::<u8>()).prop_map(|(e, k, v)| Op::Insert(e, k, v)),
        4 => (change, prop::collection::vec(entity(), 1..5), kind(), any::<u8>())
            .prop_map(|(c, e, k, v)| Op::Commands(c, e, k, v)),
        6 => (entity(), kind()).prop_map(|(e, k)| Op::Remove(e, k)),
        4 => (entity(), kind()).prop_map(|(e, k)| Op::Take(e, k)),
        4 => entity().prop_map(Op::Despawn),
        3 => entity().prop_map(Op::Arm),
        3 => any::<u8>().prop_map(Op::Write),
        2 => (0..LAYOUTS).prop_map(Op::SetLayout),
        1 => Just(Op::Clear),
        1 => kind().prop_map(Op::DespawnAll),
        1 => (kind(), kind()).prop_map(|(f, k)| Op::RemoveAll(f, k)),
        1 => (kind(), kind(), any::<u8>()).prop_map(|(f, k, v)| Op::InsertAll(f, k, v)),
    ]
}

const LAYOUTS: usize = 7;

/// Returns a layout, and the flags of its groups among `(A, B)`, `(C, D)`, `(A, B, C)`, `(A, B, C, D)`, `(A, D)`.
fn layout(number: usize) -> (Layout, [bool; 5]) {
    let layout = Layout::new();
    match number {
        0 => (layout, [false; 5]),
        1 => (layout.group::<(A, B)>(), [true, false, false, false, false]),
        2 => (
            layout.group::<(A, B)>().group::<(C, D)>(),
            [true, true, false, false, false],
        ),
        3 => (
            layout.group::<(A, B, C)>().group::<(B, A)>(),
            [true, false, true, false, false],
        ),
        4 => (
            layout
                .group::<(A, B, C, D)>()
                .group::<(A, B)>()
                .group::<(C, D)>(),
            [true, true, false, true, false],
        ),
        5 => (layout.group::<(A, D)>(), [false, false, false, false, true]),
        _ => (
            layout
                .group::<(A, B)>()
                .group::<(A, B, C)>()
                .group::<(A, B, C, D)>(),
            [true, false, true, true, false],
        ),
    }
}

struct Pair {
    world: World,
    rows: BTreeMap<Entity, Row>,
    issued: Vec<Entity>,
    ledger: Ledger,
    groups: [bool; 5],
    /// The ticks between which the `C` of an entity was last added or changed.
    changed: BTreeMap<Entity, (Tick, Tick)>,
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
            groups: [false; 5],
            changed: BTreeMap::new(),
        }
    }

    fn pick(&self, index: usize) -> Option<Entity> {
        self.issued.get(index % self.issued.len().max(1)).copied()
    }

    /// Writes a bundle of type `P` to the model; its tokens are numbered from `token` on.
    fn note<P: Part>(&mut self, entity: Entity, value: u8, token: &mut u32) {
        let mut next = || {
            *token += 1;
            *token - 1
        };
        // Insertions into dead entities also consume tokens.
        let mut unused = Row::default();
        let row = self.rows.get_mut(&entity).unwrap_or(&mut unused);
        P::note(row, value, &mut next);
    }

    fn next_token(&self) -> u32 {
        self.ledger.token().id() + 1
    }

    fn apply(&mut self, op: Op) {
        let before = self.world.tick();
        let texts = |rows: &BTreeMap<Entity, Row>| {
            let with = rows.iter().filter(|(_, row)| row.c.is_some());
            with.map(|(&entity, _)| entity).collect::<BTreeSet<_>>()
        };
        let old = texts(&self.rows);
        let mut touched = BTreeSet::new();
        match op {
            Op::Spawn(kind, value) => with_kind!(kind, P, {
                let mut token = self.next_token();
                let entity = self.world.spawn(P::make(value, &self.ledger));
                self.issued.push(entity);
                self.rows.insert(entity, Row::default());
                self.note::<P>(entity, value, &mut token);
            }),
            Op::SpawnBatch(kind, value, count) => with_kind!(kind, P, {
                let mut token = self.next_token();
                let bundles = (0..count).map(|_| P::make(value, &self.ledger));
                for entity in self.world.spawn_batch(bundles).to_vec() {
                    self.issued.push(entity);
                    self.rows.insert(entity, Row::default());
                    self.note::<P>(entity, value, &mut token);
                }
            }),
            Op::Insert(index, kind, value) => with_kind!(kind, P, {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let mut token = self.next_token();
                let bundle = P::make(value, &self.ledger);
                survive(|| self.world.insert(entity, bundle));
                self.note::<P>(entity, value, &mut token);
                let mut new = Row::default();
                P::note(&mut new, value, &mut || 0);
                touched.extend(new.c.map(|_| entity));
            }),
            // The tests of the queue cover the commands that follow a panicking one.
            Op::Commands(..) if self.ledger.is_armed() => {}
            Op::Commands(change, indices, kind, value) => with_kind!(kind, P, {
                let mut token = self.next_token();
                let (mut queue, mut done) = (CommandQueue::new(), Vec::new());
                let mut commands = Commands::new(&mut queue, self.world.entities());
                for index in indices {
                    let entity = match (change, self.pick(index)) {
                        (Change::Spawn, _) => commands.spawn(P::make(value, &self.ledger)).id(),
                        (_, None) => continue,
                        (Change::Insert, Some(entity)) => {
                            commands.insert(entity, P::make(value, &self.ledger));
                            entity
                        }
                        (Change::Remove, Some(entity)) => {
                            commands.remove::<P>(entity);
                            entity
                        }
                        (Change::Despawn, Some(entity)) => {
                            commands.despawn(entity);
                            entity
                        }
                    };
                    done.push(entity);
                }
                queue.apply(&mut self.world);
                let mut new = Row::default();
                P::note(&mut new, value, &mut || 0);
                for entity in done {
                    match change {
                        Change::Spawn => {
                            self.issued.push(entity);
                            self.rows.insert(entity, Row::default());
                            self.note::<P>(entity, value, &mut token);
                        }
                        Change::Insert => {
                            self.note::<P>(entity, value, &mut token);
                            touched.extend(new.c.as_ref().map(|_| entity));
                        }
                        Change::Remove => {
                            self.rows.get_mut(&entity).map(P::remove);
                        }
                        Change::Despawn => {
                            self.rows.remove(&entity);
                        }
                    }
                }
            }),
            Op::Remove(index, kind) => with_kind!(kind, P, {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                survive(|| self.world.remove::<P>(entity));
                self.rows.get_mut(&entity).map(P::remove);
            }),
            Op::Take(index, kind) => with_kind!(kind, P, {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let possible = self.rows.get(&entity).is_some_and(P::has);
                // If `take` panics, the token panicked after the entity had lost its components, so they count as taken.
                let taken = survive(|| self.world.take::<P>(entity).is_ok());
                assert_eq!(taken.unwrap_or(true), possible);
                if possible {
                    self.rows.get_mut(&entity).map(P::remove);
                }
            }),
            Op::Despawn(index) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                survive(|| self.world.despawn(entity));
                self.rows.remove(&entity);
            }
            Op::Arm(index) => {
                let row = self.pick(index).and_then(|entity| self.rows.get(&entity));
                // A second panic during unwinding would abort, as in a `Vec`.
                if let Some(token) = row.and_then(|row| row.b)
                    && !self.ledger.is_armed()
                {
                    self.ledger.arm(token);
                }
            }
            Op::Write(value) => {
                let (mut a, b) = (self.world.view_mut::<A>(), self.world.view::<B>());
                (&mut a, &b).for_each(|(a, b)| a.0 = b.0.id() + u32::from(value));
                let mut c = self.world.view_mut::<C>();
                (&mut c, &self.world.view::<D>())
                    .with_entity()
                    .iter()
                    .filter(|(entity, _)| entity.index() % 2 == 0)
                    .for_each(|(entity, (mut c, _))| {
                        c.0.push('.');
                        touched.insert(entity);
                    });
                for (entity, row) in &mut self.rows {
                    if let (Some(a), Some(b)) = (&mut row.a, row.b) {
                        *a = b + u32::from(value);
                    }
                    if let (Some(c), Some(_), 0) = (&mut row.c, row.d, entity.index() % 2) {
                        c.push('.');
                    }
                }
            }
            Op::SetLayout(number) => {
                let (layout, groups) = layout(number);
                self.world.set_layout(&layout).unwrap();
                self.groups = groups;
            }
            Op::Clear => {
                survive(|| self.world.clear());
                self.rows.clear();
            }
            // The progress of bulk operations before a panic is unspecified, so none of them panics here.
            Op::DespawnAll(_) | Op::RemoveAll(..) | Op::InsertAll(..) if self.ledger.is_armed() => {
            }
            Op::DespawnAll(filter) => match filter {
                Kind::A => {
                    self.world.despawn_all::<With<A>>();
                    self.rows.retain(|_, row| row.a.is_none());
                }
                _ => {
                    self.world.despawn_all::<With<InTable>>();
                    self.rows.retain(|_, row| row.table.is_none());
                }
            },
            Op::RemoveAll(filter, kind) => with_kind!(kind, P, {
                match filter {
                    Kind::A => self.world.remove_all::<P, With<A>>(),
                    _ => self.world.remove_all::<P, With<InTable>>(),
                }
                let by_a = matches!(filter, Kind::A);
                let rows = self.rows.values_mut();
                rows.filter(|row| {
                    if by_a {
                        row.a.is_some()
                    } else {
                        row.table.is_some()
                    }
                })
                .for_each(P::remove);
            }),
            Op::InsertAll(filter, kind, value) => with_kind!(kind, P, {
                let mut token = self.next_token();
                let (mut made, ledger) = (Vec::new(), self.ledger.clone());
                let make = |entity| {
                    made.push(entity);
                    P::make(value, &ledger)
                };
                match filter {
                    Kind::A => self.world.insert_all_with::<With<A>, P>(make),
                    _ => self.world.insert_all_with::<With<InTable>, P>(make),
                }
                let mut new = Row::default();
                P::note(&mut new, value, &mut || 0);
                for entity in made {
                    self.note::<P>(entity, value, &mut token);
                    touched.extend(new.c.as_ref().map(|_| entity));
                }
            }),
        }
        let after = self.world.tick();
        let now = texts(&self.rows);
        touched.extend(now.difference(&old));
        self.changed.retain(|entity, _| now.contains(entity));
        for entity in touched.intersection(&now) {
            self.changed.insert(*entity, (before, after));
        }
    }

    fn read(&self, entity: Entity) -> Row {
        let world = &self.world;
        Row {
            a: world.get::<A>(entity).map(|a| a.0),
            b: world.get::<B>(entity).map(|b| b.0.id()),
            c: world.get::<C>(entity).map(|c| c.0.clone()),
            d: world.get::<D>(entity).map(|d| d.0[4]),
            table: world.get::<InTable>(entity).map(|table| table.0),
        }
    }

    fn check(&self) {
        self.world.check_invariants();
        for &entity in &self.issued {
            let expected = self.rows.get(&entity).cloned().unwrap_or_default();
            assert_eq!(self.read(entity), expected, "{entity}");
        }
        for (&entity, &(before, after)) in &self.changed {
            let c = || self.world.view::<C>();
            assert!(c().since(before).is_changed(entity), "{entity} has changed");
            assert!(
                !c().since(after).is_changed(entity),
                "not changed since then"
            );
        }
        let mut alive: Vec<u32> = self.rows.values().filter_map(|row| row.b).collect();
        alive.sort_unstable();
        assert_eq!(self.ledger.alive(), alive);
        self.check_joins();
    }

    /// Checks that joins visit exactly the entities of the model, once, and that groups have slices.
    fn check_joins(&self) {
        let world = &self.world;
        let (a, b, c) = (world.view::<A>(), world.view::<B>(), world.view::<C>());
        let (d, table) = (world.view::<D>(), world.view::<InTable>());
        let [ab, cd, abc, abcd, ad] = self.groups;

        macro_rules! join {
            ($join:expr, $test:expr) => {{
                let found: Vec<Entity> = $join.with_entity().iter().map(|(e, _)| e).collect();
                let mut each = Vec::new();
                $join.with_entity().for_each(|(e, _)| each.push(e));
                assert_eq!(found, each);
                let set: BTreeSet<Entity> = found.iter().copied().collect();
                assert_eq!(set.len(), found.len(), "visited twice");
                let test: fn(&Row) -> bool = $test;
                let rows = self.rows.iter().filter(|(_, row)| test(row));
                assert_eq!(set, rows.map(|(&e, _)| e).collect());
                found
            }};
        }

        macro_rules! slices {
            ($join:expr, $grouped:expr, $test:expr) => {{
                let found = join!($join, $test);
                let slices = $join.with_entity().try_slices();
                assert_eq!(slices.as_ref().is_ok_and(|_| $grouped), $grouped);
                if let Ok((ids, _)) = slices {
                    assert_eq!(ids, found);
                }
                slices.ok().map(|(ids, slices)| (ids.to_vec(), slices))
            }};
        }

        let both = |row: &Row| row.a.is_some() && row.b.is_some();
        if let Some((ids, (first, second))) =
            slices!((&a, &b), ab, |row| row.a.is_some() && row.b.is_some())
        {
            for ((entity, a), b) in ids.iter().zip(first).zip(second) {
                let row = &self.rows[entity];
                assert!(both(row));
                assert_eq!((Some(a.0), Some(b.0.id())), (row.a, row.b));
            }
        }
        slices!((&d, &c), cd, |row| row.c.is_some() && row.d.is_some());
        slices!((&a, &d), ad, |row| row.a.is_some() && row.d.is_some());
        slices!((&c, &b, &a), abc, |row| row.c.is_some()
            && row.a.is_some()
            && row.b.is_some());
        slices!((&a, (&b, &d), &c), abcd, |row| {
            row.a.is_some() && row.b.is_some() && row.c.is_some() && row.d.is_some()
        });
        slices!((&a, &b).exclude(&c), ab && abc, |row| {
            row.a.is_some() && row.b.is_some() && row.c.is_none()
        });
        slices!(a.exclude(&b), ab, |row| row.a.is_some() && row.b.is_none());
        slices!(a.include(&b), ab, |row| row.a.is_some() && row.b.is_some());
        slices!((&a, &c), false, |row| row.a.is_some() && row.c.is_some());
        join!((&a, &b, &table), |row| {
            row.a.is_some() && row.b.is_some() && row.table.is_some()
        });
        join!((&a, &b, Some(&c)), |row| row.a.is_some() && row.b.is_some());
        join!((&a, &b).exclude((&c, &table)), |row| {
            row.a.is_some() && row.b.is_some() && row.c.is_none() && row.table.is_none()
        });
        join!(table.include((&a, &b)), |row| {
            row.a.is_some() && row.b.is_some() && row.table.is_some()
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(256),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn groups_stay_packed_and_agree_with_a_plain_map(
        first in 0..LAYOUTS,
        ops in prop::collection::vec(op(), 1..if cfg!(miri) { 25 } else { 100 }),
    ) {
        let mut pair = Pair::new();
        pair.apply(Op::SetLayout(first));
        for op in ops {
            pair.apply(op);
            pair.check();
        }
        let Pair { world, ledger, .. } = pair;
        survive(|| drop(world));
        prop_assert_eq!(ledger.alive(), Vec::<u32>::new());
    }
}
