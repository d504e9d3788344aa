//! Shards as threads of one process.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, Builder};

use timely_communication::allocator::ProcessBuilder;
use timely_communication::{Allocator, Hooks};

use crate::net::Net;
use crate::net::rounds::Rounds;

/// Runs `work` on `shards` threads of this process, and returns their results in the order of shards. The threads exchange
/// bytes by moving them, without a copy.
///
/// A shard waits at most `patience` for the others in a round. If one panics, the rounds of the others fail with
/// [`NetError::Lost`](crate::NetError::Lost) at once, and its result is the panic. When the function returns, all threads have ended.
///
/// ```
/// use ecs_core::shard::run_threads;
/// use std::time::Duration;
///
/// let texts = run_threads(3, Duration::from_secs(10), |net| {
///     let name = format!("shard {}", net.me()).into_bytes();
///     net.round(vec![name; 3]).unwrap().concat()
/// });
/// for text in texts {
///     assert_eq!(text.unwrap(), b"shard 0shard 1shard 2");
/// }
/// ```
///
/// # Panics
/// If `shards` is 0, or the system cannot start a thread.
pub fn run_threads<R: Send>(
    shards: usize,
    patience: Duration,
    work: impl Fn(&mut dyn Net) -> R + Sync,
) -> Vec<thread::Result<R>> {
    assert!(
        shards > 0,
        "0 shards were to be run; help: run at least one"
    );
    let builders = ProcessBuilder::new_typed_vector(shards, Hooks::default().refill, None);
    let work = &work;
    thread::scope(|scope| {
        // A thread that makes its channels waits for all others. So none begins before all could be started.
        let (mut starts, mut threads) = (Vec::new(), Vec::new());
        for (shard, builder) in builders.into_iter().enumerate() {
            let (start, wait) = mpsc::channel();
            let name = format!("shard {shard}");
            let thread = Builder::new()
                .name(name)
                .spawn_scoped(scope, move || run_shard(&wait, builder, patience, work));
            match thread {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    panic!("could not start a thread for shard {shard} of {shards}: {error}")
                }
            }
            starts.push(start);
        }
        for start in starts {
            // An error is impossible: the thread waits for this.
            let _ = start.send(());
        }
        let results = threads.into_iter().map(|thread| thread.join());
        results
            .map(|result| result.map(|result| result.expect("all threads were started")))
            .collect()
    })
}

/// Returns `None` if another thread could not be started.
fn run_shard<R>(
    start: &Receiver<()>,
    builder: ProcessBuilder,
    patience: Duration,
    work: &(impl Fn(&mut dyn Net) -> R + Sync),
) -> Option<R> {
    start.recv().ok()?;
    let mut rounds = Rounds::of_thread(Allocator::Process(builder.build()), patience);
    let result = catch_unwind(AssertUnwindSafe(|| work(&mut rounds)));
    rounds.finish(result.is_err());
    Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
}
