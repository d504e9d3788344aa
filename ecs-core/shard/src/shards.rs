//! `Shards`: the declaration of a simulation on several shards.

use std::marker::PhantomData;
use std::path::PathBuf;

use ecs_data::{SavedState, WorldData};
use ecs_engine::World;
use ecs_engine::component::{Component, ComponentId, SparseComponent};
use ecs_engine::query::Without;
use ecs_engine::relation::{Target, ToOne};
use ecs_engine::schedule::{IntoConfigs, Schedule};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::grid::Grid;
use crate::local::{LocalComponent, LocalComponents};
use crate::messages::MessageFns;
use crate::neighbours::Mirror;
use crate::placement::{MirrorOf, MirrorRowsOf, Placement, PositionFn, RowsOf, TreeFns};
use crate::reduce::{ReduceFns, Reduction};

/// A function that makes the first entities.
pub(crate) type SetupFn = Box<dyn Fn(&mut World)>;

/// A function that makes a part of the first entities, by its number.
pub(crate) type PartFn = Box<dyn Fn(&mut World, u64)>;

/// The first entities in parts.
pub(crate) struct SetupParts {
    pub(crate) parts: u64,
    pub(crate) spawn: PartFn,
}

/// A part of a tick.
pub(crate) enum Phase {
    Systems(Box<Schedule>),
    Deliver(MessageFns),
}

/// A system that is run although the metadata cannot show that its results are the same on any number of shards.
pub(crate) struct Trusted {
    pub(crate) system: &'static str,
    pub(crate) why: &'static str,
    /// True if there is such a system.
    pub(crate) is_used: bool,
}

/// Checkpoints: where and how often.
#[derive(Clone)]
pub(crate) struct CheckpointPlan {
    pub(crate) folder: PathBuf,
    pub(crate) every: u64,
}

/// The declaration of a simulation: the places of its entities, the range of their sight, and the parts of a tick. A function fills
/// it in, and every shard calls that function; see [`run`](crate::run()).
#[derive(Default)]
pub struct Shards {
    /// Functions that make types known before the setup.
    pub(crate) types: Vec<SetupFn>,
    pub(crate) setup: Vec<SetupFn>,
    pub(crate) setup_parts: Vec<SetupParts>,
    pub(crate) placement: Option<Placement>,
    pub(crate) phases: Vec<Phase>,
    pub(crate) messages: Vec<MessageFns>,
    pub(crate) reductions: Vec<ReduceFns>,
    pub(crate) trusted: Vec<Trusted>,
    pub(crate) locals: LocalComponents,
    pub(crate) sort_every: u64,
    pub(crate) balance_every: u64,
    /// True if borders move by time, not by entities.
    pub(crate) balances_time: bool,
    pub(crate) checkpoint: Option<CheckpointPlan>,
    pub(crate) problems: Vec<String>,
}

impl Shards {
    /// Adds a function that makes the first entities and the resources.
    ///
    /// Every shard calls it for an empty world, numbers all entities, and keeps its own. So it does the same on every machine: its
    /// random numbers have a fixed seed. For a world that is larger than the memory of a machine there is
    /// [`setup_parts`](Self::setup_parts).
    pub fn setup(&mut self, setup: impl Fn(&mut World) + 'static) -> &mut Self {
        self.setup.push(Box::new(setup));
        self
    }

    /// Makes the states of a type data, with a name in files, like
    /// [`WorldData::register_data_state`] in one world. Then checkpoints have the states, and
    /// entities with a [`DespawnOnExit`](ecs_engine::schedule::DespawnOnExit) of the type move. In the setup it would come
    /// too late: the systems are checked before.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::{DespawnOnExit, NextState, Transitions};
    /// use ecs_core::shard::{Shards, TickNumber, shard_check};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    /// enum Season { Summer, Winter }
    ///
    /// #[system]
    /// fn turn(tick: Res<TickNumber>, mut next: ResMut<NextState<Season>>) {
    ///     if tick.number() == 5 {
    ///         next.set(Season::Winter);
    ///     }
    /// }
    ///
    /// fn meadow(shards: &mut Shards) {
    ///     shards.register_data_state::<Season>("meadow.season");
    ///     shards.setup(|world| _ = world.spawn_batch((0..9).map(|_| DespawnOnExit(Season::Summer))));
    ///     let mut states = Transitions::new();
    ///     states.add_state(Season::Summer);
    ///     shards.systems((states, turn));
    /// }
    ///
    /// shard_check(meadow, 9)?;
    /// # Ok::<(), ecs_core::shard::ShardCheckError>(())
    /// ```
    ///
    /// # Panics
    /// When the simulation begins, like that function.
    pub fn register_data_state<S: SavedState>(&mut self, name: &'static str) -> &mut Self {
        let register = move |world: &mut World| world.register_data_state::<S>(name);
        self.types.push(Box::new(register));
        self
    }

