//! A long run: memory stays flat. A program of its own, because it looks at the memory of the process.

#[path = "world/town.rs"]
mod town;

use ecs_core::shard::{self, ShardConfig};

/// Returns the memory of this process in pages, without files; none where the system does not say it.
fn pages() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = statm
        .split(' ')
        .skip(1)
        .map_while(|pages| pages.parse::<u64>().ok());
    let (resident, of_files) = (pages.next()?, pages.next()?);
    Some(resident - of_files)
}

/// 100,000 ticks with `ECS_SOAK`.
#[test]
fn memory_is_flat_however_long_a_town_lives() {
    let ticks = match std::env::var_os("ECS_SOAK") {
        Some(_) => 100_000,
        None => 500,
    };
    let config = ShardConfig::threads(3.try_into().unwrap());
    let lives = shard::run(&config, town::town, |shard| {
        // It has grown to its size by then.
        shard.run(ticks / 5)?;
        let early = pages();
        shard.run(ticks - ticks / 5)?;
        Ok((early, pages(), shard.total()?, *shard.stats()))
    });
    for (early, late, entities, stats) in lives.unwrap() {
        println!("{early:?} pages, then {late:?}; {entities} entities; {stats:?}");
        assert!(stats.births > ticks / 20, "{stats:?}");
        if let (Some(early), Some(late)) = (early, late) {
            // Allocators keep some.
            assert!(
                late < early + early / 20 + 128,
                "{early} pages, then {late}"
            );
        }
    }
}
