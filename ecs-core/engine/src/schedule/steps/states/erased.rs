//! A state without its type.

use alloc::boxed::Box;
use core::any::{Any, TypeId};

use crate::system::Remember;
use crate::world::World;

/// One state of a step, without its type.
///
/// A transition is decided for all states, parents before their children. Then it is made in the order that the
/// [driver](super::driver) lists.
pub(super) trait ErasedState: Any + Send + Sync {
    /// Inserts the first state into the world, unless the world has one.
    fn set_up(&self, world: &mut World);

    /// Returns false if the state was added neither to the step nor to the world.
    fn is_added(&self, world: &World) -> bool;

    /// Takes the request from the world. If there is no new one, `keep` decides whether the request that was taken before
    /// still counts. `None` if the world lacks the state.
    fn take_request(&mut self, world: &World, keep: bool) -> Option<FoundRequest>;

    /// Decides on the next change. Considers requests only if `with_requests`.
    fn decide(&mut self, world: &World, parent: Option<&dyn ErasedState>, with_requests: bool);

    /// Decides on the change that brings the state in line with its parent after a load: values that were loaded stay.
    fn decide_loaded(&mut self, world: &World, parent: Option<&dyn ErasedState>);

    /// Returns the value of the state's resource.
    fn value_of<'a>(&self, state: &'a dyn Any) -> Option<&'a dyn Any>;

    /// Returns the resource of a computed state, from the value of its parent; `None` if there is none.
    fn computed(&self, parent: &dyn Any) -> Option<Box<dyn Any + Send + Sync>>;

    /// Returns the type of the state's resource.
    fn state_type(&self) -> TypeId;

    /// Calls a function with everything that it keeps from run to run.
    fn remembered(&mut self, remember: &mut Remember<'_>);

    /// Returns the change that was decided.
    fn change(&self) -> Change;

    /// Returns the state after the change; `None` if there is none then.
    fn next(&self) -> Option<&dyn Any>;

    /// Returns the position of the schedule for this phase, if there is one.
    fn schedule(&self, phase: TransitionPhase) -> Option<usize>;

    /// Despawns the entities of the old state.
    fn despawn(&self, world: &mut World);

    /// Makes the change in the resources of the world.
    fn apply(&self, world: &mut World);
}

/// The result of looking for requests to a state.
#[derive(Clone, Copy, Default)]
pub(super) struct FoundRequest {
    /// True if there is a request.
    pub(super) requested: bool,
    /// True if the first state is not entered yet.
    pub(super) is_new: bool,
}

/// The change of a state in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    Stay,
    /// It begins to exist, or enters its first value.
    Begin,
    /// It takes another value, or is entered again on request.
    Switch,
    /// It ends and begins anew, because its parent did.
    Restart,
    /// It ceases to exist.
    End,
}

impl Change {
    #[cfg(feature = "data")]
    pub(super) const ALL: [Self; 5] = [
        Self::Stay,
        Self::Begin,
        Self::Switch,
        Self::Restart,
        Self::End,
    ];

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
