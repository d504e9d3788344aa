//! A match of two bots in two processes of this machine, which only know each other's messages.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::{Command, Stdio};

use crate::Result;
use crate::options::Options;

/// Starts a process for each bot, waits for both, and returns the hashes of their worlds. The function returns the command of a
/// process, which gets its arguments.
pub(crate) fn play(options: &Options, command: fn(Vec<String>) -> Command) -> Result<[u64; 2]> {
    // Both are open at once, so they differ. The processes open them again.
    let sockets = [
        UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?,
        UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?,
    ];
    let addresses = [sockets[0].local_addr()?, sockets[1].local_addr()?];
    drop(sockets);
    let start = |player: usize| {
        let [mine, other]: [SocketAddr; 2] = [addresses[player], addresses[1 - player]];
        let mut arguments = options.arguments();
        arguments.extend(["--player".to_owned(), player.to_string()]);
        arguments.extend(["--port".to_owned(), mine.port().to_string()]);
        arguments.extend(["--peer".to_owned(), other.to_string()]);
        command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
    };
    let bots = [start(0)?, start(1)?];
    let mut hashes = [0; 2];
    for (player, bot) in bots.into_iter().enumerate() {
        let output = bot.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("player {player}: ")));
        let hash = line.and_then(|line| u64::from_str_radix(line.rsplit_once(' ')?.1, 16).ok());
        let (true, Some(line), Some(hash)) = (output.status.success(), line, hash) else {
            return Err(format!("the process of player {player} has failed: {text}").into());
        };
        println!("{line}");
        hashes[player] = hash;
    }
    Ok(hashes)
}

/// Returns the command that runs this program once more.
pub(crate) fn this_program(arguments: Vec<String>) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "netplay".into()));
    command.args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{compare, file_of, simulation};

    const ARGUMENTS: &str = "NETPLAY_ARGUMENTS";

    fn parse(arguments: &[String]) -> Options {
        let arguments = arguments.iter().cloned();
        Options::parse(arguments).unwrap().unwrap()
    }

    #[test]
    #[ignore = "the program that the next test starts twice"]
    fn program() {
        let arguments = std::env::var(ARGUMENTS).unwrap();
        let arguments: Vec<String> = arguments.lines().map(str::to_owned).collect();
        // The harness has begun a line.
        println!();
        crate::run(&parse(&arguments)).unwrap();
    }

    #[test]
    fn the_recordings_of_two_processes_are_the_same_and_replay() {
        let folder = std::env::temp_dir().join(format!("netplay-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("match");
        let text = "--headless --processes --frames 200 --latency 12 --jitter 9 --loss 20 --reorder 20 --seed 7 --record";
        let mut arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
        arguments.push(file.display().to_string());
        let options = parse(&arguments);
        let [one, other] = play(&options, |arguments| {
            let mut command = this_program(Vec::new());
            command.args([
                "--ignored",
                "--exact",
                "--nocapture",
                "processes::tests::program",
            ]);
            command.env(ARGUMENTS, arguments.join("\n"));
            command
        })
        .unwrap();
        assert_eq!(one, other);
        compare(&file, 7).unwrap();
        for player in [0, 1] {
            let line = ecs_examples::replay(&file_of(player, &file), || simulation(7)).unwrap();
            // A machine may know the inputs of a few frames after the last one.
            let frames: u64 = line.split(' ').next().unwrap().parse().unwrap();
            assert!((200..=212).contains(&frames), "{line}");
        }
        // Another match is not the same.
        let other = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/netplay.rec");
        std::fs::copy(other, file_of(1, &file)).unwrap();
        compare(&file, 7).unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
