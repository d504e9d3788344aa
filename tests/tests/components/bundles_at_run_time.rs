//! Bundles whose components are known at run time, against tuples: worlds that get `Option`s or a `BundleBuilder` always equal a
//! world that gets exactly what is there, in rows, their order, ticks, hooks and drops.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::bundle::BundleBuilder;
use ecs_core::component::ComponentId;
use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use ecs_core::relation::{SpawnRelated, related};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnInsert, OnRemove};
use ecs_core::world::{ErasedColumn, TakeError};
use ecs_tests::{ARMED, Ledger, Token};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "optional.mark")]
struct Mark(u8);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "optional.seen", track)]
struct Seen(u8);

#[derive(Component, Debug)]
#[component(on_add = log::<1>, on_insert = log::<2>, on_replace = log::<3>, on_remove = log::<4>)]
struct Kept(#[expect(dead_code, reason = "shown and dropped")] Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", on_insert = log::<5>, on_remove = log::<6>)]
struct Held(#[expect(dead_code, reason = "shown and dropped")] Token);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "optional.body", require(Legs = Legs(4), Seen = Seen(0)))]
struct Body(u8);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "optional.legs", on_insert = log::<7>)]
struct Legs(u8);

#[derive(Default, Resource)]
struct Log(Vec<(u8, Entity)>);

fn log<const KIND: u8>(world: DeferredWorld, entity: Entity) {
    world.resource_mut::<Log>().0.push((KIND, entity));
}

/// The optional parts of a bundle. There is a `held` only with a `kept`.
struct Parts {
    seen: Option<Seen>,
    kept: Option<Kept>,
    held: Option<Held>,
    body: Option<Body>,
    brood: bool,
}

#[derive(Bundle)]
struct Tokens {
    kept: Kept,
    held: Option<Held>,
}

#[derive(Bundle)]
struct Unit {
    mark: Mark,
    seen: Option<Seen>,
    rest: (Option<Tokens>, Option<Option<(Body,)>>),
}

impl Parts {
    /// The bits of `which` tell what is there.
    fn new(which: u8, value: u8, ledger: &Ledger) -> Self {
        let has = |bit: u8| which & 1 << bit != 0;
        Self {
            seen: has(0).then_some(Seen(value)),
            kept: has(1).then(|| Kept(ledger.token())),
            held: (has(1) && has(2)).then(|| Held(ledger.token())),
            body: has(3).then_some(Body(value)),
            brood: has(4),
        }
    }

    fn unit(self, value: u8) -> Unit {
        let Self {
            seen,
            kept,
            held,
            body,
            ..
        } = self;
        let tokens = kept.map(|kept| Tokens { kept, held });
        // An option in an option is there if both are.
        let body = match body {
            None if value & 1 == 0 => Some(None),
            body => body.map(|body| Some((body,))),
        };
        Unit {
            mark: Mark(value),
            seen,
            rest: (tokens, body),
        }
    }
}

impl Parts {
    /// The bundle put together at run time, in several ways.
    fn built(self, value: u8) -> BundleBuilder {
        let Self {
            seen,
            kept,
            held,
            body,
            brood,
        } = self;
        let mut built = BundleBuilder::of((Mark(!value), seen));
        if let Some(kept) = kept {
            built.add(kept);
        }
        let held = held.map(BundleBuilder::of);
        built.add((held, Mark(value)));
        built.add(body.map(|body| (Body(!body.0), BundleBuilder::new())));
        built.add(body);
        if brood {
            built.add(self::brood());
        }
        built
    }
}

fn brood() -> SpawnRelated<ChildOf, impl ecs_core::relation::SourceList> {
    related![ChildOf; Mark(100), (Seen(101), Some(Mark(102)))]
}

/// Runs `$operation` with a tuple of those of the options that are there: `exact!([a,] [b c] |bundle| ..)`.
macro_rules! exact {
    ([$($there:ident,)*] [] |$bundle:ident| $operation:expr) => {{
        let $bundle = ($($there,)*);
        $operation
    }};
    ([$($there:ident,)*] [$option:ident $($rest:ident)*] |$bundle:ident| $operation:expr) => {
        match $option {
            Some($option) => exact!([$($there,)* $option,] [$($rest)*] |$bundle| $operation),
            None => exact!([$($there,)*] [$($rest)*] |$bundle| $operation),
        }
    };
}

