//! One entity and all the rest, against index arithmetic on a vector.

use ecs_core::prelude::*;
use ecs_core::query::QueryRest;
use ecs_core::view::CompRest;
use ecs_tests::{Loose, Mark, Plain, Text};
use proptest::prelude::*;

#[derive(Component)]
struct Tabled(u64);

/// The operation at one depth of nested splits.
#[derive(Clone, Debug)]
struct Step {
    /// The entity that is split off.
    target: usize,
    /// The amount that is added to all others.
    amount: u64,
    /// The way of visiting them.
    how: u8,
}

/// The expected numbers of the entities; `None` without the component.
type Model = Vec<Option<u64>>;

/// Creates a world; returns its entities (including dead ones) and the expected numbers of both components.
fn build(entities: &[u8]) -> (World, Vec<Entity>, Model) {
    let mut world = World::new();
    let mut model = Model::new();
    let mut ids = Vec::new();
    for (i, &kind) in entities.iter().enumerate() {
        let number = i as u64;
        let id = world.spawn(Plain(i as u32));
        if kind & 1 != 0 {
            world.insert(id, Mark).unwrap();
        }
        if kind & 2 != 0 {
            world.insert(id, Text(i.to_string())).unwrap();
        }
        let has = kind & 12 != 0;
        if has {
            world.insert(id, (Tabled(number), Loose(number))).unwrap();
        }
        ids.push(id);
        model.push(has.then_some(number));
    }
    for (i, &kind) in entities.iter().enumerate() {
        if kind & 16 != 0 && kind & 32 != 0 {
            world.despawn(ids[i]).unwrap();
            model[i] = None;
        }
    }
    (world, ids, model)
}

/// Checks that exactly the entities not in `out` are left.
fn check_left(mut left: Vec<Entity>, ids: &[Entity], model: &Model, out: &[usize]) {
    left.sort_unstable();
    let mut expected: Vec<Entity> = (0..ids.len())
        .filter(|i| model[*i].is_some() && !out.contains(i))
        .map(|i| ids[i])
        .collect();
    expected.sort_unstable();
    assert_eq!(left, expected);
}

/// The operations on a view, once per component, so that the types of the items are concrete.
macro_rules! of_view {
    ($module:ident $component:ident) => {
        mod $module {
            use super::*;

            fn descend(
                rest: &mut CompRest<'_, $component>,
                ids: &[Entity],
                model: &mut Model,
                out: &mut Vec<usize>,
                steps: &[Step],
            ) {
                let Some((step, steps)) = steps.split_first() else {
                    return;
                };
                let amount = step.amount;
                match step.how % 4 {
                    0 => rest.for_each(|value| value.0 += amount),
                    1 => {
                        for value in rest.iter_mut() {
                            value.0 += amount;
                        }
                    }
                    2 => {
                        for (id, value) in &mut rest.reborrow().with_entity() {
                            assert!(out.iter().all(|&i| ids[i] != id));
                            value.0 += amount;
                        }
                    }
                    _ => {
                        for &id in ids {
                            assert_eq!(rest.contains(id), rest.get(id).is_some());
                            if let Some(value) = rest.get_mut(id) {
                                value.0 += amount;
                            }
                        }
                    }
                }
                for (i, number) in model.iter_mut().enumerate() {
                    if let Some(number) = number
                        && !out.contains(&i)
                    {
                        *number += amount;
                    }
                }
                let target = step.target % ids.len();
                let left = model[target].is_some() && !out.contains(&target);
                match rest.split(ids[target]) {
                    None => {
                        assert!(!left, "an entity that is left can be split off");
                        descend(rest, ids, model, out, steps);
                    }
                    Some((one, mut inner)) => {
                        assert!(left, "an entity that is out or absent cannot be split off");
                        one.0 += 1000;
                        out.push(target);
                        descend(&mut inner, ids, model, out, steps);
                        out.pop();
                        // The one is still usable after the rest was used.
                        one.0 += 1000;
                        *model[target].as_mut().unwrap() += 2000;
                    }
                }
                check_left(rest.entities().collect(), ids, model, out);
            }

            /// Splits the view at the entity of each step in turn, each within the rest of the previous one.
            pub(super) fn run(
                view: &mut CompMut<'_, $component>,
                ids: &[Entity],
                mut model: Model,
                steps: &[Step],
            ) {
                let Some((first, steps)) = steps.split_first() else {
                    return;
                };
                let target = first.target % ids.len();
                match view.split(ids[target]) {
                    None => assert_eq!(model[target], None),
                    Some((one, mut rest)) => {
                        one.0 += 5;
                        let mut out = vec![target];
                        descend(&mut rest, ids, &mut model, &mut out, steps);
                        one.0 += 5;
                        *model[target].as_mut().unwrap() += 10;
                    }
                }
                for (i, &id) in ids.iter().enumerate() {
                    let number = view.get_mut(id).map(|value| value.0);
                    assert_eq!(number, model[i], "entity {i}");
                }
            }
        }
    };
}

of_view!(tabled Tabled);
of_view!(loose Loose);

