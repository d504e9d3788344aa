//! Strangers at the meeting, and peers that send something else than rounds.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::shard::{FrameProblem, NetError, Peers, run_processes};

use super::meetings::{TOKEN, call, for_pulses, greet, hello};
use super::{SOON, addresses, exchange, mix};

/// Attacks a process that waits for another one, which comes afterwards. Returns how long the two took to meet then.
fn meet_after(attack: impl FnOnce(SocketAddr) -> Vec<TcpStream>) -> Duration {
    let all = addresses(2);
    let run = |me| {
        let peers = Peers::new(all.clone(), me)
            .token(TOKEN)
            .schema(5)
            .run(6)
            .deadline(Duration::from_secs(10));
        thread::spawn(move || run_processes(&peers, |net| exchange(net, 5, 100)))
    };
    let first = run(0);
    let strangers = attack(all[0]);
    let begin = Instant::now();
    let second = run(1);
    first.join().unwrap().unwrap().unwrap();
    second.join().unwrap().unwrap().unwrap();
    drop(strangers);
    begin.elapsed()
}

#[test]
fn strangers_get_no_answer_and_the_others_meet() {
    let good = hello(2, 1, 0, 5, 6, TOKEN);
    let mut other_magic = good.clone();
    other_magic[7] = b'2';
    let mut other_token = good.clone();
    other_token[71] ^= 1;
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a browser that was opened at this port\r\n\r\n";
    let strangers = [
        other_magic,
        other_token,
        request.to_vec(),
        vec![0; 72],
        vec![0xff; 72],
        vec![0xff; 100_000],
    ];
    let time = meet_after(|address| {
        for bytes in strangers {
            let mut socket = call(address);
            // A long one may be cut off.
            let _ = socket.write_all(&bytes);
            socket
                .set_read_timeout(Some(Duration::from_secs(5)))
                .unwrap();
            let mut answer = Vec::new();
            let _ = socket.read_to_end(&mut answer);
            assert_eq!(answer, [0_u8; 0]);
        }
        Vec::new()
    });
    assert!(time < SOON, "{time:?}");
}

#[test]
fn callers_with_the_token_that_do_not_fit_do_not_keep_the_others_from_meeting() {
    let wrong = [
        hello(3, 1, 0, 5, 6, TOKEN),
        hello(2, 1, 0, 4, 6, TOKEN),
        hello(2, 1, 0, 5, 7, TOKEN),
        hello(2, 0, 0, 5, 6, TOKEN),
        hello(2, 2, 0, 5, 6, TOKEN),
        hello(2, u32::MAX, 0, 5, 6, TOKEN),
        hello(2, 1, 1, 5, 6, TOKEN),
        hello(u32::MAX, u32::MAX, u32::MAX, u64::MAX, u64::MAX, TOKEN),
    ];
    let time = meet_after(|address| {
        for bytes in wrong {
            let (_, answer) = greet(address, &bytes);
            // They learn the difference.
            assert_eq!(answer[24..], hello(2, 0, 0, 5, 6, TOKEN)[24..], "{bytes:?}");
        }
        Vec::new()
    });
    assert!(time < SOON, "{time:?}");
}

#[test]
fn callers_that_are_silent_slow_or_gone_do_not_delay_the_others() {
    let time = meet_after(|address| {
        let mut sockets: Vec<TcpStream> = (0..300).map(|_| call(address)).collect();
        for socket in &mut sockets[..20] {
            socket
                .write_all(&hello(2, 1, 0, 5, 6, TOKEN)[..71])
                .unwrap();
        }
        sockets.truncate(290);
        sockets
    });
    assert!(time < SOON, "{time:?}");
}

#[test]
fn a_silent_caller_is_sent_away_after_200_milliseconds() {
    meet_after(|address| {
        let mut socket = call(address);
        let begin = Instant::now();
        assert_eq!(socket.read(&mut [0]).unwrap_or(0), 0);
        let time = begin.elapsed();
        assert!(time > Duration::from_millis(150) && time < SOON, "{time:?}");
        Vec::new()
    });
}

/// A head of timely, and the piece behind it.
fn message(timely: [u64; 6], piece: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = timely
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect();
    bytes.extend(piece);
    bytes
}

/// A piece of a frame.
fn piece(round: u64, length: u64, at: u64, kind: u32, from: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = [round, length, at]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(from.to_le_bytes());
    bytes.extend(body);
    bytes.extend(b"ecs-end!");
    bytes
}

/// A piece with the right head in front.
fn sent(piece: &[u8]) -> Vec<u8> {
    message([0, 1, 0, 1, piece.len() as u64, 0], piece)
}

/// A whole frame of shard 1.
fn frame(round: u64, body: &[u8]) -> Vec<u8> {
    sent(&piece(round, body.len() as u64, 0, 0, 1, body))
}

