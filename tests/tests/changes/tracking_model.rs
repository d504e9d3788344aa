//! Random operations and systems that run at random times, against ticks in a plain map.

use std::collections::BTreeMap;

use ecs_core::component::TrackedComponent;
use ecs_core::prelude::*;
use ecs_core::query::Not;
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Health(u8);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track, storage = "sparse")]
struct Mood(u8);

#[derive(Component, Clone)]
struct Plain(#[expect(dead_code, reason = "makes tables differ")] u32);

#[derive(Component, Clone)]
struct Mark;

/// The operations that added a value and last changed it.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    added: usize,
    changed: usize,
}

/// The model of one component.
#[derive(Default)]
struct Model {
    values: BTreeMap<Entity, Ticks>,
    removed: Vec<(usize, Entity)>,
}

impl Model {
    fn insert(&mut self, entity: Entity, now: usize) {
        let fresh = Ticks {
            added: now,
            changed: now,
        };
        self.values.entry(entity).or_insert(fresh).changed = now;
    }

    fn change(&mut self, entity: Entity, now: usize) {
        if let Some(ticks) = self.values.get_mut(&entity) {
            ticks.changed = now;
        }
    }

    fn remove(&mut self, entity: Entity, now: usize) {
        if self.values.remove(&entity).is_some() {
            self.removed.push((now, entity));
        }
    }

    fn expected(&self, last: usize, registered: usize) -> Report {
        let those = |are: &dyn Fn(&Ticks) -> bool| {
            let values = self.values.iter().filter(|(_, ticks)| are(ticks));
            values.map(|(&entity, _)| entity).collect::<Vec<_>>()
        };
        let of = |tick: fn(&Ticks) -> usize| those(&|ticks| tick(ticks) > last);
        let removed = self
            .removed
            .iter()
            .filter(|(tick, _)| *tick > last.max(registered));
        Report {
            changed: of(|ticks| ticks.changed),
            added: of(|ticks| ticks.added),
            mutated: those(&|ticks| ticks.changed > last && ticks.added <= last),
            unchanged: those(&|ticks| ticks.changed <= last),
            removed: removed.map(|&(_, entity)| entity).collect(),
        }
    }
}

/// The changes of one component that a reader sees.
#[derive(Clone, Debug, Default, PartialEq)]
struct Report {
    changed: Vec<Entity>,
    added: Vec<Entity>,
    /// Changed but not added.
    mutated: Vec<Entity>,
    /// Entities whose component was neither changed nor added.
    unchanged: Vec<Entity>,
    removed: Vec<Entity>,
}

#[derive(Resource, Default)]
struct Reports(Vec<[Report; 2]>);

fn sorted(entities: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.collect();
    entities.sort_unstable();
    entities
}

/// Reports by queries.
#[system]
fn by_query(
    changed: Query<Entity, Changed<Health>>,
    added: Query<(Entity, &Health), Added<Health>>,
    (changed_mood, added_mood): (Query<Entity, Changed<Mood>>, Query<Entity, Added<Mood>>),
    (mutated, mutated_mood): (Query<Entity, Mutated<Health>>, Query<Entity, Mutated<Mood>>),
    unchanged: Query<Entity, (With<Health>, Not<Changed<Health>>)>,
    unchanged_mood: Query<(Entity, &Mood), Not<Changed<Mood>>>,
    (mut removed, mut removed_mood): (Removed<Health>, Removed<Mood>),
    mut out: ResMut<Reports>,
) {
    let health = Report {
        changed: sorted(changed.iter()),
        added: sorted(added.iter().map(|(entity, _)| entity)),
        mutated: sorted(mutated.iter()),
        unchanged: sorted(unchanged.iter()),
        removed: removed.read().collect(),
    };
    let mood = Report {
        changed: sorted(changed_mood.iter()),
        added: sorted(added_mood.iter()),
        mutated: sorted(mutated_mood.iter()),
        unchanged: sorted(unchanged_mood.iter().map(|(entity, _)| entity)),
        removed: removed_mood.read().collect(),
    };
    out.0.push([health, mood]);
}

