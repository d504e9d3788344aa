//! The order of rows.

use crate::columns::{Columns, Id, Rows};
use crate::components::row;
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::frag;
use crate::workloads::order::{self, Body, Grid, Sorted};

pub(super) fn sort_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "columns, gathered",
        move || {
            let mut world = Columns::with_capacity(entities);
            (0..entities).for_each(|number| world.push(Id::first(number), row(number)));
            Sorted { world, round: 0 }
        },
        |Sorted { world, round }| {
            *round += 1;
            let positions = world.positions.iter().enumerate();
            let mut keys: Vec<(u32, u32)> = positions
                .map(|(row, position)| (order::key(position, *round), row as u32))
                .collect();
            keys.sort_by_key(|&(key, _)| key);
            gather(&mut world.ids, &keys);
            gather(&mut world.transforms, &keys);
            gather(&mut world.positions, &keys);
            gather(&mut world.rotations, &keys);
            gather(&mut world.velocities, &keys);
        },
        |sorted| order::digest(&sorted.world.positions),
    );
    workload.mark_as_plain();
}

/// Puts the values of a column into the order of the rows in `keys`.
fn gather<T: Copy>(column: &mut Vec<T>, keys: &[(u32, u32)]) {
    *column = keys.iter().map(|&(_, row)| column[row as usize]).collect();
}

/// The cell, the values and the sum of an agent.
#[derive(Clone, Copy)]
struct Agent {
    cell: u32,
    body: Body,
}

pub(super) fn neighbours(workload: &mut Workload) {
    let elements = workload.elements();
    for (form, is_sorted) in [("rows as spawned", false), ("rows sorted by cell", true)] {
        let setup = move || {
            let agent = |(number, cell)| Agent {
                cell,
                body: Body::of(number),
            };
            let cells = order::cells(elements);
            let mut agents: Vec<Agent> = cells.into_iter().enumerate().map(agent).collect();
            if is_sorted {
                agents.sort_by_key(|agent| agent.cell);
            }
            let cells: Vec<u32> = agents.iter().map(|agent| agent.cell).collect();
            let rows: Vec<u32> = (0..cells.len() as u32).collect();
            let sums = vec![0.0; cells.len()];
            (agents, sums, Grid::new(&cells, &rows))
        };
        workload.add(
            Limit,
            form,
            setup,
            |(agents, sums, grid)| {
                for (agent, sum) in agents.iter().zip(sums) {
                    *sum = grid.sum_around(agent.cell, |row| agents[row as usize].body.0[0]);
                }
            },
            |(_, sums, _)| frag::digest(sums.iter().copied()),
        );
        if is_sorted {
            workload.mark_as_plain();
        }
    }
}
