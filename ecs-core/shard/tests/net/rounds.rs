//! A round returns the parts that were sent, over each kind of network.

use ecs_core::shard::{Net, NetError, Solo, run_threads};

use super::{LONG, addresses, exchange, run_here};

/// Rounds of short, long and very long parts.
fn all_lengths(net: &mut dyn Net) -> Result<(), NetError> {
    exchange(net, 400, 0)?;
    exchange(net, 400, 100)?;
    exchange(net, 40, 64 << 10)?;
    exchange(net, 6, 8 << 20)
}

#[test]
fn one_shard_gets_what_it_sends() {
    assert_eq!((Solo.me(), Solo.shards()), (0, 1));
    all_lengths(&mut Solo).unwrap();
}

#[test]
fn threads_get_what_others_send() {
    for shards in 1..=4 {
        for result in run_threads(shards, LONG, all_lengths) {
            result.unwrap().unwrap();
        }
    }
}

#[test]
fn sockets_carry_what_others_send() {
    for shards in 1..=4 {
        for result in run_here(&addresses(shards), |peers| peers, all_lengths) {
            result.unwrap().unwrap().unwrap();
        }
    }
}

#[test]
fn parts_of_every_length_around_a_piece_arrive() {
    let piece = 128 << 10;
    let lengths = [
        0,
        1,
        piece - 1,
        piece,
        piece + 1,
        2 * piece - 1,
        2 * piece,
        2 * piece + 1,
    ];
    let work = |net: &mut dyn Net| {
        for length in lengths {
            let got = net.round(vec![vec![net.me() as u8; length]; 2])?;
            assert_eq!(got, [vec![0; length], vec![1; length]]);
        }
        Ok::<_, NetError>(())
    };
    for result in run_here(&addresses(2), |peers| peers, work) {
        result.unwrap().unwrap().unwrap();
    }
}

#[test]
fn a_part_above_the_limit_is_not_sent() {
    let work = |net: &mut dyn Net| {
        let length = if net.me() == 0 { 1001 } else { 1000 };
        net.round(vec![vec![1; length]; 2])
    };
    let results = run_here(&addresses(2), |peers| peers.max_frame(1000), work);
    let errors: Vec<NetError> = results
        .into_iter()
        .map(|result| result.unwrap().unwrap().unwrap_err())
        .collect();
    assert_eq!(
        errors[0],
        NetError::TooLong {
            to: 1,
            length: 1001,
            limit: 1000
        }
    );
    assert_eq!(errors[1], NetError::Lost { shards: vec![0] });
}

#[test]
fn a_shard_may_send_to_itself_above_the_limit() {
    let work = |net: &mut dyn Net| {
        let mut out = vec![vec![1; 1000]; 2];
        out[net.me()] = vec![2; 1001];
        net.round(out)
    };
    let results = run_here(&addresses(2), |peers| peers.max_frame(1000), work);
    for (me, result) in results.into_iter().enumerate() {
        assert_eq!(result.unwrap().unwrap().unwrap()[me], vec![2; 1001]);
    }
}

#[test]
#[should_panic(
    expected = "a round of 1 shards was given 2 parts; help: pass one part for each shard"
)]
fn a_round_needs_a_part_for_each_shard() {
    let _ = Solo.round(vec![Vec::new(), Vec::new()]);
}
