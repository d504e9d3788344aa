//! The first entities of a shard: all shards make the same ones, and each keeps its own.

use ecs_engine::rows::Rows;
use ecs_engine::{Entity, World};

use crate::error::ShardError;
use crate::gid::{Birth, Gid};
use crate::known::{Departures, KnownEntities, key_of, new_shard, own_entities, take_out};
use crate::refuse;
use crate::shard::Shard;

impl Shard<'_> {
    /// Drops the entities that other shards own, adds the own ones of each part, sorts rows if they are to be sorted, and sees who
    /// is near.
    pub(crate) fn keep_own(&mut self) -> Result<(), ShardError> {
        self.drop_foreign()?;
        self.make_parts()?;
        refuse::observers(&self.world, &mut self.plan)?;
        // Only now is it known which components are tracked.
        refuse::systems(&mut self.plan)?;
        if self.plan.sort_every != 0 {
            self.sort_rows();
        }
        self.fresh.clear();
        *self.world.resource_mut::<Departures>() = Departures::default();
        self.settle(false)
    }

    /// Gives the entities of a setup their ids, the oldest first.
    pub(crate) fn number_all(&mut self) {
        let mut all = own_entities(&self.world);
        all.sort_unstable();
        for entity in all {
            let gid = Gid(self.next_gid);
            self.next_gid += 1;
            _ = self.world.insert(entity, gid);
            _ = self.world.remove::<Birth>(entity);
            self.known.insert(gid, entity);
            self.fresh.push(gid);
        }
    }

    /// Drops the entities that other shards own, which have them too.
    fn drop_foreign(&mut self) -> Result<(), ShardError> {
        let foreign = self.leaving()?.into_iter();
        let foreign: Vec<Entity> = foreign.map(|(entity, _)| entity).collect();
        for &entity in &foreign {
            self.plan.locals.strip(&mut self.world, entity);
        }
        if !foreign.is_empty() {
            let leaves_stubs = self.world.can_name_entities();
            drop(take_out(&mut self.world, &foreign, leaves_stubs, key_of)?);
            self.known = KnownEntities::of(&self.world);
            self.sweep_stubs()?;
        }
        Ok(())
    }

    /// Makes each part of the setup in a world of its own, so that ids do not depend on what this shard has kept before.
    fn make_parts(&mut self) -> Result<(), ShardError> {
        let setups = std::mem::take(&mut self.plan.setup_parts);
        for setup in &setups {
            for part in 0..setup.parts {
                let mut world = World::new();
                for local in &self.plan.locals.0 {
                    (local.register)(&mut world);
                }
                (setup.spawn)(&mut world, part);
                refuse::more_than_entities(&world, part)?;
                refuse::not_data(&world, &self.plan.locals)?;
                self.keep_part(world)?;
            }
        }
        Ok(())
    }

    fn keep_part(&mut self, mut part: World) -> Result<(), ShardError> {
        for component in part.registered_components() {
            self.world.register_erased(component);
        }
        let known = std::mem::take(&mut self.known);
        std::mem::swap(&mut self.world, &mut part);
        self.number_all();
        let rows = self.take_own();
        std::mem::swap(&mut self.world, &mut part);
        self.known = known;
        let mut rows = rows?;
        rows.forget_ticks();
        let gids: Vec<Gid> = rows.keys().map(Gid).collect();
        self.put_known(self.me, rows, &gids, &Gid)?;
        Ok(())
    }

    /// Takes the entities that this shard owns out of its world, for another one.
    pub(crate) fn take_own(&mut self) -> Result<Rows, ShardError> {
        let leaving = self.leaving()?;
        let mut own = own_entities(&self.world);
        own.sort_unstable();
        own.retain(|&entity| new_shard(&leaving, entity).is_none());
        let leaves_stubs = self.world.can_name_entities();
        let rows = take_out(&mut self.world, &own, leaves_stubs, key_of)?;
        refuse::rows(&rows, &mut self.plan)?;
        Ok(rows)
    }
}
