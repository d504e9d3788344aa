//! Type-erased conditions, and combinations of conditions.
//!
//! # Ask conditions
//! A step asks all its conditions (`execute/build.rs`). The first step of a run that has a condition asks it, once for the
//! run. `SystemParam::remembered` lists the memory of a condition, for a turn and for snapshots alike. `FunctionCondition` notes
//! the ticks before it asks. A cursor that asks reads from a position of its own, while the log keeps everything after the
//! registered one (`log/cursor.rs`). At the end of the run each condition is settled, depending on how its steps ended
//! (`Turn`): if one of them ran, the memory moves on; otherwise it moves back. The conditions of the crate settle their
//! memory by rules of their own (`TurnMemory`). With threads, errors of conditions are collected at the end of the run, in
//! the order of steps.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ptr::NonNull;

use super::remembered::{Memory, Remember, Remembered, Turn};
use super::runner::{BoxError, DynSystem, RunOutput, Runner, SystemSource, deeper};
use crate::meta::ConditionMeta;
use crate::tick::Tick;
use crate::world::{CommandQueue, World};

/// A built condition, asked in each turn of a step by a run. Its memory moves when the turn is
/// [settled](DynSystem::settle).
pub type BoxCondition = Box<dyn DynSystem<(), Result<bool, BoxError>>>;

/// A condition that is a system.
struct FunctionCondition {
    system: BoxCondition,
    is_asked: bool,
    /// The ticks of its parameters before it was asked.
    ticks: Vec<Tick>,
    /// True if it has more to settle than ticks.
    has_more: bool,
}

/// Returns a system as a condition.
pub(crate) fn function(system: BoxCondition) -> BoxCondition {
    Box::new(FunctionCondition {
        system,
        is_asked: false,
        ticks: Vec::new(),
        has_more: false,
    })
}

impl DynSystem<(), Result<bool, BoxError>> for FunctionCondition {
    #[inline]
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> Result<bool, BoxError> {
        // The last run may not have ended.
        self.settle(Turn::WAITED);
        let (ticks, has_more) = (&mut self.ticks, &mut self.has_more);
        ticks.clear();
        self.system
            .remembered(&mut |Remembered(memory)| match memory {
                Memory::Tick(tick) => ticks.push(*tick),
                Memory::Reader(cursor) => {
                    cursor.ask();
                    *has_more = true;
                }
                Memory::Turns(_) => *has_more = true,
                _ => {}
            });
        self.is_asked = true;
        // SAFETY: the caller keeps the contract of the system.
        let answer = unsafe { self.system.run(world, ()) };
        if answer.is_err() && self.has_more {
            // A system that discards the unread data of a skipped turn also discards the events of a turn that lacked a
            // parameter.
            // SAFETY: the world lives, and a condition only shares it, by the caller's contract.
            let world = unsafe { world.as_ref() };
            // SAFETY: as for `run`, which has ended.
            unsafe { self.system.skip(world) };
            self.system.remembered(&mut |Remembered(memory)| {
                if let Memory::Reader(cursor) = memory {
                    cursor.read_nothing();
                }
            });
        }
        answer
    }

    #[inline]
    fn settle(&mut self, turn: Turn) {
        let was_asked = core::mem::replace(&mut self.is_asked, false);
        if !was_asked || (turn.ran() && !self.has_more) {
            return;
        }
        let mut ticks = self.ticks.iter();
        self.system
            .remembered(&mut |Remembered(memory)| match memory {
                Memory::Tick(tick) => {
                    let before = ticks.next();
                    if let (false, Some(before)) = (turn.ran(), before) {
                        *tick = *before;
                    }
                }
                Memory::Reader(cursor) if turn.ran() => cursor.consume(),
                Memory::Reader(cursor) if turn.discards() => cursor.discard(),
                Memory::Turns(memory) => memory.settle(turn),
                _ => {}
            });
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        self.system.flush(into);
    }

