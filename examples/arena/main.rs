//! An arena for up to eight players on a server, over a bad network: predicted, corrected, interpolated.
//!
//! `cargo run --release -p ecs-examples --example arena -- --players 8 --seconds 20 --latency 80 --jitter 40 --loss 8`
//!
//! All machines run in one program, by simulated time, and bots play. At the end it checks that all ends agree about each player, and that no
//! player has waited for the server in any frame, and prints figures. `--record FILE` records the match ([`referee.rs`](referee.rs)), and
//! `--replay FILE` plays it again. [`game.rs`](game.rs) has the game: the same plugin
//! on each machine.
//!
//! Real machines play over UDP: `-- --serve 0.0.0.0:7747` is a server, and with `--features window`, `-- --join 192.168.0.7:7747` a
//! player in a window. The arrow keys run, space shoots.

mod bots;
mod game;
mod machines;
mod referee;
#[cfg(feature = "window")]
mod window;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ecs_core::net::{ClientStatus, LinkQuality, MemoryNetwork, Online, Owner, PlayerId, Transport};
use ecs_core::prelude::*;
use ecs_examples::{file_after, replay};

use bots::{Diary, bot};
use game::{Bullet, Health, Place, Score, game, network};

const FRAME: Duration = Duration::from_nanos(16_666_667);

/// The options of the command line.
#[derive(Clone, Debug)]
struct Options {
    players: usize,
    seconds: u32,
    quality: LinkQuality,
    seed: u64,
    record: Option<PathBuf>,
    serve: Option<SocketAddr>,
    join: Option<SocketAddr>,
}

impl Options {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            players: 8,
            seconds: 20,
            quality: LinkQuality {
                latency: Duration::from_millis(80),
                jitter: Duration::from_millis(40),
                loss: 0.08,
                duplicates: 0.02,
                bandwidth: Some(100_000),
            },
            seed: 1,
            record: None,
            serve: None,
            join: None,
        };
        while let Some(name) = args.next() {
            let value = args
                .next()
                .ok_or_else(|| format!("`{name}` needs a value"))?;
            match &name[..] {
                "--record" => options.record = Some(value.into()),
                "--serve" => options.serve = Some(value.parse()?),
                "--join" => options.join = Some(value.parse()?),
                _ => options.set(&name, value.parse()?)?,
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, number: u32) -> Result<(), Box<dyn Error>> {
        match name {
            "--players" => self.players = (number as usize).clamp(1, 8),
            "--seconds" => self.seconds = number,
            "--latency" => self.quality.latency = Duration::from_millis(number.into()),
            "--jitter" => self.quality.jitter = Duration::from_millis(number.into()),
            "--loss" => self.quality.loss = number as f32 / 100.0,
            "--bandwidth" => self.quality.bandwidth = Some(number),
            "--seed" => self.seed = number.into(),
            _ => return Err(format!("there is no option `{name}`; help: there are `--players`, `--seconds`, `--latency`, `--jitter`, `--loss`, `--bandwidth`, `--seed`, `--record`, `--replay`, `--serve` and `--join`").into()),
        }
        Ok(())
    }
}

/// A player as one machine sees it.
type Seen = (PlayerId, Place, Health, Score);

/// Returns the state of all players on a machine.
fn players(app: &App) -> Vec<Seen> {
    let world = app.world();
    let (places, health) = (world.view::<Place>(), world.view::<Health>());
    let (scores, owners) = (world.view::<Score>(), world.view::<Owner>());
    let all = (&places, &health, &scores, &owners).iter();
    let mut all: Vec<Seen> = all
        .map(|(place, health, score, owner)| (owner.0, *place, *health, *score))
        .collect();
    all.sort_by_key(|seen| seen.0);
    all
}

/// The machines of a match.
struct Arena {
    internet: MemoryNetwork,
    server: App,
    clients: Vec<App>,
    /// The recorded world, if the match is recorded.
    referee: Option<App>,
}

impl Arena {
    fn new(options: &Options) -> Self {
        let internet = MemoryNetwork::new(options.seed);
        internet.set_quality(options.quality);
        let transport = internet.transport();
        let address = transport.address();
        let mut server = App::new();
        server
            .add_plugin(game)
            .add_plugin(network().server(transport));
        let client = |_| {
            let mut client = App::new();
            let plugin = network().client(internet.transport(), address);
            client.add_plugin(game).add_plugin(bot).add_plugin(plugin);
            client
        };
        let clients = (0..options.players).map(client).collect();
        Self {
            internet,
            server,
            clients,
            referee: options.record.as_deref().map(referee::recorded),
        }
    }

    fn run(&mut self, seconds: u32) {
        for _ in 0..seconds * 60 {
            self.internet.advance(FRAME);
            self.server.update_by(FRAME);
            if let Some(referee) = &mut self.referee {
                referee::follow(&self.server, referee);
                referee.update_by(FRAME);
            }
            for client in &mut self.clients {
                client.update_by(FRAME);
            }
        }
    }

