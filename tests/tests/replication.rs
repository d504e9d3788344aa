//! Entities of a server that are kept up to date in the worlds of clients.

#[allow(dead_code, reason = "the tests of hashes and differences use the rest")]
mod data_steps;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ecs_core::data::{ClientId, Protocol, Replica, ReplicaError, Replicator, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::snapshot::Snapshotter;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use data_steps::{ChildOf, Fast, Likes, Marked, Place, Step, Text, apply, run_full, step};

fn protocol() -> Protocol {
    Protocol::new()
        .with::<Place>()
        .with::<Text>()
        .with::<Fast>()
        .with::<Marked>()
        .with_relation::<ChildOf>()
        .with_relation::<Likes>()
}

/// Describes entities that are known by their ids on the server; of other ones only that they are others.
fn describe(world: &World, known: &HashMap<Entity, Entity>) -> BTreeMap<Entity, String> {
    let name = |entity: Entity| known.get(&entity).copied();
    let describe = |entity: Entity| {
        let handle = world.entity(entity).unwrap();
        let place = handle.get::<Place>().map(|place| *place);
        let text = handle.get::<Text>();
        let text = text.map(|text| (text.0.clone(), text.1.map(name)));
        let parent = handle.get::<Target<ChildOf>>();
        let parent = parent.and_then(|target| name(target.entity()));
        let likes = handle.get::<Targets<Likes>>().map(|targets| {
            let edges = targets.iter().map(|edge| (name(edge.0), edge.1.0));
            Vec::from_iter(edges.filter(|edge| edge.0.is_some()))
        });
        let likes = likes.filter(|likes| !likes.is_empty());
        let fast = handle.get::<Fast>().map(|fast| *fast);
        let named = |sources: &[Entity]| Vec::from_iter(sources.iter().filter_map(|&e| name(e)));
        let children = handle.get::<Sources<ChildOf>>();
        let children = children.map_or(Vec::new(), |sources| named(&sources.to_vec()));
        let liked_by = handle.get::<Sources<Likes>>();
        let liked_by = liked_by.map_or(Vec::new(), |sources| named(&sources.to_vec()));
        format!(
            "{:?}",
            (
                (place, text, fast, handle.has::<Marked>()),
                (parent, children),
                (likes, liked_by)
            )
        )
    };
    let all = known.iter();
    all.map(|(&entity, &server)| (server, describe(entity)))
        .collect()
}

/// The length of a packet in which nothing is new.
const EMPTY: usize = 8 + 8 + 4 * 4;

struct Client {
    id: ClientId,
    world: World,
    replica: Replica,
    /// What it does not see, by the index of the entity.
    blind: BTreeSet<u32>,
    /// Packets on their way.
    packets: Vec<Vec<u8>>,
    acknowledgements: Vec<u64>,
}

impl Client {
    fn of(server: &mut Replicator) -> Self {
        let mut world = World::new();
        // Ids differ from those of the server.
        for _ in 0..3 {
            world.spawn(());
        }
        Self {
            id: server.connect(),
            world,
            replica: Replica::new(protocol()),
            blind: BTreeSet::new(),
            packets: Vec::new(),
            acknowledgements: Vec::new(),
        }
    }

    fn send(&mut self, server: &mut Replicator) {
        let sees = |entity: Entity| !self.blind.contains(&entity.index());
        self.packets.push(server.packet(self.id, sees).unwrap());
    }

    /// Sends a packet of a limited size.
    #[track_caller]
    fn send_within(&mut self, server: &mut Replicator, bytes: usize) {
        let sees = |entity: Entity| {
            let is_seen = !self.blind.contains(&entity.index());
            is_seen.then_some([1.0, 5.0, -1.0, f32::NAN][entity.index() as usize % 4])
        };
        let packet = server.packet_within(self.id, bytes, sees).unwrap();
        assert!(packet.len() <= bytes, "{} > {bytes}", packet.len());
        self.packets.push(packet);
    }

    fn receive(&mut self, packet: &[u8]) {
        self.replica.apply(&mut self.world, packet).unwrap();
        self.world.check_invariants();
        self.acknowledgements.push(self.replica.applied());
    }

