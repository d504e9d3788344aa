//! Packets of a limited size, and clients that are slow to confirm.

use std::collections::BTreeMap;

use ecs_core::data::Replicator;
use ecs_core::prelude::*;
use ecs_core::relation::Target;

use crate::data_steps::{ChildOf, Marked, Place, Text};
use crate::replication::{Client, EMPTY, protocol};

#[test]
fn a_client_that_confirms_nothing_gets_packets_of_a_limited_size() {
    for max_gone in [0, 128] {
        let mut world = World::new();
        world.spawn(Place(0.0, 0));
        let mut server = Replicator::new(protocol()).max_gone(max_gone);
        let mut client = Client::of(&mut server);
        let mut longest = 0;
        for n in 0..1_000 {
            let shots = [(); 3].map(|()| world.spawn(Place(n as f32, 1)));
            server.update(&world).unwrap();
            client.send(&mut server);
            let packet = client.packets.pop().unwrap();
            longest = longest.max(packet.len());
            // Some packets arrive, but their confirmations do not.
            if n % 7 == 0 {
                client.receive(&packet);
                client.check(&world);
            }
            world.despawn_batch(shots);
        }
        assert!(longest < 400 + 8 * max_gone, "{longest}");
        server.update(&world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        client.check(&world);
        let applied = client.replica.applied();
        assert!(server.acknowledge(client.id, applied).unwrap());
        server.update(&world).unwrap();
        client.send(&mut server);
        assert_eq!(client.packets.pop().unwrap().len(), EMPTY);
    }
}

#[test]
fn a_confirmation_that_comes_late_is_as_good_as_a_lost_one() {
    let mut world = World::new();
    let first = world.spawn(Place(0.0, 0));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    server.update(&world).unwrap();
    client.send(&mut server);
    let packet = client.packets.pop().unwrap();
    client.receive(&packet);
    let late = client.replica.applied();
    for n in 0..2_000 {
        world.despawn(first).ok();
        let shot = world.spawn(Place(n as f32, 1));
        server.update(&world).unwrap();
        client.send(&mut server);
        client.packets.clear();
        world.despawn(shot).unwrap();
    }
    assert!(!server.acknowledge(client.id, late).unwrap(), "too late");
    world.spawn(Place(1.0, 2));
    server.update(&world).unwrap();
    client.send(&mut server);
    let packet = client.packets.pop().unwrap();
    client.receive(&packet);
    client.check(&world);
}

/// Sends packets of a limited size until nothing is new; returns the number of packets that had news.
fn until_all_is_there(
    world: &World,
    server: &mut Replicator,
    client: &mut Client,
    bytes: usize,
) -> usize {
    for packets in 0..500 {
        server.update(world).unwrap();
        client.send_within(server, bytes);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        let applied = client.replica.applied();
        server.acknowledge(client.id, applied).unwrap();
        if packet.len() == EMPTY {
            client.check(world);
            return packets;
        }
    }
    panic!("something is always new");
}

#[test]
fn a_world_that_is_larger_than_a_packet_comes_in_parts() {
    let mut world = World::new();
    let root = world.spawn(Place(0.0, 0));
    let mut last = root;
    for n in 0..400 {
        let child = world.spawn((Place(n as f32, 1), ChildOf.to(root)));
        world
            .insert(child, Text("name".repeat(n % 5), Some(last)))
            .unwrap();
        last = child;
    }
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let packets = until_all_is_there(&world, &mut server, &mut client, 1_200);
    assert!((8..30).contains(&packets), "{packets} packets");
    // All children change places; their list is longer than the part of a packet that it may take.
    let mut sources = world.sources_mut::<ChildOf>(root).unwrap();
    let children = sources.to_vec();
    for &child in &children {
        assert!(sources.move_to(child, 0));
    }
    let packets = until_all_is_there(&world, &mut server, &mut client, 1_200);
    assert!(packets < 20, "{packets} packets");
    // Most of them are despawned, which takes two packets.
    world.despawn_batch(children[..300].iter().copied());
    let packets = until_all_is_there(&world, &mut server, &mut client, 1_200);
    assert!(packets < 10, "{packets} packets");
    assert_eq!(client.replica.entities().count(), 101);
}

#[test]
fn a_long_chain_comes_from_its_root_on_and_turns_around_without_a_circle() {
    let mut world = World::new();
    let chain = [(); 60].map(|()| world.spawn(Place(0.0, 0)));
    for pair in chain.windows(2) {
        world.insert(pair[1], ChildOf.to(pair[0])).unwrap();
    }
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    until_all_is_there(&world, &mut server, &mut client, 150);
    for entity in chain {
        world.remove::<Target<ChildOf>>(entity).unwrap();
    }
    for (n, pair) in chain.windows(2).enumerate() {
        world.insert(pair[0], ChildOf.to(pair[1])).unwrap();
        // Some of them do not fit in a packet that smaller ones fit in.
        let text = Text("x".repeat(n * 37 % 60), None);
        world.insert(pair[0], text).unwrap();
    }
    until_all_is_there(&world, &mut server, &mut client, 150);
}

#[test]
fn priorities_say_what_comes_first_and_nothing_waits_for_ever() {
    let mut world = World::new();
    let all = world
        .spawn_batch((0..100).map(|n| Place(n as f32, 0)))
        .to_vec();
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut seen = BTreeMap::new();
    for round in 0..300 {
        for &entity in &all {
            world.get_mut::<Place>(entity).unwrap().0 += 1.0;
        }
        server.update(&world).unwrap();
        let priority = |entity: Entity| Some(if entity == all[7] { 20.0 } else { 1.0 });
        let packet = server.packet_within(client.id, 300, priority).unwrap();
        assert!(packet.len() <= 300);
        client.receive(&packet);
        server
            .acknowledge(client.id, client.replica.applied())
            .unwrap();
        for &entity in &all {
            let here = client.replica.local(entity);
            let value = here.and_then(|here| client.world.get::<Place>(here).map(|place| place.0));
            if value == Some(world.get::<Place>(entity).unwrap().0) {
                let (count, last) = seen.entry(entity).or_insert((0, 0));
                assert!(
                    round - *last < 40,
                    "{entity} waits for {} packets",
                    round - *last
                );
                (*count, *last) = (*count + 1, round);
            }
        }
    }
    let counts: Vec<usize> = all.iter().map(|entity| seen[entity].0).collect();
    assert!(counts[7] > 100, "{}", counts[7]);
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}

#[test]
fn a_value_that_is_larger_than_a_packet_comes_alone() {
    let mut world = World::new();
    let large = world.spawn((Place(1.0, 1), Text("x".repeat(5_000), None), Marked));
    world.spawn_batch((0..50).map(|n| Place(n as f32, 0)));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut longer = 0;
    for _ in 0..60 {
        server.update(&world).unwrap();
        let packet = server.packet_within(client.id, 400, |_| Some(1.0)).unwrap();
        if packet.len() > 400 {
            longer += 1;
            assert!(packet.len() < 5_100, "nothing else is in it");
        }
        client.receive(&packet);
        server
            .acknowledge(client.id, client.replica.applied())
            .unwrap();
    }
    assert_eq!(longer, 1);
    client.check(&world);
    let here = client.replica.local(large).unwrap();
    assert!(client.world.entity(here).unwrap().has::<Marked>());
}

#[test]
fn entities_that_name_each_other_come_in_two_packets() {
    let mut world = World::new();
    let pair = [(); 2].map(|()| world.spawn(Place(0.0, 0)));
    for (entity, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
        let text = Text("x".repeat(50), Some(other));
        world.insert(entity, text).unwrap();
    }
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let packets = until_all_is_there(&world, &mut server, &mut client, 150);
    assert!(packets < 6, "{packets} packets");
}

#[test]
fn what_goes_while_the_rest_is_counted_again_goes_on_the_client_too() {
    for bytes in [60, usize::MAX] {
        let mut world = World::new();
        let all = [(); 8].map(|()| world.spawn(Marked));
        let mut server = Replicator::new(protocol()).max_gone(0);
        let mut client = Client::of(&mut server);
        until_all_is_there(&world, &mut server, &mut client, 1_200);
        let mut next = |world: &World, client: &mut Client, bytes| {
            server.update(world).unwrap();
            client.send_within(&mut server, bytes);
            client.packets.pop().unwrap()
        };
        world.despawn_batch(all[..5].iter().copied());
        let packet = next(&world, &mut client, bytes);
        client.receive(&packet);
        let first = client.replica.applied();
        let new = [(); 5].map(|()| world.spawn(Marked));
        let packet = next(&world, &mut client, usize::MAX);
        client.receive(&packet);
        // The count begins again with a packet that is lost, before the first one is confirmed.
        world.despawn_batch(new);
        next(&world, &mut client, bytes);
        server.acknowledge(client.id, first).unwrap();
        until_all_is_there(&world, &mut server, &mut client, bytes);
    }
}
