//! Insertion and removal of one component.

use std::fmt::Debug;

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::{ErasedColumn, InsertErasedError, NoSuchEntity};

use super::parts::*;

const NEVER: u32 = u32::MAX;

/// Inserts a value, in the erased world by an exchange if that is wanted and possible.
fn insert<T: Component>(
    twins: &mut Twins,
    (fuse, exchanges): (u32, bool),
    entity: Entity,
    value: impl Fn() -> T,
) {
    // The typed form panics about wrong ends, the other one returns an error.
    let _ = twins.each(
        fuse,
        |world| {
            format!(
                "{:?}",
                world.insert(entity, value()).map_err(|e| e.to_string())
            )
        },
        |world| {
            let mut column = column(value());
            let result = match exchanges && world.exchange_erased(&[entity], &mut column) {
                true => Ok(()),
                false => world.insert_erased(entity, &mut column),
            };
            match result {
                Err(InsertErasedError::NoSuchEntity(_)) | Ok(()) => {
                    format!("{:?}", result.map_err(|e| e.to_string()))
                }
                Err(wrong) => {
                    panic!("{wrong}; help: call `World::relate`, which returns an error instead of panicking")
                }
            }
        },
    );
}

fn remove<T: Component>(twins: &mut Twins, fuse: u32, entity: Entity) {
    let _ = twins.each(
        fuse,
        |world| {
            let had = world.has::<T>(entity);
            format!("{:?}", world.remove::<T>(entity).map(|()| had))
        },
        |world| {
            let component = ComponentId::of::<T>();
            let had = world.has_erased(entity, component);
            let removed = world.remove_erased(entity, component);
            assert!(removed.is_err() || removed == Ok(had));
            format!("{removed:?}")
        },
    );
}

/// One random step.
fn step(twins: &mut Twins, dice: &mut Dice, cast: &mut Vec<Entity>) {
    let entity = cast[dice.below(cast.len())];
    let other = cast[dice.below(cast.len())];
    let third = cast[dice.below(cast.len())];
    let fuse = if dice.below(4) == 0 {
        dice.below(5) as u32
    } else {
        NEVER
    };
    if fuse == NEVER && dice.below(6) == 0 {
        let choice = dice.below(1000);
        twins.typed.arm(choice);
        twins.erased.arm(choice);
    }
    let exchanges = dice.below(2) == 0;
    macro_rules! change {
        ($kind:expr, $entity:expr; $($number:literal $of:ty = $value:expr;)*) => {
            match $kind {
                $($number if dice.below(3) > 0 => insert::<$of>(twins, (fuse, exchanges), $entity, || $value),
                $number => remove::<$of>(twins, fuse, $entity),)*
                _ => unreachable!(),
            }
        };
    }
    match dice.below(26) {
        24.. => {
            // An empty list of sources, left after taking it out, replaces another one.
            let _ = twins.each(
                fuse,
                |world| {
                    let taken = world.take::<Sources<Follows>>(other);
                    format!("{:?}", taken.map(|sources| world.insert(entity, sources)))
                },
                |world| {
                    let taken = world.take::<Sources<Follows>>(other);
                    let inserted = taken.map(|sources| {
                        let inserted = world.insert_erased(entity, &mut column(sources));
                        inserted.map_err(|_| NoSuchEntity { entity })
                    });
                    format!("{inserted:?}")
                },
            );
        }
        20 => {
            let _ = twins.both(fuse, |world| format!("{:?}", world.despawn(entity)));
        }
        21 => {
            let spawned = twins.both(NEVER, |world| world.spawn(Plain(1)).to_bits().to_string());
            if let Ok(bits) = spawned {
                cast.push(Entity::from_bits(bits.parse().unwrap()).unwrap());
            }
        }
        22 => {
            let reserved = twins.both(NEVER, |world| world.reserve_entity().to_bits().to_string());
            cast.push(Entity::from_bits(reserved.unwrap().parse().unwrap()).unwrap());
        }
        23 => remove::<Sources<ChildOf>>(twins, fuse, entity),
        kind => change! { kind, entity;
            0 Plain = Plain(7);
            1 Text = Text("inserted".into());
            2 Mark = Mark;
            3 Wide = Wide([3; 300]);
            4 Kept = Kept(token());
            5 Hooked = Hooked(token());
            6 Tracked = Tracked(token());
            7 Needy = Needy(token());
            8 Held = Held(token());
            9 Loose = Loose(5);
            10 Trail = Trail(token());
            11 Lit = Lit(token());
            12 Greedy = Greedy(token());
            13 Target<ChildOf> = ChildOf(token()).to(other);
            14 Target<Follows> = Follows.to(other);
            15 Targets<Likes> = Likes(token()).to(other).and(Likes(token()), third);
            16 Targets<Sees> = Sees.to(other);
            17 Tied = { set_anchor(third); Tied(token()) };
            18 Hooked = Hooked(token());
            19 Target<ChildOf> = ChildOf(token()).to(third);
        },
    }
    twins.typed.disarm();
    twins.erased.disarm();
}

