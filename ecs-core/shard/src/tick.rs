//! The beginning of a shard, and its ticks.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use ecs_data::WorldHasher;
use ecs_engine::__private::BuildIndexHasher;
use ecs_engine::query::Without;
use ecs_engine::schedule::Step;
use ecs_engine::{Disabled, Entity, World};

use crate::borders::Borders;
use crate::clock::TickNumber;
use crate::error::ShardError;
use crate::gid::{Birth, Gid, Stub};
use crate::known::{Departures, FEW_STUBS, GidMap, KnownEntities, note_death};
use crate::messages::{Address, MessageFns};
use crate::net::Net;
use crate::packet::{PacketReader, ShardPacket};
use crate::refuse;
use crate::shard::{Shard, ShardStats};
use crate::shards::{Phase, Shards};

/// A function that sees the world after each step of a tick: a system, a delivery, or the end of the tick.
pub(crate) type WatchTick<'a> = &'a mut dyn FnMut(&str, &World);

impl<'n> Shard<'n> {
    /// Makes the shard of a declaration, and its first entities.
    pub(crate) fn new(
        net: &'n mut dyn Net,
        declare: &dyn Fn(&mut Shards),
        dummies: usize,
    ) -> Result<Self, ShardError> {
        let mut plan = declared(declare)?;
        let me = net.me();
        let mut world = prepared_world(&mut plan)?;
        let hasher = WorldHasher::new().entities::<Without<Stub>>().by::<Gid>();
        let locals = plan.locals.0.iter();
        let hasher = locals.fold(hasher, |hasher, local| {
            hasher.without_erased(local.component)
        });
        let dummies: Vec<Entity> = (0..dummies)
            .map(|_| world.spawn((Stub, Disabled)))
            .collect();
        for setup in &plan.setup {
            setup(&mut world);
        }
        let tables = refuse::not_data(&world, &plan.locals)?;
        let mut shard = Self {
            borders: Borders::even(plan.columns(), net.shards()),
            net,
            me,
            world,
            plan,
            tick: 0,
            next_gid: 0,
            next_borders: None,
            columns: Vec::new(),
            known: KnownEntities::default(),
            memory: Vec::new(),
            ghost_owners: Vec::new(),
            fresh: Vec::new(),
            first_fresh: 0,
            stubs_to_sweep: FEW_STUBS,
            tables,
            saver: None,
            safe_checkpoint: 0,
            stats: ShardStats::default(),
            work: Duration::ZERO,
            hasher,
        };
        shard.set_borders(shard.borders.clone());
        shard.number_all();
        for dummy in dummies {
            _ = shard.world.despawn(dummy);
        }
        shard.keep_own()?;
        Ok(shard)
    }

    /// Runs some ticks, together with all other shards.
    ///
    /// # Errors
    /// See [`ShardError`]. If another shard is lost, all others get an error within a second.
    ///
    /// # Panics
    /// If a system panics; the other shards get an error.
    pub fn run(&mut self, ticks: u64) -> Result<(), ShardError> {
        (0..ticks).try_for_each(|_| self.tick())
    }

    /// Runs one tick.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    ///
    /// # Panics
    /// As for [`run`](Self::run).
    pub fn tick(&mut self) -> Result<(), ShardError> {
        self.tick_watched(None)
    }

    pub(crate) fn tick_watched(
        &mut self,
        mut watch: Option<WatchTick<'_>>,
    ) -> Result<(), ShardError> {
        for phase in 0..self.plan.phases.len() {
            match (&mut self.plan.phases[phase], &mut watch) {
                (Phase::Systems(schedule), None) => {
                    let begin = self.plan.balances_time.then(Instant::now);
                    schedule.run(&mut self.world)?;
                    self.work += begin.map_or(Duration::ZERO, |begin| begin.elapsed());
                }
                (Phase::Systems(schedule), Some(watch)) => {
                    let watch = |step: Step<'_>, world: &World| watch(step.name(), world);
                    schedule.run_watched(&mut self.world, watch)?;
                }
                (&mut Phase::Deliver(fns), _) => {
                    self.deliver(fns)?;
                    if let Some(watch) = &mut watch {
                        watch(&format!("the delivery of `{}`", fns.name), &self.world);
                    }
                }
            }
        }
        refuse::delayed(&self.world)?;
        // A new table is one more kind of entity.
        if self.world.table_entities(self.tables).is_some() {
            self.tables = refuse::not_data(&self.world, &self.plan.locals)?;
        }
        self.settle(true)?;
        self.world.resource_mut::<TickNumber>().0 = self.tick;
        if let Some(watch) = watch {
            watch("the end of the tick", &self.world);
        }
        let tick = self.tick;
        let is_due = |every: u64| every != 0 && tick.is_multiple_of(every);
        if is_due(self.plan.sort_every) {
            self.sort_rows();
        }
        match self
            .plan
            .checkpoint
            .as_ref()
            .is_some_and(|plan| is_due(plan.every))
        {
            true => self.write_checkpoint(),
            false => Ok(()),
        }
    }

