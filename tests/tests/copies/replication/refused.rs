//! Packets, numbers and clients that are refused.

use ecs_core::data::{Protocol, Replica, ReplicaError, Replicator};
use ecs_core::prelude::*;

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
