//! Direct runs of a system: `movement(&world)` and `world.run(movement)`.

use super::error::LockError;
use super::handle::WorldFor;
use super::runner::{IntoSystem, RunOutput};
use super::visitor::{ExclusiveFn, SystemVisitor, VisitSystem};
use crate::world::World;

/// Runs a system without ordinary arguments. Called by the function that `#[system]` generates.
#[inline]
#[track_caller]
pub fn direct<S: VisitSystem<Out>, Out: 'static, W: WorldFor<S>>(world: &W) -> Out {
    let () = W::CHECK;
    let world = world.world();
    match run::<S, Out>(&world) {
        Ok(out) => out,
        Err(error) => error.raise(),
    }
}

/// Runs a shared system.
#[inline]
#[track_caller]
fn run<S: VisitSystem<Out>, Out: 'static>(world: &World) -> Result<Out, LockError> {
    // SAFETY: only `visit` receives it.
    let mut visitor = unsafe { SystemVisitor::<S, (), Out, RanNow<Out>>::new(world, Some(())) };
    S::visit(&mut visitor);
    let RanNow(result) = visitor.result.expect("a system has a function");
    result
}

/// The result of a run that is the visit itself.
struct RanNow<Out>(Result<Out, LockError>);

#[diagnostic::do_not_recommend]
impl<Out> RunOutput<RanNow<Out>> for Out {
    const BUILDS: bool = false;

    #[inline]
    fn convert(result: Result<Out, LockError>) -> RanNow<Out> {
        RanNow(result)
    }
}

/// Runs the system `S` for [`World::run`].
#[inline]
#[track_caller]
pub(super) fn run_in<S: VisitSystem<Out>, Out: 'static>(
    world: &mut World,
) -> Result<Out, LockError> {
    if const { S::EXCLUSIVE.is_none() } {
        return run::<S, Out>(world);
    }
    run_exclusive(S::EXCLUSIVE, world)
}

/// Calls the function of an exclusive system. Separate, so that it is compiled once and not for each system.
fn run_exclusive<Out>(
    function: Option<ExclusiveFn<Out>>,
    world: &mut World,
) -> Result<Out, LockError> {
    Ok(function.expect("the system is exclusive")(world, ()))
}

impl World {
    /// Runs a system once, applies its commands, and returns its result.
    ///
    /// Takes any `#[system]` function without ordinary arguments, with any return type, including exclusive ones. It
    /// also takes closures of system parameters, which may borrow from their surroundings:
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn double(mut number: ResMut<u32>) -> u32 {
    ///     *number *= 2;
    ///     *number
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(21_u32);
    /// assert_eq!(world.run(double), 42);
    ///
    /// let mut seen = Vec::new();
    /// let half = world.run(|number: Res<u32>| {
    ///     seen.push(*number);
    ///     *number / 2
    /// });
    /// assert_eq!((half, seen), (21, vec![42]));
    /// ```
    ///
    /// If the commands can wait, or you only have a `&World`, call the function: `movement(&world)`.
    ///
    /// # State between runs
    /// The world keeps the states of the parameters from run to run ([`Local`](super::Local), the positions of readers, the
    /// ticks of the last run). It keeps one set of states for each function and for each closure in the program text,
    /// whatever values the closure has captured. So a closure that runs once a frame sees each event once. It also goes on
    /// when the same closure runs again in a loop, or in a second call of the function around it. Its readers stay
    /// registered: events that they do not read are kept for them, up to [the bound](crate::event::Events#the-bound).
    ///
    /// A [`SystemValue`](super::SystemValue) is moved into the call, so each call starts with fresh states. To keep them,
    /// [register](World::register_system) the value.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.add_event::<u32>();
    /// let mut seen = Vec::new();
    /// for n in 0..3_u32 {
    ///     world.send_event(n);
    ///     world.run(|mut events: EventReader<u32>| seen.push(events.read().sum::<u32>()));
    /// }
    /// assert_eq!(seen, [0, 1, 2]);
    /// ```
    ///
    /// # Panics
    /// If a parameter cannot be locked, for example because a resource is missing; the message names system, parameter
    /// and reason.
    #[track_caller]
    #[doc(alias = "run_system_once")]
    #[doc(alias = "run_now")]
    #[doc(alias = "run_system_cached")]
    #[doc(alias = "run_default")]
    pub fn run<F, M, Out>(&mut self, system: F) -> Out
    where
        F: IntoSystem<M, Out = Out>,
    {
        let result = system.run_in(self);
        self.flush();
        match result {
            Ok(out) => out,
            Err(error) => error.raise(),
        }
    }
}
