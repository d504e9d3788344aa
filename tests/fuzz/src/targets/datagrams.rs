//! Datagrams and messages from strangers to the ends of a network: a connection, a server, a client and a player of a match
//! without a server. None makes it panic or take much memory, and an honest other end plays on.

use std::net::SocketAddr;
use std::time::Duration;

use ecs_core::data::{Rollback, RollbackFrame};
use ecs_core::net::{
    Delivery, Endpoint, EndpointSettings, MemoryNetwork, MemoryTransport, Network, Online, Owner,
    PeerEvent, PeerId, PeerSession, PlayerId, SpawnKey, Transport,
};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_tests::counting::peak_of;
use serde::{Deserialize, Serialize};

use super::StrangePackets;

/// Messages, and the number of the end that receives them: see [`run`].
pub type Input = StrangePackets;

const FRAME: Duration = Duration::from_nanos(16_666_667);
const PROTOCOL: u64 = 5;

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "fuzz.datagrams.place", track)]
struct Place(i32);
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "fuzz.datagrams.steer")]
struct Steer(i8);
#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "fuzz.datagrams.said")]
struct Said(String, Option<Entity>);
#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "fuzz.datagrams.shout")]
struct Shout(u32, Option<Entity>);

fn network() -> Network {
    Network::new()
        .replicate::<Place>()
        .input::<Steer>()
        .predict::<Place>()
        .to_server::<Said>(Delivery::Ordered)
        .to_clients::<Shout>(Delivery::Ordered)
}

#[system(for_each)]
fn walk(place: &mut Place, steer: &Steer) {
    place.0 = place.0.wrapping_add(steer.0.into());
}

fn game(app: &mut App) {
    app.add_systems(FixedUpdate, walk);
    app.single_threaded(true);
}

fn players(app: &App) -> usize {
    app.world().resource::<Online>().players().len()
}

/// The most bytes that one message may add to the heap, at its peak.
const MEMORY: usize = 4 << 20;

/// Runs what receives a message.
fn receive(run: impl FnOnce()) {
    let ((), peak) = peak_of(run);
    assert!(peak < MEMORY, "{peak} bytes for one message");
}

/// Connects an endpoint by hand, and returns what each of its datagrams begins with.
fn shake_hands(server: &mut Endpoint, transport: &mut MemoryTransport) -> Vec<u8> {
    let mut answer = |server: &mut Endpoint, ask: &[u8]| {
        transport.send(server.address(), ask).expect("it is memory");
        server.update(FRAME);
        let mut buffer = [0; 64];
        let received = transport.receive(&mut buffer).expect("it is memory");
        let (_, length) = received.expect("an endpoint answers");
        buffer[9..length].to_vec()
    };
    let mut ask = vec![0];
    ask.extend(PROTOCOL.to_le_bytes());
    ask.extend(7_u64.to_le_bytes());
    ask.extend([0; 15]);
    let challenge = answer(server, &ask);
    ask[0] = 2;
    ask[17..25].copy_from_slice(&challenge);
    let token = answer(server, &ask);
    [&[5], &token[..]].concat()
}

/// Datagrams of a stranger, or of a connection, whose first bytes are then given.
fn connection(datagrams: Vec<Vec<u8>>, is_connected: bool) {
    let network = MemoryNetwork::new(0);
    let settings = || EndpointSettings::default().max_incoming(2);
    let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
    let mut transport = network.transport();
    let start = match is_connected {
        true => shake_hands(&mut server, &mut transport),
        false => Vec::new(),
    };
    for datagram in datagrams {
        let mut bytes = [&start[..], &datagram].concat();
        bytes.truncate(1_200);
        transport
            .send(server.address(), &bytes)
            .expect("it is memory");
        receive(|| {
            server.update(FRAME);
            server.flush();
        });
        while server.next_event().is_some() {}
        while let Ok(Some(_)) = transport.receive(&mut [0; 1_200]) {}
    }
    let mut honest = Endpoint::new(network.transport(), PROTOCOL, settings());
    honest.connect(server.address());
    for _ in 0..20 {
        honest.update(FRAME);
        while let Some(event) = honest.next_event() {
            if let PeerEvent::Connected { peer } = event {
                let sent = honest.send(peer, Delivery::Ordered, b"hello".to_vec());
                sent.expect("it is connected");
            }
        }
        honest.flush();
        server.update(FRAME);
        server.flush();
        while let Some(event) = server.next_event() {
            if matches!(&event, PeerEvent::Message { bytes, .. } if bytes == b"hello") {
                return;
            }
        }
    }
    panic!("the message of an honest peer is lost");
}