/// Runs `$operation` with a tuple of just the parts that are there.
macro_rules! exact_parts {
    ($parts:expr, $value:expr, |$bundle:ident| $operation:expr) => {{
        let Parts {
            seen,
            kept,
            held,
            body,
            brood,
        } = $parts;
        let (mark, brood) = (Mark($value), brood.then(self::brood));
        exact!([mark,] [seen kept held body brood] |$bundle| $operation)
    }};
}

/// The form of the bundles that a world gets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Options,
    Exact,
    Built,
}

/// Runs `$operation` with a function that makes bundles of one type from `Parts`: with options, or built.
macro_rules! with_maker {
    ($side:expr, |$make:ident| $operation:expr) => {
        if $side.form == Form::Built {
            let $make = Parts::built;
            $operation
        } else {
            let $make = Parts::unit;
            $operation
        }
    };
}

/// Runs `$operation` with a bundle of the parts, in the form of the world.
macro_rules! with_bundle {
    ($side:expr, $which:expr, $value:expr, |$bundle:ident| $operation:expr) => {{
        let (which, value): (u8, u8) = ($which, $value);
        let parts = Parts::new(which, value, &$side.ledger);
        let has_brood = parts.brood;
        match $side.form {
            Form::Options if has_brood || value % 3 == 0 => {
                let $bundle = (parts.unit(value), has_brood.then(brood));
                $operation
            }
            Form::Options => {
                let $bundle = parts.unit(value);
                $operation
            }
            Form::Exact => exact_parts!(parts, value, |$bundle| $operation),
            Form::Built if value % 3 == 0 => {
                let $bundle = ((), Some((parts.built(value),)));
                $operation
            }
            Form::Built if value % 3 == 1 => {
                let mut built = parts.built(value);
                let body = built.remove::<Body>().map(BundleBuilder::of);
                let $bundle = (built, body);
                $operation
            }
            Form::Built => {
                let $bundle = parts.built(value);
                $operation
            }
        }
    }};
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Spawn(u8, u8),
    SpawnBatch([u8; 5], u8),
    Insert(usize, u8, u8),
    InsertBatch([(usize, u8); 3], u8),
    InsertAll(u8, u8),
    SpawnLater(u8, u8),
    InsertLater([(usize, u8); 3], u8),
    ReplaceAll([u8; 3], u8),
    Take(usize),
    Remove(usize),
    RemoveAll,
    Despawn(usize),
    /// Makes the drop of a token panic.
    Arm(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let at = || 0..32_usize;
    let which = || 0..32_u8;
    let value = any::<u8>;
    let pairs = move || prop::array::uniform3((at(), which()));
    prop_oneof![
        4 => (which(), value()).prop_map(|(w, v)| Op::Spawn(w, v)),
        2 => (prop::array::uniform5(which()), value()).prop_map(|(w, v)| Op::SpawnBatch(w, v)),
        4 => (at(), which(), value()).prop_map(|(e, w, v)| Op::Insert(e, w, v)),
        2 => (pairs(), value()).prop_map(|(p, v)| Op::InsertBatch(p, v)),
        1 => (which(), value()).prop_map(|(w, v)| Op::InsertAll(w, v)),
        2 => (which(), value()).prop_map(|(w, v)| Op::SpawnLater(w, v)),
        2 => (pairs(), value()).prop_map(|(p, v)| Op::InsertLater(p, v)),
        1 => (prop::array::uniform3(which()), value()).prop_map(|(w, v)| Op::ReplaceAll(w, v)),
        3 => at().prop_map(Op::Take),
        2 => at().prop_map(Op::Remove),
        1 => Just(Op::RemoveAll),
        3 => at().prop_map(Op::Despawn),
        1 => at().prop_map(Op::Arm),
    ]
}

/// What a world shows of itself.
#[derive(Debug, PartialEq)]
struct Shown {
    rows: Vec<String>,
    hash: u64,
    log: Vec<(u8, Entity)>,
    changed: Vec<(Entity, bool)>,
    tokens: Vec<u32>,
    /// What operations have returned.
    returned: Vec<String>,
}

struct Side {
    world: World,
    ledger: Ledger,
    form: Form,
    issued: Vec<Entity>,
    returned: Vec<String>,
}

impl Side {
    fn new(form: Form) -> Self {
        let mut world = World::new();
        world.insert_resource(Log::default());
        world.observe(|event: OnAdd<Seen>, mut log: ResMut<Log>| log.0.push((8, event.entity())));
        world
            .observe(|event: OnInsert<Body>, mut log: ResMut<Log>| log.0.push((9, event.entity())));
        world.observe(|event: OnRemove<Mark>, mut log: ResMut<Log>| {
            log.0.push((10, event.entity()));
        });
        Self {
            world,
            ledger: Ledger::default(),
            form,
            issued: Vec::new(),
            returned: Vec::new(),
        }
    }

    fn pick(&self, index: usize) -> Option<Entity> {
        self.issued.get(index % self.issued.len().max(1)).copied()
    }

    fn with<T: Component>(&self) -> Vec<Entity> {
        let query = self.world.query_filtered::<Entity, With<T>>();
        query.iter().collect()
    }

    fn note(&mut self, returned: impl std::fmt::Debug) {
        self.returned.push(format!("{returned:?}"));
    }

    fn apply(&mut self, op: Op) {
        let change = catch_unwind(AssertUnwindSafe(|| self.change(op)));
        if let Err(payload) = change {
            assert_eq!(payload.downcast_ref::<&str>(), Some(&ARMED), "{op:?}");
            self.returned.push("a panic".into());
        }
        // New ones, also of commands and broods.
        for entity in self.world.entities().iter() {
            if !self.issued.contains(&entity) {
                self.issued.push(entity);
            }
        }
        self.world.check_invariants();
    }

    fn change(&mut self, op: Op) {
        match op {
            Op::Spawn(which, value) => {
                let entity = with_bundle!(self, which, value, |bundle| self.world.spawn(bundle));
                self.note(entity);
            }
            Op::SpawnBatch(which, value) => {
                if self.form == Form::Exact {
                    for which in which {
                        with_bundle!(self, which & 15, value, |bundle| self.world.spawn(bundle));
                    }
                } else {
                    let ledger = self.ledger.clone();
                    let parts = which
                        .into_iter()
                        .map(|which| Parts::new(which & 15, value, &ledger));
                    let world = &mut self.world;
                    let spawned = with_maker!(self, |make| world
                        .spawn_batch(parts.map(|parts| make(parts, value)))
                        .len());
                    assert_eq!(spawned, 5);
                }
            }
            Op::Insert(index, which, value) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let result = with_bundle!(self, which, value, |bundle| self
                    .world
                    .insert(entity, bundle));
                self.note(result);
            }
            Op::InsertBatch(pairs, value) => {
                let pairs = pairs.map(|(index, which)| (self.pick(index), which & 15));
                let pairs = pairs
                    .into_iter()
                    .filter_map(|(entity, which)| Some((entity?, which)));
                let made: Vec<(Entity, u8)> = pairs.collect();
                if self.form == Form::Exact {
                    // All bundles are made before the first is inserted.
                    let parts = |which| Parts::new(which, value, &self.ledger);
                    let made = made
                        .into_iter()
                        .map(|(entity, which)| (entity, parts(which)));
                    for (entity, parts) in made.collect::<Vec<_>>() {
                        let world = &mut self.world;
                        let _ = exact_parts!(parts, value, |bundle| world.insert(entity, bundle));
                    }
                } else {
                    let ledger = self.ledger.clone();
                    let world = &mut self.world;
                    with_maker!(self, |make| world.insert_batch(made.into_iter().map(
                        |(entity, which)| (entity, make(Parts::new(which, value, &ledger), value))
                    )));
                }
            }
            Op::InsertAll(which, value) => {
                let which = which & 15;
                if self.form == Form::Exact {
                    let entities = self.with::<Mark>();
                    for (n, entity) in (0_u8..).zip(entities) {
                        let which = which ^ (n & 1);
                        let _ = with_bundle!(self, which, value, |bundle| self
                            .world
                            .insert(entity, bundle));
                    }
                } else {
                    let ledger = self.ledger.clone();
                    let mut n = 0;
                    let mut parts = || {
                        let which = which ^ (n & 1);
                        n = n.wrapping_add(1);
                        Parts::new(which, value, &ledger)
                    };
                    let world = &mut self.world;
                    with_maker!(self, |make| world
                        .insert_all_with::<With<Mark>, _>(|_| make(parts(), value)));
                }
            }
            Op::SpawnLater(which, value) => {
                let mut queue = ecs_core::command::CommandQueue::new();
                let mut commands = Commands::new(&mut queue, self.world.entities());
                for which in [which, which, which ^ 1] {
                    with_bundle!(self, which, value, |bundle| commands.spawn(bundle).id());
                }
                queue.apply(&mut self.world);
            }
            Op::InsertLater(pairs, value) => {
                let mut queue = ecs_core::command::CommandQueue::new();
                let mut commands = Commands::new(&mut queue, self.world.entities());
                for (index, which) in pairs {
                    if let Some(entity) = self.pick(index) {
                        with_bundle!(self, which, value, |bundle| commands.insert(entity, bundle));
                    }
                }
                queue.apply(&mut self.world);
            }
            Op::ReplaceAll(which, value) => {
                if self.form == Form::Exact {
                    let mut entities = self.with::<Legs>().into_iter();
                    for which in which {
                        with_bundle!(self, which & 15, value, |bundle| match entities.next() {
                            Some(entity) => _ = self.world.insert(entity, bundle),
                            None => _ = self.world.spawn(bundle),
                        });
                    }
                    for entity in entities {
                        let _ = self.world.despawn(entity);
                    }
                } else {
                    let ledger = self.ledger.clone();
                    let parts = which
                        .into_iter()
                        .map(|which| Parts::new(which & 15, value, &ledger));
                    let world = &mut self.world;
                    with_maker!(self, |make| _ = world
                        .replace_all::<With<Legs>, _>(parts.map(|parts| make(parts, value))));
                }
            }
            Op::Take(index) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.take(entity);
            }
            Op::Remove(index) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                let result = match self.form {
                    Form::Options | Form::Built => self
                        .world
                        .remove::<(Option<(Kept, Option<Held>)>, Option<Seen>)>(entity),
                    Form::Exact => self.world.remove::<(Kept, Held, Seen)>(entity),
                };
                self.note(result);
            }
            Op::RemoveAll => match self.form {
                Form::Options | Form::Built => self
                    .world
                    .remove_all::<Option<(Body, Option<Seen>)>, With<Legs>>(),
                Form::Exact => self.world.remove_all::<(Body, Seen), With<Legs>>(),
            },
            Op::Despawn(index) => {
                if let Some(entity) = self.pick(index) {
                    let result = self.world.despawn(entity);
                    self.note(result);
                }
            }
            Op::Arm(index) => {
                let alive = self.ledger.alive();
                // Two would panic at the same time.
                if !alive.is_empty() && !self.ledger.is_armed() {
                    self.ledger.arm(alive[index % alive.len()]);
                }
            }
        }
    }

    fn take(&mut self, entity: Entity) {
        type Taken = (Mark, Option<(Kept, Option<Held>)>, Option<Seen>);
        let world = &mut self.world;
        let taken: Result<Taken, TakeError> = if self.form == Form::Exact {
            let has = |world: &World| {
                let kept = world.has::<Kept>(entity);
                [
                    kept,
                    kept && world.has::<Held>(entity),
                    world.has::<Seen>(entity),
                ]
            };
            if world.contains(entity) && !world.has::<Mark>(entity) {
                // A `take` would make the table of a lone mark first.
                let component = "optional.mark";
                Err(TakeError::Missing { entity, component })
            } else {
                match has(world) {
                    [true, true, true] => world.take::<(Mark, Kept, Held, Seen)>(entity).map(
                        |(mark, kept, held, seen)| (mark, Some((kept, Some(held))), Some(seen)),
                    ),
                    [true, true, false] => world
                        .take::<(Mark, Kept, Held)>(entity)
                        .map(|(mark, kept, held)| (mark, Some((kept, Some(held))), None)),
                    [true, false, true] => world
                        .take::<(Mark, Kept, Seen)>(entity)
                        .map(|(mark, kept, seen)| (mark, Some((kept, None)), Some(seen))),
                    [true, false, false] => world
                        .take::<(Mark, Kept)>(entity)
                        .map(|(mark, kept)| (mark, Some((kept, None)), None)),
                    [false, _, true] => world
                        .take::<(Mark, Seen)>(entity)
                        .map(|(mark, seen)| (mark, None, Some(seen))),
                    [false, ..] => world.take::<Mark>(entity).map(|mark| (mark, None, None)),
                }
            }
        } else {
            world.take(entity)
        };
        self.note(&taken);
    }

    fn show(&mut self) -> Shown {
        let mut rows = Vec::new();
        type All<'a> = (
            Entity,
            Option<&'a Mark>,
            Option<&'a Seen>,
            Option<&'a Kept>,
            Option<&'a Held>,
            Option<&'a Body>,
            Option<&'a Legs>,
        );
        for row in &self.world.query::<All>() {
            rows.push(format!("{row:?}"));
        }
        // The order of sparse values.
        rows.push(format!(
            "{:?}",
            self.world.view::<Held>().iter().collect::<Vec<_>>()
        ));
        let hash = WorldHasher::new().only_data().world(&self.world);
        let seen: BTreeMap<Entity, bool> = self.world.run(
            |seen: Query<(Entity, &Seen)>, changed: Query<Entity, Changed<Seen>>| {
                let changed: Vec<Entity> = changed.iter().collect();
                let seen = seen.iter().map(|(entity, _)| entity);
                seen.map(|entity| (entity, changed.contains(&entity)))
                    .collect()
            },
        );
        Shown {
            rows,
            hash: hash.expect("everything else is left out"),
            log: std::mem::take(&mut self.world.resource_mut::<Log>().0),
            changed: seen.into_iter().collect(),
            tokens: self.ledger.alive(),
            returned: std::mem::take(&mut self.returned),
        }
    }
}

