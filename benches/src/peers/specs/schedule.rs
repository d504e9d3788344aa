//! Systems in a dispatcher, which runs them on the calling thread here.

use std::mem::swap;

use specs::{Builder, Dispatcher, DispatcherBuilder, Join, System, World, WorldExt, WriteStorage};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

/// Declares a system that swaps two components.
macro_rules! swap_system {
    ($name:ident $first:ident $second:ident) => {
        struct $name;

        impl<'a> System<'a> for $name {
            type SystemData = (WriteStorage<'a, $first>, WriteStorage<'a, $second>);

            fn run(&mut self, (mut first, mut second): Self::SystemData) {
                for (first, second) in (&mut first, &mut second).join() {
                    swap(&mut first.0, &mut second.0);
                }
            }
        }
    };
}
swap_system!(SwapAb A B);
swap_system!(SwapCd C D);
swap_system!(SwapCe C E);

type State = (World, Dispatcher<'static, 'static>);

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Specs,
        "dispatch_seq",
        || -> State {
            let mut world = World::new();
            let builder = DispatcherBuilder::new().with(SwapAb, "ab", &[]);
            let builder = builder.with(SwapCd, "cd", &[]).with(SwapCe, "ce", &[]);
            let mut dispatcher = builder.build();
            dispatcher.setup(&mut world);
            for (a, b, ..) in (0..EACH).map(row) {
                world.create_entity().with(a).with(b).build();
            }
            for (a, b, c, ..) in (0..EACH).map(row) {
                world.create_entity().with(a).with(b).with(c).build();
            }
            for (a, b, c, d, _) in (0..EACH).map(row) {
                let entity = world.create_entity().with(a).with(b);
                entity.with(c).with(d).build();
            }
            for (a, b, c, _, e) in (0..EACH).map(row) {
                let entity = world.create_entity().with(a).with(b);
                entity.with(c).with(e).build();
            }
            (world, dispatcher)
        },
        |(world, dispatcher)| dispatcher.dispatch_seq(world),
        |(world, _)| {
            let (a, c) = (world.read_storage::<A>(), world.read_storage::<C>());
            digest((&a).join().map(|a| a.0), (&c).join().map(|c| c.0))
        },
    );
}

struct AddOne;

impl<'a> System<'a> for AddOne {
    type SystemData = WriteStorage<'a, Tiny>;

    fn run(&mut self, mut all: Self::SystemData) {
        for tiny in (&mut all).join() {
            tiny.0 += 1.0;
        }
    }
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Specs,
        "dispatch_seq",
        || -> State {
            let mut world = World::new();
            let mut builder = DispatcherBuilder::new();
            for number in 0..TINY_SYSTEMS {
                builder.add(AddOne, &format!("tiny {number}"), &[]);
            }
            let mut dispatcher = builder.build();
            dispatcher.setup(&mut world);
            for _ in 0..TINY_ENTITIES {
                world.create_entity().with(Tiny(0.0)).build();
            }
            (world, dispatcher)
        },
        |(world, dispatcher)| dispatcher.dispatch_seq(world),
        |(world, _)| {
            let tiny = world.read_storage::<Tiny>();
            tiny_digest((&tiny).join().map(|tiny| tiny.0))
        },
    );
}
