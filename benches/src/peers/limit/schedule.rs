//! "Systems" that are functions, called one after the other.

use std::hint::black_box;
use std::mem::swap;

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

/// One `Vec` per component and kind of entity.
#[derive(Default)]
struct Kinds {
    ab: [(Vec<A>, Vec<B>); 4],
    c: Vec<C>,
    cd: (Vec<C>, Vec<D>),
    ce: (Vec<C>, Vec<E>),
}

impl Kinds {
    fn new() -> Self {
        let rows = || (0..EACH).map(row);
        let ab = || rows().map(|(a, b, ..)| (a, b)).unzip();
        Self {
            ab: [ab(), ab(), ab(), ab()],
            c: rows().map(|row| row.2).collect(),
            cd: rows().map(|(_, _, c, d, _)| (c, d)).unzip(),
            ce: rows().map(|(_, _, c, _, e)| (c, e)).unzip(),
        }
    }
}

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Limit,
        "calls",
        Kinds::new,
        |kinds| {
            for (a, b) in &mut kinds.ab {
                for (a, b) in a.iter_mut().zip(b) {
                    swap(&mut a.0, &mut b.0);
                }
            }
            for (c, d) in kinds.cd.0.iter_mut().zip(&mut kinds.cd.1) {
                swap(&mut c.0, &mut d.0);
            }
            for (c, e) in kinds.ce.0.iter_mut().zip(&mut kinds.ce.1) {
                swap(&mut c.0, &mut e.0);
            }
        },
        |kinds| {
            let c = kinds.c.iter().chain(&kinds.cd.0).chain(&kinds.ce.0);
            let a = kinds.ab.iter().flat_map(|(a, _)| a);
            digest(a.map(|a| a.0), c.map(|c| c.0))
        },
    );
    workload.mark_as_plain();
}

/// Runs a tiny system. Not inlined, so that the calls are measured and not one merged loop.
#[inline(never)]
fn add_one(all: &mut [Tiny]) {
    for tiny in all {
        tiny.0 += 1.0;
    }
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Limit,
        "calls",
        || vec![Tiny(0.0); TINY_ENTITIES as usize],
        |all| {
            for _ in 0..TINY_SYSTEMS {
                add_one(black_box(all));
            }
        },
        |all| tiny_digest(all.iter().map(|tiny| tiny.0)),
    );
    workload.mark_as_plain();
}
