//! Systems as values, whose type only depends on their input and their output.
//!
//! # Run a system as a value
//! The only types in a `SystemValue<In, Out>` (`system/value.rs`) are the input and the output of the system. Systems with
//! ordinary arguments implement `VisitSystem` for a tuple of any types, because a type in an impl cannot leave out lifetimes
//! as the type of a parameter can. So the values are converted when the system runs (`same`). Both types are
//! the same: the function that identified the system proves it. A pipe (`system/pipe.rs`) runs two built systems and flushes
//! them afterwards. Its metadata is one parameter, a `ParamAccess::OneOf` with all accesses of each part: the parts
//! do not conflict with each other, and other systems conflict with any of them. A registered system
//! (`system/registered.rs`) is in a list among the world's `system_states`. A run takes the system out of its shared slot in
//! that list, because meanwhile the world may be swapped and the system unregistered.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr::NonNull;

use super::condition::{ConditionOutput, ConditionSource, IntoCondition, as_condition};
use super::error::LockError;
use super::pipe::{Mapped, in_turns, pipe};
use super::remembered::Remember;
use super::runner::{
    Build, DynSystem, IntoSystem, RunOutput, Runner, SystemId, SystemOutput, SystemSource, deeper,
};
use crate::meta::{ConditionMeta, SystemMeta};
use crate::world::{CommandQueue, World};

/// A built system with its input and output as types.
pub(super) type ValueRunner<In, Out> = Runner<In, Result<Out, LockError>>;

/// A system as a value, which takes an `In` and returns an `Out`; made of other systems by
/// [`pipe`](IntoSystemValue::pipe) and [`map`](Self::map).
///
/// You can pass it to [`World::register_system`] and, without input (`In` is `()`), to [`World::run`],
/// [`Schedule::add`](crate::Schedule::add), [`run_if`](crate::IntoConfigs::run_if) and further `pipe`s and `map`s.
#[must_use = "does nothing until it is run, registered, or added to a schedule"]
pub struct SystemValue<In, Out> {
    pub(super) id: SystemId,
    pub(super) name: Cow<'static, str>,
    /// Invariant 1: name everything that the built system accesses; it runs the parts one after the other. Executors
    /// rely on it.
    pub(super) parts: Vec<SystemMeta>,
    pub(super) build: Build<In, Result<Out, LockError>>,
    /// The number of nested levels of systems.
    depth: usize,
}

impl<In: 'static, Out: 'static> SystemValue<In, Out> {
    #[inline]
    pub(super) fn of(source: SystemSource<In, Result<Out, LockError>>) -> Self {
        let SystemSource { id, meta, build } = source;
        // Invariant 1 follows from the source's own.
        Self {
            id,
            name: Cow::Borrowed(meta.name),
            parts: vec![meta],
            build,
            depth: 0,
        }
    }

    /// Returns the description of the system.
    ///
    /// For several systems, the description has all their accesses as one parameter; the systems in it do not conflict.
    /// It is kept for the rest of the program, once for each pipe of the same systems.
    #[must_use]
    #[inline]
    pub fn meta(&self) -> SystemMeta {
        in_turns(&self.name, &self.parts)
    }

    /// Passes the output of the system to a function, and returns the function's result. [`MapSystem`] has the method for
    /// other systems.
    ///
    /// # Panics
    /// If systems are nested more than 128 levels deep.
    #[track_caller]
    #[inline]
    pub fn map<T: 'static>(
        self,
        function: impl FnMut(Out) -> T + Send + 'static,
    ) -> SystemValue<In, T> {
        SystemValue {
            depth: deeper_system(self.depth),
            id: self.id,
            name: self.name,
            // The function accesses nothing.
            parts: self.parts,
            build: Box::new(move |world| {
                let second = Runner::shared(Mapped(function));
                pipe((self.build)(world), |out| out, second)
            }),
        }
    }
}

/// Returns the depth of a system that contains others.
#[track_caller]
fn deeper_system(inside: usize) -> usize {
    deeper(
        inside,
        "systems that are piped or mapped",
        "call the functions of several in one",
    )
}

