//! Values that are unique: random programs against a look at all entities, with panics in `Hash`, `Eq` and `Clone`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::bundle::BundleBuilder;
use ecs_core::data::{Loader, Unknown, Value, WorldData};
use ecs_core::index::UniqueIndex;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_core::world::{TryInsertError, ValueTaken};
use ecs_tests::worlds;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Debug, Serialize, Deserialize)]
#[component(unique, data = "unique.name")]
struct Name(u8);

/// The same, by entity, tracked, and with a hook.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(unique, storage = "sparse", track, on_insert = Seat::taken, data = "unique.seat")]
struct Seat(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "unique.mark")]
struct Mark;

impl Seat {
    fn taken(world: ecs_core::world::hooks::DeferredWorld, entity: Entity) {
        let seat = world.get::<Self>(entity).unwrap();
        assert_eq!(
            world.borrow::<UniqueIndex<Self>>().get().get(&*seat),
            Some(entity)
        );
    }
}

thread_local! {
    /// The number of calls until one panics.
    static FUSE: Cell<u32> = const { Cell::new(u32::MAX) };
}

const BURNT: &str = "the fuse burnt down";

fn burn() {
    let left = FUSE.get().saturating_sub(1);
    FUSE.set(if left == 0 { u32::MAX } else { left });
    assert!(left != 0, "{BURNT}");
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        burn();
        self.0 == other.0
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        burn();
        self.0.hash(hasher);
    }
}