    #[inline]
    unsafe fn skip(&mut self, world: &World) {
        self.settle(Turn::WAITED);
        // SAFETY: the caller keeps the contract of the system.
        unsafe { self.system.skip(world) };
        self.system.remembered(&mut |Remembered(memory)| {
            if let Memory::Reader(cursor) = memory {
                cursor.discard();
            }
        });
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.system.remembered(remember);
    }
}

/// A condition that is not built yet: `run_if` makes it of a function, or it combines several others.
#[must_use = "does nothing until it is given to `run_if`"]
pub struct ConditionSource {
    /// Invariant 1: names everything that the built condition accesses. Executors rely on it.
    pub(crate) meta: ConditionMeta,
    pub(crate) build: Box<dyn FnOnce(&World) -> BoxCondition + Send>,
    /// The number of nested levels of conditions, or of systems of a value.
    pub(crate) depth: usize,
}

impl ConditionSource {
    /// Returns a system as a condition.
    pub(super) fn of(system: SystemSource<(), Result<bool, BoxError>>, captures: bool) -> Self {
        let SystemSource { meta, build, .. } = system;
        Self {
            // Invariant 1 follows from the source's own.
            meta: ConditionMeta {
                captures,
                ..meta.into()
            },
            build: Box::new(move |world| as_condition(build(world), meta.name)),
            depth: 0,
        }
    }

    /// Returns the description of the condition.
    #[must_use]
    #[inline]
    pub fn meta(&self) -> &ConditionMeta {
        &self.meta
    }

    /// Gives the condition a name, for messages and pictures.
    ///
    /// ```
    /// use ecs_core::IntoCondition;
    ///
    /// let lucky = (|| true).into_condition().named("lucky");
    /// assert_eq!(lucky.meta().name, "lucky");
    /// ```
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.meta.name = name.into();
        self
    }

    /// Promises that the values captured by its closure never change, so that a snapshot need not copy them.
    #[doc(hidden)]
    pub fn without_captured(mut self) -> Self {
        self.meta.captures = false;
        self
    }

    /// Builds the condition: makes the states of its parameters, for one world.
    ///
    /// # Panics
    /// If parameters conflict, or if the initialisation of a [`Local`](super::Local) panics.
    #[doc(hidden)]
    #[inline]
    pub fn build(self, world: &World) -> BoxCondition {
        (self.build)(world)
    }
}

/// A function that decides whether a system runs: a `#[system]` function without ordinary arguments, or a
/// [closure](super::SystemClosure) of system parameters, that returns `bool`.
///
/// `M` is inferred: it distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a run condition",
    label = "not a run condition",
    note = "a run condition is a `#[system]` function without ordinary arguments, or a closure of system parameters with their types written, that returns `bool`, without a `&mut World`",
    note = "it is passed by name, without calling it: `run_if(is_ready)`; a function that makes a condition is called: `run_if(run_once())`, `run_if(in_state(..))` with a state"
)]
pub trait IntoCondition<M> {
    /// The return type. Not a bound of the implementations, so that an error about it names it.
    type Out;

    /// Erases the type.
    fn into_condition(self) -> ConditionSource
    where
        Self::Out: ConditionOutput;

    /// Combines both conditions: true if both are.
    ///
    /// Both are asked in each turn, so their order makes no difference. If a parameter of one of them cannot be borrowed and
    /// the other one is false, the result is false and no error. So a condition can guard another one, before it or after
    /// it.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::conditions::resource_exists;
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
    ///
    /// # Panics
    /// If conditions are nested more than 128 levels deep.
    #[track_caller]
    fn and<N, C: IntoCondition<N>>(self, other: C) -> ConditionSource
    where
        Self: Sized,
        Self::Out: ConditionOutput,
        C::Out: ConditionOutput,
    {
        both(
            self.into_condition(),
            Decisive::False,
            other.into_condition(),
        )
    }

