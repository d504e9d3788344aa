//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order determine a [`SchedulePlan`], which is
//! immutable and public. An executor then runs the plan. Systems themselves are defined in [`system`](mod@crate::system).

#[doc(inline)]
pub use ecs_engine::schedule::*;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use crate::__schedule as schedule;

/// Declares a schedule that is planned at compile time.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system]
/// fn gravity(mut velocities: CompMut<Velocity>) {
///     velocities.iter_mut().for_each(|velocity| velocity.0 -= 1.0);
/// }
///
/// #[system]
/// fn movement(mut positions: CompMut<Position>, velocities: Comp<Velocity>) {
///     (&mut positions, &velocities).for_each(|(position, velocity)| position.0 += velocity.0);
/// }
///
/// #[system]
/// fn awake(paused: Res<bool>) -> bool {
///     !*paused
/// }
///
/// schedule! {
///     /// The systems of a frame.
///     pub static FRAME = [movement.after(gravity), gravity.run_if(awake)]
/// }
///
/// let mut world = World::new();
/// world.insert_resource(false);
/// let stone = world.spawn((Position(10.0), Velocity(0.0)));
/// FRAME.run(&mut world)?;
/// FRAME.run(&mut world)?;
/// assert_eq!(world.get::<Position>(stone).unwrap().0, 10.0 - 1.0 - 2.0);
///
/// // Known at compile time:
/// const _: () = assert!(FRAME.plan().stages() == 2);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # The list
/// Each entry means the same as in [`Schedule::add`](crate::Schedule::add): systems run as if in list order, which
/// `after`, `before` and `chain` change as little as possible; `run_if` adds a condition to a system or a tuple, and
/// `in_set` adds them to a set. [`to_schedule`](crate::schedule::StaticSchedule::to_schedule) returns that [`Schedule`], for
/// parallel runs and for pictures.
///
/// Systems and conditions are paths of `#[system]` functions, `physics::movement` or `tick::<Position>`; closures are
/// available at run time only. `after` and `before` find a system by its path, under any imported name; write a generic
/// one as in the list. Conditions are combined as `run_if(one.and(not(other)))`.
///
/// Several `static`s can follow each other, separated by `;`. The documentation of each lists its steps.
///
/// # Determinism
/// Begin with `deterministic`, as in `deterministic pub static FRAME = [..]`, and the list does not compile if its effects may
/// depend on something that is neither in the world nor in the metadata of its systems: see
/// [`Schedule::deterministic`](crate::Schedule::deterministic).
///
/// # Sets
/// `configure`, `chain_sets` and `unordered` are entries of their own, written like the methods of [`Schedule`]:
///
/// ```
/// use ecs_core::schedule::conditions::not;
/// # use ecs_core::prelude::*;
/// # #[system] fn read_keys(mut log: ResMut<String>) { log.push('k') }
/// # #[system] fn gravity(mut log: ResMut<String>) { log.push('g') }
/// # #[system] fn movement(mut log: ResMut<String>) { log.push('m') }
/// # #[system] fn draw(mut log: ResMut<String>) { log.push('d') }
/// # #[system] fn paused() -> bool { false }
/// # #[system] fn frozen() -> bool { false }
/// #[derive(Debug, PartialEq, Eq, Hash)]
/// enum Frame { Input, Physics }
///
/// schedule! {
///     static FRAME = [
///         (gravity, movement).in_set(Frame::Physics),
///         draw.after(Frame::Physics),
///         read_keys.in_set(Frame::Input),
///         configure(Frame::Physics, |set| set.after(Frame::Input).run_if(not(paused.or(frozen)))),
///     ]
/// }
/// # let mut world = World::new();
/// # world.insert_resource(String::new());
/// # FRAME.run(&mut world).unwrap();
/// # assert_eq!(*world.resource::<String>(), "kgmd");
/// ```
///
/// A set is identified by its source text, so write it in the same way in the whole list. If no system of the list is in a
/// set, that is an error at its name.
///
/// # Constants
/// Order, conflicts and stages of the list are constants of its [plan](crate::schedule::StaticPlan), each computed only if
/// the program uses it. It runs like [`Schedule::run_seq`](crate::Schedule::run_seq).
///
/// # Compile errors
/// A cycle of systems, at the name of the schedule: ``systems wait for each other: `a` before `b` before `a` ``. A system
/// in `after` or `before` that the list has twice or not at all, at its name there.
///
/// ```compile_fail,E0080
/// # use ecs_core::prelude::*;
/// # #[system] fn input() {}
/// # #[system] fn draw() {}
/// schedule! { static FRAME = [draw.after(input)] }
/// ```
///
/// `unordered(a, b)` asserts that the order of two systems does not matter: neither writes data that the other one
/// accesses, and neither reads data that the other one changes by commands. The assertion is checked as the program
/// grows:
///
/// ```compile_fail,E0080
/// # use ecs_core::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
/// # #[system] fn win(mut score: ResMut<Score>) { score.0 += 1 }
/// # #[system] fn show(score: Res<Score>) { println!("{}", score.0) }
/// schedule! { static FRAME = [win, show, unordered(win, show)] }
/// ```
///
/// Types that a constant cannot distinguish (instances of one generic type, resources without a derive) count as the
/// same.
// With `$crate`, like the macros of closed worlds.
#[cfg(feature = "macros")]
#[doc(hidden)]
#[macro_export]
macro_rules! __schedule {
    ($($tokens:tt)*) => { $crate::__private::schedule! { [$crate] $($tokens)* } };
}