impl Clone for Name {
    fn clone(&self) -> Self {
        burn();
        Self(self.0)
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn(u8),
    TrySpawn(u8, u8),
    SpawnBatch(u8, u8),
    Insert(u8, u8),
    TryInsert(u8, u8),
    InsertBatch(u8),
    InsertAll(u8),
    Replace(u8, u8),
    Queue(u8, u8),
    ByName(u8, u8),
    Remove(u8),
    Despawn(u8),
    Clone(u8),
    Load,
    Reload,
    Move,
    Swap(u8, u8),
    Hand(u8),
    Restore(u8, u8),
    Panic(u8),
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    let two = || any::<(u8, u8)>();
    prop_oneof![
        3 => any::<u8>().prop_map(Spawn),
        2 => two().prop_map(|(name, seat)| TrySpawn(name, seat)),
        1 => (any::<u8>(), 0..4_u8).prop_map(|(name, count)| SpawnBatch(name, count)),
        2 => two().prop_map(|(entity, name)| Insert(entity, name)),
        2 => two().prop_map(|(entity, name)| TryInsert(entity, name)),
        1 => any::<u8>().prop_map(InsertBatch),
        1 => any::<u8>().prop_map(InsertAll),
        1 => two().prop_map(|(entity, name)| Replace(entity, name)),
        1 => two().prop_map(|(entity, name)| Queue(entity, name)),
        1 => two().prop_map(|(entity, name)| ByName(entity, name)),
        1 => any::<u8>().prop_map(Remove),
        1 => any::<u8>().prop_map(Despawn),
        1 => any::<u8>().prop_map(Clone),
        1 => Just(Load),
        1 => Just(Reload),
        1 => Just(Move),
        2 => two().prop_map(|(a, b)| Swap(a, b)),
        1 => any::<u8>().prop_map(Hand),
        1 => two().prop_map(|(entity, name)| Restore(entity, name)),
        3 => (1..20_u8).prop_map(Panic),
    ]
}

/// The names and seats of all entities.
type Seen = BTreeMap<Entity, (Option<u8>, Option<u8>)>;

fn seen(world: &World) -> Seen {
    let all = world.query::<(Entity, Option<&Name>, Option<&Seat>)>();
    let all = all.iter();
    all.map(|(entity, name, seat)| (entity, (name.map(|name| name.0), seat.map(|seat| seat.0))))
        .collect()
}

/// Returns true if the name, or the seat, is one that no other entity has.
fn is_free(seen: &Seen, entity: Option<Entity>, name: Option<u8>, seat: Option<u8>) -> bool {
    seen.iter().all(|(&other, known)| {
        Some(other) == entity
            || ((name.is_none() || known.0 != name) && (seat.is_none() || known.1 != seat))
    })
}

/// Makes a step. Returns whether it should and did succeed, if it is one that is made whole or not at all.
fn apply(world: &mut World, step: Step, before: &Seen) -> Option<(bool, bool)> {
    let all: Vec<Entity> = before.keys().copied().collect();
    let pick = |number: u8| all.get(usize::from(number) % all.len().max(1)).copied();
    let name = |number: u8| Name(number % 6);
    let seat = |number: u8| Seat(number % 4);
    let panics = |f: &mut dyn FnMut()| match catch_unwind(AssertUnwindSafe(f)) {
        Ok(()) => false,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().expect("a message");
            if text == BURNT {
                std::panic::resume_unwind(panic);
            }
            assert!(
                text.contains("because values of the component are unique"),
                "{text}"
            );
            true
        }
    };
    Some(match step {
        Step::Spawn(number) => {
            let is_free = is_free(before, None, Some(name(number).0), None);
            let failed = panics(&mut || _ = world.spawn((name(number), Mark)));
            (is_free, !failed)
        }
        Step::TrySpawn(number, other) => {
            let is_free = is_free(before, None, Some(name(number).0), Some(seat(other).0));
            let spawned = world.try_spawn((name(number), seat(other)));
            if let Err(ValueTaken { holder, .. }) = spawned {
                let known = before[&holder];
                assert!(known.0 == Some(number % 6) || known.1 == Some(other % 4));
            }
            (is_free, spawned.is_ok())
        }
        Step::SpawnBatch(number, count) => {
            panics(&mut || {
                let names = (0..count).map(|more| name(number.wrapping_add(more)));
                _ = world.spawn_batch(names);
            });
            return None;
        }
        Step::Insert(entity, number) => {
            let entity = pick(entity)?;
            let is_free = is_free(before, Some(entity), Some(name(number).0), None);
            let failed = panics(&mut || world.insert(entity, (Mark, name(number))).unwrap());
            (is_free, !failed)
        }
        Step::TryInsert(entity, number) => {
            let entity = pick(entity)?;
            let is_free = is_free(before, Some(entity), None, Some(seat(number).0));
            let inserted = world.try_insert(entity, (seat(number), Mark));
            assert!(matches!(inserted, Ok(()) | Err(TryInsertError::Taken(_))));
            (is_free, inserted.is_ok())
        }
        Step::InsertBatch(number) => {
            panics(&mut || {
                let names = (0..3).map(|more| name(number.wrapping_add(more)));
                _ = world.insert_batch(all.iter().copied().zip(names));
            });
            return None;
        }
        Step::InsertAll(number) => {
            panics(&mut || world.insert_all::<With<Mark>, _>(name(number)));
            return None;
        }
        Step::Replace(entity, number) => {
            let entity = pick(entity)?;
            let is_free = is_free(before, Some(entity), Some(name(number).0), None);
            let failed = panics(&mut || _ = world.replace(entity, name(number)).unwrap());
            (is_free, !failed)
        }
        Step::Queue(entity, number) => {
            let entity = pick(entity)?;
            let is_free = is_free(before, Some(entity), Some(name(number).0), None);
            let failed = panics(&mut || {
                world.run(move |mut commands: Commands| commands.insert(entity, name(number)));
            });
            (is_free, !failed)
        }
        Step::ByName(entity, number) => {
            let entity = pick(entity)?;
            let is_free = is_free(before, Some(entity), Some(name(number).0), None);
            let value = Value::from(u64::from(number % 6));
            (
                is_free,
                world.insert_by_name(entity, "unique.name", &value).is_ok(),
            )
        }
        Step::Remove(entity) => {
            world.remove::<(Name, Seat)>(pick(entity)?).unwrap();
            return None;
        }
        Step::Despawn(entity) => {
            world.despawn(pick(entity)?).unwrap();
            return None;
        }
        Step::Clone(entity) => {
            let entity = pick(entity)?;
            let has_none = before[&entity] == (None, None);
            (has_none, world.clone_entity(entity).is_ok())
        }
        Step::Load => {
            let has_none = before.values().all(|known| *known == (None, None));
            let mut file = Vec::new();
            world.save().to_writer(&mut file).unwrap();
            (has_none, Loader::new().load_into(world, &*file).is_ok())
        }
        Step::Reload => {
            let mut file = Vec::new();
            world.save().to_writer(&mut file).unwrap();
            let loader = Loader::new().replacing::<Or<(With<Name>, With<Seat>, With<Mark>)>>();
            (true, loader.load_into(world, &*file).is_ok())
        }
        Step::Move => {
            let mut other = World::new();
            other.spawn((Name(0), Seat(1)));
            let moved = other.spawn((Name(2), Mark));
            let rows = other.take_rows(&[moved], |_, _| Some(1)).unwrap();
            let is_free = is_free(before, None, Some(2), None);
            (is_free, world.put_rows(rows, |_| None).is_ok())
        }
        Step::Swap(a, b) => {
            let (a, b) = (pick(a)?, pick(b)?);
            let mut other = world.try_clone().unwrap();
            let names = [a, b].map(|entity| other.take::<Name>(entity).ok());
            for (entity, name) in [b, a].into_iter().zip(names) {
                if let Some(name) = name {
                    other.insert(entity, name).unwrap();
                }
            }
            (true, world.diff(&other).unwrap().apply(world).is_ok())
        }
        Step::Hand(entity) => {
            let entity = pick(entity)?;
            let mut other = world.try_clone().unwrap();
            let (name, seat) = (other.take::<Name>(entity), other.take::<Seat>(entity));
            other.despawn(entity).unwrap();
            other.spawn((name.ok(), seat.ok()));
            let diff = world.diff(&other).unwrap();
            (true, diff.apply_with_hooks(world).is_ok())
        }
        Step::Restore(entity, number) => {
            let snapshotter = Snapshotter::new();
            let mut snapshot = snapshotter.take(world).unwrap();
            panics(&mut || {
                world.spawn(name(number));
                if let Some(entity) = pick(entity) {
                    _ = world.remove::<(Name, Seat)>(entity);
                }
            });
            snapshotter.restore(world, &mut snapshot).unwrap();
            return None;
        }
        Step::Panic(count) => {
            FUSE.set(u32::from(count));
            return None;
        }
    })
}

