//! Packets, numbers and clients that are refused.

use ecs_core::data::{Protocol, Replica, ReplicaError, Replicator};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data_steps::{Marked, Place};
use crate::replication::{Client, protocol};

#[test]
fn programs_with_other_components_refuse_each_other() {
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    client.send(&mut server);
    let mut other = Replica::new(Protocol::new().with::<Place>());
    let error = other
        .apply(&mut client.world, &client.packets[0])
        .unwrap_err();
    assert!(matches!(error, ReplicaError::Protocol { .. }));
    assert!(
        error
            .to_string()
            .contains("help: build the `Protocol` of both programs"),
        "{error}"
    );
}

macro_rules! tags {
    ($($name:ident $text:literal)*) => {
        $(
            #[derive(Component, Clone, Debug, Serialize, Deserialize)]
            #[component(data = $text)]
            struct $name;
        )*

        /// A protocol with ten tags.
        fn tags() -> Protocol {
            Protocol::new()$(.with::<$name>())*
        }

        fn insert_tags(world: &mut World, entity: Entity) {
            $(world.insert(entity, $name).unwrap();)*
        }

        fn has_tags(world: &World, entity: Entity) -> bool {
            [$(world.has::<$name>(entity)),*] == [true; 10]
        }
    };
}

tags!(TagA "tag.a" TagB "tag.b" TagC "tag.c" TagD "tag.d" TagE "tag.e" TagF "tag.f" TagG "tag.g" TagH "tag.h" TagI "tag.i" TagJ "tag.j");

/// A packet with two entities, of which the second one has the shape of the first: this many tags.
fn packet_of_two(tags_of_each: u8, has_shape: bool) -> Vec<u8> {
    let mut packet = tags().id().to_le_bytes().to_vec();
    packet.extend(1_u64.to_le_bytes());
    // Nothing is gone, nothing is withheld; the entity with index 0, which is 1 after the beginning, as a whole.
    packet.extend([0, 0, 2 << 2 | u8::from(has_shape)]);
    if has_shape {
        packet.push(tags_of_each << 2 | 1);
        packet.extend((0..tags_of_each).flat_map(|tag| [tag, 1, 0]));
    }
    // The next entity, the end of the entities, and no orders.
    packet.extend([2 << 2, 0, 0]);
    packet
}

#[test]
fn few_parts_are_repeated_for_the_next_entity_because_each_takes_memory() {
    let apply = |packet: &[u8]| {
        let (mut world, mut replica) = (World::new(), Replica::new(tags()));
        let applied = replica.apply(&mut world, packet);
        applied.map(|applied| applied.spawned.len())
    };
    for tags in 1..=8 {
        assert_eq!(apply(&packet_of_two(tags, true)).unwrap(), 2);
    }
    for packet in [packet_of_two(9, true), packet_of_two(1, false)] {
        let error = apply(&packet).unwrap_err().to_string();
        assert!(error.contains("an entity has no shape"), "{error}");
    }
    let mut unknown = packet_of_two(1, true);
    // After the head and the number of parts.
    unknown[20] = 10;
    let error = apply(&unknown).unwrap_err().to_string();
    assert!(error.contains("there is no such component"), "{error}");
}

#[test]
fn entities_of_more_parts_than_are_repeated_arrive() {
    let (mut world, mut server) = (World::new(), Replicator::new(tags()));
    for _ in 0..3 {
        let entity = world.spawn(());
        insert_tags(&mut world, entity);
    }
    let client = server.connect();
    server.update(&world).unwrap();
    let packet = server.packet(client, |_| true).unwrap();
    let (mut copy, mut replica) = (World::new(), Replica::new(tags()));
    replica.apply(&mut copy, &packet).unwrap();
    let mut here = replica.entities().map(|(_, here)| here);
    assert_eq!(replica.entities().count(), 3);
    assert!(here.all(|here| has_tags(&copy, here)));
}

#[test]
fn a_client_that_is_gone_is_an_error() {
    let mut server = Replicator::new(protocol());
    let client = server.connect();
    assert!(server.disconnect(client) && !server.disconnect(client));
    let error = server.packet(client, |_| true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no client 0, or it has disconnected"
    );
    assert!(server.acknowledge(client, 0).is_err() && server.set_rate::<Place>(client, 2).is_err());
}

#[test]
fn no_number_that_a_client_sends_confirms_what_was_not_sent() {
    let mut world = World::new();
    world.spawn(Marked);
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    server.update(&world).unwrap();
    for number in [0, 1, 2, u64::MAX] {
        assert_eq!(server.acknowledge(client.id, number), Ok(false));
    }
    client.send(&mut server);
    let other = server.connect();
    let packet = client.packets.pop().unwrap();
    client.receive(&packet);
    let applied = client.replica.applied();
    assert_eq!(
        server.acknowledge(other, applied),
        Ok(false),
        "it was for another client"
    );
    assert_eq!(server.acknowledge(client.id, applied), Ok(true));
    assert_eq!(server.acknowledge(client.id, applied), Ok(false));
}

#[test]
fn a_packet_that_comes_twice_is_old() {
    let mut world = World::new();
    world.spawn(Marked);
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    server.update(&world).unwrap();
    client.send(&mut server);
    let mut apply = || {
        let applied = client.replica.apply(&mut client.world, &client.packets[0]);
        applied.unwrap().is_old
    };
    assert_eq!([apply(), apply()], [false, true]);
}

#[test]
fn a_replica_that_was_cleared_takes_packets_of_a_new_server() {
    let mut world = World::new();
    world.spawn(Marked);
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    for _ in 0..5 {
        server.update(&world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
    }
    client.replica.clear(&mut client.world);
    assert_eq!(client.replica.applied(), 0);
    // Its numbers start again.
    let mut server = Replicator::new(protocol());
    client.id = server.connect();
    server.update(&world).unwrap();
    client.send(&mut server);
    let packet = client.packets.pop().unwrap();
    client.receive(&packet);
    client.check(&world);
}
