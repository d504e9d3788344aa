//! Many systems in thirty chains.

use std::collections::HashMap;
use std::marker::PhantomData;

use specs::{
    Builder, Component, Dispatcher, DispatcherBuilder, Join, System, VecStorage, World, WorldExt, WriteStorage,
};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain, Tiny, Wait, for_each_chain, for_each_system};

struct Act<L, B>(PhantomData<fn() -> (L, B)>);

impl<'a, L: Chain + Component<Storage = VecStorage<L>> + Send + Sync, B: Body> System<'a> for Act<L, B> {
    type SystemData = WriteStorage<'a, L>;

    fn run(&mut self, mut all: Self::SystemData) {
        for one in (&mut all).join() {
            B::act(one.value());
        }
    }
}

fn world() -> World {
    let mut world = World::new();
    macro_rules! spawn {
        ($chain:ident) => {
            world.register::<linked::$chain>();
            for value in linked::values() {
                world.create_entity().with(linked::$chain::of(value)).build();
            }
        };
    }
    for_each_chain!(spawn);
    world
}

/// Each system depends on the one before it in its chain.
fn dispatcher<B: Body>() -> Dispatcher<'static, 'static> {
    let mut builder = DispatcherBuilder::new();
    let mut last: HashMap<&str, String> = HashMap::new();
    let mut number = 0;
    macro_rules! add {
        ($chain:ident) => {
            let name = format!("{} {number}", stringify!($chain));
            let system = Act::<linked::$chain, B>(PhantomData);
            match last.insert(stringify!($chain), name.clone()) {
                Some(before) => builder.add(system, &name, &[&before]),
                None => builder.add(system, &name, &[]),
            }
            number += 1;
        };
    }
    for_each_system!(B, add);
    builder.build()
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            let mut all = world.write_storage::<linked::$chain>();
            chains.push((&mut all).join().map(|one| *one.value()).collect());
        };
    }
    for_each_chain!(collect);
    linked::digest(chains)
}

pub(super) fn tiny(workload: &mut Workload) {
    scheduled::<Tiny>(workload, 0);
}

pub(super) fn busy(workload: &mut Workload) {
    scheduled::<Busy>(workload, 0);
}

pub(super) fn waits(workload: &mut Workload, threads: u32) {
    scheduled::<Wait>(workload, threads);
}

fn scheduled<B: Body>(workload: &mut Workload, threads: u32) {
    workload.add(
        Specs,
        "dispatch_par",
        move || {
            linked::use_threads(threads);
            (world(), dispatcher::<B>())
        },
        |(world, dispatcher)| dispatcher.dispatch_par(world),
        |(world, _)| digest(world),
    );
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Specs,
        "dispatch_seq",
        world,
        |world| {
            let mut dispatcher = dispatcher::<Tiny>();
            dispatcher.setup(world);
            dispatcher.dispatch_seq(world);
        },
        digest,
    );
}
