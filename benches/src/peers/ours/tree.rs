//! A tree: a relation.

use ecs_core::prelude::*;
use ecs_core::relation::{Cascade, Sources, Target, Up};

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::tree::{self, Shape, digest_of_order, digest_of_places, tree_components};

tree_components! { #[derive(Component)] }

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
struct ChildOf;

/// The world, and the root.
fn tree(nodes: u32, shape: Shape) -> (World, Entity) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = Vec::new();
    for number in 0..nodes {
        let node = (Offset(tree::value(number)), Place(0.0));
        ids.push(match shape.parent(number) {
            Some(parent) => world.spawn((node, ChildOf.to(ids[parent as usize]))),
            None => world.spawn(node),
        });
    }
    (world, ids[0])
}

pub(super) fn build(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Ours,
        "spawn, despawn",
        || (),
        move |()| {
            let (mut world, root) = tree(nodes, shape);
            world.despawn(root).expect("the entity is alive");
        },
        move |()| {
            let (world, root) = tree(nodes, shape);
            let all = std::iter::once(root).chain(world.descendants::<ChildOf>(root));
            digest_of_order(all.map(|node| node.index() as f32))
        },
    );
}

pub(super) fn walk(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Ours,
        "descendants",
        move || tree(nodes, shape),
        |(world, root)| {
            let (children, parents) = (world.view::<Sources<ChildOf>>(), world.view::<Target<ChildOf>>());
            let (offsets, mut places) = (world.view::<Offset>(), world.view_mut::<Place>());
            for node in std::iter::once(*root).chain(children.descendants(*root)) {
                let parent = parents.get(node);
                let from = parent.and_then(|parent| places.get(parent.entity()));
                let from = from.map_or(0.0, |place| place.0);
                if let (Some(place), Some(offset)) = (places.get_mut(node), offsets.get(node)) {
                    place.0 = from + offset.0;
                }
            }
        },
        |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "for_each_cascade",
        move || (tree(nodes, shape).0, Cascade::<ChildOf>::new()),
        |(world, order)| {
            let mut nodes = world.query::<(&Offset, &mut Place)>();
            nodes.for_each_cascade(order, &world.view(), |parent, (offset, place)| {
                place.0 = parent.map_or(0.0, |(_, place)| place.0) + offset.0;
            });
        },
        |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "lists of children",
        move || (tree(nodes, shape), Vec::<(Entity, f32)>::new()),
        |((world, root), open)| {
            let children = world.view::<Sources<ChildOf>>();
            let (offsets, mut places) = (world.view::<Offset>(), world.view_mut::<Place>());
            open.push((*root, 0.0));
            while let Some((node, from)) = open.pop() {
                let mut here = from;
                if let (Some(place), Some(offset)) = (places.get_mut(node), offsets.get(node)) {
                    here += offset.0;
                    place.0 = here;
                }
                if let Some(children) = children.get(node) {
                    open.extend(children.iter().rev().map(|child| (child, here)));
                }
            }
        },
        |((world, _), _)| digest(world),
    );
}

pub(super) fn up(workload: &mut Workload) {
    let nodes = workload.elements();
    workload.add(
        Ours,
        "Up",
        move || tree(nodes, Shape::Spread).0,
        |world| {
            let mut nodes = world.query::<(&mut Place, Up<ChildOf, &Offset>)>();
            nodes.for_each(|(place, parent)| place.0 = parent.0);
        },
        |world| digest(world),
    );
    workload.add(
        Ours,
        "get",
        move || tree(nodes, Shape::Spread).0,
        |world| {
            let offsets = world.view::<Offset>();
            let mut nodes = world.query::<(&mut Place, &Target<ChildOf>)>();
            nodes.for_each(|(place, parent)| {
                if let Some(parent) = offsets.get(parent.entity()) {
                    place.0 = parent.0;
                }
            });
        },
        |world| digest(world),
    );
}

fn digest(world: &World) -> u64 {
    let nodes = world.query::<(&Offset, &Place)>();
    digest_of_places(nodes.iter().map(|(offset, place)| (offset.0, place.0)))
}
