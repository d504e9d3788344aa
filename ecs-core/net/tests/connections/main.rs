//! Connections over bad networks, and with bad peers.

mod hostile;
mod quality;

use std::time::Duration;

use ecs_net::{
    Delivery, DisconnectReason, Endpoint, EndpointSettings, LinkQuality, MAX_MESSAGE,
    MemoryNetwork, PeerEvent, PeerId, SendError, UdpTransport,
};

const FRAME: Duration = Duration::from_millis(16);
const PROTOCOL: u64 = 0x1234;

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A network with a server and a client.
struct Pair {
    network: MemoryNetwork,
    server: Endpoint,
    client: Endpoint,
    to_server: PeerId,
    to_client: Option<PeerId>,
}

fn settings() -> EndpointSettings {
    EndpointSettings::default().max_incoming(4).rate(1_000_000)
}

impl Pair {
    fn new(seed: u64, quality: LinkQuality) -> Self {
        let network = MemoryNetwork::new(seed);
        network.set_quality(quality);
        let server = Endpoint::new(network.transport(), PROTOCOL, settings());
        let mut client = Endpoint::new(network.transport(), PROTOCOL, settings());
        let to_server = client.connect(server.address());
        Self {
            network,
            server,
            client,
            to_server,
            to_client: None,
        }
    }

    /// Runs a frame, and returns the events of the server and of the client.
    fn frame(&mut self) -> [Vec<PeerEvent>; 2] {
        self.network.advance(FRAME);
        let events = [&mut self.server, &mut self.client].map(|end| {
            end.update(FRAME);
            let events: Vec<PeerEvent> = std::iter::from_fn(|| end.next_event()).collect();
            end.flush();
            events
        });
        for event in &events[0] {
            if let PeerEvent::Connected { peer } = event {
                self.to_client = Some(*peer);
            }
        }
        events
    }

    fn connected(seed: u64, quality: LinkQuality) -> Self {
        let mut pair = Self::new(seed, quality);
        for _ in 0..300 {
            pair.frame();
            if pair.to_client.is_some() && pair.client.peers().next().is_some() {
                return pair;
            }
        }
        panic!("the ends do not connect")
    }
}

fn bad() -> LinkQuality {
    LinkQuality {
        latency: ms(40),
        jitter: ms(60),
        loss: 0.2,
        duplicates: 0.1,
        bandwidth: None,
    }
}

/// Returns messages of all sizes, each with its number.
fn messages(count: u32) -> Vec<Vec<u8>> {
    let sizes = [4, 30, 1_096, 1_100, 1_101, 2_048, 2_049, 9_000];
    let message = |number: u32| {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.resize(sizes[number as usize % sizes.len()], number as u8);
        bytes
    };
    (0..count).map(message).collect()
}

#[test]
fn both_ends_connect_over_a_bad_network() {
    for seed in 0..20 {
        let pair = Pair::connected(seed, bad());
        assert_eq!(pair.server.peers().count(), 1);
    }
}

#[test]
fn ordered_messages_arrive_once_and_in_order_however_bad_the_network_is() {
    for seed in 0..6 {
        let mut pair = Pair::connected(seed, bad());
        let (client, sent) = (pair.to_client.unwrap(), messages(200));
        let mut left = sent.clone().into_iter();
        let mut arrived = Vec::new();
        for _ in 0..2_000 {
            for message in left.by_ref().take(2) {
                pair.server
                    .send(client, Delivery::Ordered, message)
                    .unwrap();
            }
            for event in pair.frame()[1].drain(..) {
                if let PeerEvent::Message {
                    bytes, delivery, ..
                } = event
                {
                    assert_eq!(delivery, Delivery::Ordered);
                    arrived.push(bytes);
                }
            }
            if arrived.len() == sent.len() {
                break;
            }
        }
        assert_eq!(arrived, sent);
        let stats = pair.server.stats(client).unwrap();
        assert!(stats.datagrams_lost > 20 && stats.loss > 0.05, "{stats:?}");
    }
}

