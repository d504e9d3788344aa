//! Removing and replacing systems of a schedule.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use super::Schedule;
use super::declare::{Label, ListedStep, Removal, SetLabel};
use super::plan::{forget_changed, forget_removed};
use crate::system::{IntoSystem, SystemId, SystemOutput, SystemSource};

impl Schedule {
    /// Makes [planning](Self::plan), and so the next run, refuse the schedule if its result may depend on something that is
    /// neither in the world nor in the metadata of its systems:
    ///
    /// * a system or condition with a `&World` or a `&ResourceMap`, which may read anything;
    /// * one with a value of one thread (`NonSend`), which no snapshot, save or hash contains;
    /// * [`unordered`](Self::unordered) systems whose order makes a difference.
    ///
    /// The same holds for schedules inside steps. Planning does not look into the bodies of systems: use tests for those,
    /// such as the `DeterminismCheck` of the feature `data`. `schedule! { deterministic static .. }` makes the same check at
    /// compile time.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn peek(world: &World) {
    ///     println!("{} entities", world.len());
    /// }
    ///
    /// let mut frame = Schedule::new();
    /// frame.deterministic().add(peek);
    /// let error = frame.plan().unwrap_err().to_string();
    /// assert!(error.contains("`world: &World` may read anything"), "{error}");
    /// ```
    pub fn deterministic(&mut self) -> &mut Self {
        self.is_deterministic = true;
        self.outdate();
        self
    }

    /// Removes every copy of a system from the schedule, and returns their number.
    ///
    /// The system is dropped immediately, with its state and the conditions that only it has, so its readers of events and
    /// removals are no longer registered. All other systems keep their state and their timings. Members of a chain stay in
    /// order without it, but if an `after`, `before` or `unordered` of another system names it, the [plan](Self::plan) is an
    /// error.
    ///
    /// A system is identified by its type, as in `after`. To remove a closure, or a schedule inside this one, put it into a
    /// [set](super::IntoConfigs::in_set) and [remove the set](Self::remove_set).
    ///
    /// Takes O(systems + conditions). The next run plans this schedule anew, but not the schedules inside it.
    ///
    /// # Panics
    /// If the destructor of the system's state panics; the system is removed nevertheless.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn greet(mut log: ResMut<String>) { log.push('g') }
    /// #[system]
    /// fn work(mut log: ResMut<String>, mut days: Local<u8>) {
    ///     *days += 1;
    ///     log.push((b'0' + *days) as char);
    /// }
    ///
    /// let mut day = Schedule::new();
    /// day.add((greet, work));
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// day.run(&mut world)?;
    /// assert_eq!(day.remove(greet), 1);
    /// assert_eq!(day.remove(greet), 0);
    /// day.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "g12");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    #[inline]
    pub fn remove<M>(&mut self, system: impl IntoSystem<M>) -> usize {
        let id = system.named().0;
        let is_removed: Vec<_> = self.list.systems.iter().map(|one| one.id == id).collect();
        self.remove_all(&is_removed)
    }

    /// Removes a set: its systems, the systems of the sets inside it, and its [configuration](Self::configure). Returns the
    /// number of systems.
    ///
    /// Each system is removed as by [`remove`](Self::remove). Constraints can still name the set: the order of other systems
    /// and sets relative to it stays, including the order from [`chain_sets`](Self::chain_sets), as for a set without
    /// systems.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((|mut log: ResMut<String>| log.push('a')).in_set("tool"));
    /// frame.add(|mut log: ResMut<String>| log.push('b'));
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// frame.run(&mut world)?;
    /// assert_eq!(frame.remove_set("tool"), 1);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "abb");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    ///
    /// # Panics
    /// See [`remove`](Self::remove).
    #[inline]
    pub fn remove_set(&mut self, set: impl SetLabel) -> usize {
        let label = Label::new(set);
        let is_removed = self.list.members_of(&label);
        self.list.remove_configuration(&label);
        self.remove_all(&is_removed)
    }

    /// Removes a system, but only from one [part](Self::of_parts).
    #[doc(hidden)]
    #[inline]
    pub fn remove_from_part<M>(&mut self, part: usize, system: impl IntoSystem<M>) -> usize {
        let id = system.named().0;
        let systems = self.list.systems.iter();
        let is_removed: Vec<_> = systems
            .map(|one| one.part == part && one.id == id)
            .collect();
        self.remove_all(&is_removed)
    }

