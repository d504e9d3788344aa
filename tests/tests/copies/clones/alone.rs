//! Clones of single entities, which may be made in place, against clones of the same entity among several.

use super::*;

/// A tracked component.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.heat", track)]
struct Heat([f32; 3]);

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.fuel")]
struct Fuel(u16);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.engine", require(Fuel = Fuel(9)))]
struct Engine(bool);

/// A component that cannot be cloned, but can be written and read.
#[derive(Component, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.sealed", no_clone)]
struct Sealed(u64, Option<Entity>);

/// A number that is written as the id that it represents.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.handle_of")]
#[serde(into = "Entity", from = "Entity")]
struct Number(u64);

impl From<Number> for Entity {
    fn from(number: Number) -> Self {
        Self::from_bits(number.0).unwrap()
    }
}

impl From<Entity> for Number {
    fn from(entity: Entity) -> Self {
        Self(entity.to_bits())
    }
}

/// A component whose reader inspects the data, so that ids in it need names.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.any")]
#[serde(untagged)]
enum Any {
    Id { id: Entity },
    Number(u32),
}

/// A tracked component apart from tables, which requires one of them, and another one.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.poison", storage = "sparse", track, require(Fuel, Cure))]
struct Poison(String);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.cure", storage = "sparse")]
struct Cure;

/// A relation to one entity, whose value has memory and an id.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "clones.guards")]
struct Guards(String, Option<Entity>);

