//! One run of a schedule over all frames, for one variation.

use std::ops::ControlFlow;

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::schedule::{Schedule, ScheduleError, SchedulePlan, Step};
use ecs_engine::snapshot::Snapshot;

use super::{DeterminismCheck, DeterminismError, Variation};
use crate::load::Loader;
use crate::world_data::WorldData;

/// The way frames run.
#[derive(Clone, Copy)]
pub(super) enum PlayMode<'p> {
    /// The run that all others are compared with.
    First,
    /// One system after the other, which have several threads for their loops.
    ThreadsInSystems,
    /// On several threads.
    Threads,
    /// On the threads of this pool.
    Pool(&'p Pool),
    Varied(Variation),
}

impl PlayMode<'static> {
    /// Returns the number of threads for this way.
    pub(super) fn threads(self, several: usize) -> usize {
        match self {
            Self::ThreadsInSystems | Self::Threads => several,
            Self::First | Self::Pool(_) | Self::Varied(_) => 1,
        }
    }

    pub(super) fn with(self, pool: &Pool) -> PlayMode<'_> {
        match self {
            Self::Threads => PlayMode::Pool(pool),
            other => other,
        }
    }
}

/// A moment when worlds are compared.
pub(super) struct PlayMoment<'p> {
    pub(super) frame: u32,
    /// The number of steps of the frame that have ended before; `usize::MAX` if they were not watched.
    pub(super) index: usize,
    pub(super) after: After<'p>,
}

pub(super) enum After<'p> {
    Step(Step<'p>),
    /// The end of a frame, and its plan if the systems ran unwatched.
    Frame(Option<&'p SchedulePlan>),
}

impl PlayMoment<'_> {
    pub(super) fn is_end(&self) -> bool {
        !matches!(self.after, After::Step(_))
    }

    /// Returns the name of the system that has ended; `None` at the end of a frame.
    pub(super) fn name(&self) -> Option<&'static str> {
        match self.after {
            After::Step(step) => Some(step.name()),
            After::Frame(_) => None,
        }
    }
}