    /// Removes a system from the only schedule inside the first step of a [part](Self::of_parts) that has one.
    #[doc(hidden)]
    #[inline]
    pub fn remove_inside<M>(&mut self, part: usize, system: impl IntoSystem<M>) -> usize {
        let id = system.named().0;
        self.outdate();
        let Some((position, step)) = self.list.inside(part) else {
            return 0;
        };
        let inner = &mut step.schedules[0];
        let systems = &inner.list.systems;
        let is_removed: Vec<_> = systems.iter().map(|one| one.id == id).collect();
        let sizes = systems.iter().map(ListedStep::size).collect();
        let Removal {
            systems,
            conditions,
            removed,
        } = inner.list.remove(&is_removed);
        let built = self.runs.built.inside(position);
        let built = built.map(|built| built.remove(&systems, &conditions));
        forget_changed(&mut self.inner_plans, position);
        let before = &self.list.systems[..position];
        let first = before.iter().map(ListedStep::size).sum::<usize>() + 1;
        self.remove_records(first, &is_removed, sizes);
        let count = removed.0.len();
        // All lists match again: from here on destructors may panic.
        drop((built, removed));
        count
    }

    // Not generic, so it is compiled once.
    #[inline]
    fn remove_all(&mut self, is_removed: &[bool]) -> usize {
        self.outdate();
        let sizes = self.list.systems.iter().map(ListedStep::size).collect();
        self.remove_records(0, is_removed, sizes);
        let Removal {
            systems,
            conditions,
            removed,
        } = self.list.remove(is_removed);
        forget_removed(&mut self.inner_plans, |old| systems.get(old));
        let built = self.runs.built.remove(&systems, &conditions);
        let count = removed.0.len();
        // All lists match again: from here on destructors may panic.
        drop((built, removed));
        count
    }

    /// Removes the measurements of some systems of a list. Their steps are numbered from `first` on, and have these sizes.
    #[inline]
    fn remove_records(&mut self, first: usize, is_removed: &[bool], sizes: Vec<usize>) {
        let mut id = first;
        for (&is_removed, size) in is_removed.iter().zip(sizes) {
            if is_removed {
                self.records.remove(id, size);
            } else {
                id += size;
            }
        }
    }

    /// Replaces the system `old` by another one, which takes over its constraints, sets, conditions and flush points.
    /// Constraints of other systems that name `old` name the new system from now on.
    ///
    /// The old system is dropped immediately, with its state. The new one starts with new state, which the next run
    /// creates before any system runs. All other systems, and the conditions, keep their state.
    ///
    /// # Errors
    /// If `old` is not in the schedule, or is in it more than once; in that case nothing changes.
    ///
    /// # Panics
    /// If the destructor of the state of `old` panics; the system is replaced nevertheless.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn walk(mut log: ResMut<String>) { log.push('w') }
    /// #[system]
    /// fn fly(mut log: ResMut<String>) { log.push('f') }
    /// #[system]
    /// fn rest(mut log: ResMut<String>) { log.push('r') }
    ///
    /// let mut day = Schedule::new();
    /// day.add((rest.after(walk), walk));
    /// day.replace(walk, fly)?;
    /// assert!(day.replace(walk, fly).is_err());
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// day.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "fr");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[inline]
    pub fn replace<M, N, Out: SystemOutput>(
        &mut self,
        old: impl IntoSystem<M>,
        new: impl IntoSystem<N, Out = Out> + Send + 'static,
    ) -> Result<(), ReplaceError> {
        let (id, name) = old.named();
        let position = self.position_of(id, name)?;
        self.replace_at(position, new.into_source());
        Ok(())
    }

    /// Returns the position of a system in the list.
    #[inline]
    fn position_of(&self, id: SystemId, system: &'static str) -> Result<usize, ReplaceError> {
        let systems = self.list.systems.iter().enumerate();
        let mut found = systems.filter(|(_, listed)| listed.id == id);
        match (found.next(), found.next()) {
            (None, _) => Err(ReplaceError::UnknownSystem { system }),
            (Some((position, _)), None) => Ok(position),
            (Some(_), Some(_)) => Err(ReplaceError::AmbiguousSystem { system }),
        }
    }

    // Not generic, so it is compiled once.
    #[inline]
    fn replace_at(&mut self, position: usize, new: SystemSource) {
        self.outdate();
        let before = &self.list.systems[..position];
        let id = before.iter().map(ListedStep::size).sum();
        self.records.replace(id, new.meta.name);
        let body = self.list.replace(position, new);
        let built = self.runs.built.replace(position);
        // All lists match again: from here on destructors may panic.
        drop((built, body));
    }
}

/// The error of [`Schedule::replace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The old system is not in the schedule.
    UnknownSystem {
        /// The name of the system.
        system: &'static str,
    },
    /// The old system is in the schedule more than once.
    AmbiguousSystem {
        /// The name of the system.
        system: &'static str,
    },
}

impl fmt::Display for ReplaceError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSystem { system } => write!(
                f,
                "system `{system}` cannot be replaced: it is not in the schedule; help: add the new one with `add`"
            ),
            Self::AmbiguousSystem { system } => write!(
                f,
                "system `{system}` cannot be replaced: it is in the schedule more than once; help: call `remove`, which removes all of them"
            ),
        }
    }
}

impl Error for ReplaceError {}