proptest! {
    #[test]
    fn worlds_of_options_and_of_builders_equal_one_of_tuples(ops in proptest::collection::vec(op(), 1..40)) {
        let mut sides = [Form::Exact, Form::Options, Form::Built].map(Side::new);
        let mut different = None;
        for op in ops {
            sides.iter_mut().for_each(|side| side.apply(op));
            let shown = sides.each_mut().map(Side::show);
            if shown[0] != shown[1] || shown[0] != shown[2] {
                different = Some((op, shown));
                break;
            }
        }
        for side in sides {
            let ledger = side.ledger.clone();
            let armed = ledger.is_armed();
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(side)));
            prop_assert_eq!(dropped.is_err(), armed);
            prop_assert_eq!(ledger.alive(), Vec::<u32>::new());
        }
        prop_assert!(different.is_none(), "{:#?}", different);
    }
}

#[derive(Component, Debug, PartialEq)]
struct Of<T>(T);

#[test]
fn a_component_that_is_there_twice_is_refused_as_without_an_option() {
    let message = |f: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
        panic.downcast_ref::<String>().expect("a message").clone()
    };
    let mut world = World::new();
    let entity = world.spawn((Of(1_u8), None::<Of<u8>>));
    assert_eq!(*world.get::<Of<u8>>(entity).unwrap(), Of(1));
    let plain = message(&mut || _ = world.spawn((Of(1_u8), Of(2_u8))));
    let option = message(&mut || _ = world.spawn((Of(1_u8), Some(Of(2_u8)))));
    let is_refused = plain.ends_with("Of<u8>` twice; help: remove one of the two");
    assert!(is_refused, "{plain}");
    let option = option.replace(
        "core::option::Option<components::bundles_at_run_time::Of<u8>>",
        "components::bundles_at_run_time::Of<u8>",
    );
    assert_eq!(option, plain);
    assert_eq!(world.len(), 1);
    world.check_invariants();
}

