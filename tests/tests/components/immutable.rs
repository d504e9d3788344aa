//! Hooks see every change of an immutable component: an index that hooks keep is compared with a plain map after each step of
//! random programs, with panics in hooks.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::{Loader, Value, WorldData};
use ecs_core::prelude::*;
use ecs_core::world::hooks::DeferredWorld;
use ecs_tests::worlds;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// The entities of each value, as hooks keep them.
#[derive(Resource, Default)]
struct Teams(BTreeMap<u8, BTreeSet<Entity>>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(immutable, data = "immutable.team")]
#[component(on_insert = Self::join, on_replace = Self::leave, on_remove = Self::leave)]
struct Team(u8);

/// The same, by entity.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(immutable, storage = "sparse", track, data = "immutable.rank")]
#[component(on_insert = Self::join, on_replace = Self::leave, on_remove = Self::leave)]
struct Rank(u8);

#[derive(Resource, Default)]
struct Ranks(BTreeMap<u8, BTreeSet<Entity>>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "immutable.mark")]
struct Mark;

thread_local! {
    /// The number of hooks until one panics.
    static FUSE: Cell<u32> = const { Cell::new(u32::MAX) };
}

fn burn() -> bool {
    let left = FUSE.get().saturating_sub(1);
    FUSE.set(if left == 0 { u32::MAX } else { left });
    left == 0
}

macro_rules! kept {
    ($component:ident, $resource:ident) => {
        impl $component {
            fn join(world: DeferredWorld, entity: Entity) {
                let value = world.get::<Self>(entity).unwrap().0;
                let mut kept = world.resource_mut::<$resource>();
                assert!(kept.0.entry(value).or_default().insert(entity));
                assert!(!burn(), "after the change");
            }

            fn leave(world: DeferredWorld, entity: Entity) {
                assert!(!burn(), "before the change");
                let value = world.get::<Self>(entity).unwrap().0;
                let mut kept = world.resource_mut::<$resource>();
                assert!(kept.0.entry(value).or_default().remove(&entity));
            }
        }
    };
}

kept!(Team, Teams);
kept!(Rank, Ranks);

#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn(u8, bool),
    SpawnBatch(u8, u8),
    Insert(u8, u8),
    InsertBatch(u8, u8),
    Replace(u8, u8),
    Queue(u8, u8),
    ByName(u8, u8),
    Remove(u8),
    Take(u8),
    Despawn(u8),
    Clone(u8),
    Load,
    Edit(u8, u8),
    Panic(u8),
}

impl Step {
    /// Returns true if one change calls several hooks. After a panic it does not call the others, so an index needs a hook that
    /// does not panic.
    fn calls_several_hooks(self) -> bool {
        matches!(
            self,
            Self::Spawn(_, true) | Self::Despawn(_) | Self::Clone(_) | Self::Load | Self::Edit(..)
        )
    }
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    prop_oneof![
        (any::<u8>(), any::<bool>()).prop_map(|(value, both)| Spawn(value, both)),
        (any::<u8>(), 0..5_u8).prop_map(|(value, count)| SpawnBatch(value, count)),
        any::<(u8, u8)>().prop_map(|(entity, value)| Insert(entity, value)),
        any::<(u8, u8)>().prop_map(|(entity, value)| InsertBatch(entity, value)),
        any::<(u8, u8)>().prop_map(|(entity, value)| Replace(entity, value)),
        any::<(u8, u8)>().prop_map(|(entity, value)| Queue(entity, value)),
        any::<(u8, u8)>().prop_map(|(entity, value)| ByName(entity, value)),
        any::<u8>().prop_map(Remove),
        any::<u8>().prop_map(Take),
        any::<u8>().prop_map(Despawn),
        any::<u8>().prop_map(Clone),
        Just(Load),
        any::<(u8, u8)>().prop_map(|(entity, value)| Edit(entity, value)),
        (1..6_u8).prop_map(Panic),
    ]
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Teams::default());
    world.insert_resource(Ranks::default());
    world
}