    /// Combines both conditions: true if one of them is.
    ///
    /// Both are asked in each turn, as by [`and`](Self::and), and a run of the system consumes both: if the events of two
    /// `on_event` conditions come together, the system runs once. If a parameter of one of them cannot be borrowed and the
    /// other one is true, the result is true and no error.
    ///
    /// # Panics
    /// If conditions are nested more than 128 levels deep.
    #[track_caller]
    fn or<N, C: IntoCondition<N>>(self, other: C) -> ConditionSource
    where
        Self: Sized,
        Self::Out: ConditionOutput,
        C::Out: ConditionOutput,
    {
        both(
            self.into_condition(),
            Decisive::True,
            other.into_condition(),
        )
    }
}

/// The return type of a condition: `bool`.
#[diagnostic::on_unimplemented(
    message = "a run condition must return `bool`, not `{Self}`",
    label = "not `bool`",
    note = "a `#[system]` that returns `bool` is passed by name, and a function that makes a condition is called: `run_if(run_once())`, `run_if(resource_exists::<Score>())`"
)]
pub trait ConditionOutput: RunOutput<Result<bool, BoxError>> {}

impl ConditionOutput for bool {}

/// Negates `condition`.
///
/// News for `condition` holds up the system for one turn: `not(on_event::<E>())` is true in the turns without a new event,
/// and `not(run_once())` in all but the first one. So a negated condition consumes its news in each turn, while others wait
/// for a run.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::not;
///
/// #[system]
/// fn paused(paused: Res<bool>) -> bool { *paused }
/// #[system]
/// fn tick(mut time: ResMut<u32>) { *time += 1 }
///
/// let mut frame = Schedule::new();
/// frame.add(tick.run_if(not(paused)));
/// let mut world = World::new();
/// world.insert_resource(0_u32);
/// for paused in [false, true, false] {
///     world.insert_resource(paused);
///     frame.run(&mut world)?;
/// }
/// assert_eq!(*world.resource::<u32>(), 2);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # Panics
/// If conditions are nested more than 128 levels deep.
#[track_caller]
pub fn not<M, C: IntoCondition<M>>(condition: C) -> ConditionSource
where
    C::Out: ConditionOutput,
{
    let ConditionSource { meta, build, depth } = condition.into_condition();
    ConditionSource {
        depth: deeper_condition(depth),
        meta: ConditionMeta {
            name: format!("not {}", operand_name(&meta)).into(),
            parts: meta.parts,
            is_about_states: meta.is_about_states,
            captures: meta.captures,
        },
        build: Box::new(move |world| {
            Box::new(NotCondition {
                condition: build(world),
                is_about_states: meta.is_about_states,
            })
        }),
    }
}

/// Returns a built system as a condition.
///
/// # Panics
/// If it needs the world exclusively.
pub(super) fn as_condition(system: Runner<(), Result<bool, BoxError>>, name: &str) -> BoxCondition {
    assert!(
        !system.is_exclusive,
        "the condition `{name}` takes `&mut World`, but a condition only reads; help: take `&World` or parameters"
    );
    function(system.system)
}

/// The answer that decides a combination of two conditions by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decisive {
    /// `and` is false if one is.
    False,
    /// `or` is true if one is.
    True,
}

/// The depth of a condition that contains others.
#[track_caller]
#[inline]
fn deeper_condition(inside: usize) -> usize {
    deeper(
        inside,
        "conditions",
        "write `run_if` several times, or ask in one `#[system]` function",
    )
}