fn check(world: &World) {
    let seen = seen(world);
    let mut borrowed = world.borrow::<(UniqueIndex<Name>, UniqueIndex<Seat>)>();
    let (names, seats) = borrowed.get();
    for number in 0..6 {
        let mut of_name = seen.iter().filter(|(_, known)| known.0 == Some(number));
        let mut of_seat = seen.iter().filter(|(_, known)| known.1 == Some(number));
        let found = (of_name.next(), of_seat.next());
        assert_eq!(names.get(&Name(number)), found.0.map(|(entity, _)| *entity));
        assert_eq!(seats.get(&Seat(number)), found.1.map(|(entity, _)| *entity));
        assert_eq!(
            (of_name.next(), of_seat.next()),
            (None, None),
            "{number} occurs twice"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(worlds(512)))]

    #[test]
    fn no_two_entities_have_one_value_and_a_refused_change_changes_nothing(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        FUSE.set(u32::MAX);
        let mut world = World::new();
        for step in steps {
            let before = seen(&world);
            let result = catch_unwind(AssertUnwindSafe(|| apply(&mut world, step, &before)));
            let is_armed = FUSE.get() != u32::MAX;
            match result {
                Ok(Some((true, succeeded))) => prop_assert!(succeeded, "{step:?}"),
                Ok(Some((false, succeeded))) => {
                    prop_assert!(!succeeded, "{step:?}");
                    prop_assert_eq!(seen(&world), before);
                }
                Ok(None) => {}
                Err(panic) => {
                    let text = panic.downcast_ref::<String>();
                    prop_assert_eq!(text.map(String::as_str), Some(BURNT), "{:?}", step);
                    // A batch stops in the middle, and so does an edit at a `Drop`.
                    let is_single = matches!(
                        step,
                        Step::Spawn(_) | Step::TrySpawn(..) | Step::Insert(..) | Step::TryInsert(..)
                            | Step::Replace(..) | Step::ByName(..) | Step::Clone(_) | Step::Load | Step::Move
                    );
                    if is_single {
                        prop_assert_eq!(seen(&world), before);
                    }
                }
            }
            let fuse = FUSE.replace(u32::MAX);
            check(&world);
            FUSE.set(if is_armed { fuse } else { u32::MAX });
        }
    }
}

