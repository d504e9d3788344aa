//! Access to several entities at once, against a vector.

use std::collections::BTreeSet;

use ecs_core::join::ManyError;
use ecs_core::prelude::*;
use ecs_tests::{Held, Kept, Ledger, Loose, Mark, Plain};
use proptest::prelude::*;

/// The state of an entity in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// Has both components.
    Full,
    /// Has both and is marked.
    Marked,
    /// Has neither.
    Bare,
    /// Is dead; another entity may have its index.
    Dead,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Full),
        2 => Just(Fate::Marked),
        1 => Just(Fate::Bare),
        2 => Just(Fate::Dead),
    ]
}

/// Spawns entities of the given states; the number of each is its place in the list.
fn build(fates: &[Fate]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = Vec::new();
    for (i, fate) in fates.iter().enumerate() {
        let both = (Plain(i as u32), Loose(i as u64));
        let id = match fate {
            Fate::Full => world.spawn(both),
            Fate::Marked => world.spawn((both.0, both.1, Mark)),
            Fate::Bare => world.spawn_empty(),
            Fate::Dead => {
                let id = world.spawn(both);
                world.despawn(id).unwrap();
                id
            }
        };
        ids.push(id);
    }
    (world, ids)
}

/// The expected result for the entities at `places`, where `has` selects the states that match.
fn expected(
    places: [usize; 3],
    ids: &[Entity],
    fates: &[Fate],
    has: impl Fn(Fate) -> bool,
) -> Result<[usize; 3], ManyError> {
    for (n, &place) in places.iter().enumerate() {
        if places[..n].contains(&place) {
            let entity = ids[place];
            return Err(ManyError::Duplicate { entity });
        }
    }
    for place in places {
        let entity = ids[place];
        if fates[place] == Fate::Dead {
            return Err(ManyError::NoSuchEntity { entity });
        }
        if !has(fates[place]) {
            let items = "";
            return Err(ManyError::Mismatch { entity, items });
        }
    }
    Ok(places)
}

