//! Systems that run one after the other as one: the output of the first becomes the input of the second.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ptr::NonNull;

use super::error::LockError;
use super::remembered::{Remember, captured};
use super::runner::{DynSystem, Runner};
use crate::meta::{ParamAccess, ParamInfo, ParamType, SystemMeta};
use crate::sync::{Mutex, PoisonError};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::{CommandQueue, World};

impl<In, Out> Runner<In, Out> {
    /// Runs the system while nothing else runs, and passes its deferred commands to the world. If it panics, they are
    /// dropped.
    #[inline]
    pub(super) fn run_alone(&mut self, world: &mut World, input: In) -> Out {
        let run = |system: &mut Box<dyn DynSystem<In, Out>>, world| {
            // SAFETY: the world is borrowed mutably, so no other code accesses it while the system runs.
            unsafe { system.run(world, input) }
        };
        alone(&mut self.system, world, run, |system, queue| {
            system.flush(queue);
        })
    }
}

/// Calls `run`, and passes the commands that `flush` collects to the world; drops them if it panics.
#[inline]
pub(super) fn alone<R, Out>(
    runner: &mut R,
    world: &mut World,
    run: impl FnOnce(&mut R, NonNull<World>) -> Out,
    flush: impl FnOnce(&mut R, &mut CommandQueue),
) -> Out {
    let outcome = catch_unwind(AssertUnwindSafe(|| run(runner, NonNull::from(&mut *world))));
    let mut queue = CommandQueue::new();
    flush(runner, &mut queue);
    match outcome {
        Ok(out) => {
            world.defer(&mut queue);
            out
        }
        Err(panic) => {
            queue.discard();
            resume_unwind(panic)
        }
    }
}

/// Returns both systems as one.
#[inline]
pub(super) fn pipe<In, Mid, Next, Out>(
    first: Runner<In, Result<Mid, LockError>>,
    pass: fn(Mid) -> Next,
    second: Runner<Next, Result<Out, LockError>>,
) -> Runner<In, Result<Out, LockError>>
where
    In: 'static,
    Mid: 'static,
    Next: 'static,
    Out: 'static,
{
    let is_exclusive = first.is_exclusive || second.is_exclusive;
    Runner {
        system: Box::new(Pipe {
            first: first.system,
            pass,
            second: second.system,
            is_exclusive,
        }),
        is_exclusive,
    }
}

/// Two built systems.
struct Pipe<In, Mid, Next, Out> {
    first: Box<dyn DynSystem<In, Result<Mid, LockError>>>,
    pass: fn(Mid) -> Next,
    second: Box<dyn DynSystem<Next, Result<Out, LockError>>>,
    /// True if one of them needs the world exclusively: then a run passes the commands of both to the world.
    is_exclusive: bool,
}

impl<In, Mid, Next, Out> Pipe<In, Mid, Next, Out> {
    /// Runs both systems.
    ///
    /// # Safety
    /// As for [`DynSystem::run`].
    #[inline]
    unsafe fn run_both(&mut self, world: NonNull<World>, input: In) -> Result<Out, LockError> {
        // SAFETY: by the caller's contract no other code uses the data that the metadata names in a conflicting way.
        // The metadata names the accesses of both systems, and they run one after the other.
        let out = unsafe { self.first.run(world, input) }?;
        let next = (self.pass)(out);
        // SAFETY: by the caller's contract no other code uses the data that the metadata names in a conflicting way.
        // The metadata names the accesses of both systems, and the first one has ended.
        unsafe { self.second.run(world, next) }
    }
}

impl<In, Mid, Next, Out> DynSystem<In, Result<Out, LockError>> for Pipe<In, Mid, Next, Out> {
    #[inline]
    unsafe fn run(&mut self, mut world: NonNull<World>, input: In) -> Result<Out, LockError> {
        if !self.is_exclusive {
            // SAFETY: the caller's contract.
            return unsafe { self.run_both(world, input) };
        }
        // SAFETY: the pointer is made of a `&mut World` that no other code uses during the run, by the contract of
        // `DynSystem::run` for an exclusive system: the `Runner` of this pipe says that it is one.
        let world = unsafe { world.as_mut() };
        let run = |pipe: &mut Self, world| {
            // SAFETY: the pointer is made of the `&mut World` above, which nothing else uses.
            unsafe { pipe.run_both(world, input) }
        };
        alone(self, world, run, Self::flush)
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        self.first.flush(into);
        self.second.flush(into);
    }

    #[inline]
    unsafe fn skip(&mut self, world: &World) {
        // SAFETY: the caller's contract for `self` covers both systems: the metadata names the accesses of both.
        unsafe { self.first.skip(world) };
        // SAFETY: as above.
        unsafe { self.second.skip(world) };
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.first.remembered(remember);
        self.second.remembered(remember);
    }
}

/// A function that accesses nothing of the world; the last system of a pipe.
pub(super) struct Mapped<F>(pub(super) F);

impl<F, In, Out> DynSystem<In, Result<Out, LockError>> for Mapped<F>
where
    F: FnMut(In) -> Out + Send,
{
    #[inline]
    unsafe fn run(&mut self, _: NonNull<World>, input: In) -> Result<Out, LockError> {
        Ok((self.0)(input))
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
    }
}

/// Returns one description for systems that run one after the other.
///
/// Leaked, because descriptions are constants elsewhere. All systems with the same name and the same parts share one.
#[inline]
pub(super) fn in_turns(name: &str, parts: &[SystemMeta]) -> SystemMeta {
    static KNOWN: Mutex<Vec<(Vec<SystemMeta>, SystemMeta)>> = Mutex::new(Vec::new());
    if let [part] = parts {
        return *part;
    }
    // The lock is never poisoned half-way through a change.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |(one, other): (&SystemMeta, &SystemMeta)| {
        one.name == other.name && core::ptr::eq(one.params, other.params)
    };
    let found = known.iter().find(|(others, meta)| {
        meta.name == name && others.len() == parts.len() && others.iter().zip(parts).all(same)
    });
    if let Some((_, meta)) = found {
        return *meta;
    }
    let meta = describe(name, parts);
    known.push((parts.to_vec(), meta));
    meta
}

/// Describes the parameters of all systems as one parameter, with each part borrowed on its own.
#[inline]
fn describe(name: &str, parts: &[SystemMeta]) -> SystemMeta {
    let mut accesses = Vec::with_capacity(parts.len());
    let mut text = String::new();
    let (mut remembers, mut has_readers) = (false, false);
    for part in parts {
        let params = part.params.iter();
        let of_part: Vec<&ParamAccess> = params.map(|param| param.of.access).collect();
        let all: &ParamAccess = Box::leak(Box::new(ParamAccess::All(of_part.leak())));
        accesses.push(all);
        remembers |= part.remembers();
        has_readers |= part.has_readers();
        if !text.is_empty() {
            text.push_str(" | ");
        }
        let types: Vec<&str> = part.params.iter().map(|param| param.ty).collect();
        text.push_str(&format!("({})", types.join(", ")));
    }
    let of = ParamType {
        access: Box::leak(Box::new(ParamAccess::OneOf(accesses.leak()))),
        remembers,
        has_readers,
        is_row: false,
    };
    let params = vec![ParamInfo {
        name: "parts",
        ty: text.leak(),
        of,
    }];
    SystemMeta::new(String::from(name).leak(), params.leak())
}