/// All are different, and all are equal.
#[derive(Component, Clone)]
#[component(unique)]
struct Liar(u8);

impl PartialEq for Liar {
    fn eq(&self, _: &Self) -> bool {
        self.0.is_multiple_of(2)
    }
}

impl Eq for Liar {}

impl Hash for Liar {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.0 / 2).hash(hasher);
    }
}

#[test]
fn an_equality_that_lies_does_no_harm() {
    let mut world = World::new();
    for number in 0..200 {
        _ = world.try_spawn(Liar(number));
        _ = world
            .borrow::<UniqueIndex<Liar>>()
            .get()
            .get(&Liar(number / 3));
    }
    world.check_invariants();
}

thread_local! {
    /// The number of looks at a `Counted`.
    static LOOKS: Cell<u32> = const { Cell::new(0) };
}

#[derive(Component, Clone, PartialEq, Eq)]
#[component(unique)]
struct Counted(u32);

impl Hash for Counted {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        LOOKS.set(LOOKS.get() + 1);
        self.0.hash(hasher);
    }
}

#[test]
fn a_value_that_may_be_refused_is_checked_as_often_as_one_that_must_not() {
    let mut world = World::new();
    let entity = world.spawn((Counted(1), Mark));
    // The index has room for more, so it looks at no other value.
    world.spawn_batch((100..130).map(Counted));
    let mut looks = |change: &mut dyn FnMut(&mut World)| {
        LOOKS.set(0);
        change(&mut world);
        LOOKS.get()
    };
    let spawn = looks(&mut |world| _ = world.spawn((Counted(2), Mark)));
    let try_spawn = looks(&mut |world| _ = world.try_spawn((Counted(3), Mark)).unwrap());
    let insert = looks(&mut |world| world.insert(entity, (Counted(4), Mark)).unwrap());
    let try_insert = looks(&mut |world| world.try_insert(entity, (Counted(5), Mark)).unwrap());
    assert_eq!((try_spawn, try_insert), (spawn, insert));
    let refused = looks(&mut |world| _ = world.try_spawn(Counted(5)).unwrap_err());
    assert!(spawn > refused && refused > 0);
    world.check_invariants();
}

#[derive(Component, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[component(unique)]
struct Tag<T: Eq + Hash + Copy + Send + Sync + 'static>(T);

#[derive(Component, Clone, PartialEq, Eq, Hash)]
#[component(unique, storage = "sparse")]
struct Boss;

#[derive(Bundle)]
struct Chief {
    tag: Tag<u8>,
    boss: Option<Boss>,
}