    /// Adds a function that makes the first entities in parts, numbered from 0 on, after all of [`setup`](Self::setup). A shard keeps
    /// its own entities of a part before it makes the next one, so it never has the memory of the whole world.
    ///
    /// Each part begins in an empty world, and only its entities are kept. So they can be related to each other, but not to those of
    /// another part, and resources belong into `setup`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::shard::{self, Grid, ShardConfig, Shards};
    /// use ecs_core::tree::ChildOf;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    /// #[component(data = "land.place")]
    /// struct Place([f32; 2]);
    ///
    /// fn land(shards: &mut Shards) {
    ///     shards.setup_parts(16, |world, part| {
    ///         for n in part * 100..(part + 1) * 100 {
    ///             let person = world.spawn(Place([n as f32, 0.5]));
    ///             world.spawn(ChildOf.to(person));
    ///         }
    ///     });
    ///     let place = shards.place(Grid::bounded(1600, 1, 1.0), |place: &Place| place.0);
    ///     place.keep_together::<ChildOf>(0.0);
    /// }
    ///
    /// let two = ShardConfig::threads(2.try_into()?);
    /// let own = shard::run(&two, land, |shard| Ok(shard.own_len()))?;
    /// assert_eq!(own, [1600, 1600]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn setup_parts(
        &mut self,
        parts: u64,
        setup: impl Fn(&mut World, u64) + 'static,
    ) -> &mut Self {
        let spawn = Box::new(setup);
        self.setup_parts.push(SetupParts { parts, spawn });
        self
    }

    /// Divides the entities by their place: each shard owns some columns of a grid, and `position` returns where an entity is. An
    /// entity without a `P` lives on any shard.
    ///
    /// Without this call all entities live on any shard, by their [`Gid`](crate::Gid), and cannot see neighbours.
    pub fn place<P: Component, F>(&mut self, grid: Grid, position: F) -> PlaceOptions<'_, P, F>
    where
        F: Fn(&P) -> [f32; 2] + Clone + Send + Sync + 'static,
    {
        if self.placement.is_some() {
            self.problems.push(
                "`place` is called twice; help: call it once, because entities have one place"
                    .into(),
            );
        }
        self.placement = Some(Placement {
            grid,
            slack: 0.0,
            rows: Box::new(RowsOf::<P, F, ()>::new(grid, position.clone())),
            tree: None,
            sees_tree: false,
            mirror: None,
        });
        PlaceOptions {
            shards: self,
            grid,
            position,
            types: PhantomData,
        }
    }

    /// Notes components that stay behind, although other shards look at them.
    pub(crate) fn check_locals(&mut self) {
        let Some(placement) = &self.placement else {
            return;
        };
        let mirror = placement.mirror.as_ref();
        for local in &self.locals.0 {
            let use_of_it = if placement.rows.component() == local.component {
                "`place` finds entities by it"
            } else if mirror.is_some_and(|mirror| mirror.fns.shows(&local.ident)) {
                "`mirror` shows it to other shards"
            } else {
                continue;
            };
            self.problems.push(format!(
                "`{}` stays behind when an entity moves, and {use_of_it}; help: let it travel",
                local.ident.type_name()
            ));
        }
    }

    /// Returns the schedules of a tick, in their order.
    pub(crate) fn schedules(&mut self) -> Vec<&mut Schedule> {
        let phases = self.phases.iter_mut();
        let schedules = phases.filter_map(|phase| match phase {
            Phase::Systems(schedule) => Some(&mut **schedule),
            Phase::Deliver(_) => None,
        });
        schedules.collect()
    }

    /// Returns the number of columns that shards divide.
    pub(crate) fn columns(&self) -> u32 {
        let placement = self.placement.as_ref();
        placement.map_or(1, |placement| placement.grid.columns())
    }

    /// Adds systems to the tick, after those that were added before; [`deliver`](Self::deliver) parts them. Systems between two
    /// deliveries run like in any [`Schedule`].
    pub fn systems<M>(&mut self, systems: impl IntoConfigs<M>) -> &mut Self {
        if !matches!(self.phases.last(), Some(Phase::Systems(_))) {
            self.phases.push(Phase::Systems(Box::default()));
        }
        if let Some(Phase::Systems(schedule)) = self.phases.last_mut() {
            schedule.add(systems);
        }
        self
    }

    /// Adds a delivery to the tick: all messages of a type that were sent until now are in the receivers'
    /// [`Inbox`](crate::Inbox) afterwards. Shards wait for each other.
    pub fn deliver<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static>(
        &mut self,
    ) -> &mut Self {
        let fns = MessageFns::of::<T>();
        if self.messages.iter().any(|known| known.name == fns.name) {
            self.problems.push(format!(
                "`{}` is delivered twice in a tick; help: deliver it once, and what was sent later comes in the next tick",
                fns.name
            ));
        }
        self.messages.push(fns);
        self.phases.push(Phase::Deliver(fns));
        self
    }

    /// Declares a number that all shards make together: [`Reduce<K>`](crate::Reduce).
    pub fn reduce<K: 'static>(&mut self, reduction: Reduction) -> &mut Self {
        let fns = ReduceFns::of::<K>(reduction);
        if self.reductions.iter().any(|known| known.name == fns.name) {
            self.problems.push(format!(
                "`{}` is declared by `reduce` twice; help: name another type for another number",
                fns.name
            ));
        }
        self.reductions.push(fns);
        self
    }

    /// Runs a system although the metadata cannot show that it has the same results on any number of shards. `system` is the end
    /// of its path, such as `"census"` or `"city::census"`, and `why` says why it does. The same allows an observer, and a component
    /// with hooks, which has to be registered in the [setup](Self::setup).
    ///
    /// [`shard_check`](crate::shard_check) still compares.
    pub fn trust(&mut self, system: &'static str, why: &'static str) -> &mut Self {
        let is_used = false;
        self.trusted.push(Trusted {
            system,
            why,
            is_used,
        });
        self
    }

    /// Leaves a component behind when its entity moves to another shard, where the entity arrives without one: for a path that is
    /// computed again, or a handle of this process, such as a sound that plays. It need not be data. Hashes and checkpoints leave
    /// it out, and entities have none after a [resume](crate::ShardConfig::resume).
    ///
    /// So whether an entity has one depends on borders. A system that sees it may write only components that stay behind, and all
    /// others are refused by name. If a system makes up for a missing value, so that its results do not depend on it,
    /// [`trust`](Self::trust) it. [`shard_check`](crate::shard_check) removes the component from half of all entities before each
    /// tick of one of its worlds.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::shard::{Grid, Shards, shard_check};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    /// #[component(data = "trip.place")]
    /// struct Place([f32; 2]);
    /// #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    /// #[component(data = "trip.goal")]
    /// struct Goal([f32; 2]);
    /// /// The way to the goal, which takes long to find.
    /// #[derive(Component)]
    /// #[component(storage = "sparse")]
    /// struct Path([f32; 2]);
    ///
    /// fn path(goal: &Goal) -> Path {
    ///     Path(goal.0.map(|goal| goal.signum() / 4.0))
    /// }
    ///
    /// #[system(for_each, without(Path))]
    /// fn plan(entity: Entity, goal: &Goal, mut commands: Commands<(Path,)>) {
    ///     commands.insert(entity, path(goal));
    /// }
    /// /// The path is a function of the goal, so it does not matter whether there is one yet.
    /// #[system(for_each)]
    /// fn walk(place: &mut Place, goal: &Goal, known: Option<&Path>) {
    ///     let by = known.map_or_else(|| path(goal).0, |path| path.0);
    ///     place.0 = [place.0[0] + by[0], place.0[1] + by[1]];
    /// }
    ///
    /// fn trip(shards: &mut Shards) {
    ///     shards.setup(|world| _ = world.spawn_batch((0..8).map(|n| (Place([n as f32, 0.5]), Goal([9.0, 9.0])))));
    ///     shards.place(Grid::bounded(16, 16, 1.0), |place: &Place| place.0);
    ///     shards.stays_here::<Path>().systems((plan, walk));
    ///     shards.trust("walk", "finds the same path if there is none");
    /// }
    ///
    /// shard_check(trip, 20)?;
    /// # Ok::<(), ecs_core::shard::ShardCheckError>(())
    /// ```
    pub fn stays_here<T: SparseComponent>(&mut self) -> &mut Self {
        self.problems.extend(LocalComponent::problem::<T>());
        if !self.locals.has(ComponentId::of::<T>()) {
            self.locals.0.push(LocalComponent::of::<T>());
        }
        self
    }

    /// Sorts the rows of all tables by their cells at the start and every few ticks, so that neighbours are close in memory too:
    /// with random rows that gains more than a second machine.
    pub fn sort_rows(&mut self, every: u64) -> &mut Self {
        self.sort_every = every;
        self
    }

    /// Moves the borders every few ticks, so that all shards have about as many entities. Where they lie then depends on the
    /// entities alone.
    pub fn balance(&mut self, every: u64) -> &mut Self {
        (self.balance_every, self.balances_time) = (every, false);
        self
    }

    /// Moves the borders every few ticks, so that systems take about as long on all shards: for machines of different speed, and
    /// for crowds whose entities cost more than others. Each shard measures the time of its systems, and counts the same part of
    /// it for each of its entities. Where borders lie differs between two runs, and results do not.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::shard::{self, Grid, ShardConfig, Shards};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    /// # #[component(data = "doc.place")]
    /// # struct Place([f32; 2]);
    /// fn game(shards: &mut Shards) {
    ///     shards.setup(|world| _ = world.spawn_batch((0..8).map(|n| Place([n as f32, 0.0]))));
    ///     shards.place(Grid::torus(8, 1.0), |place: &Place| place.0);
    ///     shards.balance_by_time(4);
    /// }
    ///
    /// let two = ShardConfig::threads(2.try_into()?);
    /// let totals = shard::run(&two, game, |shard| {
    ///     shard.run(10)?;
    ///     shard.total()
    /// })?;
    /// assert_eq!(totals, [8, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn balance_by_time(&mut self, every: u64) -> &mut Self {
        (self.balance_every, self.balances_time) = (every, true);
        self
    }

    /// Writes a checkpoint every few ticks to files in a folder. The simulation goes on while they are written. A run that does not
    /// [resume](crate::ShardConfig::resume) needs a folder without checkpoints: a later resume goes on from the newest one in it.
    pub fn checkpoint(&mut self, folder: impl Into<PathBuf>, every: u64) -> &mut Self {
        let folder = folder.into();
        self.checkpoint = Some(CheckpointPlan { folder, every });
        self
    }
}