#[test]
fn reliable_messages_arrive_once_and_unreliable_ones_at_most_once() {
    for delivery in [Delivery::Reliable, Delivery::Unreliable] {
        let mut pair = Pair::connected(9, bad());
        let sent = messages(200);
        let mut left = sent.clone().into_iter();
        let mut arrived = Vec::new();
        for _ in 0..600 {
            for message in left.by_ref().take(1) {
                pair.client.send(pair.to_server, delivery, message).unwrap();
            }
            for event in pair.frame()[0].drain(..) {
                if let PeerEvent::Message { bytes, .. } = event {
                    arrived.push(bytes);
                }
            }
        }
        assert!(!arrived.is_sorted(), "jitter changes the order");
        let count = arrived.len();
        arrived.sort();
        arrived.dedup();
        assert_eq!(arrived.len(), count, "none arrives twice");
        let mut sent = sent;
        sent.sort();
        assert!(
            arrived
                .iter()
                .all(|message| sent.binary_search(message).is_ok())
        );
        match delivery {
            Delivery::Reliable => assert_eq!(arrived, sent),
            _ => assert!((60..180).contains(&arrived.len()), "{}", arrived.len()),
        }
    }
}

#[test]
fn no_datagram_is_longer_than_the_path_carries() {
    let mut pair = Pair::connected(3, bad());
    let client = pair.to_client.unwrap();
    for message in messages(300) {
        pair.server
            .send(client, Delivery::Reliable, message.clone())
            .unwrap();
        pair.server
            .send(client, Delivery::Unreliable, message)
            .unwrap();
    }
    let longest = quality::longest_datagram(&mut pair);
    assert!(
        (1_100..=ecs_net::MAX_DATAGRAM).contains(&longest),
        "{longest}"
    );
}

#[test]
fn messages_of_the_greatest_length_arrive_and_longer_ones_are_refused() {
    let mut pair = Pair::connected(
        4,
        LinkQuality {
            loss: 0.05,
            ..LinkQuality::default()
        },
    );
    let client = pair.to_client.unwrap();
    let too_long = pair
        .server
        .send(client, Delivery::Ordered, vec![0; MAX_MESSAGE + 1]);
    assert_eq!(
        too_long,
        Err(SendError::TooLong {
            bytes: MAX_MESSAGE + 1
        })
    );
    for byte in 0..4 {
        pair.server
            .send(client, Delivery::Ordered, vec![byte; MAX_MESSAGE])
            .unwrap();
    }
    let mut arrived = Vec::new();
    for _ in 0..1_000 {
        for event in pair.frame()[1].drain(..) {
            if let PeerEvent::Message { bytes, .. } = event {
                assert!(bytes.len() == MAX_MESSAGE && bytes.iter().all(|&b| b == bytes[0]));
                arrived.push(bytes[0]);
            }
        }
    }
    assert_eq!(arrived, [0, 1, 2, 3]);
}

#[test]
fn a_sender_learns_that_too_much_waits() {
    let mut pair = Pair::connected(4, LinkQuality::default());
    pair.network.set_quality(LinkQuality {
        loss: 1.0,
        ..LinkQuality::default()
    });
    let sent = (0..100).find_map(|_| {
        pair.client
            .send(pair.to_server, Delivery::Reliable, vec![0; 100_000])
            .err()
    });
    assert!(matches!(sent, Some(SendError::Backlog { bytes }) if bytes > 4_000_000));
}

#[test]
fn programs_with_other_types_refuse_each_other_with_both_numbers() {
    let network = MemoryNetwork::new(1);
    let mut server = Endpoint::new(network.transport(), 1, settings());
    let mut client = Endpoint::new(network.transport(), 2, settings());
    let peer = client.connect(server.address());
    for _ in 0..4 {
        for end in [&mut server, &mut client] {
            end.update(FRAME);
            end.flush();
        }
    }
    assert_eq!(server.next_event(), None);
    let reason = DisconnectReason::OtherProtocol { ours: 2, theirs: 1 };
    assert!(reason.to_string().contains("same build"));
    assert_eq!(
        client.next_event(),
        Some(PeerEvent::Disconnected { peer, reason })
    );
}