/// Reports by views.
#[system]
fn by_view(
    (health, mood): (Comp<Health>, Comp<Mood>),
    mut removed: (Removed<Health>, Removed<Mood>),
    mut out: ResMut<Reports>,
) {
    fn report<T: TrackedComponent>(view: Comp<T>, removed: &mut Removed<T>) -> Report {
        let mut changed = Vec::new();
        view.changed()
            .with_entity()
            .for_each(|(entity, _)| changed.push(entity));
        let mutated = sorted(view.mutated().entities());
        let all = sorted(view.entities());
        let each = |is: &dyn Fn(Entity) -> bool| all.iter().copied().filter(|&e| is(e)).collect();
        let by_id: Vec<Entity> = each(&|entity| view.is_mutated(entity));
        assert_eq!(by_id, mutated);
        Report {
            changed: sorted(changed.into_iter()),
            added: sorted(view.added().entities()),
            mutated,
            unchanged: each(&|entity| !view.is_changed(entity)),
            removed: removed.read().collect(),
        }
    }
    out.0
        .push([report(health, &mut removed.0), report(mood, &mut removed.1)]);
}

/// Reports, and writes the changed values.
#[system]
fn by_writer(
    mut health: Query<(Entity, &mut Health), Changed<Health>>,
    mut mood: CompMut<Mood>,
    mut removed: (Removed<Health>, Removed<Mood>),
    mut out: ResMut<Reports>,
) {
    let mut reports = [Report::default(), Report::default()];
    reports[0].removed = removed.0.read().collect();
    reports[1].removed = removed.1.read().collect();
    reports[1].added = sorted(mood.added().entities());
    reports[1].mutated = sorted(mood.mutated_mut().entities());
    reports[1].unchanged = sorted(
        (&mood)
            .with_entity()
            .iter()
            .map(|(entity, _)| entity)
            .filter(|&entity| !mood.is_changed(entity)),
    );
    health.for_each(|(entity, mut health)| {
        reports[0].changed.push(entity);
        health.0 = health.0.wrapping_add(1);
    });
    for (entity, mut mood) in mood.changed_mut().with_entity().iter() {
        reports[1].changed.push(entity);
        mood.0 = mood.0.wrapping_add(1);
    }
    reports
        .iter_mut()
        .for_each(|report| report.changed.sort_unstable());
    out.0.push(reports);
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Health,
    Mood,
    Both,
    WithPlain,
    WithMark,
    Neither,
}

impl Kind {
    fn has(self) -> [bool; 2] {
        match self {
            Self::Health => [true, false],
            Self::Mood => [false, true],
            Self::Both | Self::WithPlain => [true, true],
            Self::WithMark => [true, false],
            Self::Neither => [false, false],
        }
    }
}

/// Runs `$change` with a bundle of the kind.
macro_rules! with_bundle {
    ($kind:expr, $n:expr, |$bundle:ident| $change:expr) => {{
        let n = $n;
        match $kind {
            Kind::Health => {
                let $bundle = Health(n);
                $change
            }
            Kind::Mood => {
                let $bundle = Mood(n);
                $change
            }
            Kind::Both => {
                let $bundle = (Mood(n), Health(n));
                $change
            }
            Kind::WithPlain => {
                let $bundle = (Health(n), Plain(0), Mood(n));
                $change
            }
            Kind::WithMark => {
                let $bundle = (Mark, Health(n));
                $change
            }
            Kind::Neither => {
                let $bundle = (Mark, Plain(1));
                $change
            }
        }
    }};
}

#[derive(Clone, Debug)]
enum Op {
    Spawn(Kind),
    Batch(Kind, u8),
    Insert(usize, Kind),
    Command(usize, Kind),
    Remove(usize, Kind),
    Take(usize, Kind),
    Despawn(usize),
    Replace(usize),
    /// Writes one value through the world.
    Write(usize),
    /// Iterates all values mutably, and writes the values of every n-th entity.
    WriteMany(u32),
    Bypass,
    /// Inserts into all entities without `Plain`.
    InsertAll(Kind),
    /// Removes from all entities with `Mark`.
    RemoveAll,
    /// Despawns all entities with `Plain`.
    DespawnAll,
    Clear,
    /// Runs a reader: by its schedule, or directly.
    Read(usize),
}

fn op() -> impl Strategy<Value = Op> {
    use Kind::{Both, Health, Mood, Neither, WithMark, WithPlain};
    let kind = || prop::sample::select(vec![Health, Mood, Both, WithPlain, WithMark, Neither]);
    let entity = || 0..64_usize;
    prop_oneof![
        4 => kind().prop_map(Op::Spawn),
        2 => (kind(), 0..40_u8).prop_map(|(kind, n)| Op::Batch(kind, n)),
        4 => (entity(), kind()).prop_map(|(e, kind)| Op::Insert(e, kind)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Op::Command(e, kind)),
        3 => (entity(), kind()).prop_map(|(e, kind)| Op::Remove(e, kind)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Op::Take(e, kind)),
        3 => entity().prop_map(Op::Despawn),
        2 => entity().prop_map(Op::Replace),
        4 => entity().prop_map(Op::Write),
        2 => (1..6_u32).prop_map(Op::WriteMany),
        1 => Just(Op::Bypass),
        2 => kind().prop_map(Op::InsertAll),
        1 => Just(Op::RemoveAll),
        1 => Just(Op::DespawnAll),
        1 => Just(Op::Clear),
        12 => (0..READERS).prop_map(Op::Read),
    ]
}

