//! Processes meet: with others that fit, do not fit, come late or again, and with settings that cannot work.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::shard::{MeetingDifference, NetError, Peers, run_processes};

use super::children::Shard;
use super::{SOON, addresses, exchange, run_here};

/// The token of the tests.
pub(super) const TOKEN: [u8; 32] = *b"a token of thirty-two bytes, yes";

/// A greeting, written by hand.
pub(super) fn hello(
    shards: u32,
    from: u32,
    to: u32,
    schema: u64,
    run: u64,
    token: [u8; 32],
) -> Vec<u8> {
    let mut bytes = b"ecsshrd1".to_vec();
    for number in [shards, from, to, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(schema.to_le_bytes());
    bytes.extend(run.to_le_bytes());
    bytes.extend(token);
    bytes
}

/// A greeting for the connection of pulses: the fifth number says it.
pub(super) fn for_pulses(mut hello: Vec<u8>) -> Vec<u8> {
    hello[20] = 2;
    hello
}

/// Calls a process that may not listen yet.
pub(super) fn call(address: SocketAddr) -> TcpStream {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match TcpStream::connect(address) {
            Ok(socket) => return socket,
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Calls, greets, and returns the connection with all that was answered.
pub(super) fn greet(address: SocketAddr, hello: &[u8]) -> (TcpStream, Vec<u8>) {
    let mut socket = call(address);
    socket.write_all(hello).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let mut answer = vec![0; 72];
    let mut filled = 0;
    while filled < 72 {
        match socket.read(&mut answer[filled..]) {
            Ok(0) | Err(_) => break,
            Ok(read) => filled += read,
        }
    }
    answer.truncate(filled);
    (socket, answer)
}

/// Two processes whose settings differ, and their errors.
fn two(
    first: impl Fn(Peers) -> Peers + Sync,
    second: impl Fn(Peers) -> Peers + Sync,
) -> (NetError, NetError) {
    let set = |peers: Peers| {
        let peers = peers.deadline(Duration::from_millis(700));
        if peers.me() == 0 {
            first(peers)
        } else {
            second(peers)
        }
    };
    let results = run_here(&addresses(2), set, |_| ());
    let mut errors = results
        .into_iter()
        .map(|result| result.unwrap().unwrap_err());
    (errors.next().unwrap(), errors.next().unwrap())
}

#[test]
fn processes_of_different_programs_do_not_meet() {
    let errors = two(|peers| peers.schema(1), |peers| peers.schema(2));
    let refused = |shard, mine, theirs| {
        let difference = MeetingDifference::Schema { mine, theirs };
        NetError::Refused { shard, difference }
    };
    assert_eq!(errors, (refused(1, 1, 2), refused(0, 2, 1)));
    let text = errors.0.to_string();
    assert!(
        text.starts_with(
            "shard 1 does not fit: its components and declaration have the hash 0000000000000002"
        ),
        "{text}"
    );
}

#[test]
fn processes_of_different_runs_do_not_meet() {
    let errors = two(|peers| peers.run(7), |peers| peers.run(8));
    let refused = |shard, mine, theirs| {
        let difference = MeetingDifference::Run { mine, theirs };
        NetError::Refused { shard, difference }
    };
    assert_eq!(errors, (refused(1, 7, 8), refused(0, 8, 7)));
}

#[test]
fn processes_with_different_tokens_do_not_meet() {
    let errors = two(|peers| peers.token(TOKEN), |peers| peers.token([1; 32]));
    let missing = |error: &NetError| match error {
        NetError::Missing { shards, .. } => shards.clone(),
        other => panic!("{other}"),
    };
    assert_eq!((missing(&errors.0), missing(&errors.1)), (vec![1], vec![0]));
}

#[test]
fn processes_with_lists_of_different_lengths_do_not_meet() {
    let all = addresses(3);
    let deadline = Duration::from_millis(700);
    let short = Peers::new(all[..2].iter().copied(), 0).deadline(deadline);
    let short = thread::spawn(move || run_processes(&short, |_| ()).unwrap_err());
    let long = Peers::new(all, 1).deadline(deadline);
    let refused = |shard, mine, theirs| {
        let difference = MeetingDifference::Shards { mine, theirs };
        NetError::Refused { shard, difference }
    };
    assert_eq!(run_processes(&long, |_| ()), Err(refused(0, 3, 2)));
    assert_eq!(short.join().unwrap(), refused(1, 2, 3));
}

#[test]
fn a_second_process_with_the_same_number_is_refused_and_the_others_meet() {
    let all = addresses(3);
    let peers = |me| Peers::new(all.clone(), me).deadline(Duration::from_secs(10));
    let [first, second, again, third] = [peers(0), peers(1), peers(1), peers(2)];
    let run =
        |peers: Peers| thread::spawn(move || run_processes(&peers, |net| exchange(net, 5, 100)));
    let (first, second) = (run(first), run(second));
    thread::sleep(Duration::from_millis(200));
    // Its own address is taken, too.
    let twice = run_processes(&again, |_| ()).unwrap_err();
    assert!(
        matches!(twice, NetError::Io { ref action, .. } if action.starts_with("listen at 127.")),
        "{twice}"
    );
    let (_socket, answer) = greet(all[0], &hello(3, 1, 0, 0, 0, [0; 32]));
    assert_eq!(answer[20..24], [1, 0, 0, 0]);
    let third = run(third);
    for thread in [first, second, third] {
        thread.join().unwrap().unwrap().unwrap();
    }
}

#[test]
fn a_process_that_dies_while_others_are_missing_may_come_again() {
    let all = addresses(3);
    let run = |me| {
        let peers = Peers::new(all.clone(), me).deadline(Duration::from_secs(10));
        thread::spawn(move || run_processes(&peers, |net| exchange(net, 5, 100)))
    };
    let first = run(0);
    let (socket, answer) = greet(all[0], &hello(3, 1, 0, 0, 0, [0; 32]));
    assert_eq!(answer, hello(3, 0, 1, 0, 0, [0; 32]));
    drop(socket);
    for thread in [first, run(1), run(2)] {
        thread.join().unwrap().unwrap().unwrap();
    }
}

#[test]
fn a_process_waits_until_the_last_run_has_left_the_address() {
    let all = addresses(2);
    let run = |me, run, deadline| {
        let peers = Peers::new(all.clone(), me).run(run).deadline(deadline);
        thread::spawn(move || run_processes(&peers, |net| exchange(net, 5, 100)))
    };
    let old = run(0, 1, Duration::from_millis(300));
    thread::sleep(Duration::from_millis(50));
    let second = run(1, 2, Duration::from_secs(10));
    assert!(matches!(
        old.join().unwrap(),
        Err(NetError::Refused { shard: 1, .. })
    ));
    let first = run(0, 2, Duration::from_secs(10));
    first.join().unwrap().unwrap().unwrap();
    second.join().unwrap().unwrap().unwrap();
}

#[test]
fn a_process_that_is_alone_names_the_missing_ones_when_the_time_is_over() {
    let peers = Peers::new(addresses(4), 2).deadline(Duration::from_millis(150));
    let begin = Instant::now();
    match run_processes(&peers, |_| ()).unwrap_err() {
        NetError::Missing { shards, waited } => {
            assert_eq!(shards, [0, 1, 3]);
            assert!(waited >= Duration::from_millis(150));
        }
        other => panic!("{other}"),
    }
    assert!(begin.elapsed() < SOON);
}

#[test]
fn settings_that_cannot_work_are_refused_with_the_fix() {
    let problem = |peers: Peers| match run_processes(&peers, |_| ()) {
        Err(NetError::Settings { problem }) => problem,
        other => panic!("{other:?}"),
    };
    let near: [SocketAddr; 2] = [([127, 0, 0, 1], 7000).into(), ([127, 0, 0, 1], 7001).into()];
    assert_eq!(
        problem(Peers::new(near, 2)),
        "this process is shard 2 of 2; help: count from 0, with one number for each address"
    );
    assert_eq!(
        problem(Peers::new([near[0], near[1], near[0]], 1)),
        "two shards have the address 127.0.0.1:7000; help: give each a port of its own"
    );
    let far = problem(Peers::new([near[0], ([10, 0, 0, 1], 7000).into()], 0));
    assert!(
        far.starts_with("the address 10.0.0.1:7000 is not a loopback one, and there is no token"),
        "{far}"
    );
    assert!(problem(Peers::new(near, 0).token([0; 32])).starts_with("the token is all zeros"));
    assert!(problem(Peers::new([], 0)).starts_with("this process is shard 0 of 0"));
    let short = Peers::new(near, 0).silence(Duration::from_millis(120));
    assert_eq!(
        problem(short),
        "the `silence` is 120ms, and a sign of life comes every 100ms; help: set at least 300ms"
    );
}

#[test]
fn a_run_of_one_process_needs_no_socket() {
    let alone = Peers::new([([127, 0, 0, 1], 1).into()], 0);
    assert_eq!(
        run_processes(&alone, |net| net.round(vec![vec![3]])),
        Ok(Ok(vec![vec![3]]))
    );
}

#[test]
fn what_is_printed_of_settings_has_no_token() {
    let text = format!("{:?}", Peers::new([], 0).token([77; 32]));
    assert!(
        text.contains("has_token: true") && !text.contains("77"),
        "{text}"
    );
}

#[test]
fn wrong_variables_are_refused_by_name() {
    let token = std::env::temp_dir().join(format!("ecs-net-token-{}", std::process::id()));
    std::fs::write(&token, "abc").unwrap();
    let near = "127.0.0.1:7000,127.0.0.1:7001";
    let file = token.to_str().unwrap();
    let cases = [
        (
            vec![("SHARD_ME", "0")],
            "the variable `SHARD_PEERS` is not set",
        ),
        (
            vec![("SHARD_PEERS", near)],
            "the variable `SHARD_ME` is not set; help: set `SHARD_ME=0`",
        ),
        (
            vec![("SHARD_PEERS", near), ("SHARD_ME", "x")],
            "the variable `SHARD_ME` is `x`, not a number",
        ),
        (
            vec![("SHARD_PEERS", "127.0.0.1"), ("SHARD_ME", "0")],
            "`127.0.0.1` in `SHARD_PEERS` is not an address",
        ),
        (
            vec![
                ("SHARD_PEERS", near),
                ("SHARD_ME", "0"),
                ("SHARD_TOKEN_FILE", file),
            ],
            "does not have 64 hexadecimal digits; help: make one by `openssl rand -hex 32 > ",
        ),
        (
            vec![
                ("SHARD_PEERS", near),
                ("SHARD_ME", "0"),
                ("SHARD_TOKEN_FILE", "/nowhere"),
            ],
            "could not read the token file `/nowhere`",
        ),
        (
            vec![
                ("SHARD_PEERS", near),
                ("SHARD_ME", "0"),
                ("SHARD_RUN", "-1"),
            ],
            "the variable `SHARD_RUN` is `-1`",
        ),
    ];
    for (variables, expected) in cases {
        let mut shard = Shard::start_with("settings", |mut command| {
            command
                .env_remove("SHARD_PEERS")
                .env_remove("SHARD_ME")
                .envs(variables);
            command
        });
        let line = shard.line();
        assert!(line.contains(expected), "{line}");
    }
    std::fs::remove_file(token).unwrap();
}
