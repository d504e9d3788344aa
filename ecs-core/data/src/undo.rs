//! Steps that are undone and redone.

use std::collections::VecDeque;
use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::World;

use crate::clone::copy_of;
use crate::{ApplyError, CloneError, Diff, DiffError, Differ};

/// The steps of an editor or a game, to undo and redo them.
///
/// A step is everything that happens to a world in a call of [`record`](Self::record): its difference is kept. After an undo, the
/// world has the same entities again, with the same ids, so ids kept elsewhere still lead to them.
///
/// ```
/// use ecs_core::data::Undo;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "editor.place")]
/// struct Place(i32, i32);
///
/// let mut world = World::new();
/// let mut undo = Undo::new(100);
/// let lamp = undo.record(&mut world, |world| world.spawn(Place(0, 0)))?;
/// undo.record(&mut world, |world| world.get_mut::<Place>(lamp).unwrap().0 = 7)?;
/// undo.record(&mut world, |world| world.despawn(lamp))??;
///
/// assert!(undo.undo(&mut world)?);
/// assert_eq!(*world.get::<Place>(lamp).unwrap(), Place(7, 0));
/// assert!(undo.undo(&mut world)?);
/// assert_eq!(*world.get::<Place>(lamp).unwrap(), Place(0, 0));
/// assert!(undo.redo(&mut world)?);
/// assert_eq!(*world.get::<Place>(lamp).unwrap(), Place(7, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Recording copies and compares the data: O(values of the world) for a step. If that is too much, make the difference of a step
/// by other means, such as from a small world that is edited, and [`push`](Self::push) it.
///
/// Undoing or redoing a step calls no hooks and observers: their changes are part of the step if they are data. So a total that
/// an observer keeps in a data resource is right without its help. State that they keep outside of the data, such as bodies of a
/// physics engine, can follow `Added` and `Removed` in a system, or you can [ask for the calls](Self::with_hooks).
///
/// Changes made to the world between the steps are not undone. They do not matter unless they touch data that a step changed; in
/// that case the step is [refused](ApplyError), and the world is as it was.
#[derive(Clone, Debug)]
pub struct Undo {
    differ: Differ,
    limit: usize,
    with_hooks: bool,
    /// The steps that can be undone, at most `limit`, with the last one at the end.
    done: VecDeque<Diff>,
    /// The steps that can be redone, the next one at the end.
    undone: Vec<Diff>,
}