#[test]
fn an_entity_has_a_bundle_if_it_has_all_that_is_not_optional() {
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Seen(2)));
    let entity = world.entity(entity).unwrap();
    assert!(entity.has::<(Mark, Option<Legs>)>() && entity.has::<Option<Legs>>());
    assert!(!entity.has::<(Legs, Option<Mark>)>());
}

#[test]
fn a_part_of_an_optional_part_stays() {
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Seen(2)));
    let taken = world.take::<(Mark, Option<(Seen, Legs)>)>(entity).unwrap();
    assert_eq!(taken, (Mark(1), None));
    assert_eq!(*world.get::<Seen>(entity).unwrap(), Seen(2));
    let missing = world.take::<(Option<Seen>, Legs)>(entity).unwrap_err();
    assert!(missing.to_string().contains("`optional.legs`"), "{missing}");
    assert!(world.has::<Seen>(entity));
}

#[test]
fn no_table_is_made_for_what_is_not_there() {
    let memory = |options: bool| {
        let mut world = World::new();
        match options {
            true => _ = world.spawn((Mark(1), None::<Seen>, None::<(Legs, Body)>)),
            false => _ = world.spawn(Mark(1)),
        }
        world.memory_usage().tables.len()
    };
    assert_eq!(memory(true), memory(false));
}

