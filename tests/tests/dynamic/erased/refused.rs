//! A commit that is refused changes nothing, and its values are dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::staging::{
    EdgeTarget, ErasedColumn, GivenIdError, StageError, Staged, StagedEdge, StagedEdges, StagedRows,
};

use super::parts::{
    ChildOf, Dice, Follows, Held, Kept, Likes, Lit, MUTE, Mark, Plain, Token, Trail, Twins, arm,
    numbered, set_anchor, token,
};
use super::plans::{Kind, Plan, Planned, edges_of};

const NEVER: u32 = u32::MAX;

fn plain(numbers: impl IntoIterator<Item = u32>) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<Plain>());
    for number in numbers {
        assert!(column.push(Plain(number)).is_ok());
    }
    column
}

fn kept(count: usize) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<Kept>());
    (0..count).for_each(|_| assert!(column.push(Kept(token())).is_ok()));
    column
}

fn held(count: usize) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<Held>());
    (0..count).for_each(|_| assert!(column.push(Held(token())).is_ok()));
    column
}

fn edges<R: Relation>(list: &[(u32, EdgeTarget)], value: impl Fn() -> R) -> StagedEdges {
    let outgoing = ComponentId::of::<R::Outgoing>();
    let mut values = ErasedColumn::of_edges(outgoing).unwrap();
    list.iter()
        .for_each(|_| assert!(values.push(value()).is_ok()));
    let edges = list
        .iter()
        .map(|&(source, target)| StagedEdge { source, target });
    StagedEdges {
        outgoing,
        edges: edges.collect(),
        order: Vec::new(),
        values,
    }
}

/// Stages four entities in a table, and two values in a set; then calls the function of the case.
fn four(add: impl FnOnce(&mut Staged)) -> Staged {
    let mut staged = Staged::new(4);
    staged.add_table(StagedRows::Range(0..3), vec![plain(0..3), kept(3)]);
    staged.add_set(vec![3, 1], held(2));
    staged.add_resource("a token", Box::new(token()));
    add(&mut staged);
    staged
}

/// Commits to a world with some entities, and checks that the error is the expected one and that nothing else happens.
#[track_caller]
fn refuses(
    add: impl FnOnce(&mut Staged, Entity, Entity),
    expected: impl FnOnce(Entity) -> StageError,
    message: &str,
) {
    let mut side = Twins::new(true).typed;
    side.change(NEVER, |world| {
        let living = world.spawn((Plain(7), Held(token())));
        world.insert_resource(token());
        let gone = world.spawn(ChildOf(token()).to(living));
        world.despawn(gone).unwrap();
        String::new()
    })
    .unwrap();
    let entity = |bits| Entity::from_bits(bits).unwrap();
    let (living, gone) = (entity(1 << 32), entity(1 << 32 | 1));
    let (facts, alive) = (side.facts(), side.alive());
    side.story();
    let refused = side.change(NEVER, |world| {
        let staged = four(|staged| add(staged, living, gone));
        let ids = world.next_ids(staged.entities() as usize).unwrap();
        let error = world.commit(staged, &ids).unwrap_err();
        assert_eq!(error, expected(gone));
        assert_eq!(world.next_ids(ids.len()), Ok(ids), "no id was taken");
        error.to_string()
    });
    assert_eq!(refused.as_deref(), Ok(message));
    assert_eq!(
        (side.facts(), side.alive()),
        (facts, alive),
        "nothing has changed"
    );
    assert!(
        side.story().iter().all(|entry| entry.starts_with("drop ")),
        "no hook was called"
    );
    side.change(NEVER, |world| {
        let staged = four(|_| ());
        let ids = world.next_ids(4).unwrap();
        world.commit(staged, &ids).unwrap();
        String::new()
    })
    .unwrap();
    side.end();
}

fn name<T: Component>() -> &'static str {
    ComponentId::of::<T>().name()
}