impl Undo {
    /// Creates a list of at most `limit` steps; the oldest ones are forgotten. Everything in a world is compared, and has to be
    /// data.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self::with(Differ::new(), limit)
    }

    /// Creates a list of at most `limit` steps that only records the data that a [`Differ`] compares, such as the components that
    /// are data.
    ///
    /// Events are never part of a step: when it is undone, its events have already been read, and they are not sent again; one
    /// that it has [delayed](ecs_engine::Commands::delay_event) still comes. If
    /// a step despawns an entity, the left-out components go with it and do not come back.
    #[must_use]
    pub fn with(differ: Differ, limit: usize) -> Self {
        Self {
            differ: differ.without_events(),
            limit,
            with_hooks: false,
            done: VecDeque::new(),
            undone: Vec::new(),
        }
    }

    /// Calls hooks and observers when a step is undone or done again, like [`Diff::apply_with_hooks`]. Data that they write
    /// comes on top of the state that a step leads to. If the result differs from the state that the previous step left, that
    /// step cannot be undone.
    #[must_use]
    pub fn with_hooks(mut self) -> Self {
        self.with_hooks = true;
        self
    }

    /// Calls a function that changes the world, and records its changes as one step. Steps that were undone are forgotten. If
    /// nothing has changed there is no step.
    ///
    /// The world is [flushed](World::flush) before and after.
    ///
    /// # Errors
    /// * [`RecordError::Before`] if the world cannot be copied; the function has not been called in that case.
    /// * [`RecordError::After`] if the states cannot be compared, for example because the function has added a component that is
    ///   not data. Its changes stay; all steps are forgotten, because they lead to a state from before.
    ///
    /// # Panics
    /// If the function panics. No step is recorded.
    pub fn record<R>(
        &mut self,
        world: &mut World,
        change: impl FnOnce(&mut World) -> R,
    ) -> Result<R, RecordError> {
        world.flush();
        let left_out = &self.differ.left_out;
        let before = copy_of(world, left_out, &[]).map_err(RecordError::Before)?;
        let result = change(world);
        world.flush();
        match self.differ.between(&before, world) {
            Ok(diff) => self.push(diff),
            Err(error) => {
                self.clear();
                return Err(RecordError::After(error));
            }
        }
        Ok(result)
    }

    /// Adds a step that leads to the present state of the world. Steps that were undone are forgotten. An empty one is not added.
    pub fn push(&mut self, step: Diff) {
        if step.is_empty() {
            return;
        }
        self.undone.clear();
        self.done.push_back(step);
        while self.done.len() > self.limit {
            self.done.pop_front();
        }
    }

    /// Adds a step to the last one, so that both are undone together: for example everything that happens while the mouse is
    /// held. Steps that were undone are forgotten. If the second step reverses the first one, both are forgotten, too. An empty
    /// one is not added.
    ///
    /// # Errors
    /// If it does not [continue](Diff::then) the last one; it is then a step of its own.
    pub fn merge(&mut self, step: Diff) -> Result<(), crate::ThenError> {
        if step.is_empty() {
            return Ok(());
        }
        let Some(last) = self.done.pop_back() else {
            self.push(step);
            return Ok(());
        };
        self.undone.clear();
        match last.clone().then(&step) {
            Ok(both) => self.push(both),
            Err(error) => {
                self.push(last);
                self.push(step);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Undoes the last step; returns false if there is none. See [`Diff::apply`].
    ///
    /// # Errors
    /// If the world is not in the state that the step leads to. World and steps are unchanged in that case.
    ///
    /// # Panics
    /// Like [`Diff::apply`].
    pub fn undo(&mut self, world: &mut World) -> Result<bool, ApplyError> {
        let Some(step) = self.done.back() else {
            return Ok(false);
        };
        let applied = step.reversed().apply_to(world, self.with_hooks)?;
        self.undone.extend(self.done.pop_back());
        applied.finish();
        Ok(true)
    }

    /// Redoes the step that was undone last; returns false if there is none. See [`Diff::apply`].
    ///
    /// # Errors
    /// If the world is not in the state that the step starts from. World and steps are unchanged in that case.
    ///
    /// # Panics
    /// Like [`Diff::apply`].
    pub fn redo(&mut self, world: &mut World) -> Result<bool, ApplyError> {
        let Some(step) = self.undone.last() else {
            return Ok(false);
        };
        let applied = step.apply_to(world, self.with_hooks)?;
        self.done.extend(self.undone.pop());
        applied.finish();
        Ok(true)
    }

    /// Returns the steps that can be undone, the oldest one first.
    pub fn done(&self) -> impl ExactSizeIterator<Item = &Diff> {
        self.done.iter()
    }

    /// Returns the steps that can be redone, the next one first.
    pub fn undone(&self) -> impl ExactSizeIterator<Item = &Diff> {
        self.undone.iter().rev()
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.done.clear();
        self.undone.clear();
    }
}

/// The reason why a step was not recorded.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The world cannot be copied. Nothing has changed.
    Before(CloneError),
    /// The states before and after cannot be compared. The change stays.
    After(DiffError),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(CloneError::NotData { entity, name }) => write!(
                f,
                "entity {entity}, `{name}`: it is not data, so a change of it could not be undone; help: make it data (`#[component(data = \"{}\")]`), or leave it out: `Undo::with(Differ::new().only_data(), ..)`",
                data_name(name)
            ),
            Self::Before(error) => error.fmt(f),
            Self::After(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}
