//! A server and three clients over UDP: the clients join late, one reconnects, and packets get lost on the way.
//!
//! All of them run in one program, over loopback: `cargo run --release -p ecs-examples --example replicate`. A client sees the
//! ships around a place of its own, and gets their cargo only with each tenth frame. At the end, each client sees the same as
//! the server.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use ecs_core::data::{ClientId, Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use ecs_core::relation::Target;
use serde::{Deserialize, Serialize};

const FRAMES: u64 = 600;
const SHIPS: u16 = 60;
const SEA: f32 = 100.0;
const SIGHT: f32 = 30.0;
/// The packets that get lost, in percent, in each direction.
const LOSS: u64 = 20;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "sea.place", track)]
struct Place(f32, f32);

#[derive(Component, Clone, Copy)]
struct Speed(f32, f32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "sea.cargo", track)]
struct Cargo {
    barrels: u32,
    /// The ship that it came from.
    from: Option<Entity>,
}

/// From a boat to the ship that tows it.
#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "sea.towed_by", tree)]
struct TowedBy;

fn protocol() -> Protocol {
    let protocol = Protocol::new().with::<Place>().with::<Cargo>();
    protocol.with_relation::<TowedBy>()
}

/// The messages of clients.
const HELLO: u8 = 0;
const APPLIED: u8 = 1;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % limit
    }
}

/// A socket on which packets get lost.
struct Link {
    socket: UdpSocket,
    random: Random,
    loss: u64,
}

