//! Networks with a latency, a bandwidth, and figures about them.

use super::*;

use std::sync::{Arc, Mutex};

use ecs_net::Transport;

/// Passes everything on, and notes the lengths of datagrams.
struct Measured<T>(T, Arc<Mutex<Vec<usize>>>);

impl<T: Transport> Transport for Measured<T> {
    fn send(&mut self, to: std::net::SocketAddr, datagram: &[u8]) -> std::io::Result<()> {
        self.1.lock().unwrap().push(datagram.len());
        self.0.send(to, datagram)
    }

    fn receive(
        &mut self,
        buffer: &mut [u8],
    ) -> std::io::Result<Option<(std::net::SocketAddr, usize)>> {
        self.0.receive(buffer)
    }

    fn address(&self) -> std::net::SocketAddr {
        self.0.address()
    }
}

/// Sends all kinds of messages over a pair with another transport, and returns the length of the longest datagram.
pub(super) fn longest_datagram(pair: &mut Pair) -> usize {
    let lengths = Arc::new(Mutex::new(Vec::new()));
    let transport = Measured(pair.network.transport(), lengths.clone());
    let mut other = Endpoint::new(transport, PROTOCOL, settings());
    let peer = other.connect(pair.server.address());
    for frame in 0..300 {
        other.update(FRAME);
        if frame > 100 {
            for message in messages(16) {
                _ = other.send(peer, Delivery::Reliable, message.clone());
                _ = other.send(peer, Delivery::Unreliable, message);
            }
        }
        other.flush();
        pair.frame();
    }
    let lengths = lengths.lock().unwrap();
    lengths.iter().copied().max().unwrap()
}

#[test]
fn the_figures_of_a_connection_are_those_of_the_network() {
    let quality = LinkQuality {
        latency: ms(50),
        loss: 0.1,
        ..LinkQuality::default()
    };
    let mut pair = Pair::connected(4, quality);
    for _ in 0..1_500 {
        pair.client
            .send(pair.to_server, Delivery::Unreliable, vec![0; 20])
            .unwrap();
        pair.server
            .send(pair.to_client.unwrap(), Delivery::Unreliable, vec![0; 20])
            .unwrap();
        pair.frame();
    }
    let stats = pair.client.stats(pair.to_server).unwrap();
    assert!((ms(100)..ms(140)).contains(&stats.rtt), "{stats:?}");
    assert!((0.02..0.25).contains(&stats.loss), "{stats:?}");
    let lost = stats.datagrams_lost as f64 / stats.datagrams_sent as f64;
    assert!((0.07..0.13).contains(&lost), "{stats:?}");
    assert_eq!(stats.dropped, 0);
    let per_frame = stats.bytes_sent / 1_500;
    assert!((30..=51).contains(&per_frame), "{per_frame} bytes for 20");
}

#[test]
fn the_rate_is_kept_and_the_important_messages_come_first() {
    let network = MemoryNetwork::new(1);
    let slow = EndpointSettings::default().rate(20_000);
    let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
    let mut client = Endpoint::new(network.transport(), PROTOCOL, slow);
    let peer = client.connect(server.address());
    let mut counts = [0; 2];
    for frame in 0..620 {
        for end in [&mut server, &mut client] {
            end.update(FRAME);
        }
        while let Some(event) = server.next_event() {
            if let PeerEvent::Message { bytes, .. } = event {
                counts[usize::from(bytes[0])] += 1;
            }
        }
        if frame >= 20 {
            for _ in 0..3 {
                client
                    .send_with_priority(peer, Delivery::Unreliable, 1.0, vec![0; 200])
                    .unwrap();
                _ = client.send_with_priority(peer, Delivery::Unreliable, 2.0, vec![1; 60]);
            }
        }
        for end in [&mut server, &mut client] {
            end.flush();
        }
    }
    let stats = client.stats(peer).unwrap();
    let allowed = 20_000.0 * 0.016 * 620.0;
    assert!((stats.bytes_sent as f64) < allowed * 1.05, "{stats:?}");
    assert!(stats.bytes_sent as f64 > allowed * 0.85, "{stats:?}");
    assert!(counts[1] > 1_700, "all of the important ones: {counts:?}");
    assert!(
        counts[0] < 900 && stats.dropped > 800,
        "{counts:?} {stats:?}"
    );
}

#[test]
fn a_narrow_path_is_filled_and_nothing_starves() {
    let quality = LinkQuality {
        latency: ms(30),
        bandwidth: Some(60_000),
        ..LinkQuality::default()
    };
    let mut pair = Pair::connected(4, quality);
    let client = pair.to_client.unwrap();
    for message in messages(100) {
        pair.server
            .send(client, Delivery::Ordered, message)
            .unwrap();
    }
    let mut arrived = Vec::new();
    for _ in 0..3_000 {
        for event in pair.frame()[1].drain(..) {
            if let PeerEvent::Message { bytes, .. } = event {
                arrived.push(bytes);
            }
        }
    }
    assert_eq!(arrived, messages(100));
}

#[test]
fn the_same_seed_makes_the_same_network() {
    let run = |seed| {
        let mut pair = Pair::connected(seed, bad());
        let mut arrived = Vec::new();
        for (frame, message) in (0..).zip(messages(100)) {
            pair.client
                .send(pair.to_server, Delivery::Unreliable, message)
                .unwrap();
            for event in pair.frame()[0].drain(..) {
                if let PeerEvent::Message { bytes, .. } = event {
                    arrived.push((frame, bytes));
                }
            }
        }
        arrived
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}