#[test]
fn numbers_and_lengths_are_checked() {
    let no_such = |number, component| StageError::NoSuchNumber {
        number,
        entities: 4,
        component,
    };
    let twice = |number, component| StageError::Twice { number, component };
    refuses(
        |staged, _, _| staged.add_table(StagedRows::List(vec![3, 4]), vec![plain(0..2)]),
        |_| no_such(4, None),
        "the rows of a table: there is no new entity 4: there are only 4",
    );
    refuses(
        |staged, _, _| staged.add_table(StagedRows::Range(3..5), vec![plain(0..2)]),
        |_| no_such(4, None),
        "the rows of a table: there is no new entity 4: there are only 4",
    );
    refuses(
        |staged, _, _| staged.add_table(StagedRows::Range(2..4), vec![plain(0..2)]),
        |_| twice(2, None),
        "the rows of tables: the new entity 2 occurs twice",
    );
    refuses(
        |staged, _, _| staged.add_table(StagedRows::List(vec![3, 3]), vec![]),
        |_| twice(3, None),
        "the rows of tables: the new entity 3 occurs twice",
    );
    let mut trail = ErasedColumn::new(ComponentId::of::<Trail>());
    let error = twice(0, Some(name::<Trail>()));
    let message = format!("{}: the new entity 0 occurs twice", name::<Trail>());
    refuses(
        |staged, _, _| {
            (0..3).for_each(|_| assert!(trail.push(Trail(token())).is_ok()));
            staged.add_set(vec![0, 1, 0], trail);
        },
        |_| error,
        &message,
    );
    let error = no_such(9, Some(name::<Lit>()));
    let message = format!(
        "{}: there is no new entity 9: there are only 4",
        name::<Lit>()
    );
    refuses(
        |staged, _, _| {
            let mut lit = ErasedColumn::new(ComponentId::of::<Lit>());
            assert!(lit.push(Lit(token())).is_ok());
            staged.add_set(vec![9], lit);
        },
        |_| error,
        &message,
    );
    let [component, held_name] = [name::<Kept>(), name::<Held>()];
    refuses(
        |staged, _, _| staged.add_table(StagedRows::List(vec![3]), vec![kept(2)]),
        |_| StageError::WrongLength {
            component,
            values: 2,
            expected: 1,
        },
        &format!("`{component}` has 2 values, not 1"),
    );
    refuses(
        |staged, _, _| {
            staged.add_table(
                StagedRows::List(vec![3]),
                vec![kept(1), plain(0..1), kept(1)],
            );
        },
        |_| StageError::ColumnTwice { component },
        &format!("`{component}` has two columns"),
    );
    refuses(
        |staged, _, _| staged.add_set(vec![0, 1], held(2)),
        |_| StageError::Twice {
            number: 1,
            component: Some(held_name),
        },
        &format!("{held_name}: the new entity 1 occurs twice"),
    );
    refuses(
        |staged, _, _| staged.add_resource("another token", Box::new(token())),
        |_| StageError::ResourceTwice {
            resource: "a token",
        },
        "there are two resources `a token`",
    );
}

