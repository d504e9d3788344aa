//! Shards that end before the others: each of those gets a typed error that names the first cause.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::shard::{Net, NetError, run_threads};

use super::{LONG, SOON, addresses, exchange, run_here};

/// Does rounds without an end, and returns their error with the time that the last one took.
fn forever(net: &mut dyn Net) -> (NetError, Duration) {
    loop {
        let begin = Instant::now();
        if let Err(error) = net.round(vec![vec![1; 100]; net.shards()]) {
            // It stays.
            let again = net.round(vec![Vec::new(); net.shards()]);
            assert_eq!(again, Err(error.clone()));
            return (error, begin.elapsed());
        }
    }
}

/// Runs both kinds of networks of three shards, and returns the errors of shards 0 and 2, which did not wait long for them.
fn errors_without_1(one: impl Fn(&mut dyn Net) + Sync) -> Vec<NetError> {
    let work = |net: &mut dyn Net| {
        if net.me() == 1 {
            for _ in 0..20 {
                net.round(vec![vec![1; 100]; 3]).unwrap();
            }
            one(net);
            return None;
        }
        Some(forever(net))
    };
    let threads = run_threads(3, LONG, work).into_iter();
    let sockets = run_here(&addresses(3), |peers| peers, work).into_iter();
    let results = threads.chain(sockets.map(|result| result.map(Result::unwrap)));
    let ends: Vec<_> = results
        .filter_map(|result| result.unwrap_or(None))
        .collect();
    assert_eq!(ends.len(), 4);
    let ends = ends.into_iter().map(|(error, time)| {
        assert!(time < SOON, "{error} after {time:?}");
        error
    });
    ends.collect()
}

#[test]
fn the_others_lose_a_shard_that_panics() {
    let errors = errors_without_1(|_| panic!("a test panics on purpose"));
    assert!(
        errors
            .iter()
            .all(|error| *error == NetError::Lost { shards: vec![1] }),
        "{errors:?}"
    );
}

#[test]
fn the_others_are_told_that_a_shard_has_finished() {
    let errors = errors_without_1(|_| {});
    assert!(
        errors
            .iter()
            .all(|error| *error == NetError::Ended { shards: vec![1] }),
        "{errors:?}"
    );
}

#[test]
fn a_panic_stays_the_result_of_its_shard() {
    let results = run_threads(2, LONG, |net| {
        assert!(net.me() == 0, "a test panics on purpose");
        net.me()
    });
    assert_eq!(*results[0].as_ref().unwrap(), 0);
    let panic = results[1].as_ref().unwrap_err();
    assert_eq!(
        panic.downcast_ref::<&str>(),
        Some(&"a test panics on purpose")
    );
    let results = run_here(
        &addresses(2),
        |peers| peers,
        |net| {
            assert!(net.me() == 0, "a test panics on purpose");
            net.me()
        },
    );
    assert_eq!(results[0].as_ref().unwrap().as_ref().unwrap(), &0);
    assert_eq!(
        results[1].as_ref().unwrap_err().downcast_ref::<&str>(),
        Some(&"a test panics on purpose")
    );
}

#[test]
fn a_shard_that_does_no_round_in_time_is_late() {
    let patience = Duration::from_secs(2);
    let work = |net: &mut dyn Net| {
        exchange(net, 20, 100).unwrap();
        if net.me() == 1 {
            thread::sleep(patience * 3);
            // It learns, too, why it was given up.
            return forever(net).0;
        }
        forever(net).0
    };
    let threads = run_threads(3, patience, work).into_iter();
    let sockets = run_here(&addresses(3), |peers| peers.patience(patience), work).into_iter();
    for result in threads.chain(sockets.map(|result| result.map(Result::unwrap))) {
        match result.unwrap() {
            NetError::Late { shards, waited } => {
                assert_eq!(shards, [1]);
                assert!(
                    waited >= patience - Duration::from_millis(1) && waited < patience + SOON,
                    "{waited:?}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_shard_is_not_late_as_long_as_it_is_patient() {
    let work = |net: &mut dyn Net| {
        thread::sleep(Duration::from_millis(net.me() as u64 * 150));
        exchange(net, 3, 100)
    };
    for result in run_here(&addresses(3), |peers| peers, work) {
        result.unwrap().unwrap().unwrap();
    }
}

#[test]
fn the_last_parts_arrive_although_the_sender_has_ended() {
    for _ in 0..10 {
        let work = |net: &mut dyn Net| {
            if net.me() == 1 {
                // The other has long ended when this one reads.
                let early = net.round(vec![vec![1; 100]; 2]).unwrap();
                thread::sleep(Duration::from_millis(50));
                let last = net.round(vec![vec![2; 5 << 20]; 2]).unwrap();
                return (early[0].len(), last[0].len());
            }
            net.round(vec![vec![1; 100]; 2]).unwrap();
            let got = net.round(vec![vec![2; 6 << 20]; 2]).unwrap();
            (100, got[1].len())
        };
        let results = run_here(&addresses(2), |peers| peers, work);
        let results: Vec<_> = results
            .into_iter()
            .map(|result| result.unwrap().unwrap())
            .collect();
        assert_eq!(results, [(100, 5 << 20), (100, 6 << 20)]);
    }
}

#[test]
fn a_run_of_threads_needs_a_shard() {
    let panic = catch_unwind(AssertUnwindSafe(|| run_threads(0, LONG, |_| ()))).unwrap_err();
    assert_eq!(
        panic.downcast_ref::<&str>(),
        Some(&"0 shards were to be run; help: run at least one")
    );
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
    let late = NetError::Late {
        shards: vec![2],
        waited: Duration::from_millis(1500),
    }
    .to_string();
    assert!(
        late.starts_with("shard 2 sent no part of a round for 1.5s; help: "),
        "{late}"
    );
    let silent = NetError::Silent {
        shards: vec![0, 2],
        waited: Duration::from_millis(810),
    }
    .to_string();
    assert!(
        silent.starts_with("shards 0 and 2 sent no sign of life for 810.0ms; help: "),
        "{silent}"
    );
}