const READERS: usize = 6;

fn ids_with<F: ecs_core::QueryFilter>(world: &World) -> Vec<Entity> {
    world.query_filtered::<Entity, F>().iter().collect()
}

/// The last run of a reader, and whether it writes.
#[derive(Clone, Copy)]
struct Reader {
    last: usize,
    registered: Option<usize>,
    writes: bool,
}

struct Test {
    world: World,
    models: [Model; 2],
    entities: Vec<Entity>,
    schedules: [Schedule; 3],
    readers: [Reader; READERS],
}

impl Test {
    fn new() -> Self {
        let mut world = World::new();
        world.insert_resource(Reports::default());
        let mut schedules = [Schedule::new(), Schedule::new(), Schedule::new()];
        schedules[0].add(by_query);
        schedules[1].add(by_view);
        schedules[2].add(by_writer);
        let reader = |writes| Reader {
            last: 0,
            registered: None,
            writes,
        };
        Self {
            world,
            models: Default::default(),
            entities: Vec::new(),
            schedules,
            readers: [false, false, true, false, false, true].map(reader),
        }
    }

    fn inserted(&mut self, entity: Entity, kind: Kind, now: usize) {
        for (model, has) in self.models.iter_mut().zip(kind.has()) {
            if has {
                model.insert(entity, now);
            }
        }
    }