#[test]
fn random_changes_have_the_same_results_with_and_without_types() {
    let steps = if cfg!(miri) { 30 } else { 150 };
    for seed in 0..u64::from(ecs_tests::worlds(60)) {
        let mut dice = Dice::new(seed);
        let mut twins = Twins::new(seed % 2 == 0);
        let spawned = twins.both(NEVER, |world| {
            let ids: Vec<_> = (0..6).map(|i| world.spawn(Plain(i)).to_bits()).collect();
            format!("{ids:?}")
        });
        let spawned = spawned.unwrap();
        let numbers = spawned.trim_matches(['[', ']']).split(", ");
        let mut cast: Vec<_> = numbers
            .map(|bits| Entity::from_bits(bits.parse().unwrap()).unwrap())
            .collect();
        for _ in 0..steps {
            step(&mut twins, &mut dice, &mut cast);
        }
        twins.end();
    }
}

#[test]
fn values_of_many_entities_are_exchanged_for_a_column() {
    fn exchanged<T: Component + Clone + PartialEq + Debug>(value: fn(u32) -> T) {
        let mut world = World::new();
        let all: Vec<Entity> = (0..9).map(|i| world.spawn(value(i))).collect();
        world.insert(all[4], Plain(0)).unwrap();
        let some = [all[7], all[4], all[0]];
        let mut column = ErasedColumn::new(ComponentId::of::<T>());
        (20..23).for_each(|i| column.push(value(i)).unwrap());
        assert!(world.exchange_erased(&some, &mut column));
        let old = column.values::<T>().unwrap();
        assert_eq!(old, [value(7), value(4), value(0)]);
        for (i, &entity) in (0..).zip(&all) {
            let place = some.iter().position(|&other| other == entity);
            let expected = place.map_or(i, |place| 20 + place as u32);
            assert_eq!(*world.get::<T>(entity).unwrap(), value(expected));
        }
        world.check_invariants();
    }
    exchanged(|i| Text(i.to_string()));
    exchanged(|i| Wide([i as u8; 300]));
    exchanged(|i| Loose(i.into()));
    exchanged(|_| Mark);
}

/// It requires a component without hooks.
#[derive(Component)]
#[component(require(Plain = Plain(0)))]
struct Placed;

#[test]
fn an_exchange_that_would_be_more_than_that_changes_nothing() {
    let mut world = World::new();
    let [hero, rat, gone] = [1, 2, 3].map(|i| world.spawn((Plain(i), Loose(i.into()))));
    world.despawn(gone).unwrap();
    let mut refuses = |entities: &[Entity], mut column: ErasedColumn| {
        assert!(!world.exchange_erased(entities, &mut column));
        assert_eq!(column.len(), 1);
        assert_eq!(*world.get::<Plain>(hero).unwrap(), Plain(1));
    };
    refuses(&[hero, rat], column(Plain(5)));
    refuses(&[], column(Plain(5)));
    refuses(&[gone], column(Plain(5)));
    // No entity has it, so the world does not know it.
    refuses(&[hero], column(Text("new".into())));

    let friend = world.spawn((Needy(token()), Placed, Hooked(token()), Follows.to(hero)));
    let mut refuses = |mut column: ErasedColumn| {
        assert!(world.has_erased(friend, column.component()));
        assert!(!world.exchange_erased(&[friend], &mut column));
        assert_eq!(column.len(), 1);
    };
    refuses(column(Needy(token())));
    refuses(column(Placed));
    refuses(column(Hooked(token())));
    refuses(column(Follows.to(rat)));
}

