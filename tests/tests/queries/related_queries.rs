//! Queries that follow relations: `Up`, `Related` and `Cascade`.

use std::collections::BTreeMap;

use ecs_core::prelude::*;
use ecs_core::query::Not;
use ecs_core::relation::{Cascade, Related, Target, Up};
use proptest::prelude::*;

use super::kinds::{ChildOf, Depth, Health, Marked, Place};

#[derive(Relation)]
struct Follows;

#[derive(Relation)]
#[relation(many)]
struct Likes;

type Grandparent<'a> = Up<ChildOf, Up<ChildOf, &'a Place>>;

#[derive(QueryData)]
struct Node<'a> {
    depth: &'a mut Depth,
    parent: Up<ChildOf, &'a Place>,
    grandparent: Option<Grandparent<'a>>,
}

#[test]
fn an_up_is_the_data_of_the_target() {
    let mut world = World::new();
    let root = world.spawn(Place(1));
    let node = world.spawn((Place(2), ChildOf.to(root)));
    let leaf = world.spawn((Place(3), ChildOf.to(node)));
    let other = world.spawn(());
    let orphan = world.spawn((Place(4), ChildOf.to(other)));
    let query = world.query::<(Entity, &Place, Up<ChildOf, (Entity, &Place)>)>();
    let mut found: Vec<_> = query
        .iter()
        .map(|(entity, place, up)| (entity, place.0, up.target(), up.1.0))
        .collect();
    found.sort();
    assert_eq!(found, [(node, 2, root, 1), (leaf, 3, node, 2)]);
    assert!(query.get(orphan).is_none(), "its parent has no place");
    assert!(query.get(root).is_none());
    assert!(query.get(node).is_some());

    let optional = world.query::<(Entity, Option<Up<ChildOf, &Place>>)>();
    let found: BTreeMap<_, _> = optional
        .iter()
        .map(|(entity, up)| (entity, up.map(|up| up.into_inner().0)))
        .collect();
    let expected = [
        (root, None),
        (node, Some(1)),
        (leaf, Some(2)),
        (other, None),
        (orphan, None),
    ];
    assert_eq!(found, expected.into());
}

#[test]
fn a_struct_of_query_data_has_ups_as_fields() {
    let mut world = World::new();
    let root = world.spawn((Place(1), Depth(0)));
    let node = world.spawn((Place(2), Depth(0), ChildOf.to(root)));
    let leaf = world.spawn((Place(3), Depth(0), ChildOf.to(node)));
    let mut nodes = world.query::<Node>();
    nodes.for_each(|node| {
        let above = node.grandparent.map_or(0, |up| up.0);
        node.depth.0 = node.parent.0 * 10 + above;
    });
    let depths: Vec<_> = nodes.iter().map(|node| node.depth.0).collect();
    assert_eq!(depths, [10, 21]);
    drop(nodes);
    assert_eq!(world.get::<Depth>(leaf).unwrap().0, 21);
}

#[test]
fn what_is_read_of_targets_cannot_be_written_meanwhile() {
    let mut world = World::new();
    world.spawn((Place(1), Depth(1), Health(1)));
    let error = world.try_query_filtered::<(&mut Place, Up<ChildOf, &Place>), ()>();
    assert!(error.is_err());
    let error = world.try_query_filtered::<&mut Health, Related<ChildOf, Changed<Health>>>();
    assert!(error.is_err());
    let _free: Query<&mut Place> = world.query();
    let error = world.try_query_filtered::<Up<ChildOf, &Place>, ()>();
    assert!(error.is_err());
    drop(_free);
    let _up = world.query::<Up<ChildOf, &Place>>();
    assert!(
        world
            .try_query_filtered::<&mut Place, With<Marked>>()
            .is_err()
    );
    assert!(world.try_query_filtered::<&mut Depth, ()>().is_ok());
    drop(_up);
    let (_a, _b) = (world.query::<&mut Place>(), world.query::<&mut Health>());
}

#[system]
fn double(
    marked: Query<(&Place, Up<ChildOf, &Depth>), With<Marked>>,
    mut others: Query<&mut Place, Without<Marked>>,
) -> usize {
    others.for_each(|place| place.0 *= 2);
    marked.count()
}

