//! Type-erased systems, stored by schedules.

use alloc::boxed::Box;
use core::any::TypeId;
use core::error::Error;
use core::ptr::NonNull;

use super::error::LockError;
use super::name::with_arguments;
use super::remembered::{Remember, Turn};
use crate::meta::SystemMeta;
use crate::world::{CommandQueue, World};

/// The type-erased error of a fallible system.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Identifies a system: one id per `#[system]` function and choice of generic arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemId(TypeId);

impl SystemId {
    pub(crate) fn of<S: 'static>() -> Self {
        Self(TypeId::of::<S>())
    }

    pub(super) fn of_type(id: TypeId) -> Self {
        Self(id)
    }
}

/// A built system: function, parameter states, and nothing borrowed.
pub trait DynSystem<Args, Out>: Send {
    /// Runs the function once with parameters borrowed from `world`.
    ///
    /// The parameters do not take the run-time borrows of components and resources: the caller guarantees that no
    /// conflict exists. So two systems can run queries at the same time that only filters keep
    /// [disjoint](crate::meta::Compatibility::FilteredApart). Only a system that takes `&World` or `&ResourceMap` takes
    /// run-time borrows as usual.
    ///
    /// # Safety
    /// `world` points to a world that lives during the run. While the system runs, no other code uses the data that its
    /// metadata names in a conflicting way: no other system with conflicting metadata, and no borrow made through `&World`.
    /// For an [exclusive](Runner::is_exclusive) system, the pointer is made of a `&mut World` that no other code uses during
    /// the run. A caller that has the world as `&mut` and runs one system at a time satisfies all of this.
    unsafe fn run(&mut self, world: NonNull<World>, args: Args) -> Out;

    /// Moves the commands that the parameters deferred during the run to `into` (see
    /// [`SystemParam::flush`](super::SystemParam::flush)). An exclusive system passes them to the world when it runs.
    fn flush(&mut self, into: &mut CommandQueue) {
        let _ = into;
    }

    /// Marks everything as read that the parameters' readers have not read yet (see
    /// [`SystemParam::skip`](super::SystemParam::skip)).
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn skip(&mut self, world: &World) {
        let _ = world;
    }

    /// Ends the turn of a condition that the last run has asked; does nothing without such a turn. Other systems have no
    /// turns.
    fn settle(&mut self, turn: Turn) {
        let _ = turn;
    }

    /// Calls a function with each thing that the system remembers from run to run.
    #[doc(hidden)]
    fn remembered(&mut self, remember: &mut Remember<'_>);
}

/// A built system: a schedule can run it, or, with other arguments, it is a value.
pub struct Runner<Args = (), Out = Result<(), BoxError>> {
    /// The system, and for a pipe all of its systems.
    pub system: Box<dyn DynSystem<Args, Out>>,
    /// True if it needs the world exclusively; otherwise it borrows parts of it.
    pub is_exclusive: bool,
}

impl<Args, Out> Runner<Args, Out> {
    /// Returns a system that borrows parts of the world.
    pub(crate) fn shared(system: impl DynSystem<Args, Out> + 'static) -> Self {
        Self {
            system: Box::new(system),
            is_exclusive: false,
        }
    }

    /// Returns a system that needs the world exclusively.
    pub(crate) fn exclusive(system: impl DynSystem<Args, Out> + 'static) -> Self {
        Self {
            is_exclusive: true,
            ..Self::shared(system)
        }
    }
}

/// A system that is added to a schedule but not built yet; with other parameters, a condition or a value.
#[must_use = "does nothing until it is added to a schedule"]
pub struct SystemSource<In = (), Out = Result<(), BoxError>> {
    pub(crate) id: SystemId,
    /// Invariant 1: names everything that the built system accesses. Executors rely on it.
    pub(crate) meta: SystemMeta,
    pub(crate) build: Build<In, Out>,
}

/// Builds a system for a world.
pub(super) type Build<In, Out> = Box<dyn FnOnce(&World) -> Runner<In, Out> + Send>;

impl<In, Out> SystemSource<In, Out> {
    /// Creates the source with a function that builds the system. It is compiled once; a closure would be compiled for
    /// each system.
    pub(super) fn of_fn(
        id: fn() -> TypeId,
        meta: &SystemMeta,
        hidden: fn() -> &'static str,
        build: fn(&World) -> Runner<In, Out>,
    ) -> Self
    where
        In: 'static,
        Out: 'static,
    {
        Self {
            id: SystemId(id()),
            meta: with_arguments(meta, hidden()),
            build: Box::new(build),
        }
    }

    /// Returns the id of the system.
    #[must_use]
    pub fn id(&self) -> SystemId {
        self.id
    }

    /// Returns the description of the system.
    #[must_use]
    pub fn meta(&self) -> SystemMeta {
        self.meta
    }

    /// Builds the system: makes the states of its parameters, for one world.
    ///
    /// # Panics
    /// If parameters conflict, or if the initialisation of a [`Local`](super::Local) panics.
    #[doc(hidden)]
    pub fn build(self, world: &World) -> Runner<In, Out> {
        (self.build)(world)
    }
}

/// The return type of a system's function, which becomes an `E` for the code that runs the system.
#[doc(hidden)]
pub trait RunOutput<E>: Sized {
    /// False if the system is not built, because it runs at once.
    const BUILDS: bool = true;