#[test]
fn components_are_only_where_they_are_stored() {
    let help =
        "help: stage sparse components in sets, the others in tables, and relations as edges";
    let component = name::<Held>();
    refuses(
        |staged, _, _| staged.add_table(StagedRows::List(vec![3]), vec![held(1)]),
        |_| StageError::WrongPlace { component },
        &format!("`{component}` is in the wrong place; {help}"),
    );
    let component = name::<Kept>();
    refuses(
        |staged, _, _| staged.add_set(vec![2], kept(1)),
        |_| StageError::WrongPlace { component },
        &format!("`{component}` is in the wrong place; {help}"),
    );
    let component = name::<Target<Follows>>();
    refuses(
        |staged, living, _| {
            let mut targets = ErasedColumn::new(ComponentId::of::<Target<Follows>>());
            assert!(targets.push(Follows.to(living)).is_ok());
            staged.add_set(vec![2], targets);
        },
        |_| StageError::WrongPlace { component },
        &format!("`{component}` is in the wrong place; {help}"),
    );
    refuses(
        |staged, _, _| {
            let values = ErasedColumn::of_edges(ComponentId::of::<Target<Follows>>());
            staged.add_set(vec![], values.unwrap());
        },
        |_| StageError::WrongPlace { component },
        &format!("`{component}` is in the wrong place; {help}"),
    );
    let relation = std::any::type_name::<Likes>();
    refuses(
        |staged, living, _| {
            let living = EdgeTarget::Living(living);
            let mut likes = edges(&[(0, living)], || Likes(token()));
            likes.values = edges(&[(0, living)], || ChildOf(token())).values;
            staged.add_edges(likes);
        },
        |_| StageError::WrongPlace {
            component: relation,
        },
        &format!("`{relation}` is in the wrong place; {help}"),
    );
    for component in [
        ComponentId::of::<Plain>(),
        ComponentId::of::<Sources<ChildOf>>(),
    ] {
        let name = component.name();
        refuses(
            |staged, living, _| {
                let mut wrong = edges(&[(0, EdgeTarget::Living(living))], || ChildOf(token()));
                wrong.outgoing = component;
                staged.add_edges(wrong);
            },
            |_| StageError::NoRelation { component: name },
            &format!(
                "`{name}` is not the component of the sources of a relation; help: name `Target` or `Targets` of it"
            ),
        );
    }
}

#[test]
fn edges_are_checked() {
    let child = std::any::type_name::<ChildOf>();
    let likes = std::any::type_name::<Likes>();
    let new = EdgeTarget::New;
    refuses(
        |staged, _, _| staged.add_edges(edges(&[(0, new(1)), (4, new(1))], || ChildOf(token()))),
        |_| StageError::NoSuchNumber {
            number: 4,
            entities: 4,
            component: Some(child),
        },
        &format!("{child}: there is no new entity 4: there are only 4"),
    );
    refuses(
        |staged, _, _| staged.add_edges(edges(&[(0, new(1)), (1, new(7))], || ChildOf(token()))),
        |_| StageError::NoSuchNumber {
            number: 7,
            entities: 4,
            component: Some(child),
        },
        &format!("{child}: there is no new entity 7: there are only 4"),
    );
    refuses(
        |staged, _, _| staged.add_edges(edges(&[(0, new(1)), (2, new(2))], || Likes(token()))),
        |_| StageError::Itself {
            number: 2,
            relation: likes,
        },
        &format!("`{likes}` relates the new entity 2 to itself"),
    );
    refuses(
        |staged, living, _| {
            let list = [(0, new(1)), (2, new(1)), (0, EdgeTarget::Living(living))];
            staged.add_edges(edges(&list, || ChildOf(token())));
        },
        |_| StageError::SecondTarget {
            number: 0,
            relation: child,
        },
        &format!("`{child}` relates the new entity 0 to two others, and leads to one"),
    );
    refuses(
        |staged, living, _| {
            let living = EdgeTarget::Living(living);
            let list = [(3, living), (3, new(1)), (1, living), (3, living)];
            staged.add_edges(edges(&list, || Likes(token())));
        },
        |_| StageError::Twice {
            number: 3,
            component: Some(likes),
        },
        &format!("{likes}: the new entity 3 occurs twice"),
    );
    refuses(
        |staged, _, gone| {
            staged.add_edges(edges(&[(1, EdgeTarget::Living(gone))], || Likes(token())));
        },
        |gone| StageError::NoTarget {
            number: 1,
            target: gone,
            relation: likes,
        },
        &format!("`{likes}` relates the new entity 1 to 1v1, which does not exist"),
    );
    // The id that a new entity will get is not alive yet.
    let next = Entity::from_bits(2 << 32 | 1).unwrap();
    refuses(
        |staged, _, _| staged.add_edges(edges(&[(1, EdgeTarget::Living(next))], || Likes(token()))),
        |_| StageError::NoTarget {
            number: 1,
            target: next,
            relation: likes,
        },
        &format!("`{likes}` relates the new entity 1 to 1v2, which does not exist"),
    );
    for list in [
        &[(0, new(1)), (1, new(2)), (2, new(0))][..],
        &[(3, new(1)), (1, new(2)), (2, new(1))],
        &[(0, new(3)), (3, new(0))],
    ] {
        let (number, target) = match *list {
            [(0, _), (1, _), (2, _)] => (0, 1),
            [(3, _), ..] => (1, 2),
            _ => (0, 3),
        };
        refuses(
            |staged, _, _| staged.add_edges(edges(list, || ChildOf(token()))),
            |_| StageError::Cycle {
                number,
                target,
                relation: child,
            },
            &format!(
                "the new entity {number} cannot be related to {target} by `{child}`, which is a tree: {target} is a descendant of {number}"
            ),
        );
    }
    let component = name::<Target<ChildOf>>();
    refuses(
        |staged, _, _| {
            staged.add_edges(edges(&[(0, new(1))], || ChildOf(token())));
            staged.add_edges(edges(&[(1, new(2))], || ChildOf(token())));
        },
        |_| StageError::ColumnTwice { component },
        &format!("`{component}` has two columns"),
    );
    for long in [true, false] {
        refuses(
            |staged, _, _| {
                let mut wrong = edges(&[(0, new(1)), (1, new(2))], || Likes(token()));
                if long {
                    wrong.order = vec![1, 2, 3];
                } else {
                    wrong.edges.pop();
                }
                staged.add_edges(wrong);
            },
            |_| StageError::WrongLength {
                component: likes,
                values: if long { 3 } else { 2 },
                expected: if long { 2 } else { 1 },
            },
            &format!(
                "`{likes}` has {}",
                if long {
                    "3 values, not 2"
                } else {
                    "2 values, not 1"
                }
            ),
        );
    }
}