#[test]
fn filters_keep_members_of_the_entity_itself_apart() {
    let mut world = World::new();
    let root = world.spawn((Place(1), Depth(1)));
    world.spawn((Place(5), Marked, ChildOf.to(root)));
    assert_eq!(double(&world), 1);
    assert_eq!(world.get::<Place>(root).unwrap().0, 2);
}

#[system]
fn below_moved(moved: Query<&Place, Related<ChildOf, Changed<Health>>>) -> Vec<i32> {
    moved.iter().map(|place| place.0).collect()
}

#[test]
fn a_related_filter_tests_ticks_of_targets() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Health(n)));
    world.spawn((Place(1), ChildOf.to(a)));
    world.spawn((Place(2), ChildOf.to(b)));
    world.spawn(Place(3));
    assert_eq!(below_moved(&world), [1, 2]);
    assert!(below_moved(&world).is_empty());
    world.get_mut::<Health>(b).unwrap().0 += 1;
    assert_eq!(below_moved(&world), [2]);
}

#[test]
fn despawn_all_takes_a_related_filter() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    world.spawn(Follows.to(a));
    let kept = world.spawn(Follows.to(b));
    world.insert(a, Marked).unwrap();
    world.despawn_all::<Related<Follows, With<Marked>>>();
    assert_eq!(world.len(), 3);
    assert!(world.contains(kept));
}

#[system]
fn sum(
    mut order: Local<Cascade<ChildOf>>,
    parents: Comp<Target<ChildOf>>,
    mut nodes: Query<(&Place, &mut Depth)>,
) {
    nodes.for_each_cascade(&mut order, &parents, |parent, (place, depth)| {
        depth.0 = place.0 + parent.map_or(0, |(_, depth)| depth.0);
    });
}

#[test]
fn entities_on_a_cycle_come_last_in_a_cascade() {
    let mut world = World::new();
    let [a, b, c, d, e] = [(); 5].map(|()| world.spawn(()));
    world.relate(a, Follows, b).unwrap();
    world.relate(b, Follows, a).unwrap();
    world.relate(c, Follows, b).unwrap();
    world.relate(e, Follows, d).unwrap();
    let mut order = Cascade::<Follows>::new();
    assert_eq!(
        order.update(&world.view()),
        [(e, d), (a, b), (b, a), (c, b)]
    );
    let levels: Vec<_> = order.levels().map(<[_]>::len).collect();
    assert_eq!(levels, [1, 3]);
    assert!(Cascade::<ChildOf>::new().update(&world.view()).is_empty());
}

/// A step of a random program.
#[derive(Clone, Debug)]
enum Step {
    Spawn(Option<i32>),
    Despawn(usize),
    Relate(usize, usize),
    Unrelate(usize),
    Like(usize, usize),
    Mark(usize),
    Touch(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => any::<Option<i8>>().prop_map(|n| Step::Spawn(n.map(i32::from))),
        1 => any::<usize>().prop_map(Step::Despawn),
        4 => any::<(usize, usize)>().prop_map(|(a, b)| Step::Relate(a, b)),
        1 => any::<usize>().prop_map(Step::Unrelate),
        2 => any::<(usize, usize)>().prop_map(|(a, b)| Step::Like(a, b)),
        1 => any::<usize>().prop_map(Step::Mark),
        1 => any::<usize>().prop_map(Step::Touch),
    ];
    prop::collection::vec(step, 0..60)
}

/// The state of an entity in the model.
#[derive(Clone, Debug, Default)]
struct Plain {
    place: Option<i32>,
    parent: Option<Entity>,
    likes: Vec<Entity>,
    is_marked: bool,
    is_touched: bool,
}

type Model = BTreeMap<Entity, Plain>;