/// Combines two conditions.
#[track_caller]
#[inline]
fn both(first: ConditionSource, decisive: Decisive, second: ConditionSource) -> ConditionSource {
    let depth = deeper_condition(first.depth.max(second.depth));
    let word = match decisive {
        Decisive::False => "and",
        Decisive::True => "or",
    };
    let name = format!(
        "{} {word} {}",
        operand_name(&first.meta),
        operand_name(&second.meta)
    );
    let are_about_states = [first.meta.is_about_states, second.meta.is_about_states];
    let is_about_states = are_about_states == [true; 2];
    let captures = first.meta.captures || second.meta.captures;
    let mut parts = first.meta.parts;
    parts.extend_from_slice(&second.meta.parts);
    ConditionSource {
        meta: ConditionMeta {
            name: name.into(),
            parts,
            is_about_states,
            captures,
        },
        build: Box::new(move |world| {
            Box::new(Both {
                conditions: [(first.build)(world), (second.build)(world)],
                decisive,
                are_about_states,
                answers: [None; 2],
            })
        }),
        depth,
    }
}

/// Returns the name as part of a longer name.
#[inline]
fn operand_name(meta: &ConditionMeta) -> String {
    if meta.parts.len() > 1 {
        format!("({})", meta.name)
    } else {
        meta.name.to_string()
    }
}

struct NotCondition {
    condition: BoxCondition,
    is_about_states: bool,
}

impl DynSystem<(), Result<bool, BoxError>> for NotCondition {
    #[inline]
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> Result<bool, BoxError> {
        // SAFETY: the caller's contract for `self` covers the inner condition: their metadata is the same.
        let yes = unsafe { self.condition.run(world, ()) }?;
        Ok(!yes)
    }

    #[inline]
    fn settle(&mut self, turn: Turn) {
        self.condition.settle(turn.negated(self.is_about_states));
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        self.condition.flush(into);
    }

    #[inline]
    unsafe fn skip(&mut self, world: &World) {
        // SAFETY: the caller's contract for `self` covers the inner condition: their metadata is the same.
        unsafe { self.condition.skip(world) };
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.condition.remembered(remember);
    }
}

struct Both {
    conditions: [BoxCondition; 2],
    decisive: Decisive,
    are_about_states: [bool; 2],
    /// The answers in the last turn; `None` for a condition that could not be asked.
    answers: [Option<bool>; 2],
}

impl DynSystem<(), Result<bool, BoxError>> for Both {
    #[inline]
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> Result<bool, BoxError> {
        self.answers = [None; 2];
        let mut error = None;
        for (condition, answer) in self.conditions.iter_mut().zip(&mut self.answers) {
            // SAFETY: by the caller's contract no other code uses the data that the metadata names in a conflicting way.
            // The metadata names the accesses of both conditions, and they are asked one after the other.
            match unsafe { condition.run(world, ()) } {
                Ok(yes) => *answer = Some(yes),
                Err(other) => error = error.or(Some(other)),
            }
        }
        let decisive = self.decisive == Decisive::True;
        match error {
            _ if self.answers.contains(&Some(decisive)) => Ok(decisive),
            Some(error) => Err(error),
            None => Ok(!decisive),
        }
    }

    #[inline]
    fn settle(&mut self, turn: Turn) {
        for (at, condition) in self.conditions.iter_mut().enumerate() {
            let other = 1 - at;
            // A condition combined by `and` with one about states sleeps while that one is false.
            let sleeps = self.decisive == Decisive::False
                && self.are_about_states[other]
                && self.answers[other] == Some(false);
            condition.settle(if sleeps { Turn::SLEPT } else { turn });
        }
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        for condition in &mut self.conditions {
            condition.flush(into);
        }
    }

    #[inline]
    unsafe fn skip(&mut self, world: &World) {
        for condition in &mut self.conditions {
            // SAFETY: by the caller's contract: the metadata names the accesses of both conditions.
            unsafe { condition.skip(world) };
        }
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        for condition in &mut self.conditions {
            condition.remembered(remember);
        }
    }
}

/// Marks [`ConditionSource`] in the `M` of [`IntoCondition`].
#[doc(hidden)]
pub struct Combined;

#[diagnostic::do_not_recommend]
impl IntoCondition<Combined> for ConditionSource {
    type Out = bool;

    fn into_condition(self) -> ConditionSource {
        self
    }
}
