//! The contents of packets: the data that a client sees, and the data that is due.

use ecs_core::data::{Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

use crate::data_steps::{ChildOf, Marked, Place, Text};
use crate::replication::{Client, EMPTY, protocol};

#[test]
fn a_whole_entity_leaves_components_alone_that_are_not_due() {
    let mut world = World::new();
    let entity = world.spawn((Place(1.0, 1), Text("old".into(), None)));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut next = |world: &World, server: &mut Replicator, rate: u64| {
        server.set_rate::<Text>(client.id, rate).unwrap();
        server.update(world).unwrap();
        client.send(server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        let local = client.replica.local(entity).unwrap();
        let text = client.world.get::<Text>(local);
        text.map(|text| text.0.clone())
    };
    assert_eq!(next(&world, &mut server, 1).as_deref(), Some("old"));
    // Nothing is confirmed, so the whole entity is sent again.
    assert_eq!(next(&world, &mut server, 0).as_deref(), Some("old"));
    world.remove::<Text>(entity).unwrap();
    assert_eq!(next(&world, &mut server, 0).as_deref(), Some("old"));
    assert_eq!(next(&world, &mut server, 1), None);
}

#[test]
fn sources_have_the_order_of_the_server_and_cost_nothing_if_they_were_added_last() {
    let mut world = World::new();
    let parent = world.spawn(Place(0.0, 0));
    let children = [(); 50].map(|()| world.spawn((Place(1.0, 1), ChildOf.to(parent))));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut next = |world: &World, server: &mut Replicator| client.exchange(world, server).len();
    next(&world, &mut server);
    world.despawn(children[7]).unwrap();
    world.spawn((Place(1.0, 1), ChildOf.to(parent)));
    assert!(next(&world, &mut server) < 20 + 50, "the list is not sent");
    let mut sources = world.sources_mut::<ChildOf>(parent).unwrap();
    assert!(sources.move_to(children[30], 2));
    let length = next(&world, &mut server);
    assert!(
        (50..50 + 60).contains(&length),
        "only the list is: {length} bytes"
    );
    // Sources after one that comes back and is new in its place.
    for is_hidden in [true, false] {
        client.blind = is_hidden
            .then(|| children[40].index())
            .into_iter()
            .collect();
        assert!(client.exchange(&world, &mut server).len() < 80);
    }
}

#[test]
fn values_of_neighbours_that_change_together_take_a_byte_each_beside_their_own() {
    let mut world = World::new();
    let all = world
        .spawn_batch((0..100).map(|n| Place(n as f32, 1)))
        .to_vec();
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    client.exchange(&world, &mut server);
    // A float, and a number of one byte.
    let value = 4 + 1;
    for &entity in &all {
        *world.get_mut::<Place>(entity).unwrap() = Place(0.5, 2);
    }
    let length = client.exchange(&world, &mut server).len();
    assert!(length <= EMPTY + 5 + 100 * (value + 1), "{length} bytes");
    // With others between them, of another shape.
    for (n, &entity) in all.iter().enumerate() {
        match n % 2 {
            0 => *world.get_mut::<Place>(entity).unwrap() = Place(1.5, 2),
            _ => world.insert(entity, Marked).unwrap(),
        }
    }
    let length = client.exchange(&world, &mut server).len();
    assert!(
        length <= EMPTY + 50 * (value + 5) + 50 * 5,
        "{length} bytes"
    );
}

#[test]
fn a_source_that_stays_comes_before_new_ones_in_the_same_packet() {
    let mut world = World::new();
    let parent = world.spawn(Place(0.0, 0));
    let stays = world.spawn(Place(1.0, 1));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    for _ in 0..2 {
        client.exchange(&world, &mut server);
        world.insert(stays, ChildOf.to(parent)).unwrap();
        world.spawn_batch([(); 9].map(|()| (Place(2.0, 2), ChildOf.to(parent))));
    }
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "replication.aboard", tree, sources = "despawn")]
struct Aboard;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "replication.needs", many, sources = "despawn")]
struct Needs;

#[test]
fn an_entity_that_goes_out_of_sight_takes_nobody_along() {
    let protocol = protocol()
        .with_relation::<Aboard>()
        .with_relation::<Needs>();
    let mut world = World::new();
    let ship = world.spawn(Place(1.0, 1));
    let sailor = world.spawn((Place(2.0, 2), Aboard.to(ship)));
    let engine = world.spawn((Place(3.0, 3), Needs.to(ship).and(Needs, sailor)));
    let mut server = Replicator::new(protocol.clone());
    let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    let client = server.connect();
    let mut step = |copy: &mut World, sees_ship: bool| {
        server.update(&world).unwrap();
        let packet = server.packet(client, |entity| entity != ship || sees_ship);
        replica.apply(copy, &packet.unwrap()).unwrap();
        server.acknowledge(client, replica.applied()).unwrap();
        [ship, sailor, engine].map(|entity| replica.local(entity))
    };
    let [Some(_), Some(sailor), Some(engine)] = step(&mut copy, true) else {
        panic!("all are seen");
    };
    assert_eq!(step(&mut copy, false), [None, Some(sailor), Some(engine)]);
    assert!(copy.contains(sailor) && copy.contains(engine));
    assert!(copy.is_related::<Needs>(engine, sailor));
    let [Some(ship), ..] = step(&mut copy, true) else {
        panic!("it is seen again");
    };
    assert!(copy.is_related::<Aboard>(sailor, ship) && copy.is_related::<Needs>(engine, ship));
    let ghost = copy.spawn(Aboard.to(ship));
    replica.clear(&mut copy);
    assert_eq!(Vec::from_iter(&copy.query::<Entity>()), [ghost]);
    copy.check_invariants();
}