/// The same with a query that fetches both components and skips marked entities.
fn descend_query(
    rest: &mut QueryRest<'_, (Entity, &mut Tabled, Option<&mut Loose>), Without<Mark>>,
    ids: &[Entity],
    model: &mut Model,
    out: &mut Vec<usize>,
    steps: &[Step],
) {
    let Some((step, steps)) = steps.split_first() else {
        return;
    };
    rest.for_each(|(_, tabled, loose)| {
        tabled.0 += step.amount;
        loose.unwrap().0 += step.amount;
    });
    for (i, number) in model.iter_mut().enumerate() {
        if let Some(number) = number
            && !out.contains(&i)
        {
            *number += step.amount;
        }
    }
    let target = step.target % ids.len();
    match rest.split(ids[target]) {
        None => descend_query(rest, ids, model, out, steps),
        Some(((id, one, other), mut inner)) => {
            assert_eq!(id, ids[target]);
            out.push(target);
            descend_query(&mut inner, ids, model, out, steps);
            out.pop();
            one.0 += 3;
            other.unwrap().0 += 3;
            *model[target].as_mut().unwrap() += 3;
        }
    }
    check_left(rest.entities().collect(), ids, model, out);
}

fn step() -> impl Strategy<Value = Step> {
    (0_usize..64, 0_u64..100, any::<u8>()).prop_map(|(target, amount, how)| Step {
        target,
        amount,
        how,
    })
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(256))
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nested_splits_agree_with_index_arithmetic(
        entities in prop::collection::vec(any::<u8>(), 1..40),
        steps in prop::collection::vec(step(), 1..8),
    ) {
        let (world, ids, model) = build(&entities);
        tabled::run(&mut world.view_mut::<Tabled>(), &ids, model.clone(), &steps);
        loose::run(&mut world.view_mut::<Loose>(), &ids, model.clone(), &steps);
    }

    #[test]
    fn nested_splits_of_a_query_agree_with_index_arithmetic(
        entities in prop::collection::vec(any::<u8>(), 1..40),
        steps in prop::collection::vec(step(), 2..8),
    ) {
        let (world, ids, mut model) = build(&entities);
        for (number, kind) in model.iter_mut().zip(&entities) {
            if kind & 1 != 0 {
                *number = None;
            }
        }
        let mut query =
            world.query_filtered::<(Entity, &mut Tabled, Option<&mut Loose>), Without<Mark>>();
        let target = steps[0].target % ids.len();
        if let Some((_, mut rest)) = query.split(ids[target]) {
            descend_query(&mut rest, &ids, &mut model, &mut vec![target], &steps[1..]);
        }
        for (i, &id) in ids.iter().enumerate() {
            let numbers = query.get(id).map(|(_, tabled, loose)| (tabled.0, loose.unwrap().0));
            prop_assert_eq!(numbers, model[i].map(|number| (number, number)));
        }
    }

    #[test]
    fn each_one_with_the_rest_is_a_double_loop(
        entities in prop::collection::vec(any::<u8>(), 1..24),
    ) {
        let (world, ids, model) = build(&entities);
        let mut expected = model.clone();
        // Entities are visited in table order, not by id, so the expected sums must not depend on the order.
        let count = model.iter().flatten().count() as u64;
        for number in expected.iter_mut().flatten() {
            *number += 3 * (count - 1);
        }
        let (mut tabled, mut loose) = (world.view_mut::<Tabled>(), world.view_mut::<Loose>());
        tabled.for_each_with_rest(|one, rest| rest.for_each(|other| {
            one.0 += 1;
            other.0 += 2;
        }));
        loose.for_each_with_rest(|one, rest| for other in rest.iter_mut() {
            one.0 += 2;
            other.0 += 1;
        });
        for (i, &id) in ids.iter().enumerate() {
            prop_assert_eq!(tabled.get(id).map(|value| value.0), expected[i]);
            prop_assert_eq!(loose.get(id).map(|value| value.0), expected[i]);
        }
    }
}

#[test]
fn a_system_chases_with_one_and_all_the_rest() {
    #[derive(Component)]
    struct Position(f32);
    #[derive(Component)]
    struct Hunts(Entity);

    #[system]
    fn chase(mut position: CompMut<Position>, hunts: Comp<Hunts>) {
        for (hunter, hunts) in hunts.with_entity().iter() {
            let Some((me, mut others)) = position.split(hunter) else {
                continue;
            };
            if let Some(prey) = others.get_mut(hunts.0) {
                me.0 += (prey.0 - me.0) / 2.0;
                prey.0 += 1.0;
            }
        }
    }

    let mut world = World::new();
    let prey = world.spawn(Position(8.0));
    let hunter = world.spawn((Position(0.0), Hunts(prey)));
    let own_tail = world.spawn(Position(3.0));
    world.insert(own_tail, Hunts(own_tail)).unwrap();
    chase(&world);
    let position = world.view::<Position>();
    let at = [prey, hunter, own_tail].map(|entity| position.get(entity).unwrap().0);
    assert_eq!(at, [9.0, 4.0, 3.0]);
}

#[test]
fn rests_of_two_worlds_can_be_swapped() {
    let mut worlds = [World::new(), World::new()];
    for (i, world) in worlds.iter_mut().enumerate() {
        world.spawn_batch((0..3).map(|n| Loose(10 * i as u64 + n)));
    }
    let id = |world: &World, i: usize| world.entities().iter().nth(i).unwrap();
    let [a, b] = &worlds;
    let (mut first, mut second) = (a.view_mut::<Loose>(), b.view_mut::<Loose>());
    let (one, mut rest) = first.split(id(a, 0)).unwrap();
    let (two, mut other) = second.split(id(b, 2)).unwrap();
    std::mem::swap(&mut rest, &mut other);
    rest.for_each(|value| value.0 += two.0);
    other.for_each(|value| value.0 += one.0 + 100);
    std::mem::swap(one, two);
    assert_eq!(first.as_slice(), [Loose(12), Loose(101), Loose(102)]);
    assert_eq!(second.as_slice(), [Loose(22), Loose(23), Loose(0)]);
}