fn apply(world: &mut World, step: Step) {
    let all: Vec<Entity> = world.entities().iter().collect();
    let pick = |number: u8| all.get(usize::from(number) % all.len().max(1)).copied();
    let value = |number: u8| Team(number % 4);
    if step.calls_several_hooks() {
        FUSE.set(u32::MAX);
    }
    match step {
        Step::Spawn(number, true) => _ = world.spawn((value(number), Rank(number % 3))),
        Step::Spawn(number, false) => _ = world.spawn((Mark, Rank(number % 3))),
        Step::SpawnBatch(number, count) => {
            world.spawn_batch((0..count).map(|more| (Mark, value(number.wrapping_add(more)))));
        }
        Step::Insert(entity, number) => {
            let Some(entity) = pick(entity) else { return };
            world.insert(entity, (value(number), Mark)).unwrap();
        }
        Step::InsertBatch(entity, number) => {
            let entities = all.iter().skip(usize::from(entity) % 4).copied();
            world.insert_batch(entities.map(|entity| (entity, Rank(number % 3))));
        }
        Step::Replace(entity, number) => {
            let Some(entity) = pick(entity) else { return };
            let before = world.get::<Team>(entity).map(|team| team.0);
            let old = world.replace(entity, value(number)).unwrap();
            assert_eq!(old.map(|team| team.0), before);
        }
        Step::Queue(entity, number) => {
            let Some(entity) = pick(entity) else { return };
            world.run(move |mut commands: Commands| {
                commands.insert(entity, value(number));
                commands.insert(entity, Rank(number % 3));
                commands.remove::<Team>(entity);
                commands.insert(entity, value(number / 4));
            });
        }
        Step::ByName(entity, number) => {
            let Some(entity) = pick(entity) else { return };
            let number = Value::from(u64::from(number % 4));
            world
                .insert_by_name(entity, "immutable.team", &number)
                .unwrap();
            world
                .insert_by_name(entity, "immutable.rank", &number)
                .unwrap();
        }
        Step::Remove(entity) => {
            let Some(entity) = pick(entity) else { return };
            world.remove::<(Team, Mark)>(entity).unwrap();
        }
        Step::Take(entity) => {
            let Some(entity) = pick(entity) else { return };
            _ = world.take::<Rank>(entity);
        }
        Step::Despawn(entity) => {
            let Some(entity) = pick(entity) else { return };
            world.despawn(entity).unwrap();
        }
        Step::Clone(entity) => {
            let Some(entity) = pick(entity) else { return };
            world.clone_entity(entity).unwrap();
        }
        Step::Load => {
            let mut file = Vec::new();
            world.save().to_writer(&mut file).unwrap();
            Loader::new().load_into(world, &*file).unwrap();
        }
        Step::Edit(entity, number) => {
            let Some(entity) = pick(entity) else { return };
            let mut other = world.try_clone().unwrap();
            other.insert_resource(Teams(scan::<Team>(world, |team| team.0)));
            other.insert_resource(Ranks(scan::<Rank>(world, |rank| rank.0)));
            other.insert(entity, value(number)).unwrap();
            other.spawn((Mark, value(number), Rank(1)));
            let diff = world.diff(&other).unwrap();
            diff.apply_with_hooks(world).unwrap();
        }
        Step::Panic(count) => FUSE.set(u32::from(count)),
    }
}

/// The index by a look at all entities.
fn scan<T: Component>(world: &World, value: fn(&T) -> u8) -> BTreeMap<u8, BTreeSet<Entity>> {
    let mut all: BTreeMap<u8, BTreeSet<Entity>> = BTreeMap::new();
    for (entity, component) in &world.query::<(Entity, &T)>() {
        all.entry(value(component)).or_default().insert(entity);
    }
    all
}

fn check(world: &World) {
    let kept = |kept: &BTreeMap<u8, BTreeSet<Entity>>| {
        let mut kept = kept.clone();
        kept.retain(|_, entities| !entities.is_empty());
        kept
    };
    assert_eq!(
        kept(&world.resource::<Teams>().0),
        scan::<Team>(world, |team| team.0)
    );
    assert_eq!(
        kept(&world.resource::<Ranks>().0),
        scan::<Rank>(world, |rank| rank.0)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(worlds(256)))]

    #[test]
    fn hooks_see_every_change_of_an_immutable_component(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        FUSE.set(u32::MAX);
        let mut world = world();
        for step in steps {
            if world.entities().iter().count() > 200 {
                break;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| apply(&mut world, step))) {
                let of_hooks = ["before the change", "after the change"];
                let text = panic.downcast_ref::<&str>();
                prop_assert!(text.is_some_and(|text| of_hooks.contains(text)), "{text:?}");
            }
            check(&world);
        }
    }
}

#[derive(Component, Debug, PartialEq)]
#[component(immutable)]
struct Tag<T: Send + Sync + 'static>(T);

#[derive(Component)]
#[component(immutable, storage = "sparse")]
struct Empty;

/// Generic code that writes needs no bound, and takes all components that are not immutable.
#[system]
fn reset<T: Component + Default>(mut all: Query<&mut T>) {
    all.for_each(|mut value| *value = T::default());
}

#[derive(Component, Default)]
struct Dust(u8);

#[test]
fn immutable_components_of_all_kinds_are_read_and_replaced() {
    let mut world = World::new();
    let entity = world.spawn((Tag(1_u8), Some(Tag("one")), Empty, Dust(3)));
    world.run(reset::<Dust>);
    assert_eq!(world.replace(entity, Tag(2_u8)), Ok(Some(Tag(1))));
    world.insert(entity, (Tag("two"), Empty)).unwrap();
    let values = world.query::<(&Tag<u8>, &Tag<&str>, &Dust)>();
    let (number, word, dust) = values.single().unwrap();
    assert_eq!((number.0, word.0, dust.0), (2, "two", 0));
    drop(values);
    assert_eq!(world.take::<Tag<u8>>(entity), Ok(Tag(2)));
    assert!(world.has::<Empty>(entity) && !world.has::<Tag<u8>>(entity));
}
