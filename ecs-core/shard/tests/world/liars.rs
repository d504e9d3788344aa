//! Bytes that other shards did not mean: an error, and never a panic or a hang.

use std::time::Duration;

use ecs_core::shard::{Gid, Net, NetError, run_on, run_threads};

use crate::town::town;

/// A network whose received bytes are sometimes changed.
struct Liar<'a> {
    net: &'a mut dyn Net,
    seed: u64,
    rounds: u64,
}

impl Net for Liar<'_> {
    fn me(&self) -> usize {
        self.net.me()
    }

    fn shards(&self) -> usize {
        self.net.shards()
    }

    fn round(&mut self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError> {
        let mut got = self.net.round(out)?;
        self.rounds += 1;
        let random = |salt| Gid::random_of(self.seed, self.rounds << 8 | salt);
        let other = (self.me() + 1) % self.shards();
        let bytes = &mut got[other];
        if random(0).is_multiple_of(6) && !bytes.is_empty() {
            let at = (random(1) % bytes.len() as u64) as usize;
            match random(2) % 4 {
                0 => bytes[at] ^= 1 << (random(3) % 8),
                1 => bytes.truncate(at),
                2 => bytes.extend(vec![random(4) as u8; at.min(64)]),
                // Lengths and ids are numbers of eight bytes.
                _ => bytes[at..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
            }
        }
        Ok(got)
    }
}

#[test]
fn changed_bytes_are_errors_or_other_values_and_never_panics() {
    let seeds = if std::env::var_os("ECS_SOAK").is_some() {
        2000
    } else {
        40
    };
    let mut errors = 0;
    for seed in 0..seeds {
        let results = run_threads(2, Duration::from_secs(20), |net| {
            let rounds = 0;
            let mut liar = Liar { net, seed, rounds };
            run_on(&mut liar, town, |shard| shard.run(8)).map_err(|error| error.to_string())
        });
        for result in results {
            // An unexpected panic would be one of a thread.
            errors += usize::from(result.unwrap_or_else(|_| panic!("seed {seed}")).is_err());
        }
    }
    assert!(errors > seeds as usize / 2, "{errors} errors");
}