/// Meets shard 0 of two, and returns the connections for rounds and for pulses.
fn meet_first(address: SocketAddr) -> (TcpStream, TcpStream) {
    let (mine, theirs) = (hello(2, 1, 0, 0, 0, [0; 32]), hello(2, 0, 1, 0, 0, [0; 32]));
    let (rounds, answer) = greet(address, &mine);
    assert_eq!(answer, theirs);
    let (pulses, answer) = greet(address, &for_pulses(mine));
    assert_eq!(answer, for_pulses(theirs));
    (rounds, pulses)
}

/// Runs a shard against a peer that sends these bytes. Returns the parts that it got from it, and the error after them.
fn against(bytes: &[u8], ends: bool) -> (Vec<Vec<u8>>, NetError) {
    let all = addresses(2);
    let peers = Peers::new(all.clone(), 0)
        .patience(Duration::from_millis(400))
        .max_frame(1 << 20);
    let victim = thread::spawn(move || {
        run_processes(&peers, |net| {
            let mut parts = Vec::new();
            loop {
                match net.round(vec![Vec::new(); 2]) {
                    Ok(got) => parts.push(got[1].clone()),
                    Err(error) => return (parts, error),
                }
            }
        })
    });
    let (mut socket, _pulses) = meet_first(all[0]);
    // The victim may end the connection in the middle.
    let _ = socket.write_all(bytes);
    if ends {
        let _ = socket.shutdown(Shutdown::Write);
    }
    victim.join().unwrap().unwrap()
}

fn wrong(bytes: &[u8], problem: FrameProblem) {
    let (parts, error) = against(bytes, false);
    assert_eq!(
        (parts.len(), error),
        (0, NetError::Frame { from: 1, problem })
    );
}

#[test]
fn heads_that_timely_would_index_by_are_refused() {
    let good = piece(0, 3, 0, 0, 1, b"abc");
    let length = good.len() as u64;
    let head = |timely| message(timely, &good);
    wrong(&head([1, 1, 0, 1, length, 0]), FrameProblem::Unknown);
    wrong(&head([u64::MAX, 1, 0, 1, length, 0]), FrameProblem::Unknown);
    wrong(&head([0, 0, 0, 1, length, 0]), FrameProblem::Address);
    wrong(&head([0, 2, 0, 1, length, 0]), FrameProblem::Address);
    wrong(&head([0, 1, 1, 2, length, 0]), FrameProblem::Address);
    wrong(&head([0, 1, 0, 2, length, 0]), FrameProblem::Address);
    wrong(&head([0, 1, 0, u64::MAX, length, 0]), FrameProblem::Address);
    wrong(&head([0, 1, u64::MAX, 0, length, 0]), FrameProblem::Address);
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    let good = piece(0, 3, 0, 0, 1, b"abc");
    for length in [1, 39, (128 << 10) + 41, 1 << 40, u64::MAX - 47, u64::MAX] {
        wrong(
            &message([0, 1, 0, 1, length, 0], &good),
            FrameProblem::Unknown,
        );
    }
    let limit = 1 << 20;
    for got in [limit + 1, 1 << 40, u64::MAX] {
        wrong(
            &sent(&piece(0, got, 0, 0, 1, b"abc")),
            FrameProblem::Length { got, limit },
        );
    }
}

#[test]
fn frames_of_other_shards_and_rounds_are_refused() {
    wrong(&sent(&piece(0, 3, 0, 0, 0, b"abc")), FrameProblem::Address);
    wrong(
        &sent(&piece(0, 3, 0, 0, u32::MAX, b"abc")),
        FrameProblem::Address,
    );
    for got in [1, 2, 7, u64::MAX] {
        wrong(
            &frame(got, b"abc"),
            FrameProblem::Round { got, expected: 0 },
        );
    }
}

#[test]
fn pieces_that_do_not_fit_together_are_refused() {
    let first = sent(&piece(0, 6, 0, 0, 1, b"abc"));
    wrong(&sent(&piece(0, 6, 3, 0, 1, b"def")), FrameProblem::Pieces);
    wrong(&sent(&piece(0, 2, 0, 0, 1, b"abc")), FrameProblem::Pieces);
    wrong(&sent(&piece(0, 2, 0, 0, 1, b"")), FrameProblem::Pieces);
    for next in [
        piece(0, 6, 0, 0, 1, b"abc"),
        piece(0, 7, 3, 0, 1, b"def"),
        piece(0, 6, 3, 0, 1, b"defg"),
    ] {
        wrong(&[first.clone(), sent(&next)].concat(), FrameProblem::Pieces);
    }
    // Of the next round, before this one is complete.
    let early = [first, frame(1, b"abc")].concat();
    wrong(
        &early,
        FrameProblem::Round {
            got: 1,
            expected: 0,
        },
    );
}

#[test]
fn pieces_of_no_kind_and_with_a_wrong_end_are_refused() {
    wrong(&sent(&piece(0, 3, 0, 6, 1, b"abc")), FrameProblem::Unknown);
    wrong(
        &sent(&piece(0, 3, 0, u32::MAX, 1, b"abcd")),
        FrameProblem::Unknown,
    );
    wrong(&sent(&piece(0, 0, 0, 3, 1, b"abc")), FrameProblem::Unknown);
    let mut end = piece(0, 3, 0, 0, 1, b"abc");
    *end.last_mut().unwrap() = b'?';
    wrong(&sent(&end), FrameProblem::Unknown);
}

