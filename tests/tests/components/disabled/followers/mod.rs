//! After random programs, everything that follows changes agrees with plain maps: indexes, readers of changes, caches of
//! hashes, replicas. Entities are disabled and enabled in all ways, components turned off and on, and followers run at
//! any time.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::Disabled;
use ecs_core::command::EntityCommands;
use ecs_core::component::ComponentId;
use ecs_core::data::{HashCache, Protocol, Replica, Replicator};
use ecs_core::index::{Index, OrderedIndex, Spatial, SpatialGrid};
use ecs_core::prelude::*;
use ecs_core::query::{AndDisabled, Mutated};
use ecs_core::toggle::{Toggle, TurnedOn};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// The name of an entity, on the server and in replicas.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[component(data = "followers.id")]
struct Id(u32);

#[derive(
    Component, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[component(data = "followers.health", track)]
struct Health(i32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "followers.place", track, storage = "sparse")]
struct Place([f32; 1]);

impl Spatial<1> for Place {
    const CELL: f32 = 2.0;
    fn place(&self) -> [f32; 1] {
        self.0
    }
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "followers.shield", track, toggle)]
struct Shield(i32);

/// Disables, and is a tag.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "followers.asleep", disables)]
struct Asleep;

/// Disables, and has a value.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "followers.frozen", disables)]
struct Frozen(u8);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "followers.child_of", tree)]
struct ChildOf;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "followers.unread")]
struct Unread;

/// The components that readers read, and the components that disable.
const KINDS: usize = 3;
const DISABLERS: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The bits of two numbers are its components and the ones that disable it.
    Spawn(u8, u8),
    Despawn(u8),
    Insert(u8, u8),
    Write(u8, u8),
    Remove(u8, u8),
    /// The entity, the component that disables it, and the way.
    Disable(u8, u8, u8),
    Enable(u8, u8, u8),
    /// Removes everything that disables the entity.
    EnableWholly(u8),
    /// The entity, on or off, and the way.
    Toggle(u8, bool, u8),
    Relate(u8, u8),
    Unrelate(u8),
    /// The followers whose bits are set run.
    Follow(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (any::<u8>(), any::<u8>()).prop_map(|(has, by)| Step::Spawn(has, if by < 128 { 0 } else { by })),
        1 => any::<u8>().prop_map(Step::Despawn),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(e, kind)| Step::Insert(e, kind)),
        4 => (any::<u8>(), any::<u8>()).prop_map(|(e, kind)| Step::Write(e, kind)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(e, kind)| Step::Remove(e, kind)),
        4 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(e, by, how)| Step::Disable(e, by, how)),
        6 => (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(e, by, how)| Step::Enable(e, by, how)),
        2 => any::<u8>().prop_map(Step::EnableWholly),
        3 => (any::<u8>(), any::<bool>(), any::<u8>()).prop_map(|(e, on, how)| Step::Toggle(e, on, how)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Relate(a, b)),
        1 => any::<u8>().prop_map(Step::Unrelate),
        4 => any::<u32>().prop_map(Step::Follow),
        1 => Just(Step::Follow(u32::MAX)),
    ]
}

macro_rules! readers {
    ($($name:ident $component:ident $filter:ty;)+) => {$(
        #[system]
        fn $name(those: Query<Entity, $filter>) -> Vec<Entity> {
            those.iter().collect()
        }
    )+};
}

readers! {
    health_changed Health Changed<Health>;
    health_changed_again Health Changed<Health>;
    health_added Health Added<Health>;
    health_mutated Health Mutated<Health>;
    health_changed_in_all Health (Changed<Health>, AndDisabled);
    place_changed Place Changed<Place>;
    place_added Place Added<Place>;
    place_changed_in_all Place (Changed<Place>, AndDisabled);
    shield_changed Shield Changed<Shield>;
    shield_added Shield Added<Shield>;
    shield_on_changed Shield (Changed<Shield>, TurnedOn<Shield>);
    shield_on_added Shield (Added<Shield>, TurnedOn<Shield>);
}

#[system]
fn health_view_changed(health: Comp<Health>) -> Vec<Entity> {
    let changed = health.changed().with_entity().iter();
    changed.map(|(entity, _)| entity).collect()
}

#[system]
fn place_view_added(place: Comp<Place>) -> Vec<Entity> {
    let added = place.added().with_entity().iter();
    added.map(|(entity, _)| entity).collect()
}

#[system]
fn health_removed(mut removed: Removed<Health>) -> Vec<Entity> {
    removed.read().collect()
}

type Found = Vec<(Entity, bool)>;