/// Called at each moment; returns whether to continue.
pub(super) type Seen<'a> =
    dyn FnMut(PlayMoment<'_>, &World) -> Result<ControlFlow<()>, DeterminismError> + Send + 'a;

impl DeterminismCheck<'_> {
    /// Runs all frames, until `seen` says that it is enough.
    pub(super) fn play(
        &self,
        way: PlayMode<'_>,
        tables: &[Vec<ComponentId>],
        seen: &mut Seen<'_>,
    ) -> Result<(), DeterminismError> {
        let mut world = World::new();
        if let PlayMode::Varied(Variation::OtherTables) = way {
            for components in tables.iter().rev() {
                world.make_table(components.clone());
            }
        }
        (self.set_up)(&mut world);
        let mut schedule = (self.schedule)();
        let mut snapshot = Snapshot::new();
        let mut flow = ControlFlow::Continue(());
        for frame in 0..self.frames {
            if let PlayMode::Varied(Variation::Loaded) = way
                && frame == self.frames / 2
            {
                (world, schedule) = self.loaded(&mut world, &mut schedule)?;
            }
            if let PlayMode::Varied(Variation::Restored) = way {
                let schedules = &mut [&mut schedule];
                self.prepare(&mut world, schedules[0], frame)?;
                let taken = self
                    .snapshots
                    .take_into_with(&mut world, schedules, &mut snapshot);
                taken.map_err(DeterminismError::Snapshot)?;
                flow = self.frame(way, frame, &mut world, &mut schedule, seen)?;
                let schedules = &mut [&mut schedule];
                let restored = self
                    .snapshots
                    .restore_with(&mut world, schedules, &mut snapshot);
                restored.map_err(DeterminismError::Restore)?;
            }
            if flow.is_continue() {
                flow = self.frame(way, frame, &mut world, &mut schedule, seen)?;
            }
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn frame(
        &self,
        way: PlayMode<'_>,
        frame: u32,
        world: &mut World,
        schedule: &mut Schedule,
        seen: &mut Seen<'_>,
    ) -> Result<ControlFlow<()>, DeterminismError> {
        (self.input)(world, frame);
        let failed = |error| DeterminismError::Run { frame, error };
        if let PlayMode::Pool(pool) = way {
            run_on(pool, world, schedule).map_err(failed)?;
            let plan = schedule.plan().map_err(|error| failed(error.into()))?;
            let after = After::Frame(Some(plan));
            return seen(
                PlayMoment {
                    frame,
                    index: usize::MAX,
                    after,
                },
                world,
            );
        }
        let mut flow = Ok(ControlFlow::Continue(()));
        let mut index = 0;
        let run = schedule.run_watched(world, |step, world| {
            if let Ok(ControlFlow::Continue(())) = flow {
                let after = After::Step(step);
                flow = seen(
                    PlayMoment {
                        frame,
                        index,
                        after,
                    },
                    world,
                );
                index += 1;
            }
        });
        run.map_err(failed)?;
        match flow? {
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
            ControlFlow::Continue(()) => {
                let after = After::Frame(None);
                seen(
                    PlayMoment {
                        frame,
                        index,
                        after,
                    },
                    world,
                )
            }
        }
    }

    fn prepare(
        &self,
        world: &mut World,
        schedule: &mut Schedule,
        frame: u32,
    ) -> Result<(), DeterminismError> {
        let failed = |error| DeterminismError::Run { frame, error };
        schedule.prepare(world).map_err(failed)
    }

    /// Returns a world that was loaded from a save of another one, and the schedule for it.
    fn loaded(
        &self,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<(World, Schedule), DeterminismError> {
        self.prepare(world, schedule, self.frames / 2)?;
        world.flush();
        let bytes = world
            .save()
            .with_ids()
            .to_vec()
            .map_err(DeterminismError::Save)?;
        let mut loaded = World::new();
        let loader = Loader::new().types_of(world).same_ids();
        loader
            .load_bytes(&mut loaded, &bytes)
            .map_err(DeterminismError::Load)?;
        (self.after_load)(&mut loaded);
        Ok((loaded, (self.schedule)()))
    }
}

#[cfg(not(feature = "parallel"))]
use no_threads::run_on;
#[cfg(not(feature = "parallel"))]
pub(super) use no_threads::{Pool, on_threads};
#[cfg(feature = "parallel")]
use threads::run_on;
#[cfg(feature = "parallel")]
pub(super) use threads::{Pool, on_threads};

#[cfg(feature = "parallel")]
mod threads {
    use super::{DeterminismError, Schedule, ScheduleError, World};

    pub(in super::super) type Pool = rayon_core::ThreadPool;

    /// Calls a function on a pool of threads, so that parallel loops only use these.
    pub(in super::super) fn on_threads(
        threads: usize,
        run: impl FnOnce(&Pool) -> Result<(), DeterminismError> + Send,
    ) -> Result<(), DeterminismError> {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build();
        let pool = pool.map_err(|error| DeterminismError::Threads(error.to_string()))?;
        pool.install(|| run(&pool))
    }

    pub(super) fn run_on(
        pool: &Pool,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<(), ScheduleError> {
        schedule.run_par(world, pool)
    }
}

/// The same without threads, when no variation asks for them.
#[cfg(not(feature = "parallel"))]
mod no_threads {
    use super::{DeterminismError, Schedule, ScheduleError, World};

    pub(in super::super) struct Pool;

    pub(in super::super) fn on_threads(
        _: usize,
        run: impl FnOnce(&Pool) -> Result<(), DeterminismError>,
    ) -> Result<(), DeterminismError> {
        run(&Pool)
    }

    pub(super) fn run_on(
        _: &Pool,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<(), ScheduleError> {
        schedule.run_seq(world)
    }
}
