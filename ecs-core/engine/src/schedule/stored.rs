//! Schedules that a world keeps and runs by their labels.

use alloc::string::String;
use alloc::vec::Vec;
use core::any::TypeId;
use hashbrown::HashMap;

use super::Schedule;
use super::declare::{Label, SetLabel};
#[cfg(feature = "std")]
use super::execute::Timing;
use super::execute::{OuterRun, RunMode, ScheduleError};
use super::plan::SchedulePlan;
use crate::hash::BuildTypeIdHasher;
use crate::meta::ConstTypeIdOf;
use crate::numbered_list::NumberedList;
use crate::resource::{ResMut, Resource};
use crate::world::{World, WorldId};

/// The schedules of a world; a resource that [`World::insert_schedule`] inserts.
#[derive(Default)]
struct StoredSchedules {
    /// `None` while the schedule runs.
    schedules: NumberedList<(Label, Option<Schedule>)>,
    /// The keys of `schedules`.
    by_label: HashMap<Label, u64, BuildTypeIdHasher>,
    /// The key for the next schedule.
    next: u64,
    /// True if they run on one thread.
    sequential: bool,
}

impl Resource for StoredSchedules {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::Stored", "Stored");
}

impl StoredSchedules {
    #[inline]
    fn find(&mut self, label: &Label) -> Option<&mut Option<Schedule>> {
        let key = *self.by_label.get(label)?;
        self.schedules.get_mut(key).map(|(_, schedule)| schedule)
    }
}

impl World {
    /// Keeps a schedule, to be [run](Self::run_schedule) by its label. Returns the schedule that had the label before,
    /// unless it is running now.
    ///
    /// The readers of events and removals in its systems start when it is [prepared](Schedule::prepare) or first runs.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// struct Turn;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    ///
    /// /// Plays as many turns as there were keys.
    /// #[system]
    /// fn play(world: &mut World) -> Result<(), ecs_core::schedule::ScheduleError> {
    ///     for _ in 0..2 {
    ///         world.run_schedule(Turn)?;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let mut turn = Schedule::new();
    /// turn.add(think);
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// world.insert_schedule(Turn, turn);
    /// play(&mut world)?;
    /// assert_eq!(*world.resource::<u32>(), 2);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    #[inline]
    pub fn insert_schedule(
        &mut self,
        label: impl SetLabel,
        schedule: Schedule,
    ) -> Option<Schedule> {
        self.store_schedule(Label::new(label), schedule)
    }

    #[doc(hidden)]
    #[inline]
    pub fn store_schedule(&mut self, label: Label, schedule: Schedule) -> Option<Schedule> {
        OuterRun::make_known_to(self);
        schedule.make_known(self, (0, 0));
        let mut stored = self.stored_or_new();
        if let Some(slot) = stored.find(&label) {
            return slot.replace(schedule);
        }
        let key = stored.next;
        stored.next += 1;
        stored.by_label.insert(label.clone(), key);
        stored.schedules.push(key, (label, Some(schedule)));
        None
    }

    /// Removes a schedule that was [inserted](Self::insert_schedule); `None` if there is none, or if it is running now.
    #[inline]
    pub fn remove_schedule(&mut self, label: impl SetLabel) -> Option<Schedule> {
        let mut stored = self.get_resource_mut::<StoredSchedules>()?;
        let label = Label::new(label);
        let schedule = stored.find(&label)?.take()?;
        let key = stored.by_label.remove(&label)?;
        stored.schedules.remove(key);
        Some(schedule)
    }

