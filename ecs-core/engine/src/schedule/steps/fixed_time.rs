//! The progress of a fixed step.

use core::time::Duration;

#[cfg(feature = "data")]
use crate::data_type::{DataType, DataTypeOf};
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;

/// The progress of a [`fixed`](fn@super::fixed) step; a resource that the step inserts at its first run.
///
/// If a world has several fixed steps, each step sets the resource when it runs; [`FixedTimes`](super::FixedTimes) has the progress of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedTime {
    pub(super) step: Duration,
    pub(super) steps: u64,
    pub(super) overstep: Duration,
    pub(super) lost: Duration,
}

impl Resource for FixedTime {
    #[cfg(not(feature = "data"))]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::FixedTime", "FixedTime");
    #[cfg(feature = "data")]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::FixedTime", "FixedTime")
        .with_data({
            const DATA: &[DataType] = &[DataTypeOf::<FixedTime>::new("ecs.fixed_time", 1)
                .resource()
                .cloned()
                .printed()
                .erased()];
            DATA
        });
}

#[cfg(feature = "data")]
crate::__saved_form!(
    FixedTime {
        step,
        steps,
        overstep,
        lost
    },
    |time| match time.step.is_zero() || time.overstep >= time.step {
        true => Err("the rest of a fixed step is less than a step"),
        false => Ok(time),
    }
);

impl FixedTime {
    /// Returns the time before the first step.
    #[inline]
    pub(super) fn first(step: Duration) -> Self {
        Self {
            step,
            steps: 0,
            overstep: Duration::ZERO,
            lost: Duration::ZERO,
        }
    }

    /// Returns the number of steps, and the times from which [`of_parts`](Self::of_parts) makes the value again: the length of
    /// a step, the rest and the time that was skipped.
    pub(crate) fn parts(&self) -> (u64, [Duration; 3]) {
        (self.steps, [self.step, self.overstep, self.lost])
    }

    /// Returns the value of some parts; `None` if there is no such one.
    pub(crate) fn of_parts(steps: u64, [step, overstep, lost]: [Duration; 3]) -> Option<Self> {
        (overstep < step).then_some(Self {
            step,
            steps,
            overstep,
            lost,
        })
    }

    /// Returns the time that one run of the schedule simulates.
    #[must_use]
    pub fn step(&self) -> Duration {
        self.step
    }

    /// Returns the number of runs of the schedule, including the current one.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the simulated time: [`steps`](Self::steps) times [`step`](Self::step), at most [`Duration::MAX`].
    #[must_use]
    #[inline]
    pub fn elapsed(&self) -> Duration {
        from_nanos(self.step.as_nanos().saturating_mul(self.steps.into()))
    }

    /// Returns the time since the last step was due, less than one step; zero inside a step.
    #[must_use]
    pub fn overstep(&self) -> Duration {
        self.overstep
    }

    /// Returns [`overstep`](Self::overstep) as a fraction of a step: at least 0 and below 1.
    ///
    /// To draw stepwise movement smoothly, keep the state before the last step beside the state after it, and draw
    /// `before + (after - before) * alpha`.
    #[must_use]
    pub fn alpha(&self) -> f32 {
        let part = self.overstep.as_secs_f64() / self.step.as_secs_f64();
        // The quotient is below 1, but may round to 1.
        (part as f32).min(1.0 - f32::EPSILON / 2.0)
    }

    /// Returns the time that was skipped because steps took [too long](super::Fixed::max_steps).
    #[must_use]
    pub fn lost(&self) -> Duration {
        self.lost
    }
}

/// Converts to a duration of at most [`Duration::MAX`].
#[inline]
pub(super) fn from_nanos(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    u64::try_from(nanos / SECOND).map_or(Duration::MAX, |seconds| {
        Duration::new(seconds, (nanos % SECOND) as u32)
    })
}