    fn apply(&mut self, op: Op, now: usize) {
        let pick = |n: usize| self.entities.get(n % self.entities.len().max(1)).copied();
        let n = now as u8;
        let world = &mut self.world;
        match op {
            Op::Spawn(kind) => {
                let entity = with_bundle!(kind, n, |bundle| world.spawn(bundle));
                self.entities.push(entity);
                self.inserted(entity, kind, now);
            }
            Op::Batch(kind, count) => {
                let ids = with_bundle!(kind, n, |bundle| world
                    .spawn_batch((0..count).map(|_| bundle.clone()))
                    .to_vec());
                for entity in ids {
                    self.entities.push(entity);
                    self.inserted(entity, kind, now);
                }
            }
            Op::Insert(entity, kind) => {
                let Some(entity) = pick(entity) else { return };
                with_bundle!(kind, n, |bundle| world.insert(entity, bundle).unwrap());
                self.inserted(entity, kind, now);
            }
            Op::Command(entity, kind) => {
                let Some(entity) = pick(entity) else { return };
                let mut queue = ecs_core::CommandQueue::new();
                queue.push(move |world: &mut World| {
                    with_bundle!(kind, n, |bundle| world.insert(entity, bundle).unwrap());
                });
                world.defer(&mut queue);
                world.flush();
                self.inserted(entity, kind, now);
            }
            Op::Remove(entity, kind) => {
                let Some(entity) = pick(entity) else { return };
                match kind {
                    Kind::Health => world.remove::<Health>(entity).unwrap(),
                    Kind::Mood => world.remove::<Mood>(entity).unwrap(),
                    Kind::Both => world.remove::<(Health, Mood)>(entity).unwrap(),
                    Kind::WithPlain => world.remove::<(Plain, Mood, Health)>(entity).unwrap(),
                    Kind::WithMark => world.remove::<(Mark, Health)>(entity).unwrap(),
                    Kind::Neither => world.remove::<(Mark, Plain)>(entity).unwrap(),
                }
                for (model, has) in self.models.iter_mut().zip(kind.has()) {
                    if has {
                        model.remove(entity, now);
                    }
                }
            }
            Op::Take(entity, kind) => {
                let Some(entity) = pick(entity) else { return };
                let taken = match kind {
                    Kind::Health => world.take::<Health>(entity).is_ok(),
                    Kind::Mood => world.take::<Mood>(entity).is_ok(),
                    Kind::Both => world.take::<(Health, Mood)>(entity).is_ok(),
                    Kind::WithPlain => world.take::<(Plain, Mood, Health)>(entity).is_ok(),
                    Kind::WithMark => world.take::<(Mark, Health)>(entity).is_ok(),
                    Kind::Neither => world.take::<(Mark, Plain)>(entity).is_ok(),
                };
                for (model, has) in self.models.iter_mut().zip(kind.has()) {
                    if has && taken {
                        model.remove(entity, now);
                    }
                }
            }
            Op::Despawn(entity) => {
                let Some(entity) = pick(entity) else { return };
                world.despawn(entity).unwrap();
                self.entities.retain(|&other| other != entity);
                self.models
                    .iter_mut()
                    .for_each(|model| model.remove(entity, now));
            }
            Op::Replace(entity) => {
                let Some(entity) = pick(entity) else { return };
                world.replace(entity, Health(n)).unwrap();
                self.models[0].insert(entity, now);
            }
            Op::Write(entity) => {
                let Some(entity) = pick(entity) else { return };
                if let Some(mut health) = world.get_mut::<Health>(entity) {
                    health.0 = n;
                }
                if let Some(mut mood) = world.view_mut::<Mood>().get_mut(entity) {
                    mood.0 = n;
                }
                self.models
                    .iter_mut()
                    .for_each(|model| model.change(entity, now));
            }
            Op::WriteMany(every) => {
                let is_chosen = |entity: Entity| entity.index().is_multiple_of(every);
                world
                    .query::<(Entity, &mut Health)>()
                    .for_each(|(entity, mut health)| {
                        if is_chosen(entity) {
                            health.0 = n;
                        }
                    });
                for (entity, mood) in &mut world.query::<(Entity, Option<&mut Mood>)>() {
                    if let Some(mut mood) = mood.filter(|_| is_chosen(entity)) {
                        mood.0 = n;
                    }
                }
                for &entity in self.entities.iter().filter(|&&entity| is_chosen(entity)) {
                    self.models
                        .iter_mut()
                        .for_each(|model| model.change(entity, now));
                }
            }
            Op::Bypass => {
                let mut health = world.view_mut::<Health>();
                (&mut health).for_each(|mut health| health.bypass().0 = n);
                for mut mood in &mut world.view_mut::<Mood>() {
                    assert!(!mood.set_if_neq(mood.clone()));
                }
            }
            Op::InsertAll(kind) => {
                let ids = ids_with::<Without<Plain>>(world);
                with_bundle!(kind, n, |bundle| world
                    .insert_all::<Without<Plain>, _>(bundle));
                for entity in ids {
                    self.inserted(entity, kind, now);
                }
            }
            Op::RemoveAll => {
                let ids = ids_with::<With<Mark>>(world);
                world.remove_all::<(Mood, Health), With<Mark>>();
                for entity in ids {
                    let models = self.models.iter_mut();
                    models.for_each(|model| model.remove(entity, now));
                }
            }
            Op::DespawnAll => {
                let ids = ids_with::<With<Plain>>(world);
                world.despawn_all::<With<Plain>>();
                for entity in ids {
                    self.entities.retain(|&other| other != entity);
                    let models = self.models.iter_mut();
                    models.for_each(|model| model.remove(entity, now));
                }
            }
            Op::Clear => {
                world.clear();
                for model in &mut self.models {
                    let removed = std::mem::take(&mut model.values);
                    model
                        .removed
                        .extend(removed.into_keys().map(|entity| (now, entity)));
                }
                self.entities.clear();
            }
            Op::Read(reader) => self.read(reader, now),
        }
    }

    fn read(&mut self, index: usize, now: usize) {
        match index {
            0..3 => self.schedules[index].run(&mut self.world).unwrap(),
            3 => by_query(&self.world),
            4 => by_view(&self.world),
            _ => by_writer(&self.world),
        }
        let mut reports = std::mem::take(&mut self.world.resource_mut::<Reports>().0);
        let reader = &mut self.readers[index];
        let registered = *reader.registered.get_or_insert(now);
        for (n, (model, mut report)) in self
            .models
            .iter_mut()
            .zip(reports.pop().unwrap())
            .enumerate()
        {
            let mut expected = model.expected(reader.last, registered);
            if reader.writes {
                for &entity in &expected.changed {
                    model.change(entity, now);
                }
                if n == 0 {
                    // `by_writer` queries changed values only.
                    expected.added.clear();
                    expected.mutated.clear();
                    expected.unchanged.clear();
                }
            }
            // `clear` removes in the order of tables.
            report.removed.sort_unstable();
            expected.removed.sort_unstable();
            assert_eq!(report, expected, "reader {index} of component {n} at {now}");
        }
        reader.last = now;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(300),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_reader_sees_every_change_once(ops in prop::collection::vec(op(), 1..if cfg!(miri) { 25 } else { 120 })) {
        let mut test = Test::new();
        for (n, op) in ops.into_iter().enumerate() {
            test.apply(op, n + 1);
            test.world.check_invariants();
        }
        for reader in 0..READERS {
            test.read(reader, 1_000 + reader);
        }
    }
}