    /// Runs a schedule that was [inserted](Self::insert_schedule), in the manner of [`Schedule::run`].
    ///
    /// Inside the run of another schedule, it runs like that one: on one thread, by the same [executor](super::Executor), or
    /// as [`Schedule::run`] chooses. (The executor is shared only with the feature `std`, and only on the thread that calls
    /// exclusive systems.) The trace of the outer run contains its systems.
    ///
    /// # Errors
    /// The errors of [`Schedule::run`], with the label in the path of each system. It is also an error if no schedule has
    /// the label, or if the schedule is running now.
    ///
    /// Inside the run of another schedule, errors of systems with their own [policy](crate::IntoConfigs::on_error) are not
    /// returned here. The outer run returns them, and an app applies the policy after the frame. (If the world kept no
    /// schedule when the outer run began, that run knows nothing of this one.)
    ///
    /// # Panics
    /// See [`Schedule::run`]; the world keeps the schedule. (If the world was swapped for another one and is not back when
    /// the run ends, it loses the schedule.)
    #[inline]
    pub fn run_schedule(&mut self, label: impl SetLabel) -> Result<(), ScheduleError> {
        let label = Label::new(label);
        let unknown = || ScheduleError::Unknown {
            label: format!("{label:?}"),
        };
        let mut stored = self
            .get_resource_mut::<StoredSchedules>()
            .ok_or_else(unknown)?;
        let sequential = stored.sequential;
        let schedule = stored.find(&label).ok_or_else(unknown)?.take();
        drop(stored);
        let schedule = schedule.ok_or_else(|| ScheduleError::Running {
            label: format!("{label:?}"),
        })?;
        // Puts the schedule back, also after a panic.
        let mut taken = Taken {
            schedule: Some(schedule),
            label: &label,
            keeper: self.id(),
            world: self,
        };
        let schedule = taken.schedule.as_mut().expect("taken by `drop` alone");
        let outer = OuterRun::of(taken.world);
        let is_sequential = sequential || outer.as_ref().is_some_and(|outer| outer.is_sequential);
        let mut how = RunMode::Choose;
        #[cfg(feature = "std")]
        let mut executor = outer.as_ref().and_then(|outer| outer.lent.borrow());
        #[cfg(feature = "std")]
        if let Some(executor) = &mut executor {
            how = RunMode::By(executor.get());
        }
        if is_sequential {
            how = RunMode::Sequential;
        }
        let is_traced = outer.as_ref().is_some_and(|outer| outer.is_traced);
        let (mut result, trace) = schedule.run_known(taken.world, how, is_traced);
        let label = format!("{label:?}");
        if let Err(ScheduleError::Systems(errors)) = &mut result {
            for error in &mut *errors {
                error.put_inside(&label, "", None);
            }
            if let Some(outer) = &outer {
                outer.take_errors(errors);
            }
            if errors.is_empty() {
                result = Ok(());
            }
        }
        if let (Some(outer), Some(mut trace)) = (&outer, trace) {
            trace.put_inside(&label);
            outer.add_trace(trace);
        }
        result
    }

    /// Returns the timings of all schedules that were [inserted](Self::insert_schedule) and are not running, with the label
    /// in the path of each system.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[inline]
    pub fn timings_of_schedules(&self) -> Vec<Timing> {
        let mut timings = Vec::new();
        let Some(stored) = self.get_resource::<StoredSchedules>() else {
            return timings;
        };
        for (_, (label, schedule)) in stored.schedules.iter() {
            let label = format!("{label:?}");
            for timing in schedule.iter().flat_map(Schedule::timings) {
                timings.push(timing.inside(&label));
            }
        }
        timings
    }

    #[inline]
    fn take_stored(&mut self, label: &Label) -> Option<Schedule> {
        self.resources_mut()
            .bypass::<StoredSchedules>()?
            .find(label)?
            .take()
    }

    /// Returns a schedule that was [inserted](Self::insert_schedule); `None` while it is running.
    #[doc(hidden)]
    #[inline]
    pub fn stored_schedule(&mut self, label: &Label) -> Option<&mut Schedule> {
        let stored = self.resources_mut().bypass::<StoredSchedules>()?;
        stored.find(label)?.as_mut()
    }

    /// Calls a function with each schedule that was [inserted](Self::insert_schedule) and is not running.
    #[doc(hidden)]
    #[inline]
    pub fn for_each_schedule(&mut self, mut f: impl FnMut(&mut Self, &Label, &mut Schedule)) {
        let Some(stored) = self.get_resource::<StoredSchedules>() else {
            return;
        };
        let labels: Vec<Label> = stored
            .schedules
            .iter()
            .map(|(_, (l, _))| l.clone())
            .collect();
        drop(stored);
        for label in labels {
            if let Some(schedule) = self.take_stored(&label) {
                let mut taken = Taken {
                    schedule: Some(schedule),
                    label: &label,
                    keeper: self.id(),
                    world: self,
                };
                let schedule = taken.schedule.as_mut().expect("taken by `drop` alone");
                f(taken.world, &label, schedule);
            }
        }
    }