    /// Brings messages to their receivers.
    fn deliver(&mut self, fns: MessageFns) -> Result<(), ShardError> {
        let shards = self.net.shards();
        let mut packets = vec![ShardPacket::default(); shards];
        let is_hashed = self.plan.placement.is_none();
        let (own, ghosts, first_fresh) = (self.known.own(), &self.ghost_owners, self.first_fresh);
        // Most ticks have few messages to others, or none.
        let mut owners: Option<GidMap<usize>> = None;
        let mut address = |to: Gid| {
            if own.contains(to) {
                return Address::Here;
            }
            let owners = owners.get_or_insert_with(|| ghosts.iter().copied().collect());
            match owners.get(&to) {
                Some(&owner) => Address::Shard(owner),
                // An entity that was born in the last tick is still on the shard of its parent.
                None if is_hashed && to.0 < first_fresh => {
                    Address::Shard(Self::owner_of(to, shards))
                }
                None => Address::Everybody,
            }
        };
        let sent = (fns.pack)(&mut self.world, self.me, &mut packets, &mut address)?;
        self.stats.messages += sent as u64;
        let got = self.round(packets)?;
        let mut packets = PacketReader::all(&got);
        let departures = self.world.resource::<Departures>();
        let dead: HashSet<Gid, BuildIndexHasher> = departures.dead.iter().copied().collect();
        drop(departures);
        let own = self.known.own();
        let lives_here: &dyn Fn(Gid) -> bool = &|gid| own.contains(gid) && !dead.contains(&gid);
        (fns.unpack)(&mut self.world, &mut packets, lives_here)?;
        packets.iter().try_for_each(PacketReader::finish)
    }

    pub(crate) fn sort_rows(&mut self) {
        if let Some(placement) = &self.plan.placement {
            placement.rows.sort(&mut self.world);
        }
    }

    /// Brings the rows into another order, and removes components that stay behind from half of the entities. Neither must matter.
    pub(crate) fn shuffle_rows(&mut self, seed: u64) {
        let forgets = |gid: Option<Gid>| gid.is_some_and(|gid| gid.random(!seed) % 2 == 0);
        self.plan.locals.strip_all(&mut self.world, forgets);
        self.world
            .sort_rows_by_key::<Option<&Gid>, _>(|gid| gid.map_or(0, |gid| gid.random(seed)));
    }
}

/// Calls a declaration, and checks that it does not contradict itself.
pub(crate) fn declared(declare: &dyn Fn(&mut Shards)) -> Result<Shards, ShardError> {
    let mut plan = Shards::default();
    declare(&mut plan);
    plan.check_locals();
    match plan.problems.is_empty() {
        true => Ok(plan),
        false => Err(ShardError::Declaration {
            problem: plan.problems.join("\n"),
        }),
    }
}

/// Returns a world without entities that knows all types of a declaration, whose systems have no reason to differ.
pub(crate) fn prepared_world(plan: &mut Shards) -> Result<World, ShardError> {
    let mut world = World::new();
    world.register::<Gid>();
    world.register::<Birth>();
    world.register::<Stub>();
    world.insert_resource(Departures::default());
    world.insert_resource(TickNumber::default());
    world.observe(note_death);
    for register in &plan.types {
        register(&mut world);
    }
    for local in &plan.locals.0 {
        (local.register)(&mut world);
    }
    for fns in &plan.messages {
        (fns.register)(&mut world);
    }
    for reduce in &plan.reductions {
        (reduce.register)(&mut world, reduce.reduction);
    }
    if let Some(mirror) = plan
        .placement
        .as_ref()
        .and_then(|placement| placement.mirror.as_ref())
    {
        mirror.fns.register(&mut world);
    }
    for phase in &mut plan.phases {
        if let Phase::Systems(schedule) = phase {
            schedule.prepare(&mut world)?;
        }
    }
    refuse::systems(plan)?;
    Ok(world)
}