#[test]
fn what_cannot_be_inserted_stays_in_the_column() {
    let mut world = World::new();
    let [hero, gone] = [(); 2].map(|()| world.spawn(()));
    world.despawn(gone).unwrap();
    let mut text = column(Text("hello".into()));
    let error = world.insert_erased(gone, &mut text).unwrap_err();
    assert_eq!(error, NoSuchEntity { entity: gone }.into());
    assert_eq!(text.values::<Text>(), Some(&[Text("hello".into())][..]));
    world.insert_erased(hero, &mut text).unwrap();
    let error = world.insert_erased(hero, &mut text).unwrap_err();
    let name = ComponentId::of::<Text>().name();
    assert_eq!(
        error.to_string(),
        format!("the column of `{name}` has no value to insert; help: push one before")
    );
    assert_eq!(*world.get::<Text>(hero).unwrap(), Text("hello".into()));

    let child = world.spawn(Follows.to(hero));
    let mut itself = column(Follows.to(hero));
    let error = world.insert_erased(hero, &mut itself).unwrap_err();
    assert!(matches!(error, InsertErasedError::Itself { entity, .. } if entity == hero));
    assert!(
        error.to_string().ends_with("relates entity 0v1 to itself"),
        "{error}"
    );
    assert_eq!(itself.len(), 1);
    assert!(world.is_related::<Follows>(child, hero));

    world.check_invariants();
}

#[derive(Relation)]
#[relation(tree)]
struct Inside;

#[test]
fn a_cycle_is_an_error_and_not_a_panic() {
    let mut world = World::new();
    let outer = world.spawn(());
    let inner = world.spawn(Inside.to(outer));
    let mut back = column(Inside.to(inner));
    let error = world.insert_erased(outer, &mut back).unwrap_err();
    assert!(
        matches!(error, InsertErasedError::Cycle { source, target, .. } if (source, target) == (outer, inner))
    );
    assert!(
        error.to_string().contains("2v1 is a descendant")
            || error.to_string().contains("1v1 is a descendant of 0v1")
    );
    assert!(!world.has::<Target<Inside>>(outer));
    world.check_invariants();
}

#[test]
fn a_column_grows_drops_and_refuses_other_types() {
    let mut column = ErasedColumn::new(ComponentId::of::<Wide>());
    for i in 0..20 {
        assert!(column.push(Wide([i; 300])).is_ok());
        assert_eq!(column.as_ptr() as usize % 256, 0, "values are aligned");
    }
    assert!(column.push(Plain(3)).is_err());
    assert_eq!(column.values::<Plain>(), None);
    let wide = column.values::<Wide>().unwrap();
    assert!((0..20).all(|i| wide[i] == Wide([i as u8; 300])));
    assert_eq!((column.get(19).is_some(), column.get(20)), (true, None));
    assert_eq!(
        format!("{column:?}").rsplit('>').next(),
        Some("(20 values)")
    );

    let mut marks = ErasedColumn::new(ComponentId::of::<Mark>());
    for _ in 0..1000 {
        assert!(marks.push(Mark).is_ok());
    }
    assert_eq!((marks.len(), marks.spare().len()), (1000, 0));
    assert_eq!(marks.values::<Mark>().unwrap().len(), 1000);

    let mut texts = ErasedColumn::new(ComponentId::of::<Text>());
    // SAFETY: the function fails, and has written nothing.
    let failed = unsafe { texts.push_with(|_| Err("no value")) };
    assert_eq!((failed, texts.len()), (Err("no value"), 0));
    texts.reserve(3);
    assert!(texts.spare().len() >= 3 * size_of::<Text>());
    let place = texts.spare().as_mut_ptr().cast::<Text>();
    for i in 0..3 {
        // SAFETY: there is memory for three values.
        let place = unsafe { place.add(i) };
        // SAFETY: the place is in this memory, and aligned.
        unsafe { place.write(Text(i.to_string())) };
    }
    // SAFETY: three values were written.
    unsafe { texts.set_len(3) };
    assert_eq!(texts.values::<Text>().unwrap()[2], Text("2".into()));
}
