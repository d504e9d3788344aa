//! Values that entities inherit: `Inherited`.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::component::Disabled;
use ecs_core::prelude::*;
use ecs_core::relation::{Inherited, Target};
use proptest::prelude::*;

use super::kinds::{Depth, Marked, Place};

#[derive(Relation)]
struct IsA;

#[derive(Component)]
#[component(storage = "sparse")]
struct Rare(i32);

#[test]
fn a_base_that_is_disabled_is_inherited_from_and_not_matched() {
    let mut world = World::new();
    let base = world.spawn((Place(3), Disabled));
    let heir = world.spawn(IsA.to(base));
    let query = world.query::<(Entity, Inherited<IsA, &Place>)>();
    let found: Vec<_> = query
        .iter()
        .map(|(heir, place)| (heir, place.0, place.target()))
        .collect();
    assert_eq!(found, [(heir, 3, base)]);
}

#[test]
fn an_inherited_value_is_overridden_and_inherited_again() {
    let mut world = World::new();
    let base = world.spawn((Place(3), Depth(1)));
    let heir = world.spawn(IsA.to(base));
    let place = |world: &World| {
        let query = world.query::<Inherited<IsA, &Place>>();
        query.get(heir).map(|place| (place.0, place.target()))
    };
    assert_eq!(place(&world), Some((3, base)));
    world.insert(heir, Place(5)).unwrap();
    assert_eq!(place(&world), Some((5, heir)));
    world.remove::<Place>(heir).unwrap();
    assert_eq!(place(&world), Some((3, base)));
    world.despawn(base).unwrap();
    assert_eq!(place(&world), None);
}

#[system]
fn grow(mut places: Query<(&mut Depth, Inherited<IsA, &Place>)>) {
    places.for_each(|(depth, place)| depth.0 += place.0);
}

#[test]
fn own_values_are_written_beside_inherited_ones_of_another_component() {
    let mut world = World::new();
    let base = world.spawn((Place(3), Depth(0)));
    let heir = world.spawn((Depth(0), IsA.to(base)));
    world.spawn(Depth(0));
    grow(&world);
    assert_eq!(
        [base, heir].map(|entity| world.get::<Depth>(entity).unwrap().0),
        [3, 3]
    );
    let query = world.try_query_filtered::<(&mut Place, Inherited<IsA, &Place>), ()>();
    assert!(query.is_err(), "the place may be another entity's base");
    drop(query);
    let _reads = world.query::<Inherited<IsA, &Place>>();
    let query = world.try_query_filtered::<&mut Place, With<Marked>>();
    assert!(query.is_err(), "filters don't keep the entities apart");
}

/// A step of a random program.
#[derive(Clone, Debug)]
enum Step {
    Spawn,
    Despawn(usize),
    Relate(usize, usize),
    Unrelate(usize),
    Insert(usize, bool, i32),
    Remove(usize, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Spawn),
        1 => any::<usize>().prop_map(Step::Despawn),
        6 => any::<(usize, usize)>().prop_map(|(a, b)| Step::Relate(a, b)),
        1 => any::<usize>().prop_map(Step::Unrelate),
        3 => any::<(usize, bool, i32)>().prop_map(|(n, rare, value)| Step::Insert(n, rare, value)),
        1 => any::<(usize, bool)>().prop_map(|(n, rare)| Step::Remove(n, rare)),
    ];
    prop::collection::vec(step, 0..60)
}

/// The state of an entity in the model.
#[derive(Default)]
struct Plain {
    base: Option<Entity>,
    place: Option<i32>,
    rare: Option<i32>,
}

type Model = BTreeMap<Entity, Plain>;