#[test]
fn a_peer_may_be_one_round_ahead_and_not_two() {
    // All at once: the victim finds three rounds in its inbox.
    let ahead = [
        frame(0, b"abc"),
        frame(1, b""),
        sent(&piece(2, 6, 0, 0, 1, b"abc")),
    ]
    .concat();
    let (parts, error) = against(&ahead, false);
    if parts.is_empty() {
        assert_eq!(
            error,
            NetError::Frame {
                from: 1,
                problem: FrameProblem::Round {
                    got: 2,
                    expected: 0
                }
            }
        );
    } else {
        assert_eq!(parts, [b"abc".to_vec(), Vec::new()]);
        assert!(matches!(error, NetError::Late { .. }), "{error}");
    }
    let (parts, error) = against(&[frame(0, b"abc"), frame(1, b"def")].concat(), false);
    assert_eq!(parts, [b"abc", b"def"]);
    assert!(matches!(error, NetError::Late { shards, .. } if shards == [1]));
}

#[test]
fn a_connection_that_ends_anywhere_is_a_loss() {
    let two = [frame(0, &[7; 300]), frame(1, &[8; 300])].concat();
    let one = two.len() / 2;
    for cut in [
        1,
        47,
        48,
        49,
        79,
        80,
        81,
        one - 9,
        one - 1,
        one,
        one + 1,
        one + 48,
        one + 100,
        2 * one - 1,
    ] {
        let (parts, error) = against(&two[..cut], true);
        assert_eq!(error, NetError::Lost { shards: vec![1] }, "{cut}");
        assert_eq!(parts.len(), usize::from(cut >= one), "{cut}");
    }
    // With timely's own end, too, and something behind it.
    let (parts, error) = against(
        &[frame(0, b"abc"), vec![0; 48], frame(1, b"abc")].concat(),
        false,
    );
    assert_eq!(
        (parts.len(), error),
        (1, NetError::Lost { shards: vec![1] })
    );
}

#[test]
fn farewells_with_any_numbers_are_errors_without_them() {
    let farewell = |kind, shards: &[u32]| {
        let body: Vec<u8> = shards
            .iter()
            .flat_map(|shard| shard.to_le_bytes())
            .collect();
        against(&sent(&piece(1500, 0, 0, kind, 1, &body)), false).1
    };
    assert_eq!(farewell(1, &[]), NetError::Ended { shards: vec![1] });
    assert_eq!(farewell(2, &[]), NetError::Lost { shards: vec![1] });
    assert_eq!(farewell(3, &[0]), NetError::Lost { shards: vec![1] });
    for numbers in [[1, 1, 7], [u32::MAX, 1, 0]] {
        assert_eq!(farewell(3, &numbers), NetError::Lost { shards: vec![1] });
    }
    let waited = Duration::from_millis(1500);
    let late = |shards| NetError::Late { shards, waited };
    let silent = |shards| NetError::Silent { shards, waited };
    for numbers in [vec![], vec![7], vec![u32::MAX; 9]] {
        assert_eq!(farewell(3, &numbers), NetError::Lost { shards: vec![1] });
        assert_eq!(farewell(4, &numbers), late(vec![1]));
        assert_eq!(farewell(5, &numbers), silent(vec![1]));
    }
    assert_eq!(farewell(4, &[0, 9]), late(vec![0]));
    assert_eq!(farewell(5, &[0, 9]), silent(vec![0]));
}

#[test]
fn random_bytes_are_typed_errors() {
    let rounds = if std::env::var_os("ECS_SOAK").is_some() {
        2000
    } else {
        30
    };
    let good = [frame(0, &[7; 100]), frame(1, &[8; 100])].concat();
    for seed in 0..rounds {
        let mut state = mix(99, seed);
        let mut next = || {
            state = mix(state, seed);
            state
        };
        let mut bytes = good.clone();
        for _ in 0..=next() % 3 {
            let at = next() as usize % bytes.len();
            bytes[at] ^= next() as u8 | 1;
        }
        let (_, error) = against(&bytes, true);
        let fits = matches!(
            error,
            NetError::Frame { from: 1, .. }
                | NetError::Lost { .. }
                | NetError::Late { .. }
                | NetError::Ended { .. }
        );
        assert!(fits, "{seed}: {error}");
    }
}

#[test]
fn a_peer_that_reads_nothing_is_late_and_does_not_hold_up_the_end() {
    let all = addresses(2);
    let peers = Peers::new(all.clone(), 0).patience(Duration::from_millis(400));
    // More than the buffers of both sockets.
    let victim =
        thread::spawn(move || run_processes(&peers, |net| net.round(vec![vec![1; 64 << 20]; 2])));
    let sockets = meet_first(all[0]);
    let begin = Instant::now();
    let error = victim.join().unwrap().unwrap().unwrap_err();
    assert!(
        matches!(error, NetError::Late { ref shards, .. } if *shards == [1]),
        "{error}"
    );
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    drop(sockets);
}
