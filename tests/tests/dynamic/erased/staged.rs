//! Staged entities: committing random ones gives the same world as making them one by one.

use ecs_core::component::{ComponentId, StorageKind};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::staging::{ErasedColumn, Staged, StagedEdges, StagedRows};

use super::parts::{self, ChildOf, Dice, Follows, Likes, MUTE, Token, Twins, set_anchor, token};
use super::plans::Plan;

const NEVER: u32 = u32::MAX;

/// Makes a few entities of all kinds on both sides, and despawns some of them. Returns the living ones.
fn populate(twins: &mut Twins, dice: &mut Dice) -> Vec<Entity> {
    let seed = dice.below(1000) as u64;
    let made = twins.both(NEVER, |world| {
        let mut dice = Dice::new(seed);
        let ids: Vec<Entity> = (0..12).map(|i| world.spawn(parts::Plain(i))).collect();
        for &id in &ids {
            for _ in 0..dice.below(4) {
                let other = ids[dice.below(ids.len())];
                match dice.below(8) {
                    0 => world.insert(id, parts::Held(token())).unwrap(),
                    1 => world.insert(id, parts::Loose(1)).unwrap(),
                    2 => world.insert(id, parts::Kept(token())).unwrap(),
                    3 => world.insert(id, parts::Trail(token())).unwrap(),
                    4 => world.insert(id, parts::Wide([1; 300])).unwrap(),
                    5 => drop(world.relate(id, ChildOf(token()), other)),
                    6 => drop(world.relate(id, Likes(token()), other)),
                    _ => drop(world.relate(id, Follows, other)),
                }
            }
        }
        for &id in ids.iter().step_by(1 + dice.below(4)) {
            _ = world.despawn(id);
        }
        let living = ids.into_iter().filter(|&id| world.contains(id));
        let reserved = (0..2).map(|_| world.reserve_entity()).collect::<Vec<_>>();
        bits(living.chain(reserved))
    });
    entities(&made.unwrap())
}

fn bits(ids: impl IntoIterator<Item = Entity>) -> String {
    let bits: Vec<_> = ids.into_iter().map(|id| id.to_bits().to_string()).collect();
    bits.join(" ")
}

fn entities(bits: &str) -> Vec<Entity> {
    let bits = bits.split_whitespace().map(|bits| bits.parse().unwrap());
    bits.map(|bits| Entity::from_bits(bits).unwrap()).collect()
}

/// Compares everything that does not depend on the order of rows.
#[track_caller]
fn compare(twins: &mut Twins) {
    // Reserved entities get rows at their first use, which may be at different times.
    twins.typed.world.flush();
    twins.erased.world.flush();
    let [typed, erased] = [twins.typed.facts(), twins.erased.facts()];
    let only = |these: &[String], those: &[String]| {
        let only = these.iter().filter(|fact| !those.contains(fact));
        only.cloned().collect::<Vec<_>>()
    };
    assert_eq!(only(&typed, &erased), only(&erased, &typed), "the worlds");
    assert_eq!(typed.len(), erased.len(), "the worlds");
    assert_eq!(
        twins.typed.alive().len(),
        twins.erased.alive().len(),
        "living values"
    );
    twins.typed.story();
    twins.erased.story();
}

#[test]
fn committed_entities_are_like_those_made_one_by_one() {
    MUTE.set(true);
    let rounds = if cfg!(miri) { 2 } else { 4 };
    for seed in 0..u64::from(ecs_tests::worlds(300)) {
        let mut dice = Dice::new(seed);
        let mut twins = Twins::new(false);
        let mut living = populate(&mut twins, &mut dice);
        for _ in 0..rounds {
            let anchor = living[dice.below(living.len())];
            let plan = Plan::random(&mut dice, &living);
            let made = twins.typed.change(NEVER, |world| {
                set_anchor(anchor);
                bits(plan.make(world))
            });
            let committed = twins.erased.change(NEVER, |world| {
                set_anchor(anchor);
                let staged = plan.stage(&mut dice);
                let ids = world.next_ids(plan.entities.len()).unwrap();
                world.commit(staged, &ids).unwrap();
                bits(ids)
            });
            assert_eq!(made, committed, "the ids");
            for side in [&mut twins.typed, &mut twins.erased] {
                // Required edges are made in the order of tables.
                if let Some(mut sources) = side.world.sources_mut::<ChildOf>(anchor) {
                    sources.sort_by_key(|source| source.id());
                }
            }
            compare(&mut twins);
            living.extend(entities(&made.unwrap()));
            let gone = living.swap_remove(dice.below(living.len()));
            for side in [&mut twins.typed, &mut twins.erased] {
                side.change(NEVER, |world| format!("{:?}", world.despawn(gone)))
                    .unwrap();
                // Numbered values of one round end with it.
                let kept = living.clone();
                side.change(NEVER, |world| {
                    for &id in &kept {
                        _ = world.remove::<(parts::Kept, parts::Tracked, parts::Held)>(id);
                        _ = world.remove::<(parts::Trail, parts::Lit, parts::Tied)>(id);
                        _ = world.remove::<(parts::Needy, parts::Greedy)>(id);
                        _ = world.remove::<(Target<ChildOf>, Targets<Likes>)>(id);
                    }
                    world.remove_resource::<Token>();
                    String::new()
                })
                .unwrap();
            }
            compare(&mut twins);
            let world = &twins.typed.world;
            living.retain(|&id| world.contains(id));
        }
        twins.end();
    }
}