#[test]
fn a_builder_returns_its_values_and_keeps_the_last_one_of_each() {
    let ledger = Ledger::default();
    let mut built = BundleBuilder::of((Mark(1), Kept(ledger.token())));
    built.add((Seen(2), Kept(ledger.token()), Mark(3)));
    assert_eq!(ledger.alive(), [1]);
    assert_eq!(built.get::<Mark>(), Some(&Mark(3)));
    assert_eq!(built.get::<Legs>(), None);
    assert_eq!(built.components().len(), 3);
    assert_eq!(built.remove::<Seen>(), Some(Seen(2)));
    assert_eq!(built.remove::<Seen>(), None);
    let shown = format!("{built:?}");
    assert_eq!(
        shown,
        r#"{"optional.mark", "components::bundles_at_run_time::Kept"}"#
    );
    drop(built);
    assert!(ledger.alive().is_empty());
}

#[test]
fn a_replaced_value_that_panics_in_its_drop_leaves_the_new_ones_in_the_builder() {
    let ledger = Ledger::default();
    let mut built = BundleBuilder::of((Kept(ledger.token()), Mark(1)));
    ledger.arm(0);
    let add = AssertUnwindSafe(|| _ = built.add((Kept(ledger.token()), Mark(2), Seen(3))));
    assert!(catch_unwind(add).is_err());
    assert_eq!(built.get::<Mark>(), Some(&Mark(2)));
    let mut world = World::new();
    world.insert_resource(Log::default());
    let entity = world.spawn(built);
    let entity = world.entity(entity).unwrap();
    assert!(entity.has::<(Mark, Seen, Kept)>());
    assert_eq!(ledger.alive(), [1]);
}