/// Messages of a client to a server that another client plays on.
fn server(messages: Vec<Vec<u8>>) {
    let internet = MemoryNetwork::new(1);
    let transport = internet.transport();
    let address = transport.address();
    let mut server = App::new();
    server.add_plugin(game);
    server.add_plugin(network().server(transport));
    for number in 0..3 {
        let owner = Owner(PlayerId(number));
        server
            .world_mut()
            .spawn((Place(0), Steer(0), owner, SpawnKey(number.into())));
    }
    let mut honest = App::new();
    honest.add_plugin(game);
    honest.add_plugin(network().client(internet.transport(), address));
    let mut liar = Endpoint::new(
        internet.transport(),
        network().id(),
        EndpointSettings::default(),
    );
    let peer = liar.connect(address);
    let mut frame = |liar: &mut Endpoint| {
        liar.update(FRAME);
        liar.flush();
        receive(|| {
            server.update_by(FRAME);
        });
        server.world().check_invariants();
        honest.update_by(FRAME);
        let player = honest.world().resource::<Online>().player();
        (players(&server), player)
    };
    for _ in 0..12 {
        frame(&mut liar);
    }
    for message in messages {
        _ = liar.send(peer, Delivery::Ordered, message);
        frame(&mut liar);
        while liar.next_event().is_some() {}
    }
    let (at_server, player) = frame(&mut liar);
    assert!((1..=2).contains(&at_server), "{at_server} players");
    assert!(player.is_some(), "the honest client is gone");
}

/// Messages of a server to a client.
fn client(messages: Vec<Vec<u8>>) {
    let internet = MemoryNetwork::new(1);
    let settings = EndpointSettings::default().max_incoming(1);
    let mut liar = Endpoint::new(internet.transport(), network().id(), settings);
    let mut client = App::new();
    client.add_plugin(game);
    client.add_plugin(network().client(internet.transport(), liar.address()));
    let mut peer: Option<PeerId> = None;
    let mut messages = messages.into_iter();
    for frame in 0..16 {
        liar.update(FRAME);
        while let Some(event) = liar.next_event() {
            if let PeerEvent::Connected { peer: new } = event {
                peer = Some(new);
                _ = liar.send(new, Delivery::Ordered, vec![1, 7]);
            }
        }
        if frame > 5
            && let (Some(peer), Some(message)) = (peer, messages.next())
        {
            _ = liar.send(peer, Delivery::Ordered, message);
        }
        liar.flush();
        receive(|| {
            client.update_by(FRAME);
        });
        client.world().check_invariants();
    }
}

/// Messages of a player to another one in a match without a server.
fn session(messages: Vec<Vec<u8>>) {
    let internet = MemoryNetwork::new(1);
    let transport = internet.transport();
    let me = transport.address();
    let settings = EndpointSettings::default().max_incoming(1);
    let other = internet.transport();
    let addresses: [SocketAddr; 2] = [me, other.address()];
    let mut liar = Endpoint::new(other, PROTOCOL, settings);
    let rollback = Rollback::<i8>::new(2, Snapshotter::new()).input_delay(2);
    let settings = EndpointSettings::default().max_incoming(1);
    let mut session = PeerSession::new(
        transport, PROTOCOL, settings, &addresses, 0, rollback, FRAME,
    );
    let mut app = App::new();
    app.add_plugin(game).fixed_step(FRAME).fixed_by_hand();
    app.world_mut().spawn((Place(0), Steer(1)));
    let peer = liar.connect(me);
    let mut messages = messages.into_iter();
    for frame in 0..16 {
        liar.update(FRAME);
        while liar.next_event().is_some() {}
        if frame > 5
            && let Some(message) = messages.next()
        {
            _ = liar.send(peer, Delivery::Ordered, message);
        }
        liar.flush();
        receive(|| {
            session.update(FRAME);
            while session.next_event().is_some() {}
            let apply = |_: &mut World, _: &RollbackFrame<'_, i8>| {};
            // A player who lies about the hash of a frame is an error.
            _ = session.advance(&mut app.fixed_steps(), 1, apply);
        });
        app.world().check_invariants();
    }
}

/// Returns inputs to start from, with their names.
///
/// # Panics
/// Never.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let ask = [&[0][..], &PROTOCOL.to_le_bytes(), &[7; 8], &[0; 15]].concat();
    let seeds: [(&str, u8, Vec<Vec<u8>>); 6] = [
        ("stranger", 0, vec![ask, vec![4; 9], vec![5; 20]]),
        (
            "datagrams",
            1,
            vec![vec![1, 0, 0], vec![2, 0, 0, 0, 1, 1, 65]],
        ),
        ("said", 2, vec![vec![2, 0, 0, 2, 104, 105, 0]]),
        (
            "steered",
            2,
            vec![vec![0, 5, 0, 0], vec![0, 5, 1, 4, 0, 1, 0]],
        ),
        (
            "state",
            3,
            vec![vec![1, 7], vec![0, 1, 1, 0, 0], vec![2, 0, 0, 5, 0]],
        ),
        (
            "inputs",
            4,
            vec![
                vec![0; 4],
                vec![0, 1, 1, 2, 3, 0],
                vec![1, 0],
                vec![2, 1, 0, 1],
            ],
        ),
    ];
    let seeds = seeds.map(|(name, how, packets)| (name, StrangePackets::bytes(how, &packets)));
    seeds.into()
}

/// Sends the packets of an input: as datagrams from a stranger if the number is 0, or of a connection if it is 1, otherwise
/// as messages to a server, to a client and to another player.
///
/// # Panics
/// If a message takes too much memory, a world is not consistent afterwards, or the message of an honest other end is lost.
pub fn run(input: Input) {
    let StrangePackets { how, packets } = input;
    match how % 5 {
        0 => connection(packets, false),
        1 => connection(packets, true),
        2 => server(packets),
        3 => client(packets),
        _ => session(packets),
    }
}
