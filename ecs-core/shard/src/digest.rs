//! A number that stands for a declaration: processes with different ones refuse to run together.

use ecs_data::__private::checksum;
use ecs_engine::schedule::SchedulePlan;

use crate::error::ShardError;
use crate::packet::ShardPacket;
use crate::shards::{Phase, Shards};

impl Shards {
    /// Returns a number for the declaration: for everything that has to be the same on all shards, except the setup and the types
    /// of components.
    pub(crate) fn digest(&mut self) -> Result<u64, ShardError> {
        let mut parts = ShardPacket::default();
        if let Some(placement) = &self.placement {
            let (grid, tree) = (&placement.grid, placement.tree);
            parts.put_u32(grid.columns());
            parts.put_u32(grid.rows());
            parts.put_u32(grid.cell().to_bits());
            parts.put_u32(grid.wraps().into());
            parts.put_u32(placement.slack.to_bits());
            put_text(&mut parts, placement.rows.component().name());
            put_text(&mut parts, tree.map_or("", |tree| tree.target.type_name()));
            if let Some(mirror) = &placement.mirror {
                parts.put_u32(mirror.radius.to_bits());
                put_text(&mut parts, mirror.fns.name());
            }
        }
        for phase in &mut self.phases {
            match phase {
                Phase::Systems(schedule) => put_systems(&mut parts, schedule.plan()?),
                Phase::Deliver(fns) => put_text(&mut parts, fns.name),
            }
        }
        for reduce in &self.reductions {
            put_text(&mut parts, reduce.name);
            put_text(&mut parts, &format!("{:?}", reduce.reduction));
        }
        for local in &self.locals.0 {
            put_text(&mut parts, local.ident.type_name());
        }
        let part_counts: Vec<u64> = self.setup_parts.iter().map(|setup| setup.parts).collect();
        parts.put_list(&part_counts, |count| *count);
        let checkpoint = self.checkpoint.as_ref().map_or(0, |plan| plan.every);
        let every = [self.sort_every, self.balance_every, checkpoint];
        parts.put_list(&every, |every| *every);
        parts.put_u32(self.balances_time.into());
        Ok(checksum(&parts.into_bytes()))
    }
}

fn put_text(parts: &mut ShardPacket, text: &str) {
    parts.put_bytes(text.as_bytes());
}

fn put_systems(parts: &mut ShardPacket, plan: &SchedulePlan) {
    for step in plan.steps() {
        put_text(parts, step.name());
        for (name, inner) in step.inner() {
            put_text(parts, name);
            put_systems(parts, inner);
        }
    }
}
