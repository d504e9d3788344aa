//! The trait of system parameters.

use super::error::{ParamError, ParamLockError};
use super::held_borrows::HeldBorrows;
use super::remembered::{Remember, Remembered};
use crate::meta::{ParamAccess, ParamInfo, ParamType};
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

/// A value that a system borrows from the world while it runs.
///
/// A parameter is used in three steps. The system keeps its [`State`](Self::State) between runs. Its
/// [`Guard`](Self::Guard) holds the run-time borrow during one run. Its [`Item`](Self::Item) relies on the guard and is
/// passed to the function.
///
/// A struct implements it by the derive of the same name if its fields are parameters. Systems name it with its
/// lifetime:
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
/// * `ACCESS` names at least the data of the world that `lock`, `item`, `skip` and the value access, each type by the
///   identity of its `Component` or `Resource` impl. So does `PARAMS`.
/// * `lock` and `lock_list` use `held` only to pass it to the `lock` of parameters that `ACCESS` contains, and holds the guard of each at
///   most once at a time.
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

    /// True if the state carries information from run to run, so that replacing it by a new one would make a
    /// difference.
    ///
    /// The world keeps the states of a directly called system only if this is true for one of them.
    const REMEMBERS: bool = false;

    /// True if the parameter has a reader of events or removals, so that [`skip`](Self::skip) has an effect.
    ///
    /// A schedule calls `skip` only if this is true for a parameter of the system.
    const HAS_READERS: bool = false;

    /// All the constants in one, for `#[system]`.
    #[doc(hidden)]
    const TYPE: ParamType = ParamType {
        access: Self::ACCESS,
        remembers: Self::REMEMBERS,
        has_readers: Self::HAS_READERS,
        is_row: false,
    };

    /// The number of parameters in a list of them, such as a tuple.
    #[doc(hidden)]
    const LEN: usize = 0;

    /// The descriptions of the parameters in a tuple, which has no names for them; another parameter is the only one.
    #[doc(hidden)]
    const PARAMS: &'static [ParamInfo] = &[ParamInfo {
        name: "0",
        ty: "_",
        of: Self::TYPE,
    }];

    /// The names of their types.
    #[doc(hidden)]
    const NAMES: &'static [fn() -> &'static str] = &[type_name::<Self>];

    /// Creates the state before the first run.
    fn init(world: &World) -> Self::State;

    /// Borrows from the world for one run.
    ///
    /// `held` holds the run-time borrows that the system takes for several of its parameters, or, in a schedule, for
    /// all of them. A parameter that consists of others passes it on to them; all others can ignore it.
    ///
    /// # Errors
    /// If a value is missing, or borrowed elsewhere in a conflicting way.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError>;

    /// Like [`lock`](Self::lock). The error of a list tells which of its parameters cannot be locked.
    ///
    /// # Errors
    /// If a parameter cannot be locked. Then none is.
    #[doc(hidden)]
    #[inline]
    fn lock_list<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError> {
        match Self::lock(state, world, held) {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamLockError::new(0, error)),
        }
    }

    /// Returns the value for the function.
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Moves the changes deferred during the run to `into`.
    ///
    /// Called after each run, when all guards are dropped. A schedule calls it only if [`ACCESS`](Self::ACCESS)
    /// contains [`ParamAccess::Deferred`] or the whole world.
    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        let _ = (state, into);
    }

    /// Marks everything as read that the parameter's readers have not read yet.
    ///
    /// A schedule calls it in place of a skipped run, if it [discards](crate::schedule::Unread::Discard) unread data.
    fn skip(state: &mut Self::State, world: &World) {
        let _ = (state, world);
    }

    /// Calls a function with everything that the state carries from run to run.
    ///
    /// A snapshot with a schedule refuses a parameter that [remembers](Self::REMEMBERS) something but does not implement
    /// this.
    #[doc(hidden)]
    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        let _ = state;
        if Self::REMEMBERS {
            remember(Remembered::unknown(core::any::type_name::<Self>()));
        }
    }
}