#[test]
fn generic_types_types_without_data_and_parts_of_bundles_can_be_unique() {
    let mut world = World::new();
    let one = world.spawn((Tag(1_u8), Tag(1_u32)));
    world.spawn(Tag(2_u8));
    assert_eq!(
        world.try_spawn((Tag(3_u8), Tag(1_u32))).unwrap_err().holder,
        one
    );
    let chief = |tag, boss: bool| Chief {
        tag: Tag(tag),
        boss: boss.then_some(Boss),
    };
    let first = world.try_spawn(chief(4, true)).unwrap();
    assert_eq!(world.try_spawn(chief(5, true)).unwrap_err().holder, first);
    assert!(world.try_spawn(chief(5, false)).is_ok());
    assert_eq!(world.try_insert(one, Tag(1_u8)), Ok(()));
    world.despawn(first).unwrap();
    assert!(world.try_insert(one, Boss).is_ok());
    assert_eq!(
        world.borrow::<UniqueIndex<Boss>>().get().get(&Boss),
        Some(one)
    );
}

#[system]
fn rename(tags: Query<(Entity, &Tag<u8>)>, mut commands: Commands) {
    for (entity, _) in &tags {
        commands.insert(entity, Tag(2_u8));
    }
}

#[test]
fn a_panic_names_the_component_and_both_entities() {
    let mut world = World::new();
    let [a, b] = [1_u8, 2].map(|tag| world.spawn(Tag(tag)));
    let panic = catch_unwind(AssertUnwindSafe(|| world.run(rename))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    let expected = format!("entity {a} cannot have the value of `");
    assert!(text.starts_with(&expected), "{text}");
    assert!(
        text.contains(&format!("that entity {b} has")) && text.contains("Tag"),
        "{text}"
    );
    assert_eq!(world.get::<Tag<u8>>(a).as_deref(), Some(&Tag(1)));
}

#[test]
fn bundles_of_unknown_types_are_checked() {
    let mut world = World::new();
    let first = world.spawn(BundleBuilder::of(Tag(7_u8)));
    let mut second = BundleBuilder::of(Boss);
    second.add(Tag(7_u8));
    assert_eq!(world.try_spawn(second).unwrap_err().holder, first);
    assert_eq!(world.view::<Boss>().len(), 0);
    let name = |number: u64| [("unique.name", Value::from(number))];
    let spawn = |world: &mut World, number| {
        let values = name(number);
        world.spawn_by_name(values.iter().map(|(name, value)| (*name, value)))
    };
    world.spawn(Name(1));
    assert!(spawn(&mut world, 2).is_ok());
    let count = world.entities().iter().count();
    assert!(spawn(&mut world, 1).is_err());
    assert_eq!(world.entities().iter().count(), count);
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(unique, storage = "sparse")]
struct Square(u8, u8);

#[derive(Component)]
struct Wants(Square);

/// Moves each piece to the square that it wants, and takes the piece there.
#[system]
fn play(pieces: Query<(Entity, &Wants)>, squares: UniqueIndex<Square>, mut commands: Commands) {
    for (piece, wants) in &pieces {
        if let Some(taken) = squares.get(&wants.0).filter(|&taken| taken != piece) {
            commands.despawn(taken);
        }
        commands.insert(piece, wants.0);
    }
}

#[test]
fn a_game_of_squares_moves_pieces_by_commands() {
    let mut world = World::new();
    let rook = world.spawn((Square(0, 0), Wants(Square(0, 7))));
    let pawn = world.spawn(Square(0, 7));
    let mut schedule = Schedule::new();
    schedule.add(play);
    schedule.run(&mut world).unwrap();
    schedule.run(&mut world).unwrap();
    assert!(!world.contains(pawn));
    assert_eq!(
        world
            .borrow::<UniqueIndex<Square>>()
            .get()
            .get(&Square(0, 7)),
        Some(rook)
    );
    assert_eq!(
        world
            .borrow::<UniqueIndex<Square>>()
            .get()
            .get(&Square(0, 0)),
        None
    );
}

#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(unique, data = "unique.slot")]
struct Slot {
    bag: Entity,
    place: u8,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "unique.bag")]
struct Bag;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "unique.carried_by", tree, sources = "despawn")]
struct CarriedBy;

