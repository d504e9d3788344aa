//! Many systems in thirty chains: "systems" are functions.

use std::hint::black_box;

use rayon::prelude::*;

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, CHAINS, Tiny, Wait};

type Chains = Vec<Vec<f32>>;

fn chains() -> Chains {
    vec![linked::values().collect(); CHAINS]
}

fn digest(chains: &mut Chains) -> u64 {
    linked::digest(chains.iter().cloned())
}

/// Runs a tiny system. Not inlined, because the calls are measured.
#[inline(never)]
fn act<B: Body>(chain: &mut [f32]) {
    for value in chain {
        B::act(value);
    }
}

/// Returns the systems of a chain: every thirtieth of all, from the `number`th on.
fn systems<B: Body>(number: usize) -> usize {
    (B::SYSTEMS - number).div_ceil(CHAINS)
}

pub(super) fn tiny(workload: &mut Workload) {
    called::<Tiny>(workload, 0);
}

pub(super) fn busy(workload: &mut Workload) {
    called::<Busy>(workload, 0);
}

pub(super) fn waits(workload: &mut Workload, threads: u32) {
    called::<Wait>(workload, threads);
}

fn called<B: Body>(workload: &mut Workload, threads: u32) {
    workload.add(
        Limit,
        "calls",
        chains,
        |chains| {
            for number in 0..B::SYSTEMS {
                act::<B>(black_box(&mut chains[number % CHAINS]));
            }
        },
        digest,
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "rayon, a task per chain",
        move || {
            linked::use_threads(threads);
            chains()
        },
        |chains| {
            chains.par_iter_mut().enumerate().for_each(|(number, chain)| {
                for _ in 0..systems::<B>(number) {
                    act::<B>(black_box(chain));
                }
            });
        },
        digest,
    );
}

/// The minimal schedule: a list of boxed functions.
pub(super) fn build(workload: &mut Workload) {
    type System = Box<dyn Fn(&mut Chains)>;

    workload.add(
        Limit,
        "boxed calls",
        chains,
        |chains| {
            let mut systems: Vec<System> = Vec::new();
            for number in 0..Tiny::SYSTEMS {
                let chain = black_box(number % CHAINS);
                systems.push(Box::new(move |chains| act::<Tiny>(&mut chains[chain])));
            }
            for system in &systems {
                system(chains);
            }
        },
        digest,
    );
    workload.mark_as_plain();
}
