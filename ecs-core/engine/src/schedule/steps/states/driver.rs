//! The runs of a step that makes transitions.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::erased::{Change, ErasedState, TransitionPhase};
use super::of_world;
use crate::schedule::declare::{Driver, FindResource, StateError};
use crate::system::{BoxError, Remember, Remembered};
use crate::world::World;

/// Makes the transitions of all states of a step, and names the schedules that run in them.
pub(super) struct Changes {
    /// Parents before their children.
    pub(super) states: Vec<Driven>,
    /// True if states may begin without a request: in the first run, and while the first value of a state is not entered.
    begins: bool,
    /// True if there are requests that no transition has looked at.
    requested: bool,
    pending: PendingTransition,
    /// The number of schedules of the step.
    schedules: usize,
    /// The number of the last load that it has followed.
    seen: u64,
}

/// One state of the step.
pub(super) struct Driven {
    pub(super) state: Box<dyn ErasedState>,
    /// The position of its parent among the states.
    pub(super) parent: Option<usize>,
    /// The error if the state is missing.
    pub(super) missing: StateError,
}

/// The rest of a transition.
#[derive(Clone, Default)]
pub(crate) struct PendingTransition {
    tasks: VecDeque<TransitionTask>,
}

#[cfg(feature = "snapshot")]
impl PendingTransition {
    /// Returns its tasks: the kind of each, and a position.
    pub(crate) fn parts(&self) -> impl ExactSizeIterator<Item = (u8, u64)> {
        self.tasks.iter().map(|task| match *task {
            TransitionTask::Run(schedule) => (0, schedule as u64),
            TransitionTask::Despawn(state) => (1, state as u64),
            TransitionTask::Apply(state) => (2, state as u64),
        })
    }

    /// Adds a task of such parts; returns false if there is no such one.
    pub(crate) fn push_part(&mut self, (kind, position): (u8, u64)) -> bool {
        let Ok(position) = usize::try_from(position) else {
            return false;
        };
        let task = match kind {
            0 => TransitionTask::Run(position),
            1 => TransitionTask::Despawn(position),
            2 => TransitionTask::Apply(position),
            _ => return false,
        };
        self.tasks.push_back(task);
        true
    }
}

/// A part of a transition; it identifies states by position.
#[derive(Clone, Copy)]
enum TransitionTask {
    /// A schedule runs.
    Run(usize),
    /// The entities of the old state are despawned.
    Despawn(usize),
    /// The resources change.
    Apply(usize),
}

impl Changes {
    #[inline]
    pub(super) fn new(states: Vec<Driven>, schedules: usize) -> Self {
        Self {
            states,
            begins: true,
            requested: false,
            pending: PendingTransition::default(),
            schedules,
            seen: 0,
        }
    }

    /// Follows the last load: brings all states in line with the loaded ones, without their systems, or with the systems for
    /// entering them.
    #[cold]
    fn follow_load(&mut self, world: &mut World) {
        let (number, last) = world.last_load();
        self.seen = number;
        self.requested = false;
        let mut tasks = Vec::new();
        for index in 0..self.states.len() {
            let (before, rest) = self.states.split_at_mut(index);
            let Driven { state, parent, .. } = &mut rest[0];
            let parent = parent.map(|parent| &*before[parent].state);
            state.decide_loaded(world, parent);
            let leaves = state.change().leaves();
            tasks.extend(leaves.then_some(TransitionTask::Despawn(index)));
            let changes = state.change() != Change::Stay;
            tasks.extend(changes.then_some(TransitionTask::Apply(index)));
        }
        for Driven { state, .. } in &self.states {
            let enters = state.change().enters() || last.has(state.state_type());
            let schedule = (last.enters && enters).then(|| state.schedule(TransitionPhase::Enter));
            tasks.extend(schedule.flatten().map(TransitionTask::Run));
        }
        self.pending.tasks = tasks.into();
    }