/// Gives an entity more components that are cloned in place, by bits.
fn add_more(world: &mut World, entity: Entity, other: Entity, bits: u16) {
    let has = |bit: u8| bits & 1 << bit != 0;
    if has(0) {
        world
            .insert(entity, Heat([bits.into(), 1.5, -2.0]))
            .unwrap();
    }
    if has(8) {
        world.insert(entity, Poison(bits.to_string())).unwrap();
        if has(9) {
            // So that a copy gets it again.
            world.remove::<Cure>(entity).unwrap();
        }
    }
    if has(10) && other != entity {
        let value = Guards(bits.to_string(), has(11).then_some(entity));
        world.relate(entity, value, other).unwrap();
    }
    if has(1) {
        world.insert(entity, Engine(has(2))).unwrap();
        if has(3) {
            // So that a copy gets it again.
            world.remove::<Fuel>(entity).unwrap();
        }
    }
    if has(4) {
        world
            .insert(entity, Sealed(bits.into(), has(2).then_some(other)))
            .unwrap();
    }
    if has(5) {
        world
            .insert(
                entity,
                Number(if has(2) { entity } else { other }.to_bits()),
            )
            .unwrap();
    }
    if has(6) {
        let any = if has(2) {
            Any::Id { id: entity }
        } else {
            Any::Number(7)
        };
        world.insert(entity, any).unwrap();
    }
    if has(7) {
        world.insert(entity, Disabled).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    /// Cloning an entity alone, perhaps in place, gives the same components as cloning it among others.
    #[test]
    fn an_entity_is_cloned_alone_as_among_others(
        plans in prop::collection::vec(plan(), 1..12),
        more in any::<[u16; 12]>(),
        observed in prop::option::of(0..3),
    ) {
        let make = || {
            let (mut world, all) = build(&plans);
            for (i, (&entity, bits)) in all.iter().zip(more).enumerate() {
                add_more(&mut world, entity, all[plans[i].names[0] % all.len()], bits);
            }
            world.insert_resource(Chosen(Vec::new()));
            match observed {
                None => {}
                Some(0) => {
                    world.observe(|added: OnAdd<At>, mut chosen: ResMut<Chosen>| chosen.0.push(added.entity()));
                }
                Some(1) => {
                    world.observe(|added: OnAdd<Poison>, mut chosen: ResMut<Chosen>| chosen.0.push(added.entity()));
                }
                Some(_) => {
                    world.observe(|added: OnAdd<Target<Guards>>, mut chosen: ResMut<Chosen>| chosen.0.push(added.entity()));
                }
            }
            (world, all)
        };
        let ((mut alone, all), (mut among, _)) = (make(), make());
        let before = alone.tick();
        for &entity in &all {
            let copy = alone.clone_entity(entity).unwrap();
            let others = Cloner::new().entities(&mut among, [entity]).unwrap();
            prop_assert_eq!(copy, others.root());
            alone.check_invariants();
            let handle = alone.entity(copy).unwrap();
            let tracked = [ComponentId::of::<Heat>(), ComponentId::of::<Poison>()];
            let mut new = handle.components().filter(|component| tracked.contains(&component.id()));
            prop_assert!(new.all(|new| new.added() > Some(before) && new.changed() == new.added()));
        }
        let save = |world: &World| world.save().with_ids().resource::<Chosen>().to_vec().unwrap();
        prop_assert_eq!(save(&alone), save(&among));
        prop_assert_eq!(alone.next_ids(3).unwrap(), among.next_ids(3).unwrap());
    }
}

#[test]
fn a_clone_alone_that_fails_changes_nothing() {
    #[derive(Component, Debug, Clone)]
    #[component(data = "clones.counted_too", no_serde)]
    struct Too(#[expect(dead_code, reason = "held for its drop")] Counted);

    #[derive(Component, Debug, Clone)]
    #[component(data = "clones.counted_apart", no_serde, storage = "sparse")]
    struct Apart(#[expect(dead_code, reason = "held for its drop")] Counted);

    #[derive(Relation, Debug, Clone)]
    #[relation(data = "clones.counted_edge", no_serde)]
    struct Edge(#[expect(dead_code, reason = "held for its drop")] Counted);

    /// A component that is written, but refuses to be read.
    #[derive(Component, Debug, Clone, Serialize, Deserialize)]
    #[component(data = "clones.strict")]
    #[serde(try_from = "Entity", into = "Entity")]
    struct Strict(Entity);

    impl From<Strict> for Entity {
        fn from(strict: Strict) -> Self {
            strict.0
        }
    }

    impl TryFrom<Entity> for Strict {
        type Error = &'static str;

        fn try_from(_: Entity) -> Result<Self, Self::Error> {
            Err("it is not read")
        }
    }

    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let alive = ALIVE.load(Ordering::SeqCst);
    let mut world = World::new();
    let entity = world.spawn((Counted::new(1), Name("one".into()), Too(Counted::new(2))));
    let other = world.spawn(Apart(Counted::new(3)));
    world.insert(entity, Apart(Counted::new(4))).unwrap();
    world.relate(entity, Edge(Counted::new(5)), other).unwrap();
    let sources = |world: &World| -> Vec<Entity> {
        let sources = world.get::<Sources<Edge>>(other).unwrap();
        sources.iter().collect()
    };
    let save = |world: &World| {
        let full = world.save().with_ids();
        let full = full.without::<Counted>().without::<Too>();
        let full = full.without::<Apart>().without::<Target<Edge>>();
        full.to_vec().unwrap()
    };
    let saved = save(&world);
    let next = world.next_ids(1).unwrap();
    for clones in 0..4 {
        UNTIL_PANIC.store(clones, Ordering::SeqCst);
        let step = AssertUnwindSafe(|| world.clone_entity(entity));
        assert!(catch_unwind(step).is_err());
        UNTIL_PANIC.store(isize::MAX, Ordering::SeqCst);
        world.check_invariants();
        assert_eq!(ALIVE.load(Ordering::SeqCst), alive + 5);
        assert_eq!(save(&world), saved);
        assert_eq!(sources(&world), [entity]);
        assert_eq!(world.next_ids(1).unwrap(), next);
    }
    world.insert(entity, Strict(entity)).unwrap();
    let error = world.clone_entity(entity).unwrap_err();
    assert!(
        matches!(
            error,
            CloneError::Value {
                name: "clones.strict",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!((world.len(), ALIVE.load(Ordering::SeqCst)), (2, alive + 5));
    world.remove::<Strict>(entity).unwrap();
    let copy = world.clone_entity(entity).unwrap();
    assert_eq!((copy, ALIVE.load(Ordering::SeqCst)), (next[0], alive + 9));
    assert_eq!(sources(&world), [entity, copy]);
    drop(world);
    assert_eq!(ALIVE.load(Ordering::SeqCst), alive);
}

#[test]
fn values_are_cloned_once_whatever_else_an_entity_has() {
    #[derive(Component, Debug, Clone)]
    #[component(data = "clones.counted_apart_too", no_serde, storage = "sparse")]
    struct Apart(#[expect(dead_code, reason = "held for its drop")] Counted);

    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut world = World::new();
    let other = world.spawn(());
    let entity = world.spawn(Apart(Counted::new(1)));
    world.relate(entity, Likes(1, None), other).unwrap();
    world.insert(entity, Mood::Calm).unwrap();
    let clones = |world: &mut World| {
        UNTIL_PANIC.store(100, Ordering::SeqCst);
        world.clone_entity(entity).unwrap();
        100 - UNTIL_PANIC.swap(isize::MAX, Ordering::SeqCst)
    };
    assert_eq!(clones(&mut world), 1, "with a relation to many");
    world.unrelate::<Likes>(entity, other).unwrap();
    assert_eq!(clones(&mut world), 1);
    world.observe(|_: OnAdd<Mood>| {});
    assert_eq!(clones(&mut world), 1, "with an observed component");
}

#[test]
fn an_entity_is_cloned_while_its_thread_ends() {
    struct Late(Option<(World, Entity)>);

    impl Drop for Late {
        fn drop(&mut self) {
            let (mut world, entity) = self.0.take().unwrap();
            world.clone_entity(entity).unwrap();
        }
    }

    std::thread_local! {
        static LATE: std::cell::RefCell<Late> = const { std::cell::RefCell::new(Late(None)) };
    }

    let thread = std::thread::spawn(|| {
        // Values that are used first are dropped last.
        LATE.with_borrow(|_| {});
        let mut world = World::new();
        let entity = world.spawn((At(1, 2), Mood::Calm));
        world.clone_entity(entity).unwrap();
        LATE.with_borrow_mut(|late| late.0 = Some((world, entity)));
    });
    thread.join().unwrap();
}
