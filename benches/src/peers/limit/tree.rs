//! A tree: nodes in a `Vec`, with their children by index.

use std::hint::black_box;

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::tree::{self, Shape, digest_of_order, digest_of_places};

#[derive(Default)]
struct Node {
    children: Vec<u32>,
    offset: f32,
    place: f32,
}

type Tree = Vec<Option<Node>>;

fn tree(nodes: u32, shape: Shape) -> Tree {
    let mut tree = Tree::new();
    for number in 0..nodes {
        let node = Node {
            offset: tree::value(number),
            ..Node::default()
        };
        tree.push(Some(node));
        let parent = shape.parent(number).and_then(|parent| tree[parent as usize].as_mut());
        if let Some(parent) = parent {
            parent.children.push(number);
        }
    }
    tree
}

fn fell(tree: &mut Tree) {
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        if let Some(node) = tree[number as usize].take() {
            open.extend(node.children);
        }
    }
}

pub(super) fn build(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Limit,
        "lists of children",
        || (),
        move |()| fell(black_box(&mut tree(nodes, shape))),
        move |()| {
            let tree = tree(nodes, shape);
            let mut numbers = Vec::new();
            let mut open = vec![0_u32];
            while let Some(number) = open.pop() {
                numbers.push(number as f32);
                let node = tree[number as usize].iter();
                open.extend(node.flat_map(|node| node.children.iter().rev()));
            }
            digest_of_order(numbers)
        },
    );
    workload.mark_as_plain();
}

pub(super) fn walk(workload: &mut Workload, shape: Shape) {
    let nodes = workload.elements();
    workload.add(
        Limit,
        "lists of children",
        move || (tree(nodes, shape), Vec::<(u32, f32)>::new()),
        |(tree, open)| {
            open.push((0, 0.0));
            while let Some((number, from)) = open.pop() {
                if let Some(node) = &mut tree[number as usize] {
                    node.place = from + node.offset;
                    let children = node.children.iter().rev();
                    open.extend(children.map(|&child| (child, node.place)));
                }
            }
        },
        |(tree, _)| {
            let nodes = tree.iter().flatten();
            digest_of_places(nodes.map(|node| (node.offset, node.place)))
        },
    );
    workload.mark_as_plain();
}

/// Offsets and places, and the parent of each node.
struct Columns {
    offsets: Vec<f32>,
    places: Vec<f32>,
    parents: Vec<Option<u32>>,
}

pub(super) fn up(workload: &mut Workload) {
    let nodes = workload.elements();
    workload.add(
        Limit,
        "columns",
        move || Columns {
            offsets: (0..nodes).map(tree::value).collect(),
            places: vec![0.0; nodes as usize],
            parents: (0..nodes).map(|number| Shape::Spread.parent(number)).collect(),
        },
        |columns| {
            for (place, parent) in columns.places.iter_mut().zip(&columns.parents) {
                if let Some(parent) = parent {
                    *place = columns.offsets[*parent as usize];
                }
            }
        },
        |columns| {
            let places = columns.places.iter().copied();
            digest_of_places(columns.offsets.iter().copied().zip(places))
        },
    );
    workload.mark_as_plain();
}