/// Removes the name of the type.
fn plain(error: ManyError) -> ManyError {
    match error {
        ManyError::Mismatch { entity, .. } => ManyError::Mismatch { entity, items: "" },
        error => error,
    }
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(512))
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn many_values_are_those_of_a_vector(
        fates in prop::collection::vec(fate(), 1..12),
        places in prop::array::uniform3(0_usize..64),
    ) {
        let (world, ids) = build(&fates);
        let places = places.map(|place| place % ids.len());
        let asked = places.map(|place| ids[place]);
        let full = |fate| matches!(fate, Fate::Full | Fate::Marked);
        let (mut table, mut sparse) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());

        let found = table.get_many_mut(asked).map(|items| items.map(|item| item.0 as usize));
        prop_assert_eq!(found.map_err(plain), expected(places, &ids, &fates, full));
        let found = sparse.get_many_mut(asked).map(|items| items.map(|item| item.0 as usize));
        prop_assert_eq!(found.map_err(plain), expected(places, &ids, &fates, full));
        let found = (&mut table, &mut sparse).get_many_mut(asked);
        let found = found.map(|items| items.map(|(a, b)| (a.0 as usize + b.0 as usize) / 2));
        prop_assert_eq!(found.map_err(plain), expected(places, &ids, &fates, full));

        drop((table, sparse));
        let mut query = world.query_filtered::<(&mut Loose, &Plain), Without<Mark>>();
        let found = query.get_many_mut(asked).map(|items| items.map(|(item, _)| item.0 as usize));
        let unmarked = |fate| fate == Fate::Full;
        prop_assert_eq!(found.map_err(plain), expected(places, &ids, &fates, unmarked));
    }

    #[test]
    fn pairs_are_swapped_as_in_a_vector(
        fates in prop::collection::vec(fate(), 1..12),
        swaps in prop::collection::vec((0_usize..64, 0_usize..64), 0..20),
    ) {
        let (world, ids) = build(&fates);
        let mut model: Vec<Option<u64>> = fates
            .iter()
            .enumerate()
            .map(|(i, fate)| matches!(fate, Fate::Full | Fate::Marked).then_some(i as u64))
            .collect();
        let (mut table, mut sparse) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());
        for (a, b) in swaps {
            let (a, b) = (a % ids.len(), b % ids.len());
            let (first, second) = table.get_pair_mut(ids[a], ids[b]);
            prop_assert_eq!(first.is_some(), model[a].is_some());
            prop_assert_eq!(second.is_some(), a != b && model[b].is_some());
            if let (Some(first), Some(second)) = (first, second) {
                std::mem::swap(first, second);
            }
            let (first, second) = sparse.get_pair_mut(ids[a], ids[b]);
            if let (Some(first), Some(second)) = (first, second) {
                std::mem::swap(first, second);
                model.swap(a, b);
            }
        }
        for (i, &id) in ids.iter().enumerate() {
            prop_assert_eq!(table.get(id).map(|value| u64::from(value.0)), model[i]);
            prop_assert_eq!(sparse.get(id).map(|value| value.0), model[i]);
        }
    }

    #[test]
    fn pairs_of_all_are_a_double_loop_over_a_vector(
        fates in prop::collection::vec(fate(), 0..10),
    ) {
        let (world, ids) = build(&fates);
        let full = |fate: &Fate| matches!(fate, Fate::Full | Fate::Marked);
        let full: Vec<usize> = (0..ids.len()).filter(|&i| full(&fates[i])).collect();
        let expected: BTreeSet<(usize, usize)> = full
            .iter()
            .flat_map(|&a| full.iter().map(move |&b| (a, b)))
            .filter(|(a, b)| a < b)
            .collect();
        let (mut table, sparse) = (world.view_mut::<Plain>(), world.view::<Loose>());
        let read: Vec<_> = (&sparse, &table).iter_combinations().collect();
        prop_assert_eq!(read.len(), expected.len());
        let read = read.iter().map(|((a, _), (b, _))| (a.0.min(b.0) as usize, a.0.max(b.0) as usize));
        prop_assert_eq!(&read.collect::<BTreeSet<_>>(), &expected);
        let mut seen = Vec::new();
        (&mut table, &sparse).for_each_pair(|(a, i), (b, k)| {
            assert!(u64::from(a.0 % 100) == i.0 && u64::from(b.0 % 100) == k.0);
            (a.0, b.0) = (a.0 + 100, b.0 + 100);
            seen.push((i.0.min(k.0) as usize, i.0.max(k.0) as usize));
        });
        prop_assert_eq!(seen.len(), expected.len());
        prop_assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn values_that_are_swapped_around_are_dropped_once() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let ids: Vec<Entity> = (0..6)
        .map(|_| world.spawn((Kept(ledger.token()), Held(ledger.token()))))
        .collect();
    {
        let (mut kept, mut held) = (world.view_mut::<Kept>(), world.view_mut::<Held>());
        kept.for_each_pair(|a, b| std::mem::swap(*a, *b));
        held.for_each_with_rest(|one, rest| rest.for_each(|other| std::mem::swap(one, other)));
        let [a, b] = kept.get_many_mut([ids[1], ids[4]]).unwrap();
        std::mem::swap(a, b);
        let ((one, _), mut rest) = (&mut kept, &mut held).split(ids[2]).unwrap();
        rest.for_each(|(kept, held)| {
            std::mem::swap(&mut kept.0, &mut held.0);
            std::mem::swap(one, kept);
        });
    }
    assert_eq!(ledger.alive().len(), 12);
    world.check_invariants();
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[system]
fn meet(
    mut marked: Query<&mut Plain, With<Mark>>,
    mut others: Query<(&mut Loose, Entity), Without<Mark>>,
) {
    marked.for_each_with(&mut others, |plain, (loose, _)| {
        plain.0 = plain.0.wrapping_mul(31).wrapping_add(loose.0 as u32);
        loose.0 = loose.0.wrapping_mul(7).wrapping_add(u64::from(plain.0));
    });
}

proptest! {
    #[test]
    fn each_entity_of_a_query_meets_each_of_another(fates in prop::collection::vec(fate(), 0..12)) {
        let (world, ids) = build(&fates);
        meet(&world);
        let mut plain: Vec<u32> = (0..fates.len() as u32).collect();
        let mut loose: Vec<u64> = (0..fates.len() as u64).collect();
        let places = |fate| fates.iter().enumerate().filter(move |(_, is)| **is == fate).map(|(i, _)| i);
        for other in places(Fate::Full) {
            for one in places(Fate::Marked) {
                plain[one] = plain[one].wrapping_mul(31).wrapping_add(loose[other] as u32);
                loose[other] = loose[other].wrapping_mul(7).wrapping_add(u64::from(plain[one]));
            }
        }
        for place in places(Fate::Marked).chain(places(Fate::Full)) {
            prop_assert_eq!(world.get::<Plain>(ids[place]).unwrap().0, plain[place]);
            prop_assert_eq!(world.get::<Loose>(ids[place]).unwrap().0, loose[place]);
        }
    }
}
