//! Processes in network namespaces of their own, like those of several machines: slow and lossy lines, lines that are cut and mended, and
//! addresses that are not loopback ones. It needs Linux, root, `ip` and `tc`, and says so where it cannot run.

use std::fs;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::SOON;
use super::children::Shard;
use super::meetings::hello;

/// A switch, and machines at it. Each is a namespace, and is removed at the end.
struct Machines {
    name: String,
    count: usize,
    token: PathBuf,
}

fn run(program: &str, arguments: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments.split(' ')).stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| format!("`{program}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "`{program} {arguments}`: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// The digits of the token of the tests.
const TOKEN: &str = "6563732d73686172642074657374732c206120746f6b656e206f66203332212e";

impl Machines {
    /// Returns nothing, and prints the reason, if the system does not allow it.
    fn new(test: &str, count: usize) -> Option<Machines> {
        let name = format!("ecs{}{test}", std::process::id());
        let token = std::env::temp_dir().join(format!("{name}.token"));
        fs::write(&token, TOKEN).unwrap();
        let machines = Machines { name, count, token };
        match machines.make() {
            Ok(()) => Some(machines),
            Err(reason) => {
                println!(
                    "SKIPPED: no network namespaces: {reason}; help: run as root, with `ip` and `tc` of iproute2"
                );
                None
            }
        }
    }

    fn make(&self) -> Result<(), String> {
        let name = &self.name;
        run("tc", "-V")?;
        run("ip", &format!("netns add {name}s"))?;
        run("ip", &format!("-n {name}s link add sw type bridge"))?;
        run("ip", &format!("-n {name}s addr add 10.77.0.254/24 dev sw"))?;
        run("ip", &format!("-n {name}s link set sw up"))?;
        for me in 0..self.count {
            run("ip", &format!("netns add {name}{me}"))?;
            run(
                "ip",
                &format!("-n {name}s link add p{me} type veth peer name eth netns {name}{me}"),
            )?;
            run("ip", &format!("-n {name}s link set p{me} master sw up"))?;
            run(
                "ip",
                &format!("-n {name}{me} addr add 10.77.0.{}/24 dev eth", me + 1),
            )?;
            run("ip", &format!("-n {name}{me} link set eth up"))?;
            run("ip", &format!("-n {name}{me} link set lo up"))?;
        }
        Ok(())
    }

    /// Makes the lines of all machines slow and lossy.
    fn worsen(&self) {
        for me in 0..self.count {
            let name = &self.name;
            let make = |how| {
                run(
                    "ip",
                    &format!("netns exec {name}{me} tc qdisc add dev eth root {how}"),
                )
            };
            if let Err(reason) = make("netem delay 10ms 5ms loss 2% duplicate 1% reorder 5%") {
                println!(
                    "NO DELAY: {reason}; a narrow line with a short queue drops packets instead"
                );
                make("tbf rate 20mbit burst 4kb limit 12kb").unwrap();
            }
        }
    }

    /// The number of packets that the lines have dropped.
    fn dropped(&self) -> u64 {
        let dropped = |me| {
            let mut command = Command::new("ip");
            command.args([
                "netns",
                "exec",
                &format!("{}{me}", self.name),
                "tc",
                "-s",
                "qdisc",
                "show",
                "dev",
                "eth",
            ]);
            let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let (_, number) = text.split_once("(dropped ").unwrap();
            number.split(',').next().unwrap().parse::<u64>().unwrap()
        };
        (0..self.count).map(dropped).sum()
    }

    /// Plugs a machine in or out.
    fn plug(&self, machine: usize, state: &str) {
        run(
            "ip",
            &format!("-n {}s link set p{machine} {state}", self.name),
        )
        .unwrap();
    }

    fn addresses(&self) -> Vec<SocketAddr> {
        (0..self.count)
            .map(|me| ([10, 77, 0, me as u8 + 1], 7000).into())
            .collect()
    }

    fn start(&self, work: &str, patience: Duration) -> Vec<Shard> {
        let start = |me| {
            Shard::start(&self.addresses(), me, work, |program| {
                let mut command = Command::new("ip");
                command
                    .args(["netns", "exec", &format!("{}{me}", self.name)])
                    .arg(program.get_program());
                command
                    .env("NET_TEST_PATIENCE", patience.as_millis().to_string())
                    .env("SHARD_TOKEN_FILE", &self.token);
                command
            })
        };
        (0..self.count).map(start).collect()
    }

    fn start_and_meet(&self, work: &str, patience: Duration) -> Vec<Shard> {
        let mut shards = self.start(work, patience);
        for shard in &mut shards {
            assert_eq!(shard.line(), "met");
        }
        shards
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        let names = (0..self.count)
            .map(|me| me.to_string())
            .chain(["s".to_owned()]);
        for end in names {
            let _ = run("ip", &format!("netns del {}{end}", self.name));
        }
        let _ = fs::remove_file(&self.token);
    }
}

#[test]
fn slow_and_lossy_lines_carry_what_others_send() {
    let Some(machines) = Machines::new("a", 3) else {
        return;
    };
    machines.worsen();
    for mut shard in machines.start_and_meet("exchange_far", Duration::from_secs(60)) {
        let line = shard.line();
        assert!(line.starts_with("done"), "{line}");
    }
    assert!(
        machines.dropped() > 10,
        "{} packets were dropped",
        machines.dropped()
    );
}

#[test]
fn a_machine_that_is_cut_off_is_silent_for_the_others_within_a_second_and_they_for_it() {
    let Some(machines) = Machines::new("b", 3) else {
        return;
    };
    let mut shards = machines.start_and_meet("forever", Duration::from_secs(60));
    thread::sleep(Duration::from_millis(100));
    machines.plug(2, "down");
    let begin = Instant::now();
    let mut times = Vec::new();
    for (me, shard) in shards.iter_mut().enumerate() {
        let line = shard.line();
        // One of them may have reached it a moment longer.
        let silent = if me == 2 {
            "Silent { shards: ["
        } else {
            "Silent { shards: [2], waited: "
        };
        assert!(line.starts_with(silent), "shard {me}: {line}");
        times.push(begin.elapsed());
    }
    // On a busy machine not all of them.
    assert!(
        times.iter().min() < Some(&Duration::from_secs(1)),
        "{times:?}"
    );
    assert!(times.iter().max() < Some(&SOON), "{times:?}");
}

#[test]
fn a_line_that_is_mended_within_the_silence_is_not_noticed() {
    let Some(machines) = Machines::new("c", 2) else {
        return;
    };
    let mut shards = machines.start_and_meet("slowly", Duration::from_secs(60));
    thread::sleep(Duration::from_millis(150));
    machines.plug(1, "down");
    thread::sleep(Duration::from_millis(400));
    machines.plug(1, "up");
    for shard in &mut shards {
        let line = shard.line();
        assert!(line.starts_with("done"), "{line}");
    }
}

#[test]
fn a_machine_that_is_not_in_the_list_gets_no_answer_although_it_has_the_token() {
    let Some(machines) = Machines::new("d", 2) else {
        return;
    };
    let mut token = [0; 32];
    for (i, byte) in token.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&TOKEN[2 * i..2 * i + 2], 16).unwrap();
    }
    // The first listens, and the second does not come yet.
    let first = Shard::start(&machines.addresses(), 0, "exchange", |program| {
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &format!("{}0", machines.name)])
            .arg(program.get_program());
        command.env("SHARD_TOKEN_FILE", &machines.token);
        command
    });
    // `nc` may be missing, so the test program itself calls from the namespace of the switch.
    let greeting: String = hello(2, 1, 0, 17, 0, token)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let from = |space: String| {
        let mut caller = Shard::start_with("call", |program| {
            let mut command = Command::new("ip");
            command
                .args(["netns", "exec", &space])
                .arg(program.get_program());
            command.env("NET_TEST_GREETING", &greeting);
            command
        });
        caller.line()
    };
    assert_eq!(from(format!("{}s", machines.name)), "answer of 0 bytes");
    assert_eq!(from(format!("{}1", machines.name)), "answer of 72 bytes");
    drop(first);
}

/// Calls the first machine, sends the greeting in the variable, and returns the number of bytes of the answer.
pub(super) fn call_first_machine() -> usize {
    let digits = std::env::var("NET_TEST_GREETING").unwrap();
    let bytes: Vec<u8> = (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    let mut socket = super::meetings::call(([10, 77, 0, 1], 7000).into());
    let _ = socket.write_all(&bytes);
    socket
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    let mut answer = [0; 72];
    if socket.read_exact(&mut answer).is_ok() {
        answer.len()
    } else {
        0
    }
}
