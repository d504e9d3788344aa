//! Packets from untrusted sources: each is an error that leaves the world of a client unchanged, or a consistent
//! change.

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use ecs_core::data::{Protocol, Replica, Replicator, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;
use ecs_tests::counting::peak_of;

use super::StrangePackets;
use super::parts::{
    ChildOf, Key, Likes, Mark, Mood, Name, Odd, OwnedBy, Path, Position, Step, Tag, build,
};

/// Packets, and options for applying them.
pub type Input = StrangePackets;

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

/// Returns inputs to start from, with their names: the packets of a server whose world changes, for clients that confirm some.
///
/// # Panics
/// Never.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let names = [
        "all_in_order",
        "beside_others",
        "other_protocol",
        "observers",
    ];
    let mut seeds = Vec::new();
    for (name, how) in names.into_iter().zip([1, 2, 4, 8]) {
        seeds.push((name, StrangePackets::bytes(how, &sent(usize::MAX, false))));
    }
    let mut reversed = sent(usize::MAX, false);
    reversed.reverse();
    seeds.push(("out_of_order", StrangePackets::bytes(1, &reversed)));
    let orders = &sent(usize::MAX, false)[..4];
    seeds.push(("orders", StrangePackets::bytes(1, orders)));
    seeds.push((
        "one",
        StrangePackets::bytes(0, &sent(usize::MAX, false)[..1]),
    ));
    seeds.push(("within", StrangePackets::bytes(0, &sent(90, false))));
    seeds.push((
        "hidden_and_shown",
        StrangePackets::bytes(1, &sent(usize::MAX, true)),
    ));
    seeds.push(("counted", StrangePackets::bytes(0, &sent(90, true))));
    seeds
}

/// Returns packets of a server for a client. `hides` says whether the client sees only some entities from the fourth packet on.
fn sent(bytes: usize, hides: bool) -> Vec<Vec<u8>> {
    let mut server = Replicator::new(protocol()).max_gone(0);
    let client = server.connect();
    server.set_rate::<Name>(client, 2).expect("it is connected");
    let mut world = build(&STEPS, 1_000_000);
    let all: Vec<Entity> = world.query::<Entity>().iter().collect();
    let mut packets: Vec<Vec<u8>> = Vec::new();
    for round in 0..8 {
        match round {
            0 => _ = world.insert(all[1], Position(1.0, 2.0)),
            1 => _ = world.relate(all[2], Likes(vec![1]), all[0]),
            2 => _ = world.relate(all[1], Likes(vec![2, 3]), all[0]),
            3 => {
                let mut sources = world.sources_mut::<Likes>(all[0]).expect("it has two");
                sources.move_to(all[2], 0);
            }
            4 => _ = world.insert(all[1], Tag),
            5 => _ = world.remove::<Position>(all[1]),
            6 => _ = world.insert(all[0], Name("a\n".into())),
            _ => _ = world.despawn(all[2]),
        }
        server.update(&world).expect("all of it can be written");
        let sees = |entity: Entity| {
            let is_hidden = hides && round > 2 && entity == all[1];
            (!is_hidden).then_some(1.0)
        };
        let packet = server
            .packet_within(client, bytes, sees)
            .expect("it is connected");
        let number = packet[8..16]
            .try_into()
            .expect("the number is behind the protocol's");
        if round % 3 != 1 {
            _ = server.acknowledge(client, u64::from_le_bytes(number));
        }
        packets.push(packet);
    }
    packets
}

/// Reads the packets of an input as they are, with the protocol that they have.
///
/// # Errors
/// If one is refused.
pub fn read(input: &[u8]) -> Result<(), ecs_core::data::ReplicaError> {
    let input = StrangePackets::arbitrary_take_rest(Unstructured::new(input));
    let (mut world, mut replica) = (World::new(), Replica::new(protocol()));
    for packet in input.expect("it is a seed").packets {
        replica.apply(&mut world, &packet)?;
    }
    Ok(())
}

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
