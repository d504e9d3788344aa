//! The network of a single shard.

use crate::net::{Net, NetError};

/// The network of a single shard, without a thread or a socket: a round returns its argument.
///
/// ```
/// use ecs_core::shard::{Net, Solo};
///
/// assert_eq!(Solo.round(vec![vec![1, 2]])?, [[1, 2]]);
/// # Ok::<(), ecs_core::shard::NetError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

impl Net for Solo {
    fn me(&self) -> usize {
        0
    }

    fn shards(&self) -> usize {
        1
    }

    fn round(&mut self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError> {
        assert_parts(&out, 1);
        Ok(out)
    }
}

/// Panics if a round was given another number of parts than there are shards.
pub(super) fn assert_parts(out: &[Vec<u8>], shards: usize) {
    let given = out.len();
    assert!(
        given == shards,
        "a round of {shards} shards was given {given} parts; help: pass one part for each shard, in their order, empty ones too",
    );
}