impl Link {
    fn new(seed: u64) -> io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_nonblocking(true)?;
        let random = Random(seed);
        Ok(Self {
            socket,
            random,
            loss: LOSS,
        })
    }

    fn send(&mut self, bytes: &[u8], to: SocketAddr) -> io::Result<()> {
        if self.random.below(100) >= self.loss {
            self.socket.send_to(bytes, to)?;
        }
        Ok(())
    }

    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
        match self.socket.recv_from(buffer) {
            Ok(received) => Ok(Some(received)),
            // Some systems report that nothing listens at the address of an earlier message.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::ConnectionReset
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

struct Server {
    link: Link,
    world: World,
    replicator: Replicator,
    /// The clients and the centres of their views, by address.
    clients: BTreeMap<SocketAddr, (ClientId, Place)>,
    sent: usize,
}

fn place_of(client: u8) -> Place {
    let angle = f32::from(client) * 2.1;
    Place(
        SEA * (0.5 + 0.3 * angle.cos()),
        SEA * (0.5 + 0.3 * angle.sin()),
    )
}

impl Server {
    fn new() -> io::Result<Self> {
        let mut world = World::new();
        let mut random = Random(7);
        let mut number = || random.below(1000) as f32 / 1000.0;
        let mut ships: Vec<Entity> = Vec::new();
        for ship in 0..SHIPS {
            let place = Place(number() * SEA, number() * SEA);
            let speed = Speed(number() - 0.5, number() - 0.5);
            let new = world.spawn((place, speed));
            if ship % 3 == 1 {
                let from = ships.last().copied();
                let cargo = Cargo {
                    barrels: ship.into(),
                    from,
                };
                world.insert(new, cargo).expect("it is alive");
            }
            if ship % 5 == 4 {
                world
                    .insert(new, TowedBy.to(ships[0]))
                    .expect("it is alive");
            }
            ships.push(new);
        }
        Ok(Self {
            link: Link::new(1)?,
            world,
            replicator: Replicator::new(protocol()),
            clients: BTreeMap::new(),
            sent: 0,
        })
    }

    fn frame(&mut self, frame: u64) -> Result<(), Box<dyn Error>> {
        for (place, speed) in &mut self.world.query::<(&mut Place, &Speed)>() {
            let mut place = place;
            place.0 = (place.0 + speed.0).rem_euclid(SEA);
            place.1 = (place.1 + speed.1).rem_euclid(SEA);
        }
        if frame.is_multiple_of(20) {
            let sunk = Vec::from_iter(&self.world.query::<Entity>());
            let sunk = sunk[frame as usize % sunk.len()];
            self.world.despawn(sunk)?;
            self.world.spawn((
                Place(0.0, 0.0),
                Speed(0.4, 0.3),
                Cargo {
                    barrels: 1,
                    from: Some(sunk),
                },
            ));
        }
        for cargo in &mut self.world.query::<&mut Cargo>() {
            let mut cargo = cargo;
            cargo.barrels += 1;
        }
        self.receive()?;
        self.send()
    }

    fn receive(&mut self) -> Result<(), Box<dyn Error>> {
        let mut buffer = [0; 64];
        while let Some((length, from)) = self.link.receive(&mut buffer)? {
            // Every arriving message comes from a stranger.
            match (&buffer[..length], self.clients.get(&from)) {
                (&[HELLO, number], None) => {
                    let id = self.replicator.connect();
                    self.replicator.set_rate::<Cargo>(id, 10)?;
                    self.clients.insert(from, (id, place_of(number)));
                }
                (&[APPLIED, ref number @ ..], Some(&(id, _))) => {
                    if let Ok(number) = number.try_into() {
                        self.replicator
                            .acknowledge(id, u64::from_le_bytes(number))?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Box<dyn Error>> {
        self.replicator.update(&self.world)?;
        for (&address, &(id, around)) in &self.clients {
            let sees = |ship: Entity| is_near(&self.world, ship, around);
            let packet = self.replicator.packet(id, sees)?;
            self.sent += packet.len();
            self.link.send(&packet, address)?;
        }
        Ok(())
    }
}

fn is_near(world: &World, ship: Entity, around: Place) -> bool {
    let place = world.get::<Place>(ship);
    place.is_some_and(|place| (place.0 - around.0).hypot(place.1 - around.1) < SIGHT)
}

struct Client {
    number: u8,
    link: Link,
    world: World,
    replica: Replica,
}

impl Client {
    fn new(number: u8, attempt: u64) -> io::Result<Self> {
        Ok(Self {
            number,
            link: Link::new(100 + u64::from(number) + attempt * 10)?,
            world: World::new(),
            replica: Replica::new(protocol()).max_entities(1000),
        })
    }

    /// Applies the received packets and acknowledges them; says hello until the first one arrives.
    fn frame(&mut self, server: SocketAddr) -> Result<(), Box<dyn Error>> {
        let mut buffer = [0; 65536];
        while let Some((length, _)) = self.link.receive(&mut buffer)? {
            self.replica.apply(&mut self.world, &buffer[..length])?;
        }
        let message = match self.replica.applied() {
            0 => vec![HELLO, self.number],
            applied => [&[APPLIED][..], &applied.to_le_bytes()].concat(),
        };
        self.link.send(&message, server)?;
        Ok(())
    }

    /// Describes the ships that the client has, by their ids on the server.
    fn ships(&self) -> BTreeMap<Entity, String> {
        let server = self.replica.entities().map(|(server, here)| (here, server));
        describe(&self.world, &server.collect())
    }
}

/// Describes ships by their names. Entities, and the entities inside ships, are given by these names.
fn describe(world: &World, names: &BTreeMap<Entity, Entity>) -> BTreeMap<Entity, String> {
    let name = |entity: Entity| names.get(&entity).copied();
    let ship = |(&ship, &key): (&Entity, &Entity)| {
        let place = world.get::<Place>(ship).map(|place| *place);
        let cargo = world.get::<Cargo>(ship);
        let cargo = cargo.map(|cargo| (cargo.barrels, cargo.from.and_then(name)));
        let tow = world.get::<Target<TowedBy>>(ship);
        let tow = tow.and_then(|tow| name(tow.entity()));
        (key, format!("{place:?} {cargo:?} {tow:?}"))
    };
    names.iter().map(ship).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut server = Server::new()?;
    let address = server.link.socket.local_addr()?;
    let mut clients = vec![Client::new(0, 0)?];
    for frame in 1..=FRAMES {
        match frame {
            100 => clients.push(Client::new(1, 0)?),
            200 => clients.push(Client::new(2, 0)?),
            400 => {
                // It has lost its connection: the server forgets it, and it starts again.
                let lost = clients[1].link.socket.local_addr()?;
                if let Some((id, _)) = server.clients.remove(&lost) {
                    server.replicator.disconnect(id);
                }
                clients[1] = Client::new(1, 1)?;
            }
            _ => {}
        }
        server.frame(frame)?;
        for client in &mut clients {
            client.frame(address)?;
        }
    }
    // Nothing moves any more, and packets arrive: the next ones contain everything that was lost.
    server.link.loss = 0;
    for client in &mut clients {
        client.link.loss = 0;
    }
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        server.receive()?;
        server.send()?;
        let mut is_equal = server.clients.len() == clients.len();
        for client in &mut clients {
            client.frame(address)?;
            let around = place_of(client.number);
            let all = Vec::from_iter(&server.world.query::<Entity>());
            let seen = all
                .into_iter()
                .filter(|&ship| is_near(&server.world, ship, around));
            let seen = seen.map(|ship| (ship, ship)).collect();
            is_equal &= client.ships() == describe(&server.world, &seen);
        }
        if is_equal {
            break;
        }
        if Instant::now() > end {
            return Err("the clients have something else than the server".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    for client in &clients {
        println!(
            "client {} sees {} ships",
            client.number,
            client.ships().len()
        );
    }
    let per_frame = server.sent as u64 / FRAMES;
    println!(
        "equal after {FRAMES} frames with {LOSS} % loss; {per_frame} bytes per frame to all clients"
    );
    Ok(())
}