#[test]
fn a_full_server_says_so_and_a_free_place_is_taken() {
    let network = MemoryNetwork::new(1);
    let one = EndpointSettings::default().max_incoming(1);
    let mut server = Endpoint::new(network.transport(), PROTOCOL, one);
    let mut clients = [0; 2].map(|_| Endpoint::new(network.transport(), PROTOCOL, settings()));
    let first = clients[0].connect(server.address());
    let run = |server: &mut Endpoint, clients: &mut [Endpoint; 2]| {
        for _ in 0..6 {
            server.update(FRAME);
            server.flush();
            for client in &mut *clients {
                client.update(FRAME);
                client.flush();
            }
        }
    };
    run(&mut server, &mut clients);
    assert!(matches!(
        clients[0].next_event(),
        Some(PeerEvent::Connected { .. })
    ));
    let second = clients[1].connect(server.address());
    run(&mut server, &mut clients);
    let full = PeerEvent::Disconnected {
        peer: second,
        reason: DisconnectReason::Full,
    };
    assert_eq!(clients[1].next_event(), Some(full));
    clients[0].disconnect(first, "bye");
    run(&mut server, &mut clients);
    clients[1].connect(server.address());
    run(&mut server, &mut clients);
    assert!(matches!(
        clients[1].next_event(),
        Some(PeerEvent::Connected { .. })
    ));
}

#[test]
fn the_other_end_learns_why_a_connection_ends() {
    let mut pair = Pair::connected(4, bad());
    let client = pair.to_client.unwrap();
    let text = "ä".repeat(150);
    pair.server.disconnect(client, &text);
    let ends = (0..100).flat_map(|_| pair.frame()).flatten();
    let ends: Vec<PeerEvent> = ends
        .filter(|event| matches!(event, PeerEvent::Disconnected { .. }))
        .collect();
    let reason = DisconnectReason::ByPeer("ä".repeat(100));
    assert_eq!(
        ends,
        [PeerEvent::Disconnected {
            peer: pair.to_server,
            reason
        }]
    );
    assert_eq!(
        pair.server.send(client, Delivery::Ordered, vec![]),
        Err(SendError::NotConnected { peer: client })
    );
}

#[test]
fn an_end_that_falls_silent_times_out_and_a_quiet_one_does_not() {
    let mut pair = Pair::connected(4, bad());
    for _ in 0..2_000 {
        let events = pair.frame();
        assert!(events.iter().all(|events| {
            events
                .iter()
                .all(|event| matches!(event, PeerEvent::Connected { .. }))
        }));
    }
    pair.network.set_quality(LinkQuality {
        loss: 1.0,
        ..LinkQuality::default()
    });
    let mut ends = [None, None];
    for frame in 0..400_u32 {
        for (end, events) in ends.iter_mut().zip(pair.frame()) {
            for event in events {
                assert!(matches!(
                    event,
                    PeerEvent::Disconnected {
                        reason: DisconnectReason::TimedOut,
                        ..
                    }
                ));
                assert_eq!(end.replace(FRAME * frame), None);
            }
        }
    }
    for end in ends {
        assert!((ms(4_000)..ms(5_200)).contains(&end.unwrap()), "{end:?}");
    }
}

#[test]
fn a_client_that_connects_again_replaces_its_old_connection() {
    let mut pair = Pair::connected(4, bad());
    let old = pair.to_client.unwrap();
    pair.to_server = pair.client.connect(pair.server.address());
    let mut events = Vec::new();
    for _ in 0..100 {
        let [server, _] = pair.frame();
        events.extend(server);
    }
    // The farewell of the old one arrives, or its place is taken first.
    assert!(
        matches!(&events[0], PeerEvent::Disconnected { peer, .. } if *peer == old),
        "{events:?}"
    );
    assert!(matches!(&events[1], PeerEvent::Connected { .. }));
    assert_eq!((events.len(), pair.server.peers().count()), (2, 1));
}

#[test]
fn udp_of_the_standard_library_carries_all_of_it() {
    let local = || UdpTransport::bind("127.0.0.1:0").unwrap();
    let mut server = Endpoint::new(local(), PROTOCOL, settings());
    let mut client = Endpoint::new(local(), PROTOCOL, settings());
    let to_server = client.connect(server.address());
    let sent = messages(50);
    let mut arrived = Vec::new();
    for _ in 0..2_000 {
        for end in [&mut server, &mut client] {
            end.update(ms(2));
            end.flush();
        }
        while let Some(event) = client.next_event() {
            if matches!(event, PeerEvent::Connected { .. }) {
                for message in &sent {
                    client
                        .send(to_server, Delivery::Ordered, message.clone())
                        .unwrap();
                }
            }
        }
        while let Some(event) = server.next_event() {
            if let PeerEvent::Message { bytes, .. } = event {
                arrived.push(bytes);
            }
        }
        if arrived.len() == sent.len() {
            break;
        }
        std::thread::sleep(ms(1));
    }
    assert_eq!(arrived, sent);
}
