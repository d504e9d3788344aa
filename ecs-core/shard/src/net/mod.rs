//! The network of shards: bytes are exchanged in rounds.
//!
//! Timely moves the bytes between threads, and reads those of other processes. Ours are the rounds (`rounds.rs`, `inbox.rs`), the
//! format of messages (`piece.rs`), the way from strangers to connections (`meeting.rs`, `hello.rs`), their writers and ends
//! (`link.rs`), and their silence (`pulse.rs`).

mod error;
mod hello;
mod inbox;
mod link;
mod meeting;
mod peers;
mod piece;
mod processes;
mod pulse;
#[cfg(test)]
mod random_tests;
mod rounds;
mod solo;
mod threads;

pub use error::{FrameProblem, MeetingDifference, NetError};
pub use peers::Peers;
pub use processes::run_processes;
pub use solo::Solo;
pub use threads::run_threads;

/// Exchanges bytes between shards, in rounds.
///
/// All shards do the same rounds. A round returns when each shard has sent its part, so it is a barrier, too.
///
/// ```
/// use ecs_core::shard::{Net, NetError, Solo};
///
/// /// The sum of a number of each shard, the same on all of them.
/// fn sum(net: &mut dyn Net, mine: u64) -> Result<u64, NetError> {
///     let everyone = vec![mine.to_le_bytes().to_vec(); net.shards()];
///     let got = net.round(everyone)?;
///     let numbers = got.iter().map(|bytes| u64::from_le_bytes(bytes[..].try_into().unwrap()));
///     Ok(numbers.sum())
/// }
///
/// assert_eq!(sum(&mut Solo, 7)?, 7);
/// # Ok::<(), NetError>(())
/// ```
pub trait Net {
    /// The number of this shard, less than [`shards`](Net::shards).
    fn me(&self) -> usize;

    /// The number of shards, at least one.
    fn shards(&self) -> usize;

    /// Sends `out[i]` to shard `i`, and returns the parts that the shards have sent to this one, in their order. `out[me]` comes back
    /// at its place.
    ///
    /// # Errors
    /// If a shard is lost, late, or sends something else than rounds. After an error each further round fails with it.
    ///
    /// # Panics
    /// If `out` has another length than [`shards`](Net::shards).
    fn round(&mut self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError>;
}
