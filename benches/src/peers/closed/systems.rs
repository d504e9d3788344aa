//! Systems as functions that are called.

use std::mem::swap;

use ecs_core::statics::{StaticWorld, component, spawn, system, world};

use crate::peers::Peer::Closed;
use crate::subject::Workload;
use crate::workloads::linked::*;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny as One, digest, row, tiny_digest,
};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

world! {
    Systems { A, B, C, D, E, One }
    Linked {
        L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18, L19,
    }
}

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Closed,
        "calls",
        || {
            let mut world = Systems::new();
            for (a, b, c, d, e) in (0..EACH).map(row) {
                world.spawn((a, b));
                world.spawn((a, b, c));
                world.spawn((a, b, c, d));
                world.spawn((a, b, c, e));
            }
            world
        },
        |world| {
            system!(world, |a: &mut A, b: &mut B| swap(&mut a.0, &mut b.0));
            system!(world, |c: &mut C, d: &mut D| swap(&mut c.0, &mut d.0));
            system!(world, |c: &mut C, e: &mut E| swap(&mut c.0, &mut e.0));
        },
        |world| {
            let a = component!(world, A).iter().map(|a| a.0);
            digest(a, component!(world, C).iter().map(|c| c.0))
        },
    );
}

#[inline(never)]
fn add_one(world: &mut Systems) {
    system!(world, |tiny: &mut One| tiny.0 += 1.0);
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Closed,
        "calls",
        || {
            let mut world = Systems::new();
            for _ in 0..TINY_ENTITIES {
                spawn!(world; One(0.0));
            }
            world
        },
        |world| {
            for _ in 0..TINY_SYSTEMS {
                add_one(world);
            }
        },
        |world| tiny_digest(component!(world, One).iter().map(|tiny| tiny.0)),
    );
}

/// Many tiny systems over twenty components of one entity.
pub(super) fn linked(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Closed,
        "calls",
        || {
            let mut world = Linked::new();
            let entity = world.spawn(());
            macro_rules! insert {
                ($component:ident) => {
                    world.insert(entity, $component(0.0)).expect("the entity is alive");
                };
            }
            for_each_component!(insert);
            world
        },
        move |world| {
            macro_rules! call {
                ($component:ident) => {{
                    #[inline(never)]
                    fn add_one(world: &mut Linked) {
                        system!(world, |one: &mut $component| one.0 += 1.0);
                    }
                    add_one(world);
                }};
            }
            for_each_tiny_system!(systems, call);
        },
        |world| {
            let mut values = Vec::new();
            macro_rules! collect {
                ($component:ident) => {
                    values.extend(component!(world, $component).iter().map(|one| one.0));
                };
            }
            for_each_component!(collect);
            systems::digest(values)
        },
    );
}