#[test]
fn values_with_ids_stay_unique_in_copies_that_have_other_ids() {
    let mut world = World::new();
    let bag = world.spawn(Bag);
    let items = [0, 1].map(|place| world.spawn((Slot { bag, place }, CarriedBy.to(bag))));
    let copy = world.clone_tree::<CarriedBy>(bag).unwrap();
    {
        let mut borrowed = world.borrow::<UniqueIndex<Slot>>();
        let slots = borrowed.get();
        assert_eq!(slots.get(&Slot { bag, place: 1 }), Some(items[1]));
        let copied = slots.get(&Slot {
            bag: copy,
            place: 1,
        });
        assert!(copied.is_some() && copied != Some(items[1]));
        assert_eq!(slots.values().len(), 4);
    }
    assert!(world.clone_entity(items[0]).is_err());
    let full = world.try_spawn((
        Slot {
            bag: copy,
            place: 0,
        },
        CarriedBy.to(copy),
    ));
    assert!(full.is_err());
    world.despawn(copy).unwrap();
    assert_eq!(world.view::<Slot>().len(), 2);
}

/// A name that is the same in capitals.
#[derive(Component, Clone, Debug)]
#[component(unique)]
struct Login(String);

impl PartialEq for Login {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Login {}

impl Hash for Login {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.to_ascii_lowercase().hash(hasher);
    }
}

#[test]
fn equality_is_the_one_of_the_type() {
    let mut world = World::new();
    let ann = world.spawn((Login("Ann".into()), Some(Boss), None::<Square>));
    assert_eq!(
        world.try_spawn(Login("ANN".into())).unwrap_err().holder,
        ann
    );
    world.insert(ann, Login("aNN".into())).unwrap();
    let find = |logins: UniqueIndex<Login>| logins.get(&Login("ann".into()));
    assert_eq!(world.run(find), Some(ann));
}

fn saved(world: &World) -> Vec<u8> {
    let mut file = Vec::new();
    world.save().to_writer(&mut file).unwrap();
    file
}

/// Saves the names of a world as a program does that doesn't know them, and keeps them.
fn saved_with_kept_names(world: &World) -> Vec<u8> {
    let mut other = World::new();
    let loader = Loader::new().with::<Mark>().with::<Seat>();
    let loader = loader.unknown(Unknown::Keep);
    loader.load_into(&mut other, &*saved(world)).unwrap();
    assert_eq!(other.view::<Name>().len(), 0);
    saved(&other)
}

#[test]
fn a_load_checks_values_that_it_inserts_one_by_one_before_it_changes_anything() {
    let mut world = World::new();
    for number in 0..3 {
        world.spawn((Name(number), Mark));
    }
    let file = saved_with_kept_names(&world);
    let two = world.entities().iter().nth(2).unwrap();
    world.insert(two, Name(5)).unwrap();
    world.spawn(Seat(0));
    let before = seen(&world);
    let error = Loader::new().load_into(&mut world, &*file).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("values of the component are unique"),
        "{text}"
    );
    assert_eq!(seen(&world), before);
    check(&world);
    let loaded = Loader::new().replacing::<With<Mark>>();
    let loaded = loaded.load_into(&mut world, &*file).unwrap();
    let names = loaded
        .entities
        .iter()
        .map(|&entity| world.get::<Name>(entity).unwrap().0);
    assert!(names.eq(0..3));
    assert_eq!(world.entities().iter().count(), 4);
    check(&world);
}

#[test]
fn a_value_that_the_entity_has_in_the_save_wins_over_a_kept_one_which_takes_nothing() {
    let mut world = World::new();
    world.spawn((Name(1), Mark));
    let mut other = World::new();
    let keeping = Loader::new().with::<Mark>().unknown(Unknown::Keep);
    let loaded = keeping.load_into(&mut other, &*saved(&world)).unwrap();
    other.insert(loaded.entities[0], Name(2)).unwrap();
    other.spawn(Name(1));
    let loader = Loader::new().with::<Mark>().with::<Name>();
    let loaded = loader.load_into(&mut World::new(), &*saved(&other));
    assert!(loaded.is_ok(), "{loaded:?}");
}

