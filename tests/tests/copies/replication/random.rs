//! Random programs over a network that loses, repeats, reorders and damages packets.

use std::collections::BTreeSet;

use ecs_core::data::{Replicator, WorldHasher};
use ecs_core::prelude::*;
use proptest::prelude::*;

use crate::data_steps::{ChildOf, Likes, Marked, Step, Text, apply, run_full, step};
use crate::replication::{Client, EMPTY, protocol};

#[derive(Clone, Debug)]
enum Event {
    Step(Step),
    /// Moves a source of an entity.
    Move {
        target: u32,
        source: u32,
        position: usize,
    },
    /// A frame of the server, with a packet to each client.
    Frame,
    /// One more packet of the same frame.
    Packet {
        client: usize,
    },
    /// Packets of a limited size.
    Within {
        client: usize,
        bytes: usize,
        most: usize,
    },
    Receive {
        client: usize,
        packet: usize,
        is_lost: bool,
    },
    Acknowledge {
        client: usize,
        which: usize,
    },
    See {
        client: usize,
        index: u32,
        sees: bool,
    },
    Rate {
        client: usize,
        every: u64,
    },
    Reconnect {
        client: usize,
    },
    /// The server goes on with another world.
    World(Vec<Step>),
}

fn event() -> impl Strategy<Value = Event> {
    let client = || 0_usize..2;
    prop_oneof![
        10 => step().prop_map(Event::Step),
        3 => (0_u32..2, 0_u32..4, 0_usize..3)
            .prop_map(|(target, source, position)| Event::Move { target, source, position }),
        6 => Just(Event::Frame),
        1 => client().prop_map(|client| Event::Packet { client }),
        8 => (client(), 120_usize..500, 1_usize..5)
            .prop_map(|(client, bytes, most)| Event::Within { client, bytes, most }),
        6 => (client(), 0_usize..8, prop::bool::weighted(0.3))
            .prop_map(|(client, packet, is_lost)| Event::Receive { client, packet, is_lost }),
        4 => (client(), 0_usize..8).prop_map(|(client, which)| Event::Acknowledge { client, which }),
        3 => (client(), 0_u32..6, any::<bool>())
            .prop_map(|(client, index, sees)| Event::See { client, index, sees }),
        1 => (client(), 1_u64..4).prop_map(|(client, every)| Event::Rate { client, every }),
        1 => client().prop_map(|client| Event::Reconnect { client }),
        1 => prop::collection::vec(step(), 0..10).prop_map(Event::World),
    ]
}

