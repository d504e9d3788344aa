//! A system with its type forgotten, as schedules keep it.

use core::any::TypeId;
use core::error::Error;

use super::combine::{Until, both};
use super::name::with_arguments;
use crate::meta::{ConditionMeta, SystemMeta};
use crate::world::{CommandQueue, World};

/// The error of a fallible system with its type forgotten.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Tells systems apart: one id per `#[system]` function and choice of generic arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemId(TypeId);

impl SystemId {
    pub(crate) fn of<S: 'static>() -> Self {
        Self(TypeId::of::<S>())
    }
}

/// A built system: function, parameter states, and nothing borrowed.
///
/// Implemented by the code that `#[system]` generates.
pub trait DynSystem<Args, Out>: Send {
    /// Runs the function once with parameters borrowed from `world`.
    ///
    /// The parameters do not ask the run-time borrows of components and resources: whoever calls this has found out that
    /// they need not. So queries that filters keep [apart](crate::meta::Compatibility::FilteredApart) can be had by two systems at once.
    /// Only a system that takes `&World` or `&ResourceMap` locks as usual.
    ///
    /// # Safety
    /// While the system runs nobody else uses what it touches by its metadata, one of them writing: no other system, of
    /// which the metadata says that the two conflict, and no borrow that was made through `&World`. Who has the world
    /// as `&mut` and runs one system at a time keeps that.
    unsafe fn run(&mut self, world: &World, args: Args) -> Out;

    /// Hands over what the parameters put off during the run (see [`SystemParam::flush`](super::SystemParam::flush)).
    fn flush(&mut self, into: &mut CommandQueue);
}

/// A built exclusive system: one that takes `&mut World`.
pub trait DynExclusive<Args, Out>: Send {
    /// Runs the function once.
    fn run(&mut self, world: &mut World, args: Args) -> Out;
}

/// A built system that a schedule can run.
pub enum Runner {
    /// Borrows parts of the world.
    Shared(Box<dyn DynSystem<(), Result<(), BoxError>>>),
    /// Needs the world alone.
    Exclusive(Box<dyn DynExclusive<(), Result<(), BoxError>>>),
}

/// A system that was not built yet, as it is added to a schedule.
#[must_use = "does nothing until it is added to a schedule"]
pub struct SystemSource {
    pub(crate) id: SystemId,
    /// Invariant 1: names all that the built system touches. Executors rely on it.
    pub(crate) meta: SystemMeta,
    pub(crate) build: Box<dyn FnOnce(&World) -> Runner + Send>,
}

impl SystemSource {
    /// As a function builds it; compiled once, and not for each system as with a closure.
    pub(super) fn of_fn(
        id: fn() -> TypeId,
        meta: &SystemMeta,
        hidden: fn() -> &'static str,
        build: fn(&World) -> Runner,
    ) -> Self {
        Self {
            id: SystemId(id()),
            meta: with_arguments(meta, hidden()),
            build: Box::new(build),
        }
    }

    /// Which system.
    #[must_use]
    pub fn id(&self) -> SystemId {
        self.id
    }

    /// What it is called and touches.
    #[must_use]
    pub fn meta(&self) -> SystemMeta {
        self.meta
    }

    /// Makes the states of its parameters, for one world.
    ///
    /// # Panics
    /// If parameters conflict, or if the first value of a [`Local`](super::Local) panics.
    pub fn build(self, world: &World) -> Runner {
        (self.build)(world)
    }
}

/// A function (or closure) that is a system.
///
/// `M` is inferred: it tells the kinds of functions apart that the trait is implemented for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system that can be scheduled",
    label = "not a schedulable system",
    note = "a scheduled system is a `#[system]` function without ordinary arguments that returns `()` or `Result<(), E>`",
    note = "ordinary arguments, which only a caller has, come first; a parameter among them that the world should supply is marked `#[param]`"
)]
pub trait IntoSystem<M> {
    /// Forgets the type.
    fn into_source(self) -> SystemSource;
}

/// Tells the implementation of [`IntoSystem`] for [`SystemSource`] apart.
#[doc(hidden)]
pub struct Sourced;

#[diagnostic::do_not_recommend]
impl IntoSystem<Sourced> for SystemSource {
    fn into_source(self) -> SystemSource {
        self
    }
}

/// A built condition.
pub type BoxCondition = Box<dyn DynSystem<(), bool>>;

/// A condition that was not built yet: what `run_if` makes of a function, and what several are combined to.
#[must_use = "does nothing until it is given to `run_if`"]
pub struct ConditionSource {
    /// Invariant 1: names all that the built condition touches. Executors rely on it.
    pub(crate) meta: ConditionMeta,
    pub(crate) build: Box<dyn FnOnce(&World) -> BoxCondition + Send>,
}

impl ConditionSource {
    /// What it is called and touches.
    #[must_use]
    pub fn meta(&self) -> &ConditionMeta {
        &self.meta
    }

    /// Makes the states of its parameters, for one world.
    ///
    /// # Panics
    /// As [`SystemSource::build`].
    pub fn build(self, world: &World) -> BoxCondition {
        (self.build)(world)
    }
}

/// A function that decides whether a system runs: a `#[system]` function without ordinary arguments that returns
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a run condition",
    label = "not a run condition",
    note = "a run condition is a `#[system]` function without ordinary arguments that returns `bool`"
)]
pub trait IntoCondition<M> {
    /// Forgets the type.
    fn into_condition(self) -> ConditionSource;

    /// Both: if this one says no, `other` is not asked.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn hungry(food: Res<i32>) -> bool { *food < 2 }
    /// #[system]
    /// fn eat(mut food: ResMut<i32>) { *food += 10 }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add(eat.run_if(resource_exists::<i32>().and(hungry)));
    /// let mut world = World::new();
    /// frame.run(&mut world)?; // without the first condition: no resource `i32`
    /// world.insert_resource(1_i32);
    /// frame.run(&mut world)?;
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<i32>(), 11);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    fn and<N>(self, other: impl IntoCondition<N>) -> ConditionSource
    where
        Self: Sized,
    {
        both(self.into_condition(), Until::No, other.into_condition())
    }

    /// At least one of them: if this one says yes, `other` is not asked.
    fn or<N>(self, other: impl IntoCondition<N>) -> ConditionSource
    where
        Self: Sized,
    {
        both(self.into_condition(), Until::Yes, other.into_condition())
    }
}
