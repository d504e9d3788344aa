//! Plain loops over one `Vec` per component.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "for",
        move || -> Vec<N1> { (0..rows).map(plain::one).collect() },
        |all| {
            for a in all {
                a.0 += STEP;
            }
        },
        |all| digest(all.iter().map(|a| [a.0])),
    );
    workload.mark_as_plain();
}

pub(super) fn two(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "for",
        move || -> (Vec<N1>, Vec<N2>) { (0..rows).map(plain::two).unzip() },
        |(a, b)| {
            for (a, b) in a.iter_mut().zip(&*b) {
                a.0 += b.0;
            }
        },
        |(a, _)| digest(a.iter().map(|a| [a.0])),
    );
    workload.mark_as_plain();
}

pub(super) fn four(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "for",
        move || -> (Vec<N1>, Vec<N2>, Vec<N3>, Vec<N4>) { (0..rows).map(plain::four).collect() },
        |(a, b, c, d)| {
            for (((a, b), c), d) in a.iter_mut().zip(&*b).zip(c).zip(&*d) {
                a.0 += b.0;
                c.0 += d.0;
            }
        },
        |(a, _, c, _)| digest(a.iter().zip(&*c).map(|(a, c)| [a.0, c.0])),
    );
    workload.mark_as_plain();
}

type Eight = (Vec<N1>, Vec<N2>, Vec<N3>, Vec<N4>, Vec<N5>, Vec<N6>, Vec<N7>, Vec<N8>);

pub(super) fn eight(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "for",
        move || -> Eight { (0..rows).map(plain::eight).collect() },
        |(a, b, c, d, e, f, g, h)| {
            let front = a.iter_mut().zip(&*b).zip(c.iter_mut().zip(&*d));
            let back = e.iter_mut().zip(&*f).zip(g.iter_mut().zip(&*h));
            for (((a, b), (c, d)), ((e, f), (g, h))) in front.zip(back) {
                a.0 += b.0;
                c.0 += d.0;
                e.0 += f.0;
                g.0 += h.0;
            }
        },
        |(a, _, c, _, e, _, g, _)| {
            let rows = a.iter().zip(&*c).zip(e.iter().zip(&*g));
            digest(rows.map(|((a, c), (e, g))| [a.0, c.0, e.0, g.0]))
        },
    );
    workload.mark_as_plain();
}

/// One list of the entities with the second component, and another list of the entities without it.
pub(super) fn option(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "for, with and without",
        move || -> ((Vec<N1>, Vec<N2>), Vec<N1>) {
            let half = rows / 2;
            let with = (0..half).map(plain::two).unzip();
            (with, (half..rows).map(plain::one).collect())
        },
        |((a, b), alone)| {
            for (a, b) in a.iter_mut().zip(&*b) {
                a.0 += b.0;
            }
            for a in alone {
                a.0 += STEP;
            }
        },
        |((a, _), alone)| digest(a.iter().chain(&*alone).map(|a| [a.0])),
    );
    workload.mark_as_plain();
}
