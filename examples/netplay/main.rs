//! This example shows rollback netcode: a ball game for two over UDP, where neither waits for the other.
//!
//! Both machines run the same game (`game.rs`). Each sends its inputs to the other one, predicts the inputs that have not
//! arrived, and returns to an earlier frame when a prediction was wrong (`peer.rs`, on `ecs_core::data::Rollback`). The link
//! (`link.rs`) is UDP on this machine, with added latency, jitter, loss and reordering, so that there is something to
//! correct.
//!
//! `cargo run --release -p ecs-examples --example netplay` plays against a bot over such a link; two players start
//! `-- --player 0 --port 7000 --peer 127.0.0.1:7001` and `-- --player 1 --port 7001 --peer 127.0.0.1:7000`. With
//! `--headless` two bots play, and the program fails unless both end with the same world. With `--processes` too, each of them
//! is a process. With `--record FILE` each machine records the match; the two files are compared, and `--replay FILE` runs one
//! of them again.

mod game;
mod link;
mod options;
mod peer;
mod processes;
mod recording;
mod terminal;

use std::error::Error;
use std::process::ExitCode;
use std::thread;

use link::Link;
use options::{Mode, Options};
use peer::{End, Peer};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The error of a match whose other bot has stopped.
const LEFT: &str = "a bot has left the match";

fn main() -> ExitCode {
    let end = match Options::from_env() {
        Ok(Some(options)) => run(&options),
        Ok(None) => {
            print!("{}", options::USAGE);
            Ok(())
        }
        Err(error) => Err(error),
    };
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("netplay: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    match &options.mode {
        Mode::Replay(file) => {
            let replayed = ecs_examples::replay(file, || recording::simulation(options.seed));
            println!("{}", replayed.map_err(|error| error.to_string())?);
            Ok(())
        }
        Mode::Headless => {
            let [one, other] = Link::pair(&options.faults, options.seed)?;
            let frames = options.frames;
            let ends = thread::scope(|scope| {
                let bots = [one, other].into_iter().enumerate();
                let threads: Vec<_> = bots
                    .map(|(player, link)| {
                        scope.spawn(move || Peer::new(player, link, options).play_bot(Some(frames)))
                    })
                    .collect();
                let ends = threads
                    .into_iter()
                    .map(|thread| thread.join().expect("no panic"));
                ends.collect::<Result<Vec<Option<End>>>>()
            })?;
            let ends: Vec<End> = ends.into_iter().flatten().collect();
            for (player, end) in ends.iter().enumerate() {
                println!("player {player}: {end}");
            }
            match ends[..] {
                [ref one, ref other] => compare([one.hash, other.hash], options),
                _ => Err(LEFT.into()),
            }
        }
        Mode::Processes => compare(processes::play(options, processes::this_program)?, options),
        Mode::Bot => {
            let [mine, of_bot] = Link::pair(&options.faults, options.seed)?;
            thread::scope(|scope| {
                // It ends when the player leaves.
                scope.spawn(move || Peer::new(1, of_bot, options).play_bot(None));
                terminal::play(Peer::new(0, mine, options))
            })
        }
        &Mode::Remote {
            player,
            port,
            peer,
            is_bot,
        } => {
            let peer = Peer::new(
                player,
                Link::new(port, peer, &options.faults, options.seed + player as u64)?,
                options,
            );
            if !is_bot {
                return terminal::play(peer);
            }
            let end = peer.play_bot(Some(options.frames))?.ok_or(LEFT)?;
            println!("player {player}: {end}");
            Ok(())
        }
    }
}

/// Compares the worlds at the end of a match, and its recordings.
fn compare([one, other]: [u64; 2], options: &Options) -> Result<()> {
    if one != other {
        return Err("the two machines have different worlds".into());
    }
    let frames = options.frames;
    println!("both machines have the same world after {frames} frames");
    if let Some(file) = &options.record {
        recording::compare(file, options.seed)?;
        println!("and their recordings are the same");
    }
    Ok(())
}
