//! Rounds between shards.

use ecs_core::shard::{Net, NetError, Solo};

#[test]
fn the_network_of_one_shard_returns_what_it_gets() {
    assert_eq!((Solo.me(), Solo.shards()), (0, 1));
    assert_eq!(Solo.round(vec![vec![1, 2, 3]]).unwrap(), [[1, 2, 3]]);
}

#[test]
fn errors_name_shards_and_the_fix() {
    let lost = NetError::Lost { shards: vec![1] }.to_string();
    assert_eq!(
        lost,
        "shard 1 died; help: its own output says why; start all shards again, from a checkpoint"
    );
    let ended = NetError::Ended {
        shards: vec![0, 1, 3],
    }
    .to_string();
    assert!(
        ended.starts_with("shards 0, 1 and 3 finished before this shard"),
        "{ended}"
    );
}