    /// Calls a function with all schedules that were [inserted](Self::insert_schedule) and are not running, in the order of
    /// insertion. They are not in the world meanwhile.
    #[doc(hidden)]
    pub fn with_schedules<R>(&mut self, f: impl FnOnce(&mut Self, Vec<&mut Schedule>) -> R) -> R {
        let stored = self.resources_mut().bypass::<StoredSchedules>();
        let slots = stored
            .into_iter()
            .flat_map(|stored| stored.schedules.values_mut());
        let taken = slots.filter_map(|(label, slot)| Some((label.clone(), slot.take()?)));
        let mut all = TakenAll {
            schedules: taken.collect(),
            keeper: self.id(),
            world: self,
        };
        let schedules = all.schedules.iter_mut();
        f(all.world, schedules.map(|(_, schedule)| schedule).collect())
    }

    /// Returns the type of the resource that keeps schedules, if it keeps none or all are running.
    pub(crate) fn idle_schedules(&self) -> Option<TypeId> {
        let stored = self.get_resource::<StoredSchedules>()?;
        let is_idle = stored.schedules.iter().all(|(_, (_, slot))| slot.is_none());
        is_idle.then_some(TypeId::of::<StoredSchedules>())
    }

    /// Returns the plans of all schedules that were [inserted](Self::insert_schedule) and are not running, with their
    /// labels. Leaves out schedules with errors.
    #[doc(hidden)]
    #[inline]
    pub fn plans_of_schedules(&mut self) -> Vec<(String, &SchedulePlan)> {
        let Some(stored) = self.resources_mut().bypass::<StoredSchedules>() else {
            return Vec::new();
        };
        let mut plans = Vec::with_capacity(stored.schedules.len());
        for (label, schedule) in stored.schedules.values_mut() {
            if let Some(Ok(plan)) = schedule.as_mut().map(Schedule::plan) {
                plans.push((format!("{label:?}"), plan));
            }
        }
        plans
    }

    /// Makes [`run_schedule`](Self::run_schedule) use one thread, or choose by itself.
    #[doc(hidden)]
    #[inline]
    pub fn run_schedules_on_one_thread(&mut self, on: bool) {
        self.stored_or_new().sequential = on;
    }

    #[inline]
    fn stored_or_new(&mut self) -> ResMut<'_, StoredSchedules> {
        if !self.contains_resource::<StoredSchedules>() {
            self.insert_resource(StoredSchedules::default());
        }
        self.resource_mut::<StoredSchedules>()
    }
}

/// A running schedule, and its world.
struct Taken<'a> {
    schedule: Option<Schedule>,
    label: &'a Label,
    world: &'a mut World,
    /// The world that keeps the schedule. Systems may have put another world in its place.
    keeper: WorldId,
}

/// All schedules of a world that are not running, and the world.
struct TakenAll<'a> {
    schedules: Vec<(Label, Schedule)>,
    world: &'a mut World,
    /// The world that keeps the schedules.
    keeper: WorldId,
}

impl Drop for TakenAll<'_> {
    fn drop(&mut self) {
        for (label, schedule) in self.schedules.drain(..) {
            put_back(self.world, self.keeper, &label, schedule);
        }
    }
}

/// Puts a schedule back, unless one was inserted in its place, or the world was swapped for another one.
fn put_back(world: &mut World, keeper: WorldId, label: &Label, schedule: Schedule) {
    if world.id() != keeper {
        return;
    }
    let stored = world.resources_mut().bypass::<StoredSchedules>();
    if let Some(slot @ None) = stored.and_then(|stored| stored.find(label)) {
        *slot = Some(schedule);
    }
}

impl Drop for Taken<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(schedule) = self.schedule.take() {
            put_back(self.world, self.keeper, self.label, schedule);
        }
    }
}