#[test]
fn a_component_of_a_builder_and_of_another_part_is_refused() {
    let mut world = World::new();
    let spawn = AssertUnwindSafe(|| _ = world.spawn((Mark(1), BundleBuilder::of(Mark(2)))));
    let panic = catch_unwind(spawn).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(
        message.ends_with("has the component `optional.mark` twice; help: remove one of the two"),
        "{message}"
    );
    assert_eq!(world.len(), 0);
    // A builder names no component as a type.
    let entity = world.spawn(BundleBuilder::of(Mark(1)));
    world.remove::<BundleBuilder>(entity).unwrap();
    assert_eq!(
        world
            .take::<(Mark, BundleBuilder)>(entity)
            .unwrap()
            .1
            .components()
            .len(),
        0
    );
    world.check_invariants();
}

#[test]
fn values_of_unknown_type_and_wrong_relations_are_treated_as_in_insert() {
    let mut column = ErasedColumn::new(ComponentId::of::<Mark>());
    let mut built = BundleBuilder::of(Seen(1));
    assert!(!built.add_erased(&mut column));
    column.push(Mark(7)).unwrap();
    assert!(built.add_erased(&mut column) && column.is_empty());
    let mut world = World::new();
    let entity = world.spawn(built);
    assert_eq!(*world.get::<Mark>(entity).unwrap(), Mark(7));
    let mut edges =
        ErasedColumn::of_edges(ComponentId::of::<ecs_core::relation::Target<ChildOf>>());
    assert!(!BundleBuilder::new().add_erased(edges.as_mut().expect("`ChildOf` is a relation")));

    let child = world.spawn(BundleBuilder::of((Mark(8), ChildOf.to(entity))));
    assert!(world.is_related::<ChildOf>(child, entity));
    let itself =
        AssertUnwindSafe(|| world.insert(entity, BundleBuilder::of((Mark(9), ChildOf.to(child)))));
    assert!(catch_unwind(itself).is_err());
    assert_eq!(*world.get::<Mark>(entity).unwrap(), Mark(7));
    world.check_invariants();
}

#[test]
fn a_loop_may_add_any_number_of_children_to_a_builder() {
    let mut parent = BundleBuilder::new();
    for _ in 0..20_000 {
        parent.add(related![ChildOf; Mark(1)]);
    }
    let mut world = World::new();
    let parent = world.spawn(parent);
    assert_eq!(world.edges_to(parent).count(), 20_000);
}
