//! The ids of new entities.

use crate::error::ShardError;
use crate::gid::Gid;

/// Set in a number that stands for the id of an entity that was born in this tick.
pub(crate) const BIRTH: u64 = 1 << 63;

/// The ids of the entities that were born in a tick, by shard and by their number in its packet.
pub(crate) struct BirthRanks {
    pub(crate) gids: Vec<Vec<u64>>,
    /// The id that comes next.
    pub(crate) next: u64,
}

impl BirthRanks {
    pub(crate) fn of(births: &[Vec<(u64, u32)>], first: u64) -> Result<Self, ShardError> {
        let mut all: Vec<(u64, u32, usize, usize)> = Vec::new();
        for (shard, births) in births.iter().enumerate() {
            for (number, &(parent, nth)) in births.iter().enumerate() {
                all.push((parent, nth, shard, number));
            }
        }
        all.sort_unstable();
        let same =
            |pair: &&[(u64, u32, usize, usize)]| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1);
        if let Some(pair) = all.windows(2).find(same) {
            let (parent, nth) = (Gid(pair[0].0), pair[0].1);
            return Err(ShardError::SameBirth { parent, nth });
        }
        let mut gids: Vec<Vec<u64>> = births.iter().map(|births| vec![0; births.len()]).collect();
        let next = first + all.len() as u64;
        for ((_, _, shard, number), gid) in all.into_iter().zip(first..) {
            gids[shard][number] = gid;
        }
        Ok(Self { gids, next })
    }

    /// Returns the id that a number in the packet of a shard stands for.
    #[inline]
    pub(crate) fn gid(&self, from: usize, key: u64) -> Result<Gid, ShardError> {
        match key < self.next {
            true => Ok(Gid(key)),
            false => self.gid_of_birth(from, key),
        }
    }

    #[cold]
    fn gid_of_birth(&self, from: usize, key: u64) -> Result<Gid, ShardError> {
        let malformed = |problem| ShardError::Packet { from, problem };
        if key & BIRTH == 0 {
            return Err(malformed("it names an entity that was never born"));
        }
        let number = usize::try_from(key & !BIRTH).unwrap_or(usize::MAX);
        let gid = self.gids[from].get(number);
        gid.map(|gid| Gid(*gid))
            .ok_or_else(|| malformed("it names a birth that it does not list"))
    }
}
