//! Packets of a limited size that all arrive: after some of them the client has everything, whichever entities name
//! each other.

use ecs_core::data::Replicator;
use ecs_core::prelude::*;
use proptest::prelude::*;

use crate::data_steps::{ChildOf, Fast, Likes, Place, Text};
use crate::replication::{Client, EMPTY, protocol};

/// Sends a packet that is either confirmed or lost; returns its length.
fn exchange(
    world: &World,
    server: &mut Replicator,
    client: &mut Client,
    (bytes, is_lost): (usize, bool),
    priorities: [f32; 2],
) -> usize {
    server.update(world).unwrap();
    let priority = |entity: Entity| Some(priorities[entity.index() as usize % 2]);
    let packet = server.packet_within(client.id, bytes, priority).unwrap();
    if !is_lost {
        client.receive(&packet);
        let applied = client.replica.applied();
        assert!(server.acknowledge(client.id, applied).unwrap());
    }
    packet.len()
}

/// Returns the number of packets until the client has these entities.
fn packets_until_there(
    world: &mut World,
    entities: &[Entity],
    bytes: usize,
    mut change: impl FnMut(&mut World),
) -> usize {
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    for packets in 0..100 {
        let has = |&entity: &Entity| client.replica.local(entity).is_some();
        if entities.iter().all(has) {
            return packets;
        }
        change(world);
        exchange(world, &mut server, &mut client, (bytes, false), [1.0, 1.0]);
    }
    panic!(
        "{:?} is all there is",
        Vec::from_iter(client.replica.entities())
    );
}

#[test]
fn a_large_value_with_the_id_of_an_entity_below_does_not_keep_that_out() {
    let sizes = [0, 100, 200, 300, 500, 700, 900, 1_000];
    for (size, below, lowest) in sizes
        .into_iter()
        .flat_map(|a| sizes.map(|b| (a, b)))
        .flat_map(|(a, b)| [0, 300, 900].map(|c| (a, b, c)))
    {
        for is_busy in [false, true] {
            let mut world = World::new();
            let ship = world.spawn(());
            let room = world.spawn(ChildOf.to(ship));
            let lamp = world.spawn(ChildOf.to(room));
            for (entity, size, named) in [
                (ship, size, Some(lamp)),
                (room, below, Some(lamp)),
                (lamp, lowest, None),
            ] {
                let text = Text("x".repeat(size), named);
                world.insert(entity, text).unwrap();
            }
            let mut count = 0_u8;
            let packets = packets_until_there(&mut world, &[ship, room, lamp], 1_200, |world| {
                if is_busy {
                    count += 1;
                    let mut text = world.get_mut::<Text>(room).unwrap();
                    text.0 = char::from(b'a' + count % 26).to_string().repeat(below);
                }
            });
            assert!(packets < 20, "{size} {below} {lowest}: {packets} packets");
        }
    }
}

#[test]
fn an_entity_that_only_waits_for_others_does_not_keep_them_out() {
    let mut world = World::new();
    let waiting = world.spawn(Place(0.0, 0));
    let busy = world.spawn(Text(String::new(), None));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut send = |world: &World, client: &mut Client| {
        exchange(world, &mut server, client, (1_200, false), [1.0, 1.0])
    };
    send(&world, &mut client);
    // The edges of these and the id in a text form a cycle, so the busy one comes first, without its edge.
    let above = world.spawn(());
    let below = world.spawn((Text("x".repeat(450), None), ChildOf.to(busy)));
    let text = Text("x".repeat(450), Some(below));
    world.insert(above, text).unwrap();
    world.insert(busy, ChildOf.to(above)).unwrap();
    world.insert(waiting, Likes(0).to(above)).unwrap();
    for count in 0..30_u8 {
        let text = char::from(b'a' + count % 26).to_string().repeat(700);
        world.insert(busy, Text(text, None)).unwrap();
        send(&world, &mut client);
    }
    assert_eq!(client.replica.entities().count(), 4);
    while send(&world, &mut client) != EMPTY {}
    client.check(&world);
}

/// A component or an edge of an entity. Lengths are in hundredths of the limit of a packet.
#[derive(Clone, Debug)]
enum Gets {
    Place(usize),
    Fast(usize),
    Text(usize, usize, Option<usize>),
    Child(usize, usize),
    Like(usize, usize, u8),
}

fn gets() -> impl Strategy<Value = Gets> {
    let at = || 0_usize..8;
    prop_oneof![
        1 => at().prop_map(Gets::Place),
        1 => at().prop_map(Gets::Fast),
        4 => (at(), 0_usize..110, prop::option::weighted(0.8, at()))
            .prop_map(|(at, length, named)| Gets::Text(at, length, named)),
        4 => (at(), at()).prop_map(|(at, parent)| Gets::Child(at, parent)),
        3 => (at(), at(), any::<u8>()).prop_map(|(at, other, n)| Gets::Like(at, other, n)),
    ]
}

fn give(world: &mut World, entities: &[Entity], all: &[Gets], bytes: usize) {
    let at = |at: usize| entities[at % entities.len()];
    for gets in all {
        match *gets {
            Gets::Place(e) => _ = world.insert(at(e), Place(1.0, 2)),
            Gets::Fast(e) => _ = world.insert(at(e), Fast(3)),
            Gets::Text(e, length, named) => {
                let text = Text("x".repeat(length * bytes / 100), named.map(at));
                _ = world.insert(at(e), text);
            }
            // A cycle is refused.
            Gets::Child(e, parent) => _ = world.relate(at(e), ChildOf, at(parent)),
            Gets::Like(e, other, n) => _ = world.relate(at(e), Likes(n), at(other)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(500)))]

    #[test]
    fn the_client_has_everything_after_some_packets(
        count in 2_usize..8,
        first in prop::collection::vec(gets(), 3..20),
        more in prop::collection::vec(gets(), 0..20),
        bytes in prop_oneof![60_usize..200, 200_usize..1_300],
        priority in prop_oneof![Just(1.0_f32), Just(3.0_f32)],
        lost in prop::option::of(prop::collection::vec(prop::bool::weighted(0.3), 31)),
        busy in prop::collection::vec(0_usize..8, 0..4),
    ) {
        let mut world = World::new();
        let entities = Vec::from_iter((0..count).map(|n| world.spawn(Place(n as f32, 0))));
        let mut server = Replicator::new(protocol());
        let mut client = Client::of(&mut server);
        for all in [first, more] {
            give(&mut world, &entities, &all, bytes);
            // Entities whose texts change all the time do not block others.
            let mut rounds = 0;
            while client.replica.entities().count() < count {
                for &at in &busy {
                    if let Some(mut text) = world.get_mut::<Text>(entities[at % count]) {
                        text.0 = char::from(b'a' + (rounds % 26) as u8).to_string().repeat(text.0.len());
                    }
                }
                let is_lost = lost.as_ref().is_some_and(|lost| lost[rounds % lost.len()]);
                exchange(&world, &mut server, &mut client, (bytes, is_lost), [1.0, priority]);
                rounds += 1;
                prop_assert!(rounds < 40 * count, "{} entities", client.replica.entities().count());
            }
            for rounds in 0.. {
                let is_lost = lost.as_ref().is_some_and(|lost| lost[rounds % lost.len()]);
                if exchange(&world, &mut server, &mut client, (bytes, is_lost), [1.0, priority]) == EMPTY {
                    break;
                }
                prop_assert!(rounds < 60 * count, "something is always new");
            }
            client.check(&world);
        }
    }
}