    /// Converts the result of the function, or the error of a parameter.
    fn convert(result: Result<Self, LockError>) -> E;
}

/// The result of a scheduled system, and of a condition.
macro_rules! plain_output {
    ($($out:ty)*) => {$(
        impl RunOutput<Result<$out, BoxError>> for $out {
            #[inline]
            fn convert(result: Result<$out, LockError>) -> Result<$out, BoxError> {
                match result {
                    Ok(out) => Ok(out),
                    Err(error) => Err(Box::new(error)),
                }
            }
        }
    )*};
}

plain_output!(() bool);

/// The result of a scheduled system that can fail.
#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> RunOutput<Result<(), BoxError>> for Result<(), E> {
    #[inline]
    fn convert(result: Result<Self, LockError>) -> Result<(), BoxError> {
        match result {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.into()),
            Err(error) => Err(Box::new(error)),
        }
    }
}

/// The result of a system as a value.
#[diagnostic::do_not_recommend]
impl<Out> RunOutput<Result<Out, LockError>> for Out {
    #[inline]
    fn convert(result: Result<Out, LockError>) -> Result<Out, LockError> {
        result
    }
}

/// Returns what a system returned, without the type of its error.
pub(super) fn erased<Out: RunOutput<Result<(), BoxError>>>(out: Out) -> Result<(), BoxError> {
    Out::convert(Ok(out))
}

/// The return type of a scheduled system: `()`, or `Result<(), E>` with any error type.
#[diagnostic::on_unimplemented(
    message = "a scheduled system must return `()` or `Result<(), E>`, not `{Self}`",
    label = "not the result of a scheduled system",
    note = "an error `E` is one that a `Box<dyn Error + Send + Sync>` can be made from: in place of `Box<dyn Error>` write `Box<dyn Error + Send + Sync>`",
    note = "outside of `schedule!`, `system.into_value().map(|out| ..)` converts or drops another result"
)]
pub trait SystemOutput: RunOutput<Result<(), BoxError>> {}

impl SystemOutput for () {}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> SystemOutput for Result<(), E> {}

/// A system that code other than its caller can run: a `#[system]` function without ordinary arguments, a
/// [closure](super::SystemClosure) of system parameters, [`from_fn`](super::from_fn) of any closure, or a
/// [`SystemValue`](super::SystemValue) without input.
///
/// [`World::run`] takes it. A schedule takes it if the result is a [`SystemOutput`].
///
/// `M` is inferred: it distinguishes the kinds of functions that the trait is implemented for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system without ordinary arguments",
    label = "not a system, or one with ordinary arguments",
    note = "a system is a `#[system]` function, passed by name, or a closure of up to eight system parameters, with their types written",
    note = "in a schedule, a closure owns its captured values (`move`), and they are `Send`; one that takes the world needs `from_fn`, and `&mut`: `from_fn(|world: &mut World| ..)`",
    note = "each type in `fn(..)` but the last is an ordinary argument, which only a caller has: take a component as `Comp<T>` or `CompMut<T>` and a resource as `Res<T>` or `ResMut<T>`, and mark any other parameter that the world supplies `#[param]`"
)]
pub trait IntoSystem<M>: Sized {
    /// The result of a run. A bound of one method alone, so that a result that cannot be scheduled is an error of its own.
    type Out;

    /// The hidden type of a `#[system]` function.
    #[doc(hidden)]
    type System;

    /// Returns the id, and the name in messages.
    #[doc(hidden)]
    fn named(&self) -> (SystemId, &'static str);

    /// Erases the type.
    fn into_source(self) -> SystemSource
    where
        Self: Send + 'static,
        Self::Out: SystemOutput;

    /// Runs the system, and queues its commands in the world.
    #[doc(hidden)]
    fn run_in(self, world: &mut World) -> Result<Self::Out, LockError>;
}

/// Marks [`SystemSource`] in the `M` of [`IntoSystem`].
#[doc(hidden)]
pub struct Sourced;

#[diagnostic::do_not_recommend]
impl IntoSystem<Sourced> for SystemSource {
    type System = ();
    type Out = Result<(), BoxError>;

    fn named(&self) -> (SystemId, &'static str) {
        (self.id, self.meta.name)
    }

    fn into_source(self) -> Self {
        self
    }

    fn run_in(self, world: &mut World) -> Result<Self::Out, LockError> {
        Ok((self.build)(world).run_alone(world, ()))
    }
}

/// The maximum depth of nested conditions or systems, so that they can be built, run and dropped recursively.
const MAX_DEPTH: usize = 128;

/// Returns the depth of a value whose parts have at most this depth.
///
/// # Panics
/// If it is more than [`MAX_DEPTH`]; `help` suggests an alternative.
#[track_caller]
pub(super) fn deeper(parts: usize, what: &str, help: &str) -> usize {
    assert!(
        parts < MAX_DEPTH,
        "{what} are nested more than {MAX_DEPTH} levels deep; help: {help}"
    );
    parts + 1
}
