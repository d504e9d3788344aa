//! Packets from untrusted sources: each is an error that leaves the world of a client unchanged, or a consistent
//! change.

use std::collections::BTreeMap;
use std::fmt;

use arbitrary::{Arbitrary, Unstructured};
use ecs_core::data::{Protocol, Replica, Replicator, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;
use ecs_tests::counting::peak_of;

use super::parts::{
    ChildOf, Key, Likes, Mark, Mood, Name, Odd, OwnedBy, Path, Position, Step, Tag, build,
};

/// Consecutive packets, each preceded by its length in two bytes, and options for applying them.
pub struct Input {
    how: u8,
    packets: Vec<Vec<u8>>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = bytes.arbitrary()?;
        let mut packets = Vec::new();
        while bytes.len() >= 2 && packets.len() < 8 {
            let length = u16::from_le_bytes([bytes.arbitrary()?, bytes.arbitrary()?]);
            let length = usize::from(length).min(bytes.len());
            packets.push(bytes.bytes(length)?.to_vec());
        }
        Ok(Self { how, packets })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010b}", self.how)?;
        let mut packets = self.packets.iter();
        packets.try_for_each(|packet| write!(f, "\n{}", packet.escape_ascii()))
    }
}

fn protocol() -> Protocol {
    Protocol::new()
        .with::<Key>()
        .with::<Position>()
        .with::<Path>()
        .with::<Tag>()
        .with::<Name>()
        .with::<Mood>()
        .with::<Mark>()
        .with::<Odd>()
        .with_relation::<ChildOf>()
        .with_relation::<OwnedBy>()
        .with_relation::<Likes>()
}

/// The world of the server.
const STEPS: [Step; 8] = [
    (0, 0, 0, 0),
    (0, 0, 0, 0),
    (0, 0, 0, 0),
    (4, 0, 0, 3),
    (14, 1, 0, 0),
    (14, 2, 1, 0),
    (17, 0, 1, 2),
    (6, 2, 0, 4),
];

/// A client.
struct Client {
    world: World,
    replica: Replica,
}

impl Client {
    /// Returns everything that an error has to leave unchanged.
    fn state(&mut self) -> (u64, u64, BTreeMap<Entity, Entity>, Vec<Entity>) {
        let hash = WorldHasher::new().exact(&mut self.world);
        (
            hash.unwrap_or_else(|error| panic!("all that it has is data: {error}")),
            self.replica.applied(),
            self.replica.entities().collect(),
            self.world.next_ids(3).expect("there are ids"),
        )
    }

    fn apply(&mut self, packet: &[u8]) {
        let before = self.state();
        let entities = self.world.len();
        let (applied, peak) = peak_of(|| self.replica.apply(&mut self.world, packet));
        let len = packet.len();
        let most = (1 << 20) + len * 4096;
        assert!(peak < most, "{peak} bytes for a packet of {len}");
        self.world.check_invariants();
        match applied {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(self.state() == before, "after {error}");
            }
            Ok(applied) if applied.is_old => assert!(self.state() == before),
            Ok(applied) => {
                assert!(self.replica.applied() > before.1);
                assert!(self.world.len() <= entities + applied.spawned.len());
                for (server, here) in self.replica.entities() {
                    assert_eq!(self.replica.local(server), Some(here));
                }
            }
        }
    }
}

/// Applies packets to a world. If the first bit of `how` is set, the world has received packets of a server; if the second
/// one is, it has entities of its own. The packets use the right protocol unless the third bit is set. If the fourth one is
/// set, observers despawn some entities. At the end the client reconnects, and receives everything from the server.
///
/// # Panics
/// If an error changes the world, if the world is not consistent, or if it differs from the server at the end.
pub fn run(input: Input) {
    let Input { how, packets } = input;
    let is = |bit: u32| how >> bit & 1 == 1;
    let protocol = protocol();
    let world = build(&STEPS, 1_000_000);
    let mut server = Replicator::new(protocol.clone());
    server.update(&world).expect("all of it can be written");
    let first = server.connect();
    let first = server.packet(first, |_| true).expect("it is connected");
    let mut client = Client {
        world: build(if is(1) { &STEPS[..5] } else { &[] }, 2_000_000),
        replica: Replica::new(protocol.clone()).max_entities(1 << 10),
    };
    if is(3) {
        let world = &mut client.world;
        world.observe(|hit: OnAdd<Mark>, mut commands: Commands| commands.despawn(hit.entity()));
        world.observe(|hit: OnAdd<Tag>, keys: Comp<Key>, mut commands: Commands| {
            if keys.get(hit.entity()).is_none_or(|key| key.0 % 2 == 0) {
                commands.despawn(hit.entity());
            }
        });
    }
    if is(0) {
        client.apply(&first);
        assert_eq!(client.replica.entities().count(), 3);
    }
    for mut packet in packets {
        if let Some(id) = packet.first_chunk_mut::<8>()
            && !is(2)
        {
            *id = protocol.id().to_le_bytes();
        }
        client.apply(&packet);
    }
    client.replica.clear(&mut client.world);
    client.world.check_invariants();
    let again = server.connect();
    let all = server.packet(again, |_| true).expect("it is connected");
    client.apply(&all);
    let local = |server| client.replica.local(server).expect("it was sent");
    for (server, key) in &world.query::<(Entity, &Key)>() {
        let here = client.world.get::<Key>(local(server));
        assert_eq!(here.map(|key| key.0), Some(key.0));
    }
}
