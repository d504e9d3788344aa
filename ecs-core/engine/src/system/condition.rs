//! Type-erased conditions, and conditions combined of others.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};

use super::remembered::Remember;
use super::runner::{BoxError, DynSystem};
use crate::meta::ConditionMeta;
use crate::world::{CommandQueue, World};

/// A built condition; its error is that of a parameter that cannot be locked.
pub type BoxCondition = Box<dyn DynSystem<(), Result<bool, BoxError>>>;

/// A condition that is not built yet: made of a function by `run_if`, or combined of several.
#[must_use = "does nothing until it is given to `run_if`"]
pub struct ConditionSource {
    /// Invariant 1: names all that the built condition accesses. Executors rely on it.
    pub(crate) meta: ConditionMeta,
    pub(crate) build: Box<dyn FnOnce(&World) -> BoxCondition + Send>,
}

impl ConditionSource {
    /// Returns the description of the condition.
    #[must_use]
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

    /// Builds the condition: makes the states of its parameters, for one world.
    ///
    /// # Panics
    /// If parameters conflict, or if the first value of a [`Local`](super::Local) panics.
    #[doc(hidden)]
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
    note = "a run condition is a `#[system]` function without ordinary arguments, or a closure of system parameters with their types written, that returns `bool`"
)]
pub trait IntoCondition<M> {
    /// The return type. Not a bound of the implementations, so that an error about it names it.
    type Out;

    /// Erases the type.
    fn into_condition(self) -> ConditionSource
    where
        Self::Out: ConditionOutput;

    /// Combines both conditions: `other` is evaluated only if this one returns true.
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
    fn and<N, C: IntoCondition<N>>(self, other: C) -> ConditionSource
    where
        Self: Sized,
        Self::Out: ConditionOutput,
        C::Out: ConditionOutput,
    {
        both(
            self.into_condition(),
            ShortCircuit::OnFalse,
            other.into_condition(),
        )
    }

    /// Combines both conditions: `other` is evaluated only if this one returns false.
    fn or<N, C: IntoCondition<N>>(self, other: C) -> ConditionSource
    where
        Self: Sized,
        Self::Out: ConditionOutput,
        C::Out: ConditionOutput,
    {
        both(
            self.into_condition(),
            ShortCircuit::OnTrue,
            other.into_condition(),
        )
    }
}

/// The return type of a condition: `bool`.
#[diagnostic::on_unimplemented(
    message = "a run condition must return `bool`, not `{Self}`",
    label = "not `bool`"
)]
pub trait ConditionOutput {
    /// Returns true if the system runs.
    fn into_bool(self) -> bool;
}

impl ConditionOutput for bool {
    #[inline]
    fn into_bool(self) -> bool {
        self
    }
}

/// Negates `condition`.
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
pub fn not<M, C: IntoCondition<M>>(condition: C) -> ConditionSource
where
    C::Out: ConditionOutput,
{
    let ConditionSource { meta, build } = condition.into_condition();
    ConditionSource {
        meta: ConditionMeta {
            name: format!("not {}", operand_name(&meta)).into(),
            parts: meta.parts,
            is_about_states: meta.is_about_states,
            captures: meta.captures,
        },
        build: Box::new(|world| Box::new(Not(build(world)))),
    }
}

/// Refuses a condition that needs the world exclusively.
#[cold]
pub(super) fn refuse_exclusive(name: &str) -> ! {
    panic!(
        "the condition `{name}` takes `&mut World`, but a condition only reads; help: take `&World` or parameters"
    )
}

/// The result of the first condition at which the second one is not evaluated.
#[derive(Clone, Copy)]
enum ShortCircuit {
    /// `and` stops at false.
    OnFalse,
    /// `or` stops at true.
    OnTrue,
}

/// Combines two conditions; the second one is evaluated unless the first one decides.
fn both(first: ConditionSource, on: ShortCircuit, second: ConditionSource) -> ConditionSource {
    let word = match on {
        ShortCircuit::OnFalse => "and",
        ShortCircuit::OnTrue => "or",
    };
    let name = format!(
        "{} {word} {}",
        operand_name(&first.meta),
        operand_name(&second.meta)
    );
    let is_about_states = first.meta.is_about_states && second.meta.is_about_states;
    let captures = first.meta.captures || second.meta.captures;
    let sleeps = first.meta.is_about_states && second.meta.has_readers();
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
                first: (first.build)(world),
                on,
                second: (second.build)(world),
                sleeps,
            })
        }),
    }
}

/// Returns the name as part of a longer one.
fn operand_name(meta: &ConditionMeta) -> String {
    if meta.parts.len() > 1 {
        format!("({})", meta.name)
    } else {
        meta.name.to_string()
    }
}

struct Not(BoxCondition);

impl DynSystem<(), Result<bool, BoxError>> for Not {
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<bool, BoxError> {
        // SAFETY: the caller's contract for `self` is that for the inner condition, as their metadata is the same.
        let yes = unsafe { self.0.run(world, ()) }?;
        Ok(!yes)
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.0.flush(into);
    }

    unsafe fn skip(&mut self, world: &World) {
        // SAFETY: the caller's contract for `self` is that for the inner condition, as their metadata is the same.
        unsafe { self.0.skip(world) };
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.0.remembered(remember);
    }
}

struct Both {
    first: BoxCondition,
    on: ShortCircuit,
    second: BoxCondition,
    /// True if the second one sleeps while the first one, which is about states, is false.
    sleeps: bool,
}

impl DynSystem<(), Result<bool, BoxError>> for Both {
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<bool, BoxError> {
        // SAFETY: by the caller's contract no other code uses what the metadata names in a conflicting way; it names
        // what both conditions access, and they run one after the other.
        let first = unsafe { self.first.run(world, ()) }?;
        if first == matches!(self.on, ShortCircuit::OnTrue) {
            if self.sleeps && !first {
                // SAFETY: as for its run, below.
                unsafe { self.second.skip(world) };
            }
            Ok(first)
        } else {
            // SAFETY: by the caller's contract no other code uses what the metadata names in a conflicting way; it
            // names what both conditions access, and the first one has ended.
            unsafe { self.second.run(world, ()) }
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.first.flush(into);
        self.second.flush(into);
    }

    unsafe fn skip(&mut self, world: &World) {
        // SAFETY: by the caller's contract, as the metadata names what both conditions access.
        unsafe { self.first.skip(world) };
        // SAFETY: as for the first one, which has ended.
        unsafe { self.second.skip(world) };
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        self.first.remembered(remember);
        self.second.remembered(remember);
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
