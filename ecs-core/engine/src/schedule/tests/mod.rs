//! Tests with handwritten systems: nothing outside of this module is needed to define them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ptr::NonNull;
mod conditions;
mod failures;
mod order;
mod parallel;
mod plan;
mod records;
mod waits;
mod why;

use crate::meta::{Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::schedule::Schedule;
use crate::system::{
    BoxError, ConditionSource, DynSystem, IntoCondition, IntoSystem, LockError, Remember, Runner,
    SystemId, SystemSource,
};
use crate::world::{CommandQueue, World};

type Outcome = Result<(), BoxError>;

const WORLD: &[ParamInfo] = &[ParamInfo::new("world", "&World", &ParamAccess::WorldRef)];
const WORLD_MUT: &[ParamInfo] = &[ParamInfo::new(
    "world",
    "&mut World",
    &ParamAccess::World(Kind::Write),
)];

/// A system made of a name and a closure. The type of the closure identifies the system; the closure gets a queue, as
/// from a `Commands` parameter.
#[derive(Clone, Copy)]
struct Does<F> {
    name: &'static str,
    params: &'static [ParamInfo],
    run: F,
}

fn does<F: FnMut(&World, &mut CommandQueue) -> Outcome>(name: &'static str, run: F) -> Does<F> {
    Does {
        name,
        params: WORLD,
        run,
    }
}

struct Built<F>(F, CommandQueue);

impl<Out, F: FnMut(&World, &mut CommandQueue) -> Out + Send> DynSystem<(), Out> for Built<F> {
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> Out {
        // SAFETY: the world lives, and the function only shares it.
        self.0(unsafe { world.as_ref() }, &mut self.1)
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        into.append(&mut self.1);
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}

impl<F> IntoSystem<()> for Does<F>
where
    F: FnMut(&World, &mut CommandQueue) -> Outcome + Send + 'static,
{
    type System = ();
    type Out = ();

    fn named(&self) -> (SystemId, &'static str) {
        (SystemId::of::<F>(), self.name)
    }

    fn run_in(self, _: &mut World) -> Result<(), LockError> {
        unreachable!("only schedules run it")
    }

    fn into_source(self) -> SystemSource {
        SystemSource {
            id: SystemId::of::<F>(),
            meta: SystemMeta::new(self.name, self.params),
            build: Box::new(|_| Runner::shared(Built(self.run, CommandQueue::new()))),
        }
    }
}

/// A condition.
struct When<F>(&'static str, F);

impl<F: FnMut(&World, &mut CommandQueue) -> bool + Send + 'static> IntoCondition<()> for When<F> {
    type Out = bool;

    fn into_condition(self) -> ConditionSource {
        ConditionSource {
            meta: SystemMeta::new(self.0, WORLD).into(),
            build: Box::new(|_| {
                let mut decide = self.1;
                let run = move |world: &World, queue: &mut CommandQueue| Ok(decide(world, queue));
                crate::system::function(Box::new(Built(run, CommandQueue::new())))
            }),
            depth: 0,
        }
    }
}

/// An exclusive system.
struct Alone<F>(&'static str, F);

fn alone<F: FnMut(&mut World) -> Outcome>(name: &'static str, run: F) -> Alone<F> {
    Alone(name, run)
}

impl<F: FnMut(&mut World) -> Outcome + Send> DynSystem<(), Outcome> for Alone<F> {
    unsafe fn run(&mut self, mut world: NonNull<World>, (): ()) -> Outcome {
        // SAFETY: the caller borrows the world mutably, because the runner is exclusive.
        self.1(unsafe { world.as_mut() })
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}

impl<F: FnMut(&mut World) -> Outcome + Send + 'static> IntoSystem<((),)> for Alone<F> {
    type System = ();
    type Out = ();

    fn named(&self) -> (SystemId, &'static str) {
        (SystemId::of::<F>(), self.0)
    }

    fn run_in(self, _: &mut World) -> Result<(), LockError> {
        unreachable!("only schedules run it")
    }

    fn into_source(self) -> SystemSource {
        SystemSource {
            id: SystemId::of::<F>(),
            meta: SystemMeta::new(self.0, WORLD_MUT),
            build: Box::new(|_| Runner::exclusive(self)),
        }
    }
}

/// The names of the systems that ran, in order.
#[derive(Default)]
struct Trace(Vec<&'static str>);

fn trace(world: &World, name: &'static str) -> Outcome {
    world.resource_mut::<Trace>().0.push(name);
    Ok(())
}

/// Declares systems that add their names to the trace.
macro_rules! tracers {
    ($($name:ident),*) => {
        $(let $name = $crate::schedule::tests::does(stringify!($name), |world, _| {
            $crate::schedule::tests::trace(world, stringify!($name))
        });)*
    };
}
use tracers;

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Trace::default());
    world
}

/// Returns the names in the trace since the last call.
fn take_trace(world: &World) -> String {
    core::mem::take(&mut world.resource_mut::<Trace>().0).join(" ")
}

/// Runs the schedule in a new world, and returns the names of the systems that ran.
fn run_traced(schedule: &mut Schedule) -> String {
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    take_trace(&world)
}
