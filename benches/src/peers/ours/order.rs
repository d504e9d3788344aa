//! The order of rows.

use ecs_core::prelude::*;

use crate::components::{Position, row};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::frag;
use crate::workloads::order::{self, Body, Grid, Sorted};

pub(super) fn sort_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "sort_rows_by_key",
        move || {
            let mut world = World::new();
            world.spawn_batch((0..entities).map(row));
            Sorted { world, round: 0 }
        },
        |Sorted { world, round }| {
            *round += 1;
            world.sort_rows_by_key::<&Position, _>(|position| order::key(position, *round));
        },
        |sorted| order::digest(sorted.world.view::<Position>().iter()),
    );
}

#[derive(Component)]
struct Cell(u32);

#[derive(Component)]
struct Values(Body);

#[derive(Component)]
struct Sum(f32);

pub(super) fn neighbours(workload: &mut Workload) {
    let elements = workload.elements();
    for (form, is_sorted) in [("rows as spawned", false), ("rows sorted by cell", true)] {
        let setup = move || {
            let cells = order::cells(elements);
            let mut world = World::new();
            let agent = |(number, &cell): (usize, &u32)| {
                (Cell(cell), Values(Body::of(number)), Sum(0.0))
            };
            let ids = world.spawn_batch(cells.iter().enumerate().map(agent)).to_vec();
            if is_sorted {
                world.sort_rows_by_key::<&Cell, _>(|cell| cell.0);
            }
            (world, Grid::new(&cells, &ids))
        };
        workload.add(
            Ours,
            form,
            setup,
            |(world, grid)| {
                let (mut sums, cells) = (world.view_mut::<Sum>(), world.view::<Cell>());
                let values = world.view::<Values>();
                (&mut sums, &cells).for_each(|(sum, cell)| {
                    let get = |id| values.get(id).map_or(f32::NAN, |values| values.0.0[0]);
                    sum.0 = grid.sum_around(cell.0, get);
                });
            },
            |(world, _)| frag::digest(world.view::<Sum>().iter().map(|sum| sum.0)),
        );
    }
}