    fn play(&mut self, seconds: u32) {
        // They connect, and play; then they stop, and the last states arrive.
        self.run(2);
        for plays in [true, false] {
            for client in &mut self.clients {
                client.world_mut().resource_mut::<Diary>().plays = plays;
            }
            self.run(if plays { seconds } else { 3 });
        }
    }

    /// Checks that all ends agree and no player has waited.
    fn check(&self) -> Result<(), Box<dyn Error>> {
        let expected = players(&self.server);
        if expected.len() != self.clients.len() {
            return Err(format!(
                "{} of {} players are there",
                expected.len(),
                self.clients.len()
            )
            .into());
        }
        if let Some(referee) = &self.referee
            && players(referee) != expected
        {
            let seen = players(referee);
            return Err(format!("the recording has {seen:?}, the server {expected:?}").into());
        }
        for client in &self.clients {
            let online = client.world().resource::<Online>();
            if online.status() != &ClientStatus::Connected {
                return Err(format!("a client is not connected: {:?}", online.status()).into());
            }
            let seen = players(client);
            if seen != expected {
                return Err(format!(
                    "{:?} sees {seen:?}, the server has {expected:?}",
                    online.player()
                )
                .into());
            }
            let bullets = client.world().view::<Bullet>().iter().count();
            let diary = client.world().resource::<Diary>();
            if diary.waited > 0 || diary.asked == 0 || bullets > 0 {
                return Err(format!(
                    "{:?} has waited in {} of {} frames, and sees {bullets} bullets",
                    online.player(),
                    diary.waited,
                    diary.asked
                )
                .into());
            }
        }
        Ok(())
    }

    fn print(&self, options: &Options) {
        println!(
            "player   rtt ms  loss  lead  bytes/frame in  out  missed  corrected of states  steps again  shots own/gone  hits"
        );
        let frames = f64::from((options.seconds + 5) * 60);
        let server = self.server.world().resource::<Online>();
        for client in &self.clients {
            let world = client.world();
            let (online, diary) = (world.resource::<Online>(), world.resource::<Diary>());
            let (stats, prediction) = (online.stats(), online.prediction());
            let me = online.player().unwrap_or(PlayerId::HOST);
            let info = server.players().iter().find(|info| info.player == me);
            println!(
                "{:>6} {:>8} {:>4.0}% {:>5} {:>15.0} {:>4.0} {:>7} {:>9} {:>9} {:>12} {:>9}/{:<5} {:>4}",
                me.0,
                stats.rtt.as_millis(),
                stats.loss * 100.0,
                prediction.ahead,
                stats.bytes_received as f64 / frames,
                stats.bytes_sent as f64 / frames,
                info.map_or(0, |info| info.missed_inputs),
                prediction.corrections,
                prediction.states,
                prediction.replayed,
                prediction.adopted,
                prediction.withdrawn,
                diary.hits,
            );
        }
        let scores = players(&self.server);
        let hits: u32 = scores.iter().map(|seen| seen.3.0).sum();
        println!(
            "all {} ends agree about {} players after {hits} hits, and no player has waited",
            self.clients.len() + 1,
            scores.len()
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(file) = file_after("--replay") {
        println!("{}", replay(&file, referee::referee)?);
        return Ok(());
    }
    let options = &Options::read(std::env::args().skip(1))?;
    if let Some(address) = options.serve {
        return machines::serve(address);
    }
    if let Some(address) = options.join {
        return machines::join(address);
    }
    let mut arena = Arena::new(options);
    arena.play(options.seconds);
    arena.check()?;
    arena.print(options);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ends_agree_over_networks_of_many_kinds() {
        for (seed, loss, latency) in [(1, 0.0, 10), (2, 0.2, 60), (3, 0.1, 150)] {
            let quality = LinkQuality {
                latency: Duration::from_millis(latency),
                jitter: Duration::from_millis(30),
                loss,
                ..LinkQuality::default()
            };
            let options = Options {
                players: 3,
                seconds: 10,
                quality,
                seed,
                record: None,
                serve: None,
                join: None,
            };
            let mut arena = Arena::new(&options);
            arena.play(options.seconds);
            arena.check().unwrap();
            let scores = players(&arena.server);
            assert!(
                scores.iter().any(|seen| seen.3.0 > 0),
                "nothing was hit: {scores:?}"
            );
        }
    }

    #[test]
    fn a_recorded_match_is_the_servers_and_replays() {
        let file = std::env::temp_dir().join(format!("arena-{}.rec", std::process::id()));
        let arguments = ["--players", "4", "--seconds", "10", "--record"].map(String::from);
        let arguments = arguments.into_iter().chain([file.display().to_string()]);
        let options = Options::read(arguments).unwrap();
        let mut arena = Arena::new(&options);
        arena.play(options.seconds);
        arena.check().unwrap();
        assert!(players(&arena.server).iter().any(|seen| seen.3.0 > 0));
        drop(arena);
        let line = replay(&file, referee::referee).unwrap();
        // 10 seconds, 2 before and 3 after them.
        assert_eq!(line, "900 frames replayed: all 900 hashes are the same");
        std::fs::remove_file(&file).unwrap();
    }
}