fn move_source(world: &mut World, target: u32, source: u32, position: usize) {
    let entities = Vec::from_iter(&world.query::<Entity>());
    let at = |index| {
        entities
            .iter()
            .copied()
            .find(|e: &Entity| e.index() == index)
    };
    let (Some(target), Some(source)) = (at(target), at(source)) else {
        return;
    };
    if let Some(mut sources) = world.sources_mut::<ChildOf>(target) {
        sources.move_to(source, position);
    }
    if let Some(mut sources) = world.sources_mut::<Likes>(target) {
        sources.move_to(source, position);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    /// Over a network that loses, repeats and reorders packets and acknowledgements.
    #[test]
    fn the_next_packet_that_arrives_has_everything(
        first in prop::collection::vec(step(), 0..10),
        events in prop::collection::vec(event(), 0..60),
        max_gone in 0_usize..8,
        budget in prop::option::of((120_usize..400, 1_usize..5)),
        is_only_marked in prop::bool::weighted(0.3),
    ) {
        let mut world = run_full(&first);
        let protocol = match is_only_marked {
            true => protocol().only::<Marked>(),
            false => protocol(),
        };
        let mut server = Replicator::new(protocol).max_gone(max_gone);
        let mut clients = [Client::of(&mut server), Client::of(&mut server)];
        clients.iter_mut().for_each(|client| client.is_only_marked = is_only_marked);
        clients[1].asked = Some(BTreeSet::new());
        for event in events {
            match event {
                Event::Step(step) => apply(&mut world, &step),
                Event::Move { target, source, position } => {
                    move_source(&mut world, target, source, position);
                }
                Event::Frame => {
                    server.update(&world).unwrap();
                    clients.iter_mut().for_each(|client| client.send(&mut server));
                }
                Event::Packet { client } => clients[client].send(&mut server),
                Event::Within { client, bytes, most } => {
                    server.update(&world).unwrap();
                    clients[client].send_several(&mut server, bytes, most);
                }
                Event::Receive { client, packet, is_lost } => {
                    let client = &mut clients[client];
                    if let Some(bytes) = client.packets.get(packet).cloned() {
                        if is_lost {
                            client.packets.remove(packet);
                        } else {
                            client.receive(&bytes);
                        }
                    }
                }
                Event::Acknowledge { client, which } => {
                    let client = &clients[client];
                    if let Some(&number) = client.acknowledgements.get(which) {
                        server.acknowledge(client.id, number).unwrap();
                    }
                }
                Event::See { client, index, sees: true } => _ = clients[client].blind.remove(&index),
                Event::See { client, index, sees: false } => _ = clients[client].blind.insert(index),
                Event::Rate { client, every } => {
                    server.set_rate::<Text>(clients[client].id, every).unwrap();
                }
                Event::Reconnect { client } => {
                    prop_assert!(server.disconnect(clients[client].id));
                    let blind = clients[client].blind.clone();
                    let asked = clients[client].asked.as_ref().map(|_| blind.clone());
                    clients[client] = Client { blind, asked, is_only_marked, ..Client::of(&mut server) };
                }
                Event::World(steps) => world = run_full(&steps),
            }
        }
        for mut client in clients {
            server.set_rate::<Text>(client.id, 1).unwrap();
            client.packets.clear();
            // Every other packet of a limited size is lost, and every third confirmation.
            let mut number = 0;
            while let Some((bytes, most)) = budget {
                server.update(&world).unwrap();
                client.send_several(&mut server, bytes, most);
                let packets = std::mem::take(&mut client.packets);
                if packets.len() == 1 && packets[0].len() == EMPTY {
                    break;
                }
                for packet in packets {
                    if number % 2 == 0 {
                        client.receive(&packet);
                        if number % 3 != 0 {
                            let applied = client.replica.applied();
                            prop_assert!(server.acknowledge(client.id, applied).unwrap());
                        }
                    }
                    number += 1;
                }
                prop_assert!(number < 600, "it comes to an end");
            }
            server.update(&world).unwrap();
            client.send(&mut server);
            let last = client.packets.pop().unwrap();
            client.receive(&last);
            client.check(&world);
            prop_assert!(budget.is_none() || last.len() == EMPTY, "all was confirmed");
            // Confirmed data is not sent again.
            server.acknowledge(client.id, client.replica.applied()).unwrap();
            server.update(&world).unwrap();
            client.send(&mut server);
            prop_assert_eq!(client.packets.pop().unwrap().len(), EMPTY);
        }
    }

    #[test]
    fn damaged_packets_are_errors_that_change_nothing(
        steps in prop::collection::vec(step(), 0..30),
        more in prop::collection::vec(step(), 0..30),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut world = run_full(&steps);
        let mut server = Replicator::new(protocol());
        let mut client = Client::of(&mut server);
        server.update(&world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        for step in &more {
            apply(&mut world, step);
        }
        server.update(&world).unwrap();
        client.send(&mut server);
        let mut packet = client.packets.pop().unwrap();
        for (at, byte) in damage {
            // Not the protocol, because then everything would be refused.
            let at = 8 + at.index(packet.len() - 8);
            packet[at] = byte;
        }
        if let Some(length) = length {
            packet.truncate(length.index(packet.len()));
        }
        let before = WorldHasher::new().exact(&mut client.world).unwrap();
        let applied = client.replica.applied();
        let result = client.replica.apply(&mut client.world, &packet);
        client.world.check_invariants();
        if result.is_err() {
            prop_assert_eq!(WorldHasher::new().exact(&mut client.world).unwrap(), before);
            prop_assert_eq!(client.replica.applied(), applied);
        }
    }
}
