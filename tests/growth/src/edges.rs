//! Edges between entities.

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use ecs_core::tree::ChildOf;

use crate::engine::shuffled;
use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::linear("targets, look up each", 250, |n| targets(n, look_up)),
    Row::linear("targets, of each a new value", 250, |n| {
        targets(n, relate_again)
    }),
    Row::linear("targets, unrelate each", 250, |n| targets(n, unrelate)),
    Row::linear("targets, despawn each", 250, |n| targets(n, despawn)),
    Row::linear("targets, relate more, one by one", 250, |n| {
        targets(n, relate_more)
    }),
    Row::linear("targets, in a new component", 250, |n| targets(n, make)),
    Row::linear("both ends have many edges", 300, |n| {
        targets(n, between_hubs)
    }),
    Row::linear("sources, of a relation to many", 250, |n| {
        targets(n, sources_of_many)
    }),
    Row::linear("children, read after each left, first", 250, |n| {
        children(n, |hub| despawn_and_read(hub, 0))
    }),
    Row::linear("children, read after each left, last", 250, |n| {
        children(n, |hub| despawn_and_read(hub, 1))
    }),
    Row::linear("children, read after each left", 250, |n| {
        children(n, |hub| despawn_and_read(hub, 2))
    }),
    Row::linear("children, leave and come, read", 250, |n| {
        children(n, swap_and_read)
    }),
    Row::linear("children, new ones first", 250, |n| {
        children(n, |hub| insert(hub, |_, _| 0))
    }),
    Row::linear("children, new ones second", 250, |n| {
        children(n, |hub| insert(hub, |_, _| 1))
    }),
    Row::linear("children, new ones in the middle", 250, |n| {
        children(n, |hub| insert(hub, |n, _| n / 2))
    }),
    Row::linear("children, new ones anywhere", 250, |n| {
        children(n, |hub| insert(hub, |n, i| i * 7_919 % n))
    }),
    Row::linear("children, in order at a place", 250, |n| {
        children(n, |hub| insert(hub, |n, i| n / 2 + i))
    }),
    Row::linear("children, to the front", 250, |n| {
        children(n, |hub| rearrange(hub, |_, _| 0))
    }),
    Row::linear("children, to the end", 250, |n| {
        children(n, |hub| rearrange(hub, |n, _| n))
    }),
    Row::linear("children, anywhere", 500, |n| {
        children(n, |hub| rearrange(hub, |n, i| i * 5_003 % n))
    }),
    Row::linear("children, reparent", 250, |n| children(n, reparent)),
    Row::linear("children, despawn the parent", 250, |n| {
        children(n, |hub| hub.world.despawn(hub.one).unwrap())
    }),
];

#[derive(Relation, Clone)]
#[relation(many)]
struct Likes(#[expect(dead_code, reason = "only its costs matter")] u32);

/// An entity with many edges.
struct Hub {
    world: World,
    one: Entity,
    others: Vec<Entity>,
}

/// Work on an entity with many targets.
fn targets(n: usize, work: fn(&mut Hub)) -> Work {
    let mut world = World::new();
    let one = world.spawn(());
    let others = world.spawn_batch((0..n).map(|_| ())).to_vec();
    for &other in &others {
        world.relate(one, Likes(0), other).unwrap();
    }
    let mut hub = Hub { world, one, others };
    Box::new(move || work(&mut hub))
}

/// Work on an entity with many children.
fn children(n: usize, work: fn(&mut Hub)) -> Work {
    let mut world = World::new();
    let one = world.spawn(());
    let others = world.spawn_batch((0..n).map(|_| ChildOf.to(one))).to_vec();
    let mut hub = Hub { world, one, others };
    Box::new(move || work(&mut hub))
}

fn look_up(hub: &mut Hub) {
    let targets = hub.world.get::<Targets<Likes>>(hub.one).unwrap();
    for &other in &hub.others {
        assert!(targets.get(other).is_some());
        assert!(targets.contains(other));
        assert!(hub.world.is_related::<Likes>(hub.one, other));
    }
}

fn relate_again(hub: &mut Hub) {
    for &other in &hub.others {
        hub.world.relate(hub.one, Likes(1), other).unwrap();
    }
}

fn unrelate(hub: &mut Hub) {
    for i in shuffled(hub.others.len(), 2) {
        hub.world.unrelate::<Likes>(hub.one, hub.others[i]).unwrap();
    }
}

fn despawn(hub: &mut Hub) {
    for i in shuffled(hub.others.len(), 2) {
        hub.world.despawn(hub.others[i]).unwrap();
    }
}

fn relate_more(hub: &mut Hub) {
    for _ in 0..hub.others.len() {
        let other = hub.world.spawn(());
        hub.world.relate(hub.one, Likes(2), other).unwrap();
    }
}

fn make(hub: &mut Hub) {
    let mut targets = Likes(0).to(hub.others[0]);
    for &other in &hub.others {
        targets = targets.and(Likes(3), other);
    }
    hub.world.insert(hub.one, targets).unwrap();
}

/// Some entities are related to all others, so that both lists are long.
fn between_hubs(hub: &mut Hub) {
    let hubs = &hub.others[..4];
    for &other in &hub.others {
        for &one in hubs {
            if one != other {
                hub.world.relate(other, Likes(0), one).unwrap();
                hub.world.relate(one, Likes(0), other).unwrap();
            }
        }
    }
    for &other in &hub.others {
        for &one in hubs {
            hub.world.unrelate::<Likes>(other, one).unwrap();
        }
    }
}

fn sources_of_many(hub: &mut Hub) {
    let one = hub.world.spawn(());
    for &other in &hub.others {
        hub.world.relate(other, Likes(0), one).unwrap();
    }
    for (i, &other) in hub.others.iter().enumerate() {
        assert!(hub.world.is_related::<Likes>(other, one));
        hub.world
            .sources_mut::<Likes>(one)
            .unwrap()
            .move_to(other, i / 2);
    }
}

fn despawn_and_read(hub: &mut Hub, order: usize) {
    for i in shuffled(hub.others.len(), order) {
        hub.world.despawn(hub.others[i]).unwrap();
        if let Some(children) = hub.world.get::<Sources<ChildOf>>(hub.one) {
            assert_eq!(children.as_slice().len(), children.len());
        }
    }
}

fn swap_and_read(hub: &mut Hub) {
    for i in shuffled(hub.others.len(), 2) {
        hub.world.despawn(hub.others[i]).unwrap();
        let new = hub.world.spawn(ChildOf.to(hub.one));
        let children = hub.world.get::<Sources<ChildOf>>(hub.one).unwrap();
        assert_eq!(children.as_slice().last(), Some(&new));
    }
}

fn insert(hub: &mut Hub, place: fn(usize, usize) -> usize) {
    let n = hub.others.len();
    for i in 0..n {
        let new = hub.world.spawn(());
        hub.world
            .insert_sources_at(hub.one, place(n, i), ChildOf, &[new])
            .unwrap();
    }
}

fn rearrange(hub: &mut Hub, place: fn(usize, usize) -> usize) {
    let n = hub.others.len();
    let mut children = hub.world.sources_mut::<ChildOf>(hub.one).unwrap();
    for i in 0..n {
        assert!(children.move_to(hub.others[i * 7_919 % n], place(n, i)));
    }
}

fn reparent(hub: &mut Hub) {
    let other = hub.world.spawn(());
    for i in shuffled(hub.others.len(), 2) {
        hub.world.relate(hub.others[i], ChildOf, other).unwrap();
    }
}