#[derive(Component)]
struct Shared;

#[test]
fn only_entities_with_a_marker_are_sent() {
    let mut world = World::new();
    let sent = world.spawn((Place(1.0, 1), Shared));
    let other = world.spawn(Place(2.0, 2));
    let mut server = Replicator::new(protocol().only::<Shared>());
    let mut client = Client::of(&mut server);
    let mut next = |world: &World| {
        server.update(world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        [sent, other].map(|entity| client.replica.local(entity).is_some())
    };
    assert_eq!(next(&world), [true, false]);
    world.remove::<Shared>(sent).unwrap();
    world.insert(other, Shared).unwrap();
    assert_eq!(next(&world), [false, true]);
}

thread_local! {
    static WRITTEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts how often values are written.
#[derive(Component, Clone, Debug)]
#[component(data = "replication.counted", track)]
struct Counted(u8);

impl Serialize for Counted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.set(WRITTEN.get() + 1);
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(Self)
    }
}

#[test]
fn tracked_values_that_have_not_changed_are_not_written_again() {
    let mut world = World::new();
    let entities = world.spawn_batch((0..100).map(Counted)).to_vec();
    let mut server = Replicator::new(Protocol::new().with::<Counted>());
    let mut written = |world: &World| {
        WRITTEN.set(0);
        server.update(world).unwrap();
        WRITTEN.get()
    };
    assert!(written(&world) >= 100);
    // Changes with the same tick as the update itself.
    written(&world);
    assert_eq!(written(&world), 0);
    world.get_mut::<Counted>(entities[7]).unwrap().0 = 200;
    assert_eq!(written(&world), 1);
}

#[test]
fn a_world_that_has_returned_to_a_snapshot_is_compared_as_a_whole() {
    let mut world = World::new();
    let entity = world.spawn(Counted(1));
    let mut server = Replicator::new(Protocol::new().with::<Counted>());
    let mut replica = Replica::new(Protocol::new().with::<Counted>());
    let mut copy = World::new();
    let client = server.connect();
    let mut counted = |server: &mut Replicator, world: &World| {
        server.update(world).unwrap();
        let packet = server.packet(client, |_| true).unwrap();
        replica.apply(&mut copy, &packet).unwrap();
        server.acknowledge(client, replica.applied()).unwrap();
        let local = replica.local(entity).unwrap();
        copy.get::<Counted>(local).unwrap().0
    };
    assert_eq!(counted(&mut server, &world), 1);
    let snapshotter = Snapshotter::new().component::<Counted>();
    let mut before = snapshotter.take(&mut world).unwrap();
    for number in 2..9 {
        world.get_mut::<Counted>(entity).unwrap().0 = number;
        assert_eq!(counted(&mut server, &world), number);
    }
    snapshotter.restore(&mut world, &mut before).unwrap();
    // As many ticks as before, and more.
    for _ in 0..100 {
        _ = world.tick();
    }
    assert_eq!(counted(&mut server, &world), 1);
}

#[test]
fn an_entity_that_a_client_has_despawned_comes_back_when_it_comes_into_sight() {
    let mut world = World::new();
    let entity = world.spawn(Place(1.0, 1));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    let mut step = |client: &mut Client, world: &World| {
        server.update(world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        let applied = client.replica.applied();
        server.acknowledge(client.id, applied).unwrap();
        client.replica.local(entity)
    };
    let local = step(&mut client, &world).unwrap();
    client.world.despawn(local).unwrap();
    world.insert(entity, Place(2.0, 2)).unwrap();
    assert_eq!(step(&mut client, &world), Some(local));
    assert!(!client.world.contains(local));
    client.blind.insert(entity.index());
    assert_eq!(step(&mut client, &world), None);
    client.blind.clear();
    assert!(step(&mut client, &world).is_some());
    client.check(&world);
}

#[test]
fn a_component_goes_that_was_removed_while_its_entity_had_none_to_send() {
    let mut world = World::new();
    let entity = world.spawn(Place(0.0, 0));
    let mut server = Replicator::new(protocol());
    let mut client = Client::of(&mut server);
    client.exchange(&world, &mut server);
    world.remove::<Place>(entity).unwrap();
    // The client gets no packet of this frame.
    server.update(&world).unwrap();
    world.insert(entity, Marked).unwrap();
    client.exchange(&world, &mut server);
    let here = client.replica.local(entity).unwrap();
    assert!(client.world.has::<Marked>(here) && !client.world.has::<Place>(here));
}
