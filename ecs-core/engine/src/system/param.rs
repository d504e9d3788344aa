//! What can be a parameter of a system.

use core::fmt;

use super::held_borrows::HeldBorrows;
use crate::meta::{ParamAccess, ParamType};
use crate::resource::{NonSendError, ResourceError};
use crate::world::{BorrowError, CommandQueue, World};

/// Something that a system borrows from the world while it runs.
///
/// A parameter lives in three steps: a [`State`](Self::State) that the system keeps between runs, a
/// [`Guard`](Self::Guard) that holds the run-time borrow during one run, and the [`Item`](Self::Item) that the
/// function is called with, which relies on the guard.
///
/// Structs whose fields are parameters get an impl by the derive of the same name; in a system they are written with
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
/// * `ACCESS` names at least what `lock`, `get` and the item touch of the world, each type by the identity that its
///   `Component` or `Resource` impl gives it.
/// * `lock` uses `held` only to pass it to the `lock` of parameters that `ACCESS` contains, and holds the guard of each at
///   most once at a time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be borrowed from the world",
    label = "not a system parameter",
    note = "world parameters are `Comp<T>`, `CompMut<T>`, `Query<D, F>`, `Res<T>`, `ResMut<T>`, `Option<Res<T>>`, `Local<T>`, `Commands`, `&World`, ..",
    note = "values supplied by the caller come before the first world parameter"
)]
pub unsafe trait SystemParam {
    /// Kept by the system from run to run.
    type State: Send + 'static;
    /// Held during a run.
    type Guard<'w>;
    /// Passed to the function.
    type Item<'g>;

    /// What the parameter touches.
    const ACCESS: &'static ParamAccess;

    /// Whether the state remembers something between runs, so that a fresh one in its place would be noticed.
    ///
    /// Direct calls of a system keep the states in the world only if one of them remembers.
    const REMEMBERS: bool = false;

    /// Both, as one: what `#[system]` asks for.
    #[doc(hidden)]
    const TYPE: ParamType = ParamType {
        access: Self::ACCESS,
        remembers: Self::REMEMBERS,
    };

    /// The state before the first run.
    fn init(world: &World) -> Self::State;

    /// Borrows from the world for one run.
    ///
    /// `held` are the run-time borrows that the system holds for several of its parameters, or, in a schedule, for all of
    /// them. A parameter that is made of others passes it on to them; all others can ignore it.
    ///
    /// # Errors
    /// If a value is missing, or borrowed elsewhere in a conflicting way.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError>;

    /// What the function sees.
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Hands over what was put off during the run.
    ///
    /// Called after each run, when all guards are gone. A schedule does so only if [`ACCESS`](Self::ACCESS) contains
    /// [`ParamAccess::Deferred`] or the whole world.
    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        let _ = (state, into);
    }
}

/// Why a parameter could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamError {
    /// A component is borrowed elsewhere.
    Component(BorrowError),
    /// A resource is missing or borrowed elsewhere.
    Resource(ResourceError),
    /// A value that stays on its thread is missing, borrowed elsewhere, or belongs to another thread.
    NonSend(NonSendError),
    /// Nobody added the events that are to be read or sent.
    NoEvents {
        /// The name of the event's type.
        event: &'static str,
    },
    /// A field of a `#[derive(SystemParam)]` struct could not be had.
    Field {
        /// The field, as `name: Type`.
        field: &'static str,
        /// Why.
        error: Box<ParamError>,
    },
}

impl ParamError {
    #[cold]
    pub(crate) fn in_field(self, field: &'static str) -> Self {
        let error = Box::new(self);
        Self::Field { field, error }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            Self::NonSend(error) => error.fmt(f),
            Self::NoEvents { event } => write!(
                f,
                "events of the type `{event}` were not added; call `world.add_event` with that type before the system runs"
            ),
            Self::Field { field, error } => write!(f, "field `{field}`: {error}"),
        }
    }
}

impl core::error::Error for ParamError {}

impl From<BorrowError> for ParamError {
    fn from(error: BorrowError) -> Self {
        Self::Component(error)
    }
}

impl From<NonSendError> for ParamError {
    fn from(error: NonSendError) -> Self {
        Self::NonSend(error)
    }
}

impl From<ResourceError> for ParamError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}