/// Returns the entities that the three indexes find for each value, and true for the enabled ones.
#[system]
fn indexes(
    highest: i32,
    index: Index<Health>,
    ordered: OrderedIndex<Health>,
    grid: SpatialGrid<Place, 1>,
) -> Vec<[Found; 3]> {
    let values = 0..=highest;
    let found = values.map(|value| {
        let by_value = index.get(&Health(value)).iter();
        let by_order = ordered.get(&Health(value)).iter();
        let by_place = grid.within([value as f32], 0.1);
        [
            by_value.map(|&e| (e, index.is_enabled(e))).collect(),
            by_order.map(|&e| (e, ordered.is_enabled(e))).collect(),
            by_place.map(|(e, _)| (e, grid.is_enabled(e))).collect(),
        ]
    });
    found.collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Asks {
    /// It only reads the values.
    Nothing,
    Changed,
    Added,
    Mutated,
}

struct Reader {
    run: fn(&World) -> Vec<Entity>,
    kind: usize,
    asks: Asks,
    sees_disabled: bool,
    only_on: bool,
    unseen: BTreeSet<Entity>,
    unseen_added: BTreeSet<Entity>,
    /// It may see these once more: they were enabled, and another reader had missed something of theirs, or it sees
    /// disabled ones.
    again: BTreeSet<Entity>,
}

#[derive(Clone, Debug, Default)]
struct Plain {
    id: u32,
    values: [Option<i32>; KINDS],
    is_on: bool,
    disablers: [bool; DISABLERS],
    parent: Option<Entity>,
}

impl Plain {
    fn is_disabled(&self) -> bool {
        self.disablers.contains(&true)
    }
}

struct Program {
    world: World,
    model: BTreeMap<Entity, Plain>,
    readers: Vec<Reader>,
    removed: BTreeSet<Entity>,
    cache: HashCache,
    server: Replicator,
    client: ecs_core::data::ClientId,
    copy: World,
    replica: Replica,
    next: i32,
}

fn protocol() -> Protocol {
    Protocol::new()
        .with::<Id>()
        .with::<Health>()
        .with::<Place>()
        .with::<Shield>()
        .with::<Toggle<Shield>>()
        .with::<Disabled>()
        .with::<Asleep>()
        .with::<Frozen>()
        .with_relation::<ChildOf>()
}

fn command(world: &mut World, entity: Entity, queue: impl FnOnce(&mut EntityCommands<'_>)) {
    queue(&mut world.borrow::<Commands>().get().entity(entity));
    world.flush();
}

/// Readers may see more of an entity that is enabled, or whose component is turned on, than they missed: each sees
/// everything that any of them missed, even something that was shown again.
fn note_again(readers: &mut [Reader], kind: usize, entity: Entity, is_toggle: bool) {
    let is_of_kind = |reader: &Reader| reader.kind == kind;
    let missed = |reader: &Reader| {
        let left_out = is_of_kind(reader) && (reader.only_on || !is_toggle);
        let all = [&reader.unseen, &reader.again];
        left_out && all.iter().any(|those| those.contains(&entity))
    };
    if readers.iter().any(missed) {
        let readers = readers.iter_mut().filter(|reader| is_of_kind(reader));
        readers.for_each(|reader| _ = reader.again.insert(entity));
    }
}

impl Program {
    fn new() -> Self {
        use Asks::{Added, Changed, Mutated};
        let mut server = Replicator::new(protocol());
        let client = server.connect();
        let reader = |run, kind, asks, sees_disabled| Reader {
            run,
            kind,
            asks,
            sees_disabled,
            only_on: false,
            unseen: BTreeSet::new(),
            unseen_added: BTreeSet::new(),
            again: BTreeSet::new(),
        };
        let world = World::new();
        // Removals are listed from the first reader on.
        health_removed(&world);
        Self {
            world,
            model: BTreeMap::new(),
            readers: vec![
                reader(health_changed, 0, Changed, false),
                reader(health_changed_again, 0, Changed, false),
                reader(health_added, 0, Added, false),
                reader(health_mutated, 0, Mutated, false),
                reader(health_changed_in_all, 0, Changed, true),
                reader(health_view_changed, 0, Changed, false),
                reader(place_changed, 1, Changed, false),
                reader(place_added, 1, Added, false),
                reader(place_changed_in_all, 1, Changed, true),
                reader(place_view_added, 1, Added, false),
                reader(shield_changed, 2, Changed, false),
                reader(shield_added, 2, Added, false),
                Reader {
                    only_on: true,
                    ..reader(shield_on_changed, 2, Changed, false)
                },
                Reader {
                    only_on: true,
                    ..reader(shield_on_added, 2, Added, false)
                },
                reader(|_| Vec::new(), 0, Asks::Nothing, false),
                reader(|_| Vec::new(), 1, Asks::Nothing, false),
            ],
            removed: BTreeSet::new(),
            cache: HashCache::new(),
            server,
            client,
            copy: World::new(),
            replica: Replica::new(protocol()),
            next: 0,
        }
    }

    fn pick(&self, which: u8) -> Option<Entity> {
        let all = self.model.len();
        let nth = usize::from(which).checked_rem(all)?;
        self.model.keys().nth(nth).copied()
    }

    fn note(&mut self, entity: Entity, kind: usize, is_added: bool) {
        for reader in self.readers.iter_mut().filter(|reader| reader.kind == kind) {
            reader.unseen.insert(entity);
            if is_added {
                reader.unseen_added.insert(entity);
            }
        }
    }

    fn forget(&mut self, entity: Entity, kind: usize) {
        for reader in self.readers.iter_mut().filter(|reader| reader.kind == kind) {
            reader.unseen.remove(&entity);
            reader.unseen_added.remove(&entity);
            reader.again.remove(&entity);
        }
        if kind == 0 {
            self.removed.insert(entity);
        }
    }

    fn insert(&mut self, entity: Entity, kind: usize) {
        self.next += 1;
        let value = self.next % 7;
        match kind {
            0 => self.world.insert(entity, Health(value)).unwrap(),
            1 => self.world.insert(entity, Place([value as f32])).unwrap(),
            _ => self.world.insert(entity, Shield(value)).unwrap(),
        }
        let plain = self.model.get_mut(&entity).unwrap();
        let is_added = plain.values[kind].replace(value).is_none();
        if is_added && kind == 2 {
            plain.is_on = true;
        }
        self.note(entity, kind, is_added);
    }

    fn disable(&mut self, entity: Entity, by: usize, how: u8) {
        let world = &mut self.world;
        match (by, how % 3) {
            (0, 0) => world.insert(entity, Disabled).unwrap(),
            (1, 0) => world.insert(entity, Asleep).unwrap(),
            (_, 0) => world.insert(entity, Frozen(how)).unwrap(),
            (0, 1) => _ = world.insert_batch([entity].map(|entity| (entity, Disabled))),
            (1, 1) => _ = world.insert_batch([entity].map(|entity| (entity, Asleep))),
            (_, 1) => _ = world.insert_batch([entity].map(|entity| (entity, Frozen(how)))),
            _ => command(world, entity, |commands| {
                match by {
                    0 => commands.insert(Disabled),
                    1 => commands.insert(Asleep),
                    _ => commands.insert(Frozen(how)),
                };
            }),
        }
        self.model.get_mut(&entity).unwrap().disablers[by] = true;
    }

    fn enable(&mut self, entity: Entity, by: usize, how: u8) {
        let world = &mut self.world;
        macro_rules! remove {
            ($disabler:ty) => {
                match how % 6 {
                    0 => world.remove::<$disabler>(entity).unwrap(),
                    1 => _ = world.take::<$disabler>(entity),
                    2 => {
                        let component = ComponentId::of::<$disabler>();
                        _ = world.remove_erased(entity, component).unwrap();
                    }
                    3 => _ = world.remove_batch::<$disabler>([entity]),
                    4 => {
                        command(world, entity, |commands| _ = commands.remove::<$disabler>());
                    }
                    _ => {
                        // All of them, which moves whole tables.
                        world.remove_all::<$disabler, With<$disabler>>();
                    }
                }
            };
        }
        match by {
            0 => remove!(Disabled),
            1 => remove!(Asleep),
            _ => remove!(Frozen),
        }
        let is_of_all = how % 6 == 5;
        for (&other, plain) in &mut self.model {
            if !(other == entity || is_of_all) || !std::mem::take(&mut plain.disablers[by]) {
                continue;
            }
            for kind in 0..KINDS {
                note_again(&mut self.readers, kind, other, false);
            }
        }
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Spawn(has, by) => {
                let id = self.next as u32;
                self.next += 1;
                let entity = if by & 8 == 0 {
                    self.world.spawn(Id(id))
                } else {
                    // Disabled before it has any value.
                    self.world.spawn((Id(id), Asleep))
                };
                let mut plain = Plain {
                    id,
                    ..Plain::default()
                };
                plain.disablers[1] = by & 8 != 0;
                self.model.insert(entity, plain);
                (0..KINDS)
                    .filter(|kind| has >> kind & 1 == 1)
                    .for_each(|kind| self.insert(entity, kind));
                (0..DISABLERS)
                    .filter(|n| by >> n & 1 == 1)
                    .for_each(|n| self.disable(entity, n, by >> 4));
            }
            Step::Despawn(which) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                self.world.despawn(entity).unwrap();
                let plain = self.model.remove(&entity).unwrap();
                (0..KINDS)
                    .filter(|&kind| plain.values[kind].is_some())
                    .for_each(|kind| self.forget(entity, kind));
                for plain in self.model.values_mut() {
                    plain.parent = plain.parent.filter(|&parent| parent != entity);
                }
            }
            Step::Insert(which, kind) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                self.insert(entity, usize::from(kind) % KINDS);
            }
            Step::Write(which, kind) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                let kind = usize::from(kind) % KINDS;
                let Some(value) = &mut self.model.get_mut(&entity).unwrap().values[kind] else {
                    return;
                };
                *value += 1;
                match kind {
                    0 => self.world.get_mut::<Health>(entity).unwrap().0 += 1,
                    1 => self.world.view_mut::<Place>().get_mut(entity).unwrap().0[0] += 1.0,
                    _ => {
                        let mut query = self.world.query::<&mut Shield>();
                        query.get_mut(entity).unwrap().0 += 1;
                    }
                }
                self.note(entity, kind, false);
            }
            Step::Remove(which, kind) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                let kind = usize::from(kind) % KINDS;
                match kind {
                    0 => self.world.remove::<Health>(entity).unwrap(),
                    1 => self.world.remove::<Place>(entity).unwrap(),
                    _ => self.world.remove::<Shield>(entity).unwrap(),
                }
                if self.model.get_mut(&entity).unwrap().values[kind]
                    .take()
                    .is_some()
                {
                    self.forget(entity, kind);
                }
            }
            Step::Disable(which, by, how) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                self.disable(entity, usize::from(by) % DISABLERS, how);
            }
            Step::Enable(which, by, how) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                self.enable(entity, usize::from(by) % DISABLERS, how);
            }
            Step::EnableWholly(which) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                let all = self.world.remove::<(Disabled, Asleep, Frozen)>(entity);
                all.unwrap();
                let plain = self.model.get_mut(&entity).unwrap();
                if std::mem::take(&mut plain.disablers).contains(&true) {
                    for kind in 0..KINDS {
                        note_again(&mut self.readers, kind, entity, false);
                    }
                }
            }
            Step::Toggle(which, on, how) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                let plain = self.model.get_mut(&entity).unwrap();
                if plain.values[2].is_none() && how % 9 > 1 {
                    return;
                }
                // An inserted value shows the missed changes even if it stays off; a difference has none then.
                let is_inserted = (2..8).contains(&(how % 9));
                if plain.values[2].is_some()
                    && !std::mem::replace(&mut plain.is_on, on)
                    && (on || is_inserted)
                {
                    note_again(&mut self.readers, 2, entity, true);
                }
                let mut toggle = Toggle::<Shield>::default();
                if !on {
                    toggle.turn_off();
                }
                let world = &mut self.world;
                match (on, how % 9) {
                    (true, 0) => _ = world.turn_on::<Shield>(entity),
                    (false, 0) => _ = world.turn_off::<Shield>(entity),
                    (true, 1) => command(world, entity, |commands| {
                        commands.turn_on::<Shield>();
                    }),
                    (false, 1) => command(world, entity, |commands| {
                        commands.turn_off::<Shield>();
                    }),
                    (_, 2) => world.insert(entity, toggle).unwrap(),
                    (_, 3) => world.insert(entity, (Unread, toggle)).unwrap(),
                    (_, 4) => _ = world.replace(entity, toggle).unwrap(),
                    (_, 5) => command(world, entity, |commands| {
                        commands.insert(toggle);
                    }),
                    (_, 6) => _ = world.insert_batch([(entity, toggle)]),
                    (_, 7) => {
                        let name = "followers.shield.toggle";
                        world.insert_by_name(entity, name, &on.into()).unwrap();
                    }
                    _ => {
                        let old = world.try_clone().unwrap();
                        let mut new = world.try_clone().unwrap();
                        new.insert(entity, toggle).unwrap();
                        old.diff(&new).unwrap().apply(world).unwrap();
                    }
                }
            }
            Step::Relate(source, target) => {
                let (Some(source), Some(target)) = (self.pick(source), self.pick(target)) else {
                    return;
                };
                if self.world.relate(source, ChildOf, target).is_ok() {
                    self.model.get_mut(&source).unwrap().parent = Some(target);
                }
            }
            Step::Unrelate(which) => {
                let Some(entity) = self.pick(which) else {
                    return;
                };
                if let Some(parent) = self.model.get_mut(&entity).unwrap().parent.take() {
                    self.world.unrelate::<ChildOf>(entity, parent).unwrap();
                }
            }
            Step::Follow(which) => {
                for n in 0..self.readers.len() {
                    if which >> n & 1 == 1 && self.readers[n].asks != Asks::Nothing {
                        self.check_reader(n);
                    }
                }
                if which >> 20 & 1 == 1 {
                    self.check_removed();
                }
                if which >> 21 & 1 == 1 {
                    self.check_indexes();
                }
                if which >> 22 & 1 == 1 {
                    let hash = self.cache.world(&self.world).unwrap();
                    assert_eq!(hash, self.world.hash().unwrap());
                }
                if which >> 23 & 1 == 1 {
                    self.check_replica();
                }
            }
        }
        self.world.check_invariants();
    }

    fn check_reader(&mut self, n: usize) {
        let reader = &mut self.readers[n];
        let seen = BTreeSet::from_iter((reader.run)(&self.world));
        for (&entity, plain) in &self.model {
            if plain.values[reader.kind].is_none()
                || plain.is_disabled() && !reader.sees_disabled
                || !plain.is_on && reader.only_on
            {
                assert!(
                    !seen.contains(&entity),
                    "reader {n} does not see {entity} {plain:?}"
                );
                continue;
            }
            let is_unseen = reader.unseen.contains(&entity);
            let is_added = reader.unseen_added.contains(&entity);
            let expected = match reader.asks {
                Asks::Nothing => false,
                Asks::Changed => is_unseen,
                Asks::Added => is_added,
                Asks::Mutated => is_unseen && !is_added,
            };
            let again = reader.again.contains(&entity);
            let is_seen = seen.contains(&entity);
            // A value shown again as added is not shown as mutated.
            let is_right =
                is_seen == expected || again && (is_seen || reader.asks == Asks::Mutated);
            assert!(
                is_right,
                "reader {n}: {entity} {plain:?}: seen {is_seen}, expected {expected} or again {again}"
            );
            reader.unseen.remove(&entity);
            reader.unseen_added.remove(&entity);
            reader.again.remove(&entity);
        }
        assert!(seen.iter().all(|entity| self.model.contains_key(entity)));
    }

    fn check_removed(&mut self) {
        let seen = BTreeSet::from_iter(health_removed(&self.world));
        assert_eq!(seen, std::mem::take(&mut self.removed));
    }

    fn check_indexes(&mut self) {
        let highest = self.model.values().flat_map(|plain| plain.values);
        let highest = highest.flatten().max().unwrap_or(0);
        let found = indexes(highest, &self.world);
        for (value, found) in (0..).zip(found) {
            let with = |kind: usize| {
                let all = self.model.iter();
                let all = all.filter(|(_, plain)| plain.values[kind] == Some(value));
                Vec::from_iter(all.map(|(&entity, plain)| (entity, !plain.is_disabled())))
            };
            assert_eq!(found, [with(0), with(0), with(1)], "{value}");
        }
        // They read the components, too.
        for n in 0..self.readers.len() {
            if self.readers[n].asks == Asks::Nothing {
                self.check_reader(n);
            }
        }
    }

    fn check_replica(&mut self) {
        self.server.update(&self.world).unwrap();
        let packet = self.server.packet(self.client, |_| true).unwrap();
        self.replica.apply(&mut self.copy, &packet).unwrap();
        self.server
            .acknowledge(self.client, self.replica.applied())
            .unwrap();
        let describe = |world: &World| {
            let query = world.query_filtered::<(
                &Id,
                Option<&Health>,
                Option<&Place>,
                Option<&Shield>,
                Option<&Toggle<Shield>>,
                Option<&Disabled>,
                Option<&Asleep>,
                Option<&Frozen>,
            ), AndDisabled>();
            let mut all: Vec<_> = query.iter().map(|item| format!("{item:?}")).collect();
            all.sort();
            all
        };
        assert_eq!(describe(&self.world), describe(&self.copy));
        let ids = self.copy.query_filtered::<&Id, AndDisabled>();
        let ids = BTreeSet::from_iter(ids.iter().map(|id| id.0));
        assert_eq!(ids, self.model.values().map(|plain| plain.id).collect());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(150)))]

    #[test]
    fn all_that_follows_changes_sees_every_entity(steps in prop::collection::vec(step(), 1..60)) {
        let mut program = Program::new();
        for step in steps {
            program.apply(step);
        }
        program.apply(Step::Follow(u32::MAX));
    }
}
