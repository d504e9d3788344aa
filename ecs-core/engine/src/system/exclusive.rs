//! Exclusive systems made from closures.

use alloc::boxed::Box;
use core::ptr::NonNull;

use super::remembered::{Memory, Remember, Remembered};
use super::runner::{BoxError, DynSystem, RunOutput, Runner, SystemId, SystemSource};
use crate::meta::{Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::world::World;

/// Returns an exclusive system; constraints refer to it by the type `T`.
pub(crate) fn exclusive<T: 'static>(
    name: &'static str,
    mut run: impl FnMut(&mut World) -> Result<(), BoxError> + Send + 'static,
) -> SystemSource {
    exclusive_source::<T, _, _, _, _>(name, move |world: &mut World, ()| run(world))
}

/// Returns an exclusive system with an input, whose result becomes an `E`; constraints refer to it by the type `T`.
pub(super) fn exclusive_source<T, F, In, Out, E>(name: &'static str, run: F) -> SystemSource<In, E>
where
    T: 'static,
    F: FnMut(&mut World, In) -> Out + Send + 'static,
    Out: RunOutput<E>,
{
    // Invariant 1 of the source: the metadata names the whole world.
    SystemSource {
        id: SystemId::of::<T>(),
        meta: exclusive_meta(name),
        build: Box::new(|_| {
            Runner::exclusive(ExclusiveSystem {
                run,
                has_captured: size_of::<F>() > 0,
            })
        }),
    }
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

/// A built exclusive system, which has no state.
pub(super) struct ExclusiveSystem<F> {
    pub(super) run: F,
    /// True if the function is a closure with captured values.
    pub(super) has_captured: bool,
}

impl<F, In, Out, E> DynSystem<In, E> for ExclusiveSystem<F>
where
    F: FnMut(&mut World, In) -> Out + Send,
    Out: RunOutput<E>,
{
    unsafe fn run(&mut self, mut world: NonNull<World>, input: In) -> E {
        // SAFETY: the pointer is made of a `&mut World` that no other code uses during the run, by the contract of
        // `DynSystem::run` for exclusive systems; this one is in no other `Runner`.
        let world = unsafe { world.as_mut() };
        Out::convert(Ok((self.run)(world, input)))
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        if self.has_captured {
            remember(Remembered(Memory::Captured));
        }
    }
}