/// Relations that are not trees may lead back.
#[test]
fn cycles_of_other_relations_are_committed() {
    let mut world = World::new();
    let mut staged = Staged::new(3);
    let new = EdgeTarget::New;
    staged.add_edges(edges(&[(0, new(1)), (1, new(2)), (2, new(0))], || Follows));
    let ids = world.next_ids(3).unwrap();
    world.commit(staged, &ids).unwrap();
    assert!((0..3).all(|i| world.is_related::<Follows>(ids[i], ids[(i + 1) % 3])));
    world.check_invariants();
}

#[test]
fn ids_are_checked() {
    let mut side = Twins::new(false).typed;
    side.change(NEVER, |world| {
        let [alive, gone] = [(); 2].map(|()| world.spawn(()));
        world.despawn(gone).unwrap();
        let reserved = world.reserve_entity();
        let id = |index: u32, generation: u32| {
            Entity::from_bits(u64::from(generation) << 32 | u64::from(index)).unwrap()
        };
        assert_eq!(reserved, id(1, 2));
        for (ids, error) in [
            (
                vec![id(5, 1); 3],
                StageError::WrongIds {
                    ids: 3,
                    entities: 4,
                },
            ),
            (
                vec![id(5, 1), id(6, 1), id(7, 1), alive],
                GivenIdError::InUse { entity: alive }.into(),
            ),
            (
                vec![id(5, 1), id(6, 1), reserved, id(7, 1)],
                GivenIdError::InUse { entity: reserved }.into(),
            ),
            (
                vec![id(5, 1), id(6, 1), id(7, 1), id(5, 1)],
                GivenIdError::Twice { entity: id(5, 1) }.into(),
            ),
            (
                vec![id(5, 1), id(6, 1), id(7, 1), id(8, 1 << 22)],
                GivenIdError::NoId {
                    entity: id(8, 1 << 22),
                }
                .into(),
            ),
        ] {
            assert_eq!(world.commit(four(|_| ()), &ids), Err(error));
            assert_eq!((world.len(), world.contains(id(5, 1))), (2, false));
        }
        let ids = [id(9, 3), id(2, 1), id(30, 2), id(7, 1)];
        world.commit(four(|_| ()), &ids).unwrap();
        assert!(ids.iter().all(|&id| world.contains(id)) && world.len() == 6);
        assert_eq!(*world.get::<Plain>(id(30, 2)).unwrap(), Plain(2));
        world.despawn(id(30, 2)).unwrap();
        let error = GivenIdError::Issued { entity: id(30, 2) };
        let again = [id(40, 1), id(41, 1), id(42, 1), id(30, 2)];
        assert_eq!(world.commit(four(|_| ()), &again), Err(error.into()));
        // Ids between the given ones are free, and come first.
        let spawned: Vec<Entity> = (0..4).map(|_| world.spawn(())).collect();
        assert_eq!(spawned, [3, 4, 5, 6].map(|index| id(index, 1)));
        String::new()
    })
    .unwrap();
    side.end();
}

