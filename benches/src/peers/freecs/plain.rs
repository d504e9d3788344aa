//! The natural loop: `for_each_mut` with a mask, because freecs has no iterator over several components.

use super::worlds::plain::{M1, M2, M3, M4, M5, M6, M7, M8, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::plain::{self, STEP, digest};

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Freecs,
        "for_each_mut",
        move || {
            let mut world = World::default();
            let mut numbers = 0..rows;
            world.spawn_batch(M1, rows as usize, |table, row| {
                table.n1[row] = plain::one(numbers.next().expect("the number of requested rows"));
            });
            world
        },
        |world| {
            world.for_each_mut(M1, 0, |_, table, row| table.n1[row].0 += STEP);
        },
        |world| digest(world.query_n1().map(|a| [a.0])),
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $w_mask:ident, $read:ident: $r_mask:ident;)*) => {
        const ALL: u64 = $( $w_mask | $r_mask )|*;

        let rows = $workload.elements();
        $workload.add(
            Freecs,
            "for_each_mut",
            move || {
                let mut world = World::default();
                let mut rows_left = (0..rows).map($row);
                world.spawn_batch(ALL, rows as usize, |table, row| {
                    ($( table.$write[row], table.$read[row], )*) =
                        rows_left.next().expect("the number of requested rows");
                });
                world
            },
            |world| {
                world.for_each_mut(ALL, 0, |_, table, row| {
                    $( table.$write[row].0 += table.$read[row].0; )*
                });
            },
            |world| {
                let mut rows = Vec::new();
                world.for_each(ALL, 0, |_, table, row| rows.push([$( table.$write[row].0 ),*]));
                digest(rows)
            },
        );
    };
}

pub(super) fn two(workload: &mut Workload) {
    add_pairs!(workload, plain::two, n1: M1, n2: M2;);
}

pub(super) fn four(workload: &mut Workload) {
    add_pairs!(workload, plain::four, n1: M1, n2: M2; n3: M3, n4: M4;);
}

pub(super) fn eight(workload: &mut Workload) {
    add_pairs!(workload, plain::eight, n1: M1, n2: M2; n3: M3, n4: M4; n5: M5, n6: M6; n7: M7, n8: M8;);
}

/// Tests the mask of each row's table.
pub(super) fn option(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Freecs,
        "for_each_mut, mask",
        move || {
            let half = rows / 2;
            let mut world = World::default();
            let mut with = (0..half).map(plain::two);
            world.spawn_batch(M1 | M2, half as usize, |table, row| {
                let row_values = with.next().expect("the number of requested rows");
                (table.n1[row], table.n2[row]) = row_values;
            });
            let mut alone = (half..rows).map(plain::one);
            world.spawn_batch(M1, (rows - half) as usize, |table, row| {
                table.n1[row] = alone.next().expect("the number of requested rows");
            });
            world
        },
        |world| {
            world.for_each_mut(M1, 0, |_, table, row| {
                table.n1[row].0 += match table.mask & M2 {
                    0 => STEP,
                    _ => table.n2[row].0,
                };
            });
        },
        |world| digest(world.query_n1().map(|a| [a.0])),
    );
}