/// A system that can be a value: a `#[system]` function, with or without ordinary arguments, a
/// [closure](super::SystemClosure) of system parameters, [`from_fn`](super::from_fn) of any closure, or a
/// [`SystemValue`].
///
/// `M` is inferred: it distinguishes the kinds of functions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "a system is a `#[system]` function, passed by name, whose result and arguments borrow nothing, or a closure of up to eight system parameters, with their types written",
    note = "a closure owns its captured values (`move`), and they are `Send`; an exclusive one, and one with an input, is wrapped: `from_fn(|world: &mut World| ..)`, `from_fn(|In(count): In<usize>, pos: Comp<Position>| ..)`"
)]
pub trait IntoSystemValue<M>: Sized + 'static {
    /// The input: `()` without ordinary arguments, the argument itself if there is one, or a tuple of several.
    type In: 'static;
    /// The output.
    type Out: 'static;

    /// Erases the type of the function.
    fn into_value(self) -> SystemValue<Self::In, Self::Out>;

    /// Passes the output of the system to `next`, which takes it as its ordinary argument. If `next` has several, the
    /// output is a tuple.
    ///
    /// Both become one system: they run directly one after the other, nothing runs between them, and the commands of
    /// both are applied after the second. If a parameter cannot be locked, the rest does not run. They may access the
    /// same data, because each ends before the next begins. Other systems run at the same time as the pipe only if they
    /// conflict with neither part. In messages and plans the name is `first | second`;
    /// [sets](crate::IntoConfigs::in_set) order the pipe among others.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn wounded(healths: Query<(Entity, &Health)>) -> Vec<Entity> {
    ///     healths.iter().filter(|(_, health)| health.0 < 50).map(|(entity, _)| entity).collect()
    /// }
    ///
    /// #[system]
    /// fn heal(who: Vec<Entity>, mut healths: CompMut<Health>, by: Res<i32>) {
    ///     for entity in who {
    ///         healths.get_mut(entity).unwrap().0 += *by;
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(7_i32);
    /// let [hero, king] = [40, 90].map(|health| world.spawn(Health(health)));
    /// let mut frame = Schedule::new();
    /// frame.add(wounded.pipe(heal));
    /// frame.run(&mut world)?;
    /// let health = |entity| world.get::<Health>(entity).unwrap().0;
    /// assert_eq!((health(hero), health(king)), (47, 90));
    /// # Ok::<(), ecs_core::ScheduleError>(())
    /// ```
    ///
    /// # Panics
    /// If systems are nested more than 128 levels deep.
    #[track_caller]
    #[inline]
    fn pipe<N, S>(self, next: S) -> SystemValue<Self::In, S::Out>
    where
        S: IntoSystemValue<N>,
        S::In: FromOutput<Self::Out>,
    {
        let (first, second) = (self.into_value(), next.into_value());
        let depth = deeper_system(first.depth.max(second.depth));
        let mut parts = first.parts;
        parts.extend_from_slice(&second.parts);
        SystemValue {
            id: SystemId::of::<(Self, S)>(),
            name: format!("{} | {}", first.name, second.name).into(),
            parts,
            build: Box::new(move |world| {
                let first = (first.build)(world);
                pipe(first, S::In::from_output, (second.build)(world))
            }),
            depth,
        }
    }
}