fn run(steps: Vec<Step>) -> (World, Model) {
    let mut world = World::new();
    let mut model = Model::new();
    for step in steps {
        let pick = |n: usize| model.keys().nth(n.checked_rem(model.len())?).copied();
        match step {
            Step::Spawn(place) => {
                let entity = world.spawn((Depth(0), Health(0)));
                if let Some(place) = place {
                    world.insert(entity, Place(place)).unwrap();
                }
                model.insert(
                    entity,
                    Plain {
                        place,
                        ..Plain::default()
                    },
                );
            }
            Step::Despawn(n) => {
                let Some(entity) = pick(n) else { continue };
                world.despawn(entity).unwrap();
                model.remove(&entity);
                for plain in model.values_mut() {
                    plain.parent = plain.parent.filter(|&parent| parent != entity);
                    plain.likes.retain(|&liked| liked != entity);
                }
            }
            Step::Relate(a, b) => {
                let Some((a, b)) = pick(a).zip(pick(b)) else {
                    continue;
                };
                if world.relate(a, ChildOf, b).is_ok() {
                    model.get_mut(&a).unwrap().parent = Some(b);
                }
            }
            Step::Unrelate(n) => {
                let Some(entity) = pick(n) else { continue };
                world.remove::<Target<ChildOf>>(entity).unwrap();
                model.get_mut(&entity).unwrap().parent = None;
            }
            Step::Like(a, b) => {
                let Some((a, b)) = pick(a).zip(pick(b)) else {
                    continue;
                };
                if world.relate(a, Likes, b).is_ok() {
                    let likes = &mut model.get_mut(&a).unwrap().likes;
                    if !likes.contains(&b) {
                        likes.push(b);
                    }
                }
            }
            Step::Mark(n) => {
                let Some(entity) = pick(n) else { continue };
                world.insert(entity, Marked).unwrap();
                model.get_mut(&entity).unwrap().is_marked = true;
            }
            Step::Touch(n) => {
                let Some(entity) = pick(n) else { continue };
                model.get_mut(&entity).unwrap().is_touched = true;
            }
        }
    }
    (world, model)
}

fn sorted(entities: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.into_iter().collect();
    entities.sort();
    entities
}

