//! Exclusive systems made from closures.

use alloc::boxed::Box;

use super::error::LockError;
use super::remembered::{Remember, captured};
use super::runner::{BoxError, DynExclusive, Runner, SystemId, SystemSource};
use super::value::SystemValue;
use crate::meta::{Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::world::World;

/// Returns an exclusive system; constraints refer to it by the type `T`.
pub(crate) fn exclusive<T: 'static>(
    name: &'static str,
    run: impl FnMut(&mut World) -> Result<(), BoxError> + Send + 'static,
) -> SystemSource {
    SystemSource {
        id: SystemId::of::<T>(),
        meta: exclusive_meta(name),
        build: Box::new(|_| Runner::Exclusive(Box::new(ExclusiveSystem(run)))),
    }
}

/// Returns an exclusive system as a value; constraints refer to it by the type `T`.
pub(super) fn exclusive_value<T: 'static, In, Out>(
    name: &'static str,
    run: impl FnMut(&mut World, In) -> Out + Send + 'static,
) -> SystemValue<In, Out>
where
    In: 'static,
    Out: 'static,
{
    // Invariant 1 of the value: the metadata names the whole world.
    SystemValue::new(
        SystemId::of::<T>(),
        exclusive_meta(name),
        Box::new(|_| Runner::Exclusive(Box::new(ExclusiveSystem(run)))),
    )
}

/// Returns the metadata of a step that needs the world exclusively.
pub(crate) fn exclusive_meta(name: &'static str) -> SystemMeta {
    const WORLD: &[ParamInfo] = &[ParamInfo::new(
        "world",
        "&mut World",
        &ParamAccess::World(Kind::Write),
    )];
    SystemMeta::new(name, WORLD)
}

struct ExclusiveSystem<F>(F);

impl<F, In, Out> DynExclusive<In, Result<Out, LockError>> for ExclusiveSystem<F>
where
    F: FnMut(&mut World, In) -> Out + Send,
{
    fn run(&mut self, world: &mut World, input: In) -> Result<Out, LockError> {
        Ok((self.0)(world, input))
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
    }
}

impl<F> DynExclusive<(), Result<(), BoxError>> for ExclusiveSystem<F>
where
    F: FnMut(&mut World) -> Result<(), BoxError> + Send,
{
    fn run(&mut self, world: &mut World, (): ()) -> Result<(), BoxError> {
        (self.0)(world)
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
    }
}