#[test]
fn a_panic_in_a_constructor_changes_nothing() {
    MUTE.set(true);
    let mut side = Twins::new(false).typed;
    let anchor = side.change(NEVER, |world| world.spawn(Plain(1)).to_bits().to_string());
    let anchor = Entity::from_bits(anchor.unwrap().parse().unwrap()).unwrap();
    let mut dice = Dice::new(5);
    let mut panics = 0;
    for round in 0..if cfg!(miri) { 2 } else { 30 } {
        let plan = Plan::random(&mut dice, &[anchor]);
        for fuse in 0.. {
            let (facts, alive) = (side.facts(), side.alive());
            let mut same = Dice::new(round);
            let outcome = side.change(fuse, |world| {
                set_anchor(anchor);
                let staged = plan.stage(&mut same);
                let ids = world.next_ids(plan.entities.len()).unwrap();
                world.commit(staged, &ids).unwrap();
                for id in ids {
                    world.despawn(id).unwrap();
                }
                String::new()
            });
            if outcome.is_ok() {
                side.change(NEVER, |world| {
                    world.remove_resource::<Token>();
                    String::new()
                })
                .unwrap();
                break;
            }
            panics += 1;
            assert_eq!(outcome.unwrap_err(), "the fuse blew at a constructor");
            assert_eq!((side.facts(), side.alive()), (facts, alive));
        }
    }
    assert!(panics > 0);
    side.end();
}

#[test]
fn a_panicking_drop_of_a_replaced_resource_comes_last() {
    let mut side = Twins::new(false).typed;
    side.change(NEVER, |world| {
        world.insert_resource(numbered(500));
        String::new()
    })
    .unwrap();
    side.arm(0);
    let outcome = side.change(NEVER, |world| {
        let staged = four(|_| ());
        let ids = world.next_ids(4).unwrap();
        world.commit(staged, &ids).unwrap();
        String::new()
    });
    assert_eq!(outcome.unwrap_err(), "token 500 was armed");
    assert_eq!(
        (side.world.len(), side.alive().len()),
        (4, 6),
        "all is in place"
    );
    side.end();
}

