//! Costs of replication.

use ecs_core::data::{Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::flat(
        "one more frame for a client that confirms nothing",
        150,
        silent_client,
    ),
    Row::flat(
        "one more packet of 1,200 bytes, of a world that changes",
        30,
        packets_within,
    ),
];

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "growth.place", track)]
struct Place(u32);

/// `n` frames; three entities come and go in them.
fn silent_client(n: usize) -> Work {
    let mut world = World::new();
    let mut server = Replicator::new(Protocol::new().with::<Place>()).max_gone(2);
    let client = server.connect();
    let mut frame = move || {
        let shots = [7; 3].map(|place| world.spawn(Place(place)));
        server.update(&world).unwrap();
        server.packet(client, |_| true).unwrap();
        world.despawn_batch(shots);
    };
    (0..n).for_each(|_| frame());
    Box::new(frame)
}

/// `n` frames of a world that is larger than a packet, with every third packet lost.
fn packets_within(n: usize) -> Work {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Place)).to_vec();
    let protocol = Protocol::new().with::<Place>();
    let mut server = Replicator::new(protocol.clone());
    let client = server.connect();
    let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    let mut number = 0;
    let mut frame = move || {
        number += 1;
        for &entity in &all {
            world.get_mut::<Place>(entity).unwrap().0 += 1;
        }
        server.update(&world).unwrap();
        let packet = server.packet_within(client, 1_200, |_| Some(1.0)).unwrap();
        if number % 3 != 0 {
            replica.apply(&mut copy, &packet).unwrap();
            server.acknowledge(client, replica.applied()).unwrap();
        }
    };
    (0..n - n % 3 + 1).for_each(|_| frame());
    Box::new(frame)
}
