//! Look-ups by id.

use crate::columns::Id;
use crate::components::{Position, row};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    type Apart = (Vec<u32>, Vec<Position>);
    type Together = Vec<(u32, Position)>;

    let entities = workload.elements();
    let ids = move || (0..entities).map(Id::first).collect();
    let setup = move || -> State<Apart, Id> {
        let world = (0..entities).map(|number| (0, row(number).1)).unzip();
        State::new(world, ids())
    };
    workload.add(
        Limit,
        "generations and values",
        setup,
        |state| {
            let (generations, positions) = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                let index = id.index as usize;
                let alive = *generations.get(index)? == id.generation;
                alive.then(|| positions[index].0.x)
            });
        },
        |state| state.sum,
    );
    workload.mark_as_plain();
    let setup = move || -> State<Together, Id> {
        let world = (0..entities).map(|number| (0, row(number).1)).collect();
        State::new(world, ids())
    };
    workload.add(
        Limit,
        "generation beside value",
        setup,
        |state| {
            state.sum = sum_of(&state.ids, |id| {
                let (generation, position) = state.world.get(id.index as usize)?;
                (*generation == id.generation).then_some(position.0.x)
            });
        },
        |state| state.sum,
    );
}

/// A node of the tree: the generation of its index, the parent, the value.
struct Node {
    generation: u32,
    parent: Option<Id>,
    value: f32,
}

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "nodes by id",
        move || -> (Vec<Node>, Vec<f32>) {
            let node = |number| Node {
                generation: 0,
                parent: links::parent(number).map(Id::first),
                value: links::value(number),
            };
            ((0..entities).map(node).collect(), vec![0.0; entities as usize])
        },
        |(nodes, sums)| {
            for (node, sum) in nodes.iter().zip(sums) {
                *sum = links::sum_up(node.parent, |id| {
                    let node = nodes.get(id.index as usize)?;
                    (node.generation == id.generation).then_some((node.value, node.parent))
                });
            }
        },
        |(_, sums)| frag::digest(sums.iter().copied()),
    );
    workload.mark_as_plain();
}
