//! A state whose type is not known.

use core::any::Any;

use crate::world::World;

/// One state of a step, without its type.
///
/// A transition is decided for all states, parents before their children, and then made in the steps that the
/// [driver](super::driver) lists.
pub(super) trait ErasedState: Any + Send + Sync {
    /// Inserts the first state into the world, unless it is there.
    fn set_up(&self, world: &mut World);

    /// Returns false if the state was not added, neither to the step nor to the world.
    fn is_added(&self, world: &World) -> bool;

    /// Takes the request from the world; `keep` says whether the one that was taken before still counts, if there is no
    /// new one. `None` if the world lacks the state.
    fn take_request(&mut self, world: &World, keep: bool) -> Option<FoundRequest>;

    /// Decides about the next change, without requests unless `with_requests`.
    fn decide(&mut self, world: &World, parent: Option<&dyn ErasedState>, with_requests: bool);

    /// Returns the change that was decided.
    fn change(&self) -> Change;

    /// Returns the state after the change; `None` if there is none then.
    fn next(&self) -> Option<&dyn Any>;

    /// Returns the position of the schedule that runs at the moment, if there is one.
    fn schedule(&self, phase: TransitionPhase) -> Option<usize>;

    /// Despawns the entities that go when the old state is left.
    fn despawn(&self, world: &mut World);

    /// Makes the change in the resources of the world.
    fn apply(&self, world: &mut World);
}

/// What a look at the requests of a state found.
#[derive(Clone, Copy, Default)]
pub(super) struct FoundRequest {
    /// True if there is a request.
    pub(super) requested: bool,
    /// True if the first state is not entered yet.
    pub(super) is_new: bool,
}

/// What happens to a state in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    Stay,
    /// It begins to exist, or its first value is entered.
    Begin,
    /// It becomes another one, or is entered again on request.
    Switch,
    /// It ends and begins anew, as its parent did.
    Restart,
    /// It ceases to exist.
    End,
}

impl Change {
    #[inline]
    pub(super) fn leaves(self) -> bool {
        matches!(self, Self::Switch | Self::Restart | Self::End)
    }

    #[inline]
    pub(super) fn enters(self) -> bool {
        matches!(self, Self::Begin | Self::Switch | Self::Restart)
    }
}

/// A part of a transition in which systems run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransitionPhase {
    Exit,
    Between,
    Enter,
}