fn run(steps: Vec<Step>) -> (World, Model) {
    let mut world = World::new();
    let mut model = Model::new();
    for step in steps {
        let pick = |n: usize| model.keys().nth(n.checked_rem(model.len())?).copied();
        match step {
            Step::Spawn => {
                model.insert(world.spawn(Depth(0)), Plain::default());
            }
            Step::Despawn(n) => {
                let Some(entity) = pick(n) else { continue };
                world.despawn(entity).unwrap();
                model.remove(&entity);
                for plain in model.values_mut() {
                    plain.base = plain.base.filter(|&base| base != entity);
                }
            }
            Step::Relate(a, b) => {
                let Some((a, b)) = pick(a).zip(pick(b)) else {
                    continue;
                };
                if world.relate(a, IsA, b).is_ok() {
                    model.get_mut(&a).unwrap().base = Some(b);
                }
            }
            Step::Unrelate(n) => {
                let Some(entity) = pick(n) else { continue };
                world.remove::<Target<IsA>>(entity).unwrap();
                model.get_mut(&entity).unwrap().base = None;
            }
            Step::Insert(n, rare, value) => {
                let Some(entity) = pick(n) else { continue };
                let plain = model.get_mut(&entity).unwrap();
                if rare {
                    world.insert(entity, Rare(value)).unwrap();
                    plain.rare = Some(value);
                } else {
                    world.insert(entity, Place(value)).unwrap();
                    plain.place = Some(value);
                }
            }
            Step::Remove(n, rare) => {
                let Some(entity) = pick(n) else { continue };
                let plain = model.get_mut(&entity).unwrap();
                if rare {
                    world.remove::<Rare>(entity).unwrap();
                    plain.rare = None;
                } else {
                    world.remove::<Place>(entity).unwrap();
                    plain.place = None;
                }
            }
        }
    }
    (world, model)
}

/// Returns the first value on the way up from an entity, and its owner.
fn inherited<T>(
    model: &Model,
    mut entity: Entity,
    value: impl Fn(&Plain) -> Option<T>,
) -> Option<(Entity, T)> {
    let mut seen = BTreeSet::new();
    loop {
        let plain = &model[&entity];
        if let Some(value) = value(plain) {
            return Some((entity, value));
        }
        seen.insert(entity);
        entity = plain.base.filter(|base| !seen.contains(base))?;
    }
}

proptest! {
    #[test]
    fn inherited_values_match_a_plain_map_in_cycles_too(steps in steps()) {
        let (world, model) = run(steps);
        type Found<T> = BTreeMap<Entity, Option<(Entity, T)>>;
        let expected_of = |value: fn(&Plain) -> Option<i32>| -> Found<i32> {
            model.keys().map(|&entity| (entity, inherited(&model, entity, value))).collect()
        };
        let only_found = |all: &Found<i32>| -> Found<i32> {
            all.iter().filter(|(_, found)| found.is_some()).map(|(&entity, &found)| (entity, found)).collect()
        };

        let expected = expected_of(|plain| plain.place);
        let all = world.query::<(Entity, Option<Inherited<IsA, &Place>>)>();
        let found: Found<i32> =
            all.iter().map(|(entity, up)| (entity, up.map(|up| (up.target(), up.0)))).collect();
        prop_assert_eq!(&found, &expected);
        let some = world.query::<(Entity, Inherited<IsA, &Place>)>();
        let found: Found<i32> = some.iter().map(|(entity, up)| (entity, Some((up.target(), up.0)))).collect();
        prop_assert_eq!(found, only_found(&expected));

        let expected = expected_of(|plain| plain.rare);
        let rare = world.query::<(Inherited<IsA, &Rare>, Entity)>();
        let found: Found<i32> = rare.iter().map(|(up, entity)| (entity, Some((up.target(), up.0)))).collect();
        prop_assert_eq!(&found, &only_found(&expected));
        for entity in model.keys() {
            let found = rare.get(*entity).map(|(up, _)| (up.target(), up.0));
            prop_assert_eq!(found, expected[entity]);
        }

        let both = world.query::<(Entity, Option<Inherited<IsA, (&Place, &Rare)>>)>();
        for (entity, up) in &both {
            let found = up.map(|up| (up.target(), (up.0.0, up.1.0)));
            prop_assert_eq!(found, inherited(&model, entity, |plain| plain.place.zip(plain.rare)));
        }
    }
}
