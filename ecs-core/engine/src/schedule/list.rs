//! The list of a schedule: systems and sets with what was said about them, in the order in which it was said.

use super::Schedule;
use super::build::Condition;
use super::config::{Configs, IntoConfigs};
use super::label::{Label, SetLabel};
use super::plan::Flush;
use super::sets::{ListedSet, SetConfig};
use super::target::{Constraint, IntoTarget, Place};
use super::turn::Turn;
use crate::meta::{ConditionMeta, SystemMeta};
use crate::system::{ConditionSource, SystemId};

/// What a schedule is planned from.
#[derive(Default)]
pub(super) struct List {
    pub(super) systems: Vec<Listed>,
    pub(super) sets: Vec<ListedSet>,
    /// Pairs of positions in `systems` of which the first one comes first.
    pub(super) chained: Vec<(usize, usize)>,
    /// Pairs of sets of which the first one comes first.
    pub(super) chained_sets: Vec<(Label, Label)>,
    /// Pairs whose order in the list need not be kept.
    pub(super) waived: Vec<(Place, Place)>,
    /// What is known of the conditions of all systems and sets.
    pub(super) conditions: Vec<ConditionMeta>,
}

/// A system of the list.
pub(super) struct Listed {
    pub(super) id: SystemId,
    pub(super) meta: SystemMeta,
    pub(super) constraints: Vec<Constraint>,
    pub(super) sets: Vec<Label>,
    /// Positions in the list of conditions, in the order in which they are asked.
    pub(super) conditions: Vec<usize>,
    pub(super) flush: Flush,
}

impl Schedule {
    /// Adds a system, or a tuple of systems in its order, at the end of the list.
    ///
    /// The parameters of systems are prepared, and constraints looked at, when the schedule is run next.
    pub fn add<M>(&mut self, systems: impl IntoConfigs<M>) -> &mut Self {
        self.add_all(systems.into_configs())
    }

    // Compiled here, and not once more for each type of system.
    fn add_all(&mut self, configs: Configs) -> &mut Self {
        let list = &mut self.list;
        let (listed, conditions) = (list.systems.len(), list.conditions.len());
        for mut config in configs.systems {
            for condition in &mut config.conditions {
                *condition += conditions;
            }
            list.systems.push(Listed {
                id: config.source.id,
                meta: config.source.meta,
                constraints: config.constraints,
                sets: config.sets,
                conditions: config.conditions,
                flush: config.flush,
            });
            let build = config.source.build;
            self.runners.push(Box::new(|world| Turn::new(build(world))));
        }
        for (first, second) in configs.chained {
            list.chained.push((listed + first, listed + second));
        }
        for condition in configs.conditions {
            self.add_condition(condition);
        }
        self.plan = None;
        self
    }

    /// Says something about all systems of a set, wherever in the schedule they are added.
    ///
    /// A set is there as soon as a system is [in](IntoConfigs::in_set) it or it is configured; it may stay empty, and is
    /// like a system that does nothing then: what runs after it runs after all that it waits for. Sets can be in other
    /// sets, and constraints name sets as they name systems.
    ///
    /// A set is configured in one place: doing it again is an error when the schedule is planned.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// enum Frame { Input, Physics }
    ///
    /// #[system]
    /// fn gravity(mut log: ResMut<String>) { log.push('g') }
    /// #[system]
    /// fn collide(mut log: ResMut<String>) { log.push('c') }
    /// #[system]
    /// fn keys(mut log: ResMut<String>) { log.push('k') }
    /// #[system]
    /// fn draw(mut log: ResMut<String>) { log.push('d') }
    /// #[system]
    /// fn playing(paused: Res<bool>) -> bool { !*paused }
    ///
    /// let mut frame = Schedule::new();
    /// frame.configure(Frame::Physics, |set| set.after(Frame::Input).run_if(playing));
    /// frame.add((gravity, collide).in_set(Frame::Physics));
    /// frame.add((draw.after(Frame::Physics), keys.in_set(Frame::Input)));
    ///
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// world.insert_resource(false);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kgcd");
    /// world.insert_resource(true);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kgcdkd");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn configure(
        &mut self,
        set: impl SetLabel,
        configure: impl FnOnce(SetConfig) -> SetConfig,
    ) -> &mut Self {
        let config = configure(SetConfig::default());
        let conditions = config.conditions.into_iter();
        let conditions = conditions.map(|one| self.add_condition(one)).collect();
        self.list.sets.push(ListedSet {
            label: Label::new(set),
            constraints: config.constraints,
            sets: config.sets,
            conditions,
        });
        self.plan = None;
        self
    }

    /// Says that it does not matter which of two systems comes first; of sets, the same of every system of one and every
    /// system of the other.
    ///
    /// Without it list order decides between systems that conflict. With it the plan puts first the one that can start
    /// sooner. That is decided once, so the result still is the same in each run and on any number of threads; but it may
    /// be another one after systems were added. [`Plan::ambiguities`](super::Plan::ambiguities) lists the pairs for which
    /// it matters. Between systems that touch different data, or only read, list order costs nothing and there is nothing
    /// to waive. Where both are placed relative to each other by `after`, `before` or `chain`, that holds.
    pub fn unordered<M, N>(
        &mut self,
        one: impl IntoTarget<M>,
        other: impl IntoTarget<N>,
    ) -> &mut Self {
        let pair = (one.into_target().0, other.into_target().0);
        self.list.waived.push(pair);
        self.plan = None;
        self
    }

    fn add_condition(&mut self, condition: ConditionSource) -> usize {
        let defers = condition.meta.parts.iter().any(|part| part.defers());
        self.list.conditions.push(condition.meta);
        let build = condition.build;
        self.conditions
            .push(Box::new(move |world| Condition::new(build(world), defers)));
        self.list.conditions.len() - 1
    }
}