/// Takes a name as soon as an entity with a mark has left.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(on_despawn = Greedy::take, data = "unique.greedy")]
struct Greedy;

impl Greedy {
    fn take(mut world: ecs_core::world::hooks::DeferredWorld, _: Entity) {
        world.commands().spawn(Name(1));
    }
}

#[test]
fn hooks_of_a_load_find_the_values_that_it_inserts_one_by_one() {
    let mut world = World::new();
    world.spawn((Name(1), Seat(1)));
    let file = saved_with_kept_names(&world);
    let mut world = World::new();
    world.spawn((Name(1), Greedy));
    let loader = Loader::new().with::<Name>().with::<Seat>();
    let loader = loader.replacing::<With<Greedy>>();
    let load = catch_unwind(AssertUnwindSafe(|| loader.load_into(&mut world, &*file)));
    let panic = load.unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("values of the component are unique"),
        "{text}"
    );
    assert_eq!(world.view::<Name>().len(), 1);
    assert_eq!(world.query::<(&Name, &Seat)>().iter().count(), 1);
}

/// Looks all names up when an entity leaves.
#[derive(Component, Clone, Debug)]
#[component(on_despawn = Looking::look)]
struct Looking;

impl Looking {
    fn look(world: ecs_core::world::hooks::DeferredWorld, entity: Entity) {
        let name = world.get::<Name>(entity).unwrap();
        let names = world.borrow::<UniqueIndex<Name>>().get().get(&*name);
        assert_ne!(names, Some(entity), "the new entity has it");
    }
}

#[test]
fn hooks_of_the_replaced_entities_find_the_new_ones_and_so_do_later_looks() {
    let mut world = World::new();
    for number in 0..3 {
        world.spawn((Name(number), Mark));
    }
    for (file, is_kept) in [
        (saved(&world), false),
        (saved_with_kept_names(&world), true),
    ] {
        let mut world = World::new();
        for number in 0..3 {
            world.spawn((Name(number), Looking));
        }
        let loader = Loader::new().with::<Name>().with::<Mark>();
        let loader = loader.replacing::<With<Looking>>();
        loader.load_into(&mut world, &*file).unwrap();
        assert_eq!(seen(&world).len(), 3, "{is_kept}");
        check(&world);
    }
}

#[test]
fn a_load_that_is_refused_for_one_value_leaves_the_others_to_the_entities_that_it_would_replace() {
    let mut world = World::new();
    world.spawn((Name(1), Seat(1), Mark));
    let file = saved(&world);
    let mut world = World::new();
    let named = world.spawn((Name(1), Mark));
    world.spawn(Seat(1));
    let loader = Loader::new().replacing::<With<Mark>>();
    assert!(loader.load_into(&mut world, &*file).is_err());
    assert_eq!(
        world.try_spawn(Name(1)).map_err(|error| error.holder),
        Err(named)
    );
    check(&world);
}

#[test]
fn values_by_name_are_all_checked_before_the_first_one_is_inserted() {
    let mut app = App::new();
    let inspector = ecs_core::inspect::Inspect::new(0).attach(&mut app);
    app.world_mut().spawn(Seat(1));
    let entity = app.world_mut().spawn((Name(2), Seat(2)));
    let before = seen(app.world());
    for values in [
        r#""unique.name":3,"unique.seat":1"#,
        r#""unique.seat":1,"unique.name":3"#,
    ] {
        let params = format!(r#"{{"entity":"{entity}","components":{{{values}}}}}"#);
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"world.insert_components","params":{params}}}"#
        );
        let answer = inspector.answer(&mut app, &request);
        assert!(
            answer.contains("values of the component are unique"),
            "{answer}"
        );
        assert_eq!(seen(app.world()), before, "{values}");
        check(app.world());
    }
}