/// Nonsensical numbers in otherwise correct staged data.
#[test]
fn random_numbers_are_refused_or_fit() {
    MUTE.set(true);
    let mut refused = 0;
    let mut committed = 0;
    for seed in 0..if cfg!(miri) { 5 } else { 1500 } {
        let mut dice = Dice::new(seed);
        let mut side = Twins::new(false).typed;
        side.change(NEVER, |world| {
            let living = world.spawn(Kept(token()));
            set_anchor(living);
            let plan = Plan::random(&mut dice, &[living]);
            let count = plan.entities.len() as u32;
            let mut staged = Staged::new(count);
            let mut any = |n: u32| dice.below(n as usize + 1) as u32;
            for kinds in &plan.entities {
                let first = any(count);
                let rows = first..first + any(2);
                let numbers: Vec<u32> = rows.clone().collect();
                let columns = kinds
                    .iter()
                    .map(|&kind| column_with_new_tokens(kind, numbers.len()));
                staged.add_table(StagedRows::Range(rows), columns.collect());
            }
            for (&tie, list) in &plan.edges {
                let list: Vec<Planned> = list
                    .iter()
                    .map(|&planned| {
                        let mut planned = planned;
                        if any(6) == 0 {
                            planned.edge.source = any(count);
                        }
                        if any(6) == 0 {
                            planned.edge.target = EdgeTarget::New(any(count));
                        }
                        planned
                    })
                    .collect();
                staged.add_edges(edges_of(tie, &list));
            }
            let ids = world.next_ids(count as usize).unwrap();
            let before = world.len();
            match world.commit(staged, &ids) {
                Ok(()) => committed += 1,
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                    assert_eq!(world.len(), before);
                }
            }
            String::new()
        })
        .unwrap();
        side.end();
    }
    assert!(
        cfg!(miri) || refused > 100 && committed > 20,
        "{refused} {committed}"
    );
}

fn column_with_new_tokens(kind: Kind, len: usize) -> ErasedColumn {
    match kind {
        Kind::Kept => kept(len),
        Kind::Held => held(len),
        Kind::Plain => plain(0..len as u32),
        _ => {
            let mut column = ErasedColumn::new(ComponentId::of::<Mark>());
            (0..len).for_each(|_| assert!(column.push(Mark).is_ok()));
            column
        }
    }
}

macro_rules! many {
    ($($n:literal)*) => {
        fn many(n: usize) -> ErasedColumn {
            match n {
                $($n => {
                    let mut column = ErasedColumn::new(ComponentId::of::<Many<$n>>());
                    assert!(column.push(Many::<$n>).is_ok());
                    column
                })*
                _ => unreachable!(),
            }
        }
    };
}

#[derive(Component)]
struct Many<const N: usize>;

many!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

#[test]
#[cfg_attr(miri, ignore = "takes too long")]
fn more_tables_than_a_world_can_have_are_refused() {
    let mut world = World::new();
    let mut stage = |tables: u32| {
        let mut staged = Staged::new(tables);
        for table in 0..tables {
            let mask = table + 1;
            let columns = (0..16).filter(|n| mask >> n & 1 == 1).map(many);
            staged.add_table(StagedRows::Range(table..table + 1), columns.collect());
        }
        let ids = world.next_ids(tables as usize).unwrap();
        let committed = world.commit(staged, &ids);
        (committed, format!("{world:?}"))
    };
    let (refused, world) = stage(65_535);
    assert_eq!(refused, Err(StageError::TooManyTables { tables: 65_536 }));
    assert!(
        world.starts_with("World { entities: 0, tables: 1,"),
        "{world}"
    );
    let (committed, world) = stage(65_534);
    assert_eq!(committed, Ok(()));
    assert!(
        world.starts_with("World { entities: 65534, tables: 65535,"),
        "{world}"
    );
}

#[test]
fn staged_values_are_dropped_once_where_nothing_is_committed() {
    let side = Twins::new(false).typed;
    let mut side = side;
    side.change(NEVER, |_| {
        let staged = four(|staged| {
            let list = [(0, EdgeTarget::New(1)), (1, EdgeTarget::New(2))];
            staged.add_edges(edges(&list, || Likes(token())));
        });
        drop(staged);
        String::new()
    })
    .unwrap();
    assert!(side.alive().is_empty());
    // One of them panics: the others are dropped nevertheless.
    side.change(NEVER, |_| {
        let staged = four(|_| ());
        arm(0);
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(staged)));
        assert!(outcome.is_err());
        String::new()
    })
    .unwrap();
    side.end();
}