proptest! {
    #[test]
    fn queries_that_follow_relations_match_a_plain_map(steps in steps()) {
        let (mut world, model) = run(steps);

        let up: BTreeMap<_, _> = world
            .query::<(Entity, Up<ChildOf, &Place>)>()
            .iter()
            .map(|(entity, up)| (entity, (up.target(), up.0)))
            .collect();
        let parent_of = |plain: &Plain| plain.parent.and_then(|parent| Some((parent, model[&parent].place?)));
        let expected: BTreeMap<_, _> = model
            .iter()
            .filter_map(|(&entity, plain)| Some((entity, parent_of(plain)?)))
            .collect();
        prop_assert_eq!(up, expected);

        let marked = |entity: &Entity| model[entity].is_marked;
        let likes = |passes: &dyn Fn(&Plain) -> bool| {
            sorted(model.iter().filter(|(_, plain)| passes(plain)).map(|(&entity, _)| entity))
        };
        prop_assert_eq!(
            sorted(&world.query_filtered::<Entity, Related<Likes, With<Marked>>>()),
            likes(&|plain| plain.likes.iter().any(marked))
        );
        prop_assert_eq!(
            sorted(&world.query_filtered::<Entity, Related<Likes>>()),
            likes(&|plain| !plain.likes.is_empty())
        );
        prop_assert_eq!(
            sorted(&world.query_filtered::<Entity, Not<Related<Likes, Without<Marked>>>>()),
            likes(&|plain| plain.likes.iter().all(marked))
        );
        prop_assert_eq!(
            sorted(&world.query_filtered::<Entity, Or<(Related<ChildOf, With<Place>>, With<Marked>)>>()),
            likes(&|plain| plain.is_marked || parent_of(plain).is_some())
        );
        prop_assert_eq!(
            sorted(&world.query_filtered::<Entity, Related<ChildOf, Related<Likes, With<Marked>>>>()),
            likes(&|plain| plain.parent.is_some_and(|parent| model[&parent].likes.iter().any(marked)))
        );

        for (&entity, plain) in &model {
            let from: Vec<_> = world.edges_from(entity).map(|edge| (edge.is::<Likes>(), edge.target())).collect();
            let parents = from.iter().filter(|(likes, _)| !likes).map(|&(_, target)| target);
            prop_assert!(parents.eq(plain.parent));
            let liked = from.iter().filter(|(likes, _)| *likes).map(|&(_, target)| target);
            prop_assert!(liked.eq(plain.likes.iter().copied()));
            let fans = world.edges_to(entity).filter(|edge| edge.is::<Likes>()).map(|edge| edge.source());
            let expected = model.iter().filter(|(_, plain)| plain.likes.contains(&entity));
            prop_assert_eq!(sorted(fans), sorted(expected.map(|(&entity, _)| entity)));
            let expected = model.iter().filter(|(_, plain)| plain.parent == Some(entity));
            prop_assert_eq!(
                sorted(world.edges_to(entity).filter(|edge| edge.is::<ChildOf>()).map(|edge| edge.source())),
                sorted(expected.map(|(&entity, _)| entity))
            );
        }
        let gone = world.spawn(());
        world.despawn(gone).unwrap();
        prop_assert_eq!(world.edges_from(gone).chain(world.edges_to(gone)).count(), 0);

        let tick = world.tick();
        for (&entity, plain) in &model {
            if plain.is_touched {
                world.get_mut::<Health>(entity).unwrap().0 += 1;
            }
        }
        let touched = world.query_filtered::<Entity, Related<ChildOf, Changed<Health>>>().since(tick);
        prop_assert_eq!(
            sorted(&touched),
            likes(&|plain| plain.parent.is_some_and(|parent| model[&parent].is_touched))
        );
    }

    #[test]
    fn a_cascade_visits_each_entity_once_after_its_target(
        first in steps(),
        changes in prop::collection::vec(any::<(usize, usize)>(), 0..5),
    ) {
        let (mut world, mut model) = run(first);
        let mut order = Cascade::<ChildOf>::new();
        for change in std::iter::once(None).chain(changes.into_iter().map(Some)) {
            if let Some((a, b)) = change
                && !model.is_empty()
            {
                let of = |n: usize| *model.keys().nth(n % model.len()).unwrap();
                let (a, b) = (of(a), of(b));
                if a == b {
                    world.remove::<Target<ChildOf>>(a).unwrap();
                    model.get_mut(&a).unwrap().parent = None;
                } else if world.relate(a, ChildOf, b).is_ok() {
                    model.get_mut(&a).unwrap().parent = Some(b);
                }
            }
            sum(&world);
            for (&entity, plain) in &model {
                let mut expected = Some(0);
                let mut at = Some(entity);
                // The sum of the places up to the root, where all have one.
                while let Some(ancestor) = at {
                    expected = expected.zip(model[&ancestor].place).map(|(sum, place)| sum + place);
                    at = model[&ancestor].parent.filter(|parent| model[parent].place.is_some());
                }
                if plain.place.is_some() {
                    prop_assert_eq!(Some(world.get::<Depth>(entity).unwrap().0), expected);
                }
            }
            let view = world.view::<Target<ChildOf>>();
            let edges = order.update(&view).to_vec();
            let expected: BTreeMap<_, _> =
                model.iter().filter_map(|(&entity, plain)| Some((entity, plain.parent?))).collect();
            prop_assert_eq!(edges.len(), expected.len());
            prop_assert_eq!(edges.iter().copied().collect::<BTreeMap<_, _>>(), expected);
            for (position, (_, target)) in edges.iter().enumerate() {
                let below = edges[position..].iter().any(|(source, _)| source == target);
                prop_assert!(!below, "a target comes before its sources");
            }
            prop_assert_eq!(order.levels().map(<[_]>::len).sum::<usize>(), edges.len());
            for level in order.levels() {
                prop_assert!(!level.is_empty());
                for (_, target) in level {
                    prop_assert!(level.iter().all(|(source, _)| source != target));
                }
            }
        }
        for &entity in model.keys() {
            world.remove::<Target<ChildOf>>(entity).unwrap();
        }
        prop_assert!(order.update(&world.view()).is_empty());
        prop_assert_eq!(order.levels().count(), 0);
    }
}
