//! The trait of system parameters.

use super::error::ParamError;
use super::held_borrows::HeldBorrows;
use super::remembered::{Remember, Remembered};
use crate::meta::{Instance, ParamAccess, ParamType};
use crate::world::{CommandQueue, World};

/// Something that a system borrows from the world while it runs.
///
/// A parameter is used in three steps: a [`State`](Self::State) that the system keeps between runs, a
/// [`Guard`](Self::Guard) that holds the run-time borrow during one run, and the [`Item`](Self::Item) that is passed to
/// the function, and relies on the guard.
///
/// Structs whose fields are parameters implement it with the derive of the same name; in a system they are written with
/// their lifetime:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Resource)]
/// struct Score(u32);
///
/// #[derive(SystemParam)]
/// struct Game<'w, 's> {
///     score: ResMut<'w, Score>,
///     rounds: Local<'s, u32>,
/// }
///
/// impl Game<'_, '_> {
///     fn play(&mut self) {
///         *self.rounds += 1;
///         self.score.0 += *self.rounds;
///     }
/// }
///
/// #[system]
/// fn round(mut game: Game<'_, '_>) {
///     game.play();
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(0));
/// round(&world);
/// round(&world);
/// assert_eq!(world.resource::<Score>().0, 3);
/// ```
///
/// # Safety
/// * `ACCESS` names at least what `lock`, `get`, `skip` and the item access of the world, each type by the identity of its
///   `Component` or `Resource` impl.
/// * `lock` uses `held` only to pass it to the `lock` of parameters that `ACCESS` contains, and holds the guard of each
///   at most once at a time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be borrowed from the world",
    label = "not a system parameter",
    note = "write `Comp<{Self}>` or `CompMut<{Self}>` for the component of all entities, `Res<{Self}>` or `ResMut<{Self}>` for the resource; in a struct with the lifetime, `Res<'w, {Self}>`",
    note = "world parameters are `Comp<T>`, `CompMut<T>`, `Query<D, F>`, `Single<D, F>`, `Res<T>`, `ResMut<T>`, `Option<Res<T>>`, `Local<T>`, `Commands`, `&World`, ..",
    note = "a struct of parameters has `#[derive(SystemParam)]`; values supplied by the caller come before the first world parameter"
)]
pub unsafe trait SystemParam {
    /// The state that the system keeps from run to run.
    type State: Send + 'static;
    /// The guard that is held during a run.
    type Guard<'w>;
    /// The value that is passed to the function.
    type Item<'g>;

    /// The access of the parameter.
    const ACCESS: &'static ParamAccess;

    /// True if the state carries information from run to run, so that a new one in its place would be noticed.
    ///
    /// Direct calls of a system keep the states in the world only if this is true for one of them.
    const REMEMBERS: bool = false;

    /// True if the parameter has a reader of events or removals, so that [`skip`](Self::skip) does something.
    ///
    /// A schedule calls `skip` only if this is true for one of the parameters of a system.
    const HAS_READERS: bool = false;

    /// The types of data that the declaration of the parameter names; `None` if it may have others.
    #[doc(hidden)]
    const NAMED: Option<&'static [Option<Instance>]> = None;

    /// The constants as one, for `#[system]`.
    #[doc(hidden)]
    const TYPE: ParamType = ParamType {
        access: Self::ACCESS,
        remembers: Self::REMEMBERS,
        has_readers: Self::HAS_READERS,
    };

    /// Creates the state before the first run.
    fn init(world: &World) -> Self::State;

    /// Borrows from the world for one run.
    ///
    /// `held` are the run-time borrows that the system holds for several of its parameters, or, in a schedule, for all
    /// of them. A parameter that consists of others passes it on to them; all others can ignore it.
    ///
    /// # Errors
    /// If a value is missing, or borrowed elsewhere in a conflicting way.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError>;

    /// Returns the value for the function.
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Moves the changes that were deferred during the run to `into`.
    ///
    /// Called after each run, when all guards are dropped. A schedule calls it only if [`ACCESS`](Self::ACCESS)
    /// contains [`ParamAccess::Deferred`] or the whole world.
    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        let _ = (state, into);
    }

    /// Counts as read what the readers of the parameter have not read yet.
    ///
    /// A schedule calls it in place of a run that it skips, if what is unread then is to be
    /// [discarded](crate::schedule::Unread::Discard).
    fn skip(state: &mut Self::State, world: &World) {
        let _ = (state, world);
    }

    /// Calls a function with all that the state carries from run to run.
    ///
    /// A snapshot that has a schedule refuses a parameter which [remembers](Self::REMEMBERS) something and does not have this.
    #[doc(hidden)]
    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        let _ = state;
        if Self::REMEMBERS {
            remember(Remembered::unknown(core::any::type_name::<Self>()));
        }
    }
}