/// More about the places of entities, from [`Shards::place`].
pub struct PlaceOptions<'a, P, F> {
    shards: &'a mut Shards,
    grid: Grid,
    position: F,
    types: PhantomData<fn(P)>,
}

#[expect(private_bounds, reason = "an alias of a function's bounds")]
impl<P: Component, F: PositionFn<P>> PlaceOptions<'_, P, F> {
    /// Keeps the trees of a relation together: an entity lives where the root of its tree does. Its own position may be up to
    /// `slack` away from the root's, and shards then see that much more beyond their borders. Call it before
    /// [`mirror`](Self::mirror).
    pub fn keep_together<R: ToOne>(self, slack: f32) -> Self {
        let (grid, position) = (self.grid, self.position.clone());
        if let Some(placement) = &mut self.shards.placement {
            if placement.mirror.is_some() {
                let problem = "`keep_together` is called after `mirror`; help: call it before";
                self.shards.problems.push(problem.into());
            }
            if placement.tree.is_some() {
                let problem = "`keep_together` is called twice; help: choose one tree, because entities live where its root does";
                self.shards.problems.push(problem.into());
            }
            placement.slack = slack;
            placement.tree = Some(TreeFns::of::<R>());
            placement.rows = Box::new(RowsOf::<P, F, Without<Target<R>>>::new(grid, position));
        }
        self
    }

    /// Shows components of entities to all within a radius, also beyond borders: [`Neighbours<M>`](crate::Neighbours), where `M` is
    /// a tuple such as `(Velocity, Health)`.
    pub fn mirror<M: Mirror>(self, radius: f32) -> Self {
        let grid = self.grid;
        if let Some(placement) = &mut self.shards.placement {
            if placement.mirror.is_some() {
                let problem = "`mirror` is called twice; help: name all components in one tuple";
                self.shards.problems.push(problem.into());
            }
            let fns = MirrorRowsOf::<P, F, M>::new(grid, radius, self.position.clone());
            let fns = Box::new(fns);
            placement.mirror = Some(MirrorOf { radius, fns });
            let cells = placement.reach() * 2 + 1;
            if grid.wraps() && grid.columns().min(grid.rows()) < cells {
                self.shards.problems.push(format!(
                    "a torus needs at least {cells} cells in each direction to see {radius} far, and it has {} times {}; help: make the cells smaller, or the radius",
                    grid.columns(),
                    grid.rows()
                ));
            }
        }
        self
    }
}