    /// Decides on the next transition.
    #[inline]
    fn decide(&mut self, world: &World, with_requests: bool) {
        for index in 0..self.states.len() {
            let (before, rest) = self.states.split_at_mut(index);
            let Driven { state, parent, .. } = &mut rest[0];
            let parent = parent.map(|parent| &*before[parent].state);
            state.decide(world, parent, with_requests);
        }
        // Complete before it is stored, because comparisons of states may panic.
        let mut tasks = Vec::new();
        let changed = |index: &usize| self.states[*index].state.change() != Change::Stay;
        let changed: Vec<usize> = (0..self.states.len()).filter(changed).collect();
        for &index in changed.iter().rev() {
            let state = &self.states[index].state;
            if state.change().leaves() {
                tasks.extend(
                    state
                        .schedule(TransitionPhase::Exit)
                        .map(TransitionTask::Run),
                );
                tasks.push(TransitionTask::Despawn(index));
            }
        }
        tasks.extend(changed.iter().map(|&index| TransitionTask::Apply(index)));
        for phase in [TransitionPhase::Between, TransitionPhase::Enter] {
            for &index in &changed {
                let state = &self.states[index].state;
                let runs = match phase {
                    TransitionPhase::Between => state.change() == Change::Switch,
                    _ => state.change().enters(),
                };
                let schedule = runs.then(|| state.schedule(phase)).flatten();
                tasks.extend(schedule.map(TransitionTask::Run));
            }
        }
        self.pending.tasks = tasks.into();
    }
}

impl Driver for Changes {
    #[inline]
    fn set_up(&mut self, world: &mut World) {
        for driven in &self.states {
            driven.state.set_up(world);
            of_world::note_declared(world, &*driven.state);
        }
    }

    #[inline]
    fn start(&mut self, world: &mut World) -> Result<(), BoxError> {
        of_world::follow_others(world);
        if world.loads != self.seen {
            self.follow_load(world);
        }
        let (keep, mut missing) = (self.requested, None);
        for driven in &mut self.states {
            match driven.state.take_request(world, keep) {
                Some(found) => {
                    self.requested |= found.requested;
                    self.begins |= found.is_new;
                }
                None => missing = missing.or(Some(&driven.missing)),
            }
        }
        match missing {
            Some(error) => Err(error.clone().into()),
            None => Ok(()),
        }
    }

    #[inline]
    fn next(&mut self, world: &mut World) -> Option<usize> {
        loop {
            // Removed before it runs, so a task that panics does not run again.
            match self.pending.tasks.pop_front() {
                // Positions of a snapshot in bytes may be wrong.
                Some(TransitionTask::Run(schedule)) => {
                    if schedule < self.schedules {
                        return Some(schedule);
                    }
                }
                Some(TransitionTask::Despawn(state)) => {
                    if let Some(driven) = self.states.get(state) {
                        driven.state.despawn(world);
                    }
                }
                Some(TransitionTask::Apply(state)) => {
                    if let Some(driven) = self.states.get(state) {
                        driven.state.apply(world);
                    }
                }
                None if self.begins => {
                    self.decide(world, false);
                    self.begins = false;
                }
                None if self.requested => {
                    // Cleared first: requests are forgotten if a comparison or a computed state panics.
                    self.requested = false;
                    self.decide(world, true);
                }
                None => return None,
            }
        }
    }

    fn computed(&self, id: TypeId, find: FindResource<'_>) -> Option<Box<dyn Any + Send + Sync>> {
        let mut states = self.states.iter();
        let Driven { state, parent, .. } = states.find(|driven| driven.state.state_type() == id)?;
        let parent = &self.states[(*parent)?].state;
        state.computed(parent.value_of(find(parent.state_type())?)?)
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.seen));
        remember(Remembered::value(&mut self.begins));
        remember(Remembered::value(&mut self.requested));
        remember(Remembered::value(&mut self.pending));
        for driven in &mut self.states {
            driven.state.remembered(remember);
        }
    }
}
