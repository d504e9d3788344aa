//! Queries whose terms are known only at run time: against plain filters, against typed queries, and their conflicts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicQuery, Term};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(name = "test.a")]
struct A(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(name = "test.b", track)]
struct B(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(name = "test.c", storage = "sparse")]
struct C(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(name = "test.d", storage = "sparse", immediate)]
struct D(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(name = "test.e")]
struct E(u32);

#[derive(Relation)]
struct Near;

/// A component by its number: its id, and functions to read and change it.
struct Kind {
    id: ComponentId,
    insert: fn(&mut World, Entity, u32),
    value: fn(&World, Entity) -> Option<u32>,
    add: fn(ecs_core::view::ErasedMut<'_>, u32),
    read: fn(ecs_core::view::ErasedRef<'_>) -> u32,
}

macro_rules! kinds {
    ($($type:ident)*) => {
        [$(Kind {
            id: ComponentId::of::<$type>(),
            insert: |world, entity, value| world.insert(entity, $type(value)).unwrap(),
            value: |world, entity| world.get::<$type>(entity).map(|value| value.0),
            add: |value, by| value.downcast::<$type>().unwrap().0 += by,
            read: |value| value.downcast::<$type>().unwrap().0,
        }),*]
    };
}

fn kinds() -> [Kind; 5] {
    kinds!(A B C D E)
}

/// Spawns an entity for each mask, with a component for each bit; each fifth entity is despawned again.
fn world(masks: &[u8]) -> (World, Vec<Entity>) {
    let (mut world, kinds) = (World::new(), kinds());
    let mut all = Vec::new();
    for (number, mask) in masks.iter().enumerate() {
        let entity = world.spawn(());
        for (bit, kind) in kinds.iter().enumerate() {
            if mask >> bit & 1 == 1 {
                (kind.insert)(&mut world, entity, (number * 10 + bit) as u32);
            }
        }
        all.push(entity);
    }
    for &entity in all.iter().step_by(5) {
        world.despawn(entity).unwrap();
    }
    (world, all)
}

/// A term by numbers: the component, and the access.
fn term(kinds: &[Kind], (component, access): (usize, usize)) -> Term {
    let id = kinds[component].id;
    [
        Term::Read,
        Term::Write,
        Term::OptionalRead,
        Term::OptionalWrite,
        Term::With,
        Term::Without,
    ][access](id)
}

fn conflict(terms: &[(usize, usize)]) -> bool {
    let fetches = |access: usize| access < 4;
    let writes = |access: usize| access == 1 || access == 3;
    terms.iter().enumerate().any(|(i, one)| {
        terms[..i].iter().any(|two| {
            let same = one.0 == two.0 && fetches(one.1) && fetches(two.1);
            same && (writes(one.1) || writes(two.1))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(256)))]

    #[test]
    fn a_query_matches_what_its_terms_say(
        masks in prop::collection::vec(0..32_u8, 0..40),
        listed in prop::collection::vec((0..5_usize, 0..6_usize), 0..6),
    ) {
        let kinds = kinds();
        let (world, all) = world(&masks);
        let made = DynamicQuery::new(listed.iter().map(|&listed| term(&kinds, listed)));
        prop_assert_eq!(made.is_err(), conflict(&listed));
        let Ok(query) = made else { return Ok(()) };

        let alive = all.iter().copied().filter(|&entity| world.contains(entity));
        let matches = |entity: &Entity| listed.iter().all(|&(component, access)| {
            let has = (kinds[component].value)(&world, *entity).is_some();
            match access {
                2 | 3 => true,
                5 => !has,
                _ => has,
            }
        });
        let mut expected: Vec<Entity> = alive.filter(matches).collect();
        expected.sort_by_key(|entity| entity.index());
        let values: Vec<Vec<Option<u32>>> = expected.iter().map(|&entity| {
            kinds.iter().map(|kind| (kind.value)(&world, entity)).collect()
        }).collect();

        let mut found = world.query_dynamic(&query);
        let mut entities: Vec<Entity> = found.iter().map(|found| found.entity()).collect();
        entities.sort_by_key(|entity| entity.index());
        prop_assert_eq!(&entities, &expected);
        prop_assert_eq!(found.count(), expected.len());
        for &entity in &all {
            prop_assert_eq!(found.contains(entity), expected.contains(&entity));
            prop_assert_eq!(found.get(entity).is_some(), expected.contains(&entity));
            prop_assert_eq!(found.get_mut(entity).is_some(), expected.contains(&entity));
        }
        for (&entity, values) in expected.iter().zip(&values) {
            let item = found.get(entity).unwrap();
            for (index, &(component, access)) in listed.iter().enumerate() {
                if access < 4 {
                    prop_assert_eq!(item.read(index).map(kinds[component].read), values[component]);
                }
            }
        }
        // All at once, so that the items live beside each other.
        let mut items: Vec<_> = found.iter_mut().collect();
        for item in &mut items {
            for (index, &(component, access)) in listed.iter().enumerate() {
                match access {
                    0 | 2 => drop(item.read(index).map(kinds[component].read)),
                    1 | 3 => if let Some(value) = item.write(index) {
                        (kinds[component].add)(value, 1000);
                    },
                    _ => {}
                }
            }
        }
        drop(items);
        drop(found);
        for (&entity, values) in expected.iter().zip(&values) {
            for (component, kind) in kinds.iter().enumerate() {
                let written = listed.iter().any(|&(other, access)| other == component && matches!(access, 1 | 3));
                let value = values[component].map(|value| value + 1000 * u32::from(written));
                prop_assert_eq!((kind.value)(&world, entity), value);
            }
        }
    }

    #[test]
    fn a_query_matches_what_a_typed_one_does(masks in prop::collection::vec(0..32_u8, 0..60)) {
        let (world, _) = world(&masks);
        let [a, b, c, d, e] = kinds().map(|kind| kind.id);
        let dynamic = |terms: &[Term]| {
            let query = DynamicQuery::new(terms.iter().copied()).unwrap();
            let found = world.query_dynamic(&query);
            let mut found: Vec<Entity> = found.iter().map(|found| found.entity()).collect();
            found.sort_by_key(|entity| entity.index());
            found
        };
        let sorted = |mut found: Vec<Entity>| {
            found.sort_by_key(|entity| entity.index());
            found
        };
        let typed: Vec<Entity> = world.query_filtered::<(Entity, &mut A, Option<&C>), (With<B>, Without<D>)>()
            .iter_mut().map(|item| item.0).collect();
        prop_assert_eq!(sorted(typed), dynamic(&[Term::Write(a), Term::OptionalRead(c), Term::With(b), Term::Without(d)]));
        let typed: Vec<Entity> = world.query_filtered::<(Entity, &mut C, &D), Without<E>>()
            .iter_mut().map(|item| item.0).collect();
        prop_assert_eq!(sorted(typed), dynamic(&[Term::Without(e), Term::Write(c), Term::Read(d)]));
        let typed: Vec<Entity> = world.query::<Entity>().iter().collect();
        prop_assert_eq!(sorted(typed), dynamic(&[]));
    }
}

#[test]
fn a_query_borrows_what_it_fetches() {
    let (world, _) = world(&[31; 8]);
    let [a, b, c, d, _] = kinds().map(|kind| kind.id);
    let query = DynamicQuery::new([
        Term::Write(a),
        Term::Read(b),
        Term::With(c),
        Term::Without(d),
    ])
    .unwrap();
    let found = world.query_dynamic(&query);
    assert!(world.try_view::<A>().is_err());
    assert!(world.try_view::<B>().is_ok() && world.try_view_mut::<B>().is_err());
    assert!(world.try_view_mut::<C>().is_ok(), "a test borrows nothing");
    assert!(
        world.try_view_mut::<D>().is_err(),
        "unless views can insert the component"
    );
    let error = world.try_query_dynamic(&query).unwrap_err();
    assert_eq!(
        error.to_string(),
        "component `test.a` cannot be written now: it is being read or written through another view, query or reference; help: let that one end first"
    );
    drop(found);
    let typed = world.query::<&mut B>();
    assert!(world.try_query_dynamic(&query).is_err());
    drop(typed);
    // Borrows taken before the error are released.
    assert!(world.try_view_mut::<A>().is_ok());
    assert!(world.try_query_dynamic(&query).is_ok());
}

#[test]
fn conflicting_terms_are_refused_as_in_typed_queries() {
    let [a, ..] = kinds().map(|kind| kind.id);
    let refused = |terms: [Term; 2]| DynamicQuery::new(terms).map_err(|error| error.to_string());
    let text = |first: &str, second: &str| {
        Err(format!(
            "conflicting terms in a dynamic query: term 0 {first} and term 1 {second} the component `test.a`; help: borrow it once, to write"
        ))
    };
    assert_eq!(
        refused([Term::Write(a), Term::Write(a)]),
        text("writes", "writes")
    );
    assert_eq!(
        refused([Term::OptionalRead(a), Term::Write(a)]),
        text("reads", "writes")
    );
    assert_eq!(
        refused([Term::OptionalWrite(a), Term::Read(a)]),
        text("writes", "reads")
    );
    for terms in [
        [Term::Read(a), Term::OptionalRead(a)],
        [Term::Write(a), Term::With(a)],
        [Term::OptionalWrite(a), Term::Without(a)],
    ] {
        assert!(refused(terms).is_ok());
    }
}

#[test]
fn relations_are_read_and_not_written() {
    let mut world = World::new();
    let sun = world.spawn(());
    let moon = world.spawn(Near.to(sun));
    let target = ComponentId::of::<Target<Near>>();
    let query = DynamicQuery::new([Term::Read(target)]).unwrap();
    let found = world.query_dynamic(&query);
    let item = found.get(moon).unwrap();
    let read = item.read(0).unwrap().downcast::<Target<Near>>().unwrap();
    assert_eq!((found.count(), read.entity()), (1, sun));
    for end in [target, ComponentId::of::<Sources<Near>>()] {
        for written in [Term::Write(end), Term::OptionalWrite(end)] {
            let error = DynamicQuery::new([Term::With(target), written]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "term 1 of a dynamic query writes the component `{}`, which is an end of a relation and changes only together with the other end; help: read it, and call `World::relate` or `World::unrelate`",
                    end.name()
                )
            );
        }
    }
}

#[derive(Component)]
#[component(immutable, name = "dynamic.fixed")]
struct Fixed(u8);

#[test]
fn immutable_components_are_read_and_not_written() {
    let mut world = World::new();
    world.spawn(Fixed(3));
    let fixed = ComponentId::of::<Fixed>();
    let query = DynamicQuery::new([Term::Read(fixed)]).unwrap();
    let found = world.query_dynamic(&query);
    let item = found.iter().next().unwrap();
    assert_eq!(item.read(0).unwrap().downcast::<Fixed>().unwrap().0, 3);
    for written in [Term::Write(fixed), Term::OptionalWrite(fixed)] {
        let error = DynamicQuery::new([Term::With(fixed), written]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "term 1 of a dynamic query writes the component `dynamic.fixed`, which is immutable; help: read it, and replace the value by `insert`"
        );
    }
}

#[test]
fn a_term_that_is_not_fetched_is_not_returned() {
    let (world, all) = world(&[31; 8]);
    let [a, b, c, ..] = kinds().map(|kind| kind.id);
    let query = DynamicQuery::new([Term::With(a), Term::Write(b), Term::Read(c)]).unwrap();
    let mut found = world.query_dynamic(&query);
    let mut message = |call: &dyn Fn(&mut ecs_core::dynamic::MatchMut<'_>)| {
        let mut item = found.get_mut(all[1]).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| call(&mut item))).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    assert_eq!(
        message(&|item| assert!(item.read(0).is_none())),
        "term 0 of the query `test.a, &mut test.b, &test.c` is `test.a`, and not one that reads; help: give the position of a term that does"
    );
    assert_eq!(
        message(&|item| assert!(item.write(2).is_none())),
        "term 2 of the query `test.a, &mut test.b, &test.c` is `&test.c`, and not one that writes; help: give the position of a term that does"
    );
    assert_eq!(
        message(&|item| assert!(item.read(7).is_none())),
        "the query `test.a, &mut test.b, &test.c` has 3 terms, and no term 7; help: count them from 0"
    );
    let item = found.get(all[1]).unwrap();
    assert!(item.read(1).is_some() && item.read(2).is_some());
}
