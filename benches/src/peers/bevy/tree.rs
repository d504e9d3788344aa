//! A tree: `ChildOf` and `Children`.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::system::{Query, SystemState};
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::tree::{self, Shape, digest_of_order, digest_of_places, tree_components};

tree_components! { #[derive(Component)] }

/// The world, and its nodes, the root first.
fn tree(nodes: u32, shape: Shape) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = Vec::new();
    for number in 0..nodes {
        let node = (Offset(tree::value(number)), Place(0.0));
        ids.push(match shape.parent(number) {
            Some(parent) => world.spawn((node, ChildOf(ids[parent as usize]))).id(),
            None => world.spawn(node).id(),
        });
    }
    (world, ids)
}

pub(super) fn build(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Bevy,
        "spawn, despawn",
        || (),
        move |()| {
            let (mut world, ids) = tree(nodes, shape);
            world.despawn(ids[0]);
        },
        move |()| {
            let (mut world, ids) = tree(nodes, shape);
            let numbers: std::collections::HashMap<Entity, f32> =
                ids.iter().copied().zip((0_u32..).map(|number| number as f32)).collect();
            let mut state = SystemState::<Query<'_, '_, &Children>>::new(&mut world);
            let children = state.get(&world).expect("one query");
            let all = std::iter::once(ids[0]).chain(children.iter_descendants_depth_first(ids[0]));
            digest_of_order(all.map(|node| numbers[&node]))
        },
    );
}

type Queries = (
    Query<'static, 'static, &'static Children>,
    Query<'static, 'static, &'static ChildOf>,
    Query<'static, 'static, &'static Offset>,
    Query<'static, 'static, &'static mut Place>,
);

fn prepared(nodes: u32, shape: Shape) -> (World, Entity, SystemState<Queries>) {
    let (mut world, ids) = tree(nodes, shape);
    let state = SystemState::new(&mut world);
    (world, ids[0], state)
}

pub(super) fn walk(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Bevy,
        "iter_descendants_depth_first",
        move || prepared(nodes, shape),
        |(world, root, state)| {
            let (children, parents, offsets, mut places) =
                state.get_mut(world).expect("the queries do not conflict");
            let all = std::iter::once(*root).chain(children.iter_descendants_depth_first(*root));
            for node in all {
                let parent = parents.get(node).ok();
                let from = parent.and_then(|parent| places.get(parent.0).ok());
                let from = from.map_or(0.0, |place| place.0);
                if let (Ok(mut place), Ok(offset)) = (places.get_mut(node), offsets.get(node)) {
                    place.0 = from + offset.0;
                }
            }
        },
        |(world, ..)| digest(world),
    );
    workload.add(
        Bevy,
        "lists of children",
        move || (prepared(nodes, shape), Vec::<(Entity, f32)>::new()),
        |((world, root, state), open)| {
            let (children, _, offsets, mut places) =
                state.get_mut(world).expect("the queries do not conflict");
            open.push((*root, 0.0));
            while let Some((node, from)) = open.pop() {
                let mut here = from;
                if let (Ok(mut place), Ok(offset)) = (places.get_mut(node), offsets.get(node)) {
                    here += offset.0;
                    place.0 = here;
                }
                if let Ok(children) = children.get(node) {
                    open.extend(children.iter().rev().map(|&child| (child, here)));
                }
            }
        },
        |((world, ..), _)| digest(world),
    );
}

pub(super) fn up(workload: &mut Workload) {
    type Queries = (
        Query<'static, 'static, &'static Offset>,
        Query<'static, 'static, (&'static mut Place, &'static ChildOf)>,
    );
    let nodes = workload.elements();
    workload.add(
        Bevy,
        "get",
        move || {
            let mut world = tree(nodes, Shape::Spread).0;
            let state = SystemState::<Queries>::new(&mut world);
            (world, state)
        },
        |(world, state)| {
            let (offsets, mut nodes) = state.get_mut(world).expect("the queries do not conflict");
            nodes.iter_mut().for_each(|(mut place, parent)| {
                if let Ok(parent) = offsets.get(parent.0) {
                    place.0 = parent.0;
                }
            });
        },
        |(world, _)| digest(world),
    );
}

fn digest(world: &mut World) -> u64 {
    let mut nodes = world.query::<(&Offset, &Place)>();
    digest_of_places(nodes.iter(world).map(|(offset, place)| (offset.0, place.0)))
}
