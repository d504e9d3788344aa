//! The progress of all fixed steps of a world, each under its name.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::any::TypeId;
use core::time::Duration;

use super::fixed_time::FixedTime;
#[cfg(feature = "data")]
use crate::data_type::{DataType, DataTypeOf};
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;
use crate::sync::PoisonError;
use crate::world::World;

/// The progress of all [`fixed`](fn@super::fixed) steps of a world, by the names of their schedules; a resource that they
/// insert when they are prepared. [`FixedTime`] is the progress of the step that ran last.
///
/// A save has it, so after a load each step goes on where the step of the same name was, if both have the same length, and begins
/// anew otherwise.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{FixedTimes, FrameTime, fixed};
///
/// let ms = Duration::from_millis;
/// let mut frame = Schedule::new();
/// frame.add((
///     fixed(ms(10), Schedule::named("physics")),
///     fixed(ms(100), Schedule::named("thoughts")),
/// ));
/// let mut world = World::new();
/// world.insert_resource(FrameTime { delta: ms(25) });
/// frame.run(&mut world)?;
/// let times = world.resource::<FixedTimes>();
/// assert_eq!(times.get("physics").unwrap().alpha(), 0.5);
/// assert_eq!(times.get("thoughts").unwrap().alpha(), 0.25);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedTimes {
    steps: Vec<NamedFixedTime>,
}

/// The progress of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedFixedTime {
    name: Cow<'static, str>,
    /// Distinguishes steps of the same name.
    number: u32,
    time: FixedTime,
    /// The time still to be simulated; inside a step, with the later steps of the frame.
    backlog: Duration,
}

impl Resource for FixedTimes {
    #[cfg(not(feature = "data"))]
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::FixedTimes", "FixedTimes");
    #[cfg(feature = "data")]
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::FixedTimes", "FixedTimes").with_data({
            const DATA: &[DataType] = &[DataTypeOf::<FixedTimes>::new("ecs.fixed_times", 1)
                .resource()
                .cloned()
                .printed()
                .erased()];
            DATA
        });
}

#[cfg(feature = "data")]
crate::__saved_form!(
    NamedFixedTime {
        name,
        number,
        time,
        backlog
    },
    Ok
);

#[cfg(feature = "data")]
crate::__saved_form!(FixedTimes { steps }, Ok);

impl FixedTimes {
    /// Returns the progress of the step whose schedule has this [name](crate::schedule::Schedule::named); of the first one,
    /// if several have. A schedule without a name is called `fixed`, and the one of an app `FixedUpdate`. `None` before the
    /// first run of the step. O(steps).
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<FixedTime> {
        let steps = self.steps.iter().filter(|step| step.name == name);
        let first = steps.min_by_key(|step| step.number)?;
        Some(first.time)
    }

    /// Returns the names of all steps with their progress, in the order of their first runs.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&str, FixedTime)> {
        self.steps.iter().map(|step| (&*step.name, step.time))
    }

    /// Returns the progress of a step, and the time that it still has to simulate.
    #[inline]
    pub(super) fn of(&self, step: &FixedName) -> Option<(FixedTime, Duration)> {
        let mut steps = self.steps.iter();
        let found = steps.find(|known| known.is(step))?;
        Some((found.time, found.backlog))
    }

    #[inline]
    pub(super) fn set(&mut self, step: &FixedName, time: FixedTime, backlog: Duration) {
        if let Some(known) = self.steps.iter_mut().find(|known| known.is(step)) {
            (known.time, known.backlog) = (time, backlog);
            return;
        }
        self.steps.push(NamedFixedTime {
            name: Cow::Borrowed(step.name),
            number: step.number,
            time,
            backlog,
        });
    }
}

impl NamedFixedTime {
    #[inline]
    fn is(&self, step: &FixedName) -> bool {
        self.number == step.number && self.name == step.name
    }
}

/// The name of a fixed step, and a number that no other step of the world with this name has.
pub(super) struct FixedName {
    name: &'static str,
    number: u32,
    /// The step has the number as long as this exists.
    _claim: Arc<()>,
}

/// The numbers that steps of a world have, kept among the states of systems: neither a load nor a snapshot changes them.
#[derive(Default)]
struct TakenNames(Vec<(&'static str, u32, Weak<()>)>);

impl FixedName {
    /// Takes the lowest number that is free.
    #[inline]
    pub(super) fn take(name: &'static str, world: &mut World) -> Self {
        let states = world.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let id = TypeId::of::<TakenNames>();
        if !states.contains(id) {
            states.insert(id, Box::new(TakenNames::default()));
        }
        let taken = states.get_mut(id).and_then(|taken| taken.downcast_mut());
        let TakenNames(taken) = taken.expect("was inserted above");
        taken.retain(|(.., claim)| claim.strong_count() > 0);
        let is_free = |number: &u32| {
            let mut taken = taken.iter();
            !taken.any(|(other, taken, _)| (*other, taken) == (name, number))
        };
        let number = (0..).find(is_free).expect("fewer steps than numbers");
        let claim = Arc::new(());
        taken.push((name, number, Arc::downgrade(&claim)));
        Self {
            name,
            number,
            _claim: claim,
        }
    }
}