    #[track_caller]
    fn check(&self, world: &World) {
        let entities = Vec::from_iter(&world.query::<Entity>());
        let has_any = |&entity: &Entity| {
            let handle = world.entity(entity).unwrap();
            handle.has::<Place>()
                || handle.has::<Text>()
                || handle.has::<Fast>()
                || handle.has::<Marked>()
                || handle.has::<Target<ChildOf>>()
                || handle.has::<Targets<Likes>>()
        };
        let seen = entities.into_iter().filter(has_any);
        let seen = seen.filter(|entity| !self.blind.contains(&entity.index()));
        let seen = seen.map(|entity| (entity, entity)).collect();
        let here = self.replica.entities().map(|(server, here)| (here, server));
        let here = describe(&self.world, &here.collect());
        assert_eq!(here, describe(world, &seen));
    }
}

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
    /// A packet of a limited size.
    Within {
        client: usize,
        bytes: usize,
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
        8 => (client(), 120_usize..500).prop_map(|(client, bytes)| Event::Within { client, bytes }),
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
        budget in prop::option::of(120_usize..400),
    ) {
        let mut world = run_full(&first);
        let mut server = Replicator::new(protocol()).max_gone(max_gone);
        let mut clients = [Client::of(&mut server), Client::of(&mut server)];
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
                Event::Within { client, bytes } => {
                    server.update(&world).unwrap();
                    clients[client].send_within(&mut server, bytes);
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
                    clients[client] = Client { blind, ..Client::of(&mut server) };
                }
                Event::World(steps) => world = run_full(&steps),
            }
        }
        for mut client in clients {
            server.set_rate::<Text>(client.id, 1).unwrap();
            // Every other packet of a limited size is lost, and every third confirmation.
            for round in (0..).take_while(|_| budget.is_some()) {
                server.update(&world).unwrap();
                client.send_within(&mut server, budget.unwrap());
                let packet = client.packets.pop().unwrap();
                if packet.len() == EMPTY {
                    break;
                }
                if round % 2 == 0 {
                    client.receive(&packet);
                    if round % 3 != 0 {
                        let applied = client.replica.applied();
                        prop_assert!(server.acknowledge(client.id, applied).unwrap());
                    }
                }
                prop_assert!(round < 300, "it comes to an end");
            }
            server.update(&world).unwrap();
            client.send(&mut server);
            let last = client.packets.pop().unwrap();
            client.receive(&last);
            client.check(&world);
            prop_assert!(budget.is_none() || last.len() == EMPTY, "all was confirmed");
            // What is confirmed is not sent again.
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
            // Not the protocol, which would refuse all.
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
    // Nothing is confirmed, so the entity is sent as a whole again.
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
    let mut next = |world: &World, server: &mut Replicator| {
        server.update(world).unwrap();
        client.send(server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        client.check(world);
        let number = client.replica.applied();
        server.acknowledge(client.id, number).unwrap();
        packet.len()
    };
    next(&world, &mut server);
    world.despawn(children[7]).unwrap();
    world.spawn((Place(1.0, 1), ChildOf.to(parent)));
    assert!(next(&world, &mut server) < 150, "the list is not sent");
    let mut sources = world.sources_mut::<ChildOf>(parent).unwrap();
    assert!(sources.move_to(children[30], 2));
    let length = next(&world, &mut server);
    assert!((50 * 8..50 * 8 + 60).contains(&length), "only the list is");
    // Those behind a source that comes back, which is new at its place.
    for is_hidden in [true, false] {
        client.blind = is_hidden
            .then(|| children[40].index())
            .into_iter()
            .collect();
        server.update(&world).unwrap();
        client.send(&mut server);
        let packet = client.packets.pop().unwrap();
        client.receive(&packet);
        client.check(&world);
        let number = client.replica.applied();
        server.acknowledge(client.id, number).unwrap();
        assert!(packet.len() < 200);
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

/// Counts how often values are written.
#[derive(Component, Clone, Debug)]
#[component(data = "replication.counted", track)]
struct Counted(u8);

thread_local! {
    static WRITTEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

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
    // Those whose tick is that of the update itself.
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
            // Some arrive, and their confirmations do not.
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

/// Sends packets of a limited size until nothing is new; returns how many had something.
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
    assert!((30..90).contains(&packets), "{packets} packets");
    // All children change places, whose list is as long as three packets.
    let mut sources = world.sources_mut::<ChildOf>(root).unwrap();
    let children = sources.to_vec();
    for &child in &children {
        assert!(sources.move_to(child, 0));
    }
    let packets = until_all_is_there(&world, &mut server, &mut client, 1_200);
    assert!(packets < 20, "{packets} packets");
    // Most of them go, which is as long as two packets.
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
        // Some of them do not fit where those below do.
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
    // Whose numbers begin again.
    let mut server = Replicator::new(protocol());
    client.id = server.connect();
    server.update(&world).unwrap();
    client.send(&mut server);
    let packet = client.packets.pop().unwrap();
    client.receive(&packet);
    client.check(&world);
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