/// The method [`map`](Self::map), for systems that are not yet values.
///
/// Not in the prelude: an import makes the compiler consider it for each `map` of an iterator (0.3 ms per call).
/// Without it, write `system.into_value().map(..)`.
pub trait MapSystem<M>: IntoSystemValue<M> {
    /// Passes the output of the system to a function, and returns the function's result.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::system::MapSystem;
    ///
    /// #[system]
    /// fn enemies(all: Res<Vec<u32>>) -> usize { all.len() }
    /// #[system]
    /// fn retreat(mut log: ResMut<String>) { log.push_str("retreat!") }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add(retreat.run_if(enemies.map(|n| n > 3)));
    /// let mut world = World::new();
    /// world.insert_resource(vec![1_u32; 4]);
    /// world.insert_resource(String::new());
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "retreat!");
    /// assert_eq!(world.run(enemies.map(|n| n * 2)), 8);
    /// # Ok::<(), ecs_core::ScheduleError>(())
    /// ```
    #[inline]
    fn map<T: 'static>(
        self,
        function: impl FnMut(Self::Out) -> T + Send + 'static,
    ) -> SystemValue<Self::In, T> {
        self.into_value().map(function)
    }
}

impl<M, S: IntoSystemValue<M>> MapSystem<M> for S {}

/// The input of a system that takes the output of another one: both have the same type.
#[diagnostic::on_unimplemented(
    message = "the first system returns `{T}`, but the second one takes `{Self}`",
    label = "takes `{Self}`, not `{T}`",
    note = "the second system takes the output of the first one as its ordinary argument: several arguments are a tuple, none are `()`",
    note = "`first.into_value().map(|out| ..).pipe(second)` converts it"
)]
pub trait FromOutput<T> {
    /// Returns the value.
    fn from_output(out: T) -> Self;
}

impl<T> FromOutput<T> for T {
    #[inline]
    fn from_output(out: T) -> T {
        out
    }
}

/// Marks [`SystemValue`] in the `M` of [`IntoSystemValue`] and similar traits.
#[doc(hidden)]
pub struct Valued;

#[diagnostic::do_not_recommend]
impl<In: 'static, Out: 'static> IntoSystemValue<Valued> for SystemValue<In, Out> {
    type In = In;
    type Out = Out;

    #[inline]
    fn into_value(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<Out: 'static> IntoSystem<Valued> for SystemValue<(), Out> {
    type System = ();
    type Out = Out;

    #[inline]
    fn named(&self) -> (SystemId, &'static str) {
        (self.id, self.meta().name)
    }

    #[inline]
    fn run_in(self, world: &mut World) -> Result<Out, LockError> {
        (self.build)(world).run_alone(world, ())
    }

    #[inline]
    fn into_source(self) -> SystemSource
    where
        Out: SystemOutput,
    {
        SystemSource {
            id: self.id,
            // Invariant 1 follows from the value's own.
            meta: self.meta(),
            build: Box::new(|world| converted((self.build)(world))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<Out: 'static> IntoCondition<Valued> for SystemValue<(), Out> {
    type Out = Out;

    #[inline]
    fn into_condition(self) -> ConditionSource
    where
        Out: ConditionOutput,
    {
        let name = self.name.clone();
        ConditionSource {
            depth: self.depth,
            // Invariant 1 follows from the value's own.
            meta: ConditionMeta {
                name: self.name,
                parts: self.parts,
                is_about_states: false,
                captures: true,
            },
            build: Box::new(move |world| as_condition(converted((self.build)(world)), &name)),
        }
    }
}

/// Returns a built system whose result becomes an `E`.
fn converted<Out: RunOutput<E> + 'static, E>(system: ValueRunner<(), Out>) -> Runner<(), E> {
    Runner {
        system: Box::new(Converted(system.system)),
        is_exclusive: system.is_exclusive,
    }
}

/// A built system whose result becomes another type; exclusive if the inner system is.
struct Converted<Out>(Box<dyn DynSystem<(), Result<Out, LockError>>>);

impl<Out: RunOutput<E>, E> DynSystem<(), E> for Converted<Out> {
    #[inline]
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> E {
        // SAFETY: the caller's contract for `self` covers the inner system: their metadata is the same.
        Out::convert(unsafe { self.0.run(world, ()) })
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        self.0.flush(into);
    }

    #[inline]
    unsafe fn skip(&mut self, world: &World) {
        // SAFETY: the caller's contract for `self` covers the inner system: their metadata is the same.
        unsafe { self.0.skip(world) };
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.0.remembered(remember);
    }
}