/// Stages copies of entities; all values here can be copied from their printed form.
fn copy_of(world: &World, entities: &[Entity]) -> Staged {
    let number_of = |entity| {
        let number = entities.iter().position(|&other| other == entity);
        number.map(|number| number as u32)
    };
    let mut staged = Staged::new(entities.len() as u32);
    let copy = |component: ComponentId, entities: &[Entity]| {
        let view = world.view_erased(component);
        let mut column = ErasedColumn::new(component);
        for &entity in entities {
            let value = view.get(entity).unwrap();
            let pushed = if let Some(value) = value.downcast::<parts::Plain>() {
                column.push(value.clone()).is_ok()
            } else if let Some(value) = value.downcast::<parts::Wide>() {
                column.push(value.clone()).is_ok()
            } else if let Some(value) = value.downcast::<parts::Loose>() {
                column.push(value.clone()).is_ok()
            } else if value.downcast::<parts::Held>().is_some() {
                column.push(parts::Held(token())).is_ok()
            } else if value.downcast::<parts::Trail>().is_some() {
                column.push(parts::Trail(token())).is_ok()
            } else {
                column.push(parts::Kept(token())).is_ok()
            };
            assert!(pushed, "{component:?}");
        }
        column
    };
    let among = |of: &mut dyn Iterator<Item = Entity>| -> (Vec<u32>, Vec<Entity>) {
        of.filter_map(|entity| Some((number_of(entity)?, entity)))
            .unzip()
    };
    for (of_table, components) in world.tables_with_rows() {
        let (numbers, found) = among(&mut of_table.iter().copied());
        let columns = components.iter().map(|&component| copy(component, &found));
        staged.add_table(StagedRows::List(numbers), columns.collect());
    }
    for component in world.registered_components() {
        if component.storage() == StorageKind::Sparse && !component.is_end() {
            let view = world.view_erased(component);
            let mut of_set = view
                .chunks()
                .flat_map(|chunk| chunk.entities().iter().copied());
            let (numbers, found) = among(&mut of_set);
            staged.add_set(numbers, copy(component, &found));
        }
    }
    for relation in world.relations() {
        let gathered = world.gather_edges(&relation, entities, &number_of);
        let outgoing = relation.outgoing();
        let mut values = ErasedColumn::of_edges(outgoing).unwrap();
        for found in &gathered {
            assert!(!found.value.is_null());
            let is_child = relation.type_id() == std::any::TypeId::of::<ChildOf>();
            let is_like = relation.type_id() == std::any::TypeId::of::<Likes>();
            assert!(match (is_child, is_like) {
                (true, _) => values.push(ChildOf(token())).is_ok(),
                (_, true) => values.push(Likes(token())).is_ok(),
                _ => values.push(Follows).is_ok(),
            });
        }
        staged.add_edges(StagedEdges {
            outgoing,
            edges: gathered.iter().map(|found| found.edge).collect(),
            order: gathered.iter().map(|found| found.position).collect(),
            values,
        });
    }
    staged
}

/// Describes entities by their numbers in a list, with the edges to and from others by their ids.
fn described(world: &World, entities: &[Entity]) -> Vec<String> {
    let name = |entity: Entity| match entities.iter().position(|&other| other == entity) {
        Some(number) => format!("#{number}"),
        None => entity.to_string(),
    };
    let inside = |sources: &[Entity]| {
        let sources = sources.iter().filter(|source| entities.contains(source));
        sources.map(|&source| name(source)).collect::<Vec<_>>()
    };
    let describe = |&entity: &Entity| {
        format!(
            "{:?} {:?} {} {:?} {} {} {:?} {:?} {:?} {:?} {:?} {:?}",
            world.get::<parts::Plain>(entity).map(|plain| plain.0),
            world.get::<parts::Wide>(entity).map(|wide| wide.0[0]),
            world.has::<parts::Kept>(entity),
            world.get::<parts::Loose>(entity).map(|loose| loose.0),
            world.has::<parts::Held>(entity),
            world.has::<parts::Trail>(entity),
            world
                .get::<Target<ChildOf>>(entity)
                .map(|parent| name(parent.entity())),
            world
                .get::<Target<Follows>>(entity)
                .map(|target| name(target.entity())),
            world.get::<Targets<Likes>>(entity).map(|likes| {
                likes
                    .entities()
                    .iter()
                    .map(|&target| name(target))
                    .collect::<Vec<_>>()
            }),
            world
                .get::<Sources<ChildOf>>(entity)
                .map_or(vec![], |sources| inside(&sources)),
            world
                .get::<Sources<Likes>>(entity)
                .map_or(vec![], |sources| inside(&sources)),
            world
                .get::<Sources<Follows>>(entity)
                .map_or(vec![], |sources| inside(&sources)),
        )
    };
    entities.iter().map(describe).collect()
}

