//! `TickNumber`: the number of the tick, for systems.

use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;

/// The number of the present tick, from 0 on: the same on every shard, and after a [checkpoint](crate::Shards::checkpoint).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TickNumber(pub(crate) u64);

impl TickNumber {
    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Resource for TickNumber {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_shard::TickNumber", "TickNumber");
}