#[test]
fn gathered_entities_can_be_staged_again() {
    MUTE.set(true);
    for seed in 0..if cfg!(miri) { 3 } else { 200 } {
        let mut dice = Dice::new(seed);
        let mut twins = Twins::new(false);
        let mut living = populate(&mut twins, &mut dice);
        living.retain(|_| dice.below(3) > 0);
        let start = dice.below(living.len() + 1);
        living.rotate_left(start);
        twins
            .erased
            .change(NEVER, |world| {
                world.flush();
                let staged = copy_of(world, &living);
                let ids = world.next_ids(living.len()).unwrap();
                let before = described(world, &living);
                world.commit(staged, &ids).unwrap();
                assert_eq!(described(world, &ids), before);
                assert_eq!(described(world, &living), before, "the originals stay");
                String::new()
            })
            .unwrap();
        twins.end();
    }
}

/// A component whose values are plain bytes, and one that requires others of some entities.
#[derive(Component, Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[component(data = "erased.dot", track)]
struct Dot(u32);

#[derive(Component, Debug, PartialEq)]
struct Ink(u8);

#[derive(Component, Debug)]
#[component(storage = "sparse", require(Ink = Ink(3)))]
struct Drawn;

fn column<T: Component>(values: impl IntoIterator<Item = T>) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    for value in values {
        assert!(column.push(value).is_ok());
    }
    column
}

#[test]
fn copies_have_the_values_of_the_first_one() {
    for (each, copies, before) in [(1, 1, 0), (1, 5000, 3), (3, 7, 0), (3, 2, 9), (2000, 3, 1)] {
        for is_divided in [false, true] {
            let mut world = World::new();
            world.spawn_batch((0..before).map(|i| (Dot(900 + i), parts::Plain(i))));
            let start = world.tick();
            let count = each * copies;
            let mut staged = Staged::new(count);
            let columns = vec![
                column((0..each).map(Dot)),
                column((0..count).map(parts::Plain)),
            ];
            staged.add_copies(StagedRows::Range(0..count), columns, copies as usize);
            let drawn: Vec<u32> = (0..count).filter(|n| is_divided && n % 4 == 1).collect();
            staged.add_set(drawn.clone(), column(drawn.iter().map(|_| Drawn)));
            let ids = world.next_ids(count as usize).unwrap();
            world.commit(staged, &ids).unwrap();
            world.check_invariants();
            for (number, &id) in (0..).zip(&ids) {
                assert_eq!(*world.get::<Dot>(id).unwrap(), Dot(number % each));
                let mut components = world.entity(id).unwrap().components();
                let dot = components.find(|component| component.id() == ComponentId::of::<Dot>());
                assert!(dot.unwrap().added() > Some(start));
                assert_eq!(
                    *world.get::<parts::Plain>(id).unwrap(),
                    parts::Plain(number)
                );
                assert_eq!(world.has::<Ink>(id), drawn.contains(&number));
            }
            assert_eq!(world.len(), (count + before) as usize);
        }
    }
}

#[test]
fn only_plain_bytes_are_copied_and_only_as_a_whole() {
    let lengths = |columns: Vec<ErasedColumn>| {
        let mut staged = Staged::new(6);
        staged.add_copies(StagedRows::Range(0..6), columns, 3);
        let mut world = World::new();
        let ids = world.next_ids(6).unwrap();
        let committed = world.commit(staged, &ids);
        assert_eq!(world.len(), if committed.is_ok() { 6 } else { 0 });
        committed.is_ok()
    };
    assert!(lengths(vec![column([Dot(1), Dot(2)])]));
    assert!(lengths(vec![column((0..6).map(Dot))]));
    for few in [0, 1, 3, 7] {
        assert!(!lengths(vec![column((0..few).map(Dot))]), "{few}");
    }
    assert!(!lengths(vec![column([Ink(1), Ink(2)])]), "it is not data");
}
