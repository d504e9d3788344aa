//! Bytes from strangers and from peers that lie.

use super::*;

use ecs_net::{DatagramError, MAX_DATAGRAM, MemoryTransport, Transport};
use proptest::prelude::*;

/// Returns all datagrams that have arrived.
fn all_of(transport: &mut MemoryTransport) -> Vec<Vec<u8>> {
    let mut buffer = [0; 2_000];
    let mut all = Vec::new();
    while let Some((_, length)) = transport.receive(&mut buffer).unwrap() {
        all.push(buffer[..length].to_vec());
    }
    all
}

/// Connects a transport to a server, and returns the response and the token.
fn shake_hands(
    server: &mut Endpoint,
    transport: &mut MemoryTransport,
    salt: u64,
) -> (Vec<u8>, [u8; 8]) {
    let mut ask = vec![0];
    ask.extend(PROTOCOL.to_le_bytes());
    ask.extend(salt.to_le_bytes());
    ask.extend([0; 15]);
    transport.send(server.address(), &ask).unwrap();
    server.update(FRAME);
    let challenge = all_of(transport).remove(0);
    assert!(
        (challenge[0], challenge.len()) == (1, 17),
        "shorter than the request"
    );
    ask[0] = 2;
    ask[17..25].copy_from_slice(&challenge[9..]);
    transport.send(server.address(), &ask).unwrap();
    server.update(FRAME);
    let accepted = all_of(transport).remove(0);
    assert_eq!(accepted[0], 3);
    (ask, accepted[9..].try_into().unwrap())
}

/// A server, and a peer whose datagrams a test writes.
struct Liar {
    server: Endpoint,
    transport: MemoryTransport,
    token: [u8; 8],
}

impl Liar {
    fn new() -> Self {
        let network = MemoryNetwork::new(0);
        let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
        let mut transport = network.transport();
        let (_, token) = shake_hands(&mut server, &mut transport, 5);
        assert!(matches!(
            server.next_event(),
            Some(PeerEvent::Connected { .. })
        ));
        Self {
            server,
            transport,
            token,
        }
    }

    /// Sends a datagram of the connection, and returns the server's events.
    fn lie(&mut self, rest: &[u8]) -> Vec<PeerEvent> {
        let mut bytes = vec![5];
        bytes.extend(self.token);
        bytes.extend(rest);
        bytes.truncate(MAX_DATAGRAM);
        self.transport.send(self.server.address(), &bytes).unwrap();
        self.server.update(FRAME);
        let events = std::iter::from_fn(|| self.server.next_event()).collect();
        self.server.flush();
        all_of(&mut self.transport);
        events
    }
}

fn refused(events: &[PeerEvent]) -> Option<DatagramError> {
    match events {
        [
            PeerEvent::Disconnected {
                reason: DisconnectReason::Malformed(error),
                ..
            },
        ] => Some(*error),
        _ => None,
    }
}

#[test]
fn each_lie_of_a_peer_has_its_name() {
    let piece = |number: u8, count: u8, length: usize| {
        let mut bytes = vec![0, 0, 2 | 4, 0, number, count];
        bytes.extend([0x80 | (length & 0x7F) as u8, (length >> 7) as u8]);
        bytes.extend(vec![0; length]);
        bytes
    };
    let cases: [(&str, Vec<u8>, DatagramError); 12] = [
        ("nothing", vec![], DatagramError::Truncated),
        (
            "a number of 70 bits",
            vec![0xFF; 10],
            DatagramError::BadNumber,
        ),
        (
            "a confirmation of what was never sent",
            vec![0, 1, 9, 0],
            DatagramError::NeverSent,
        ),
        (
            "more ranges than there are",
            vec![0, 9],
            DatagramError::BadNumber,
        ),
        (
            "a range below 0",
            vec![0, 1, 0, 1],
            DatagramError::BadNumber,
        ),
        (
            "a kind that does not exist",
            vec![0, 0, 3, 0, 0],
            DatagramError::UnknownKind { kind: 3 },
        ),
        (
            "a length beyond the end",
            vec![0, 0, 0, 50, 1],
            DatagramError::Truncated,
        ),
        (
            "a message too far ahead",
            vec![0, 0, 1, 0x80, 8, 0],
            DatagramError::BeyondWindow,
        ),
        (
            "a piece beyond the last",
            piece(5, 2, 1_024),
            DatagramError::BadPiece,
        ),
        (
            "a short piece that is not the last",
            piece(0, 2, 1_000),
            DatagramError::BadPiece,
        ),
        (
            "the only piece",
            piece(0, 1, 1_000),
            DatagramError::BadPiece,
        ),
        (
            "too many pieces",
            vec![0, 0, 6, 0, 0, 0x81, 2, 0],
            DatagramError::TooLarge,
        ),
    ];
    for (name, bytes, expected) in cases {
        let mut liar = Liar::new();
        let events = liar.lie(&bytes);
        assert_eq!(refused(&events), Some(expected), "{name}: {events:?}");
        assert_eq!(liar.server.peers().count(), 0);
        assert!(liar.lie(&[0, 0, 0, 0]).is_empty(), "the connection is gone");
        assert_eq!(
            liar.server.strangers().1.unwrap().1,
            DatagramError::NoConnection
        );
    }
}

#[test]
fn a_stranger_with_a_peers_address_changes_nothing_without_the_token() {
    let mut liar = Liar::new();
    let token = liar.token;
    for byte in 0..8 {
        liar.token[byte] ^= 1;
        assert!(liar.lie(&[0, 0, 0, 1, 7]).is_empty());
        let mut farewell = vec![6];
        farewell.extend(liar.token);
        liar.transport
            .send(liar.server.address(), &farewell)
            .unwrap();
        liar.server.update(FRAME);
        liar.token = token;
    }
    assert_eq!(liar.server.strangers().0, 16);
    assert!(
        matches!(&liar.lie(&[0, 0, 0, 1, 7])[..], [PeerEvent::Message { bytes, .. }] if bytes == &[7])
    );
}

#[test]
fn a_cookie_is_good_for_one_address_and_some_seconds() {
    let network = MemoryNetwork::new(0);
    let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
    let (mut one, mut other) = (network.transport(), network.transport());
    let mut ask = vec![0];
    ask.extend(PROTOCOL.to_le_bytes());
    ask.extend([5; 8]);
    ask.extend([0; 15]);
    one.send(server.address(), &ask).unwrap();
    server.update(FRAME);
    let challenge = all_of(&mut one).remove(0);
    ask[0] = 2;
    ask[17..25].copy_from_slice(&challenge[9..]);
    other.send(server.address(), &ask).unwrap();
    server.update(FRAME);
    assert!(all_of(&mut other).is_empty() && server.next_event().is_none());
    server.update(ms(11_000));
    one.send(server.address(), &ask).unwrap();
    server.update(FRAME);
    assert!(all_of(&mut one).is_empty() && server.next_event().is_none());
}

#[test]
fn a_flood_of_messages_that_are_not_taken_stays_within_the_memory() {
    let mut liar = Liar::new();
    for number in 0..20_000_u64 {
        let mut bytes = vec![5];
        bytes.extend(liar.token);
        for shift in [0, 7, 14] {
            bytes.push((number >> shift) as u8 & 0x7F | if shift < 14 { 0x80 } else { 0 });
        }
        bytes.push(0);
        bytes.extend([0, 0xE8, 7]);
        bytes.extend(vec![1; 1_000]);
        liar.transport.send(liar.server.address(), &bytes).unwrap();
        if number % 1_000 == 0 {
            liar.server.update(FRAME);
        }
    }
    liar.server.update(FRAME);
    let mut bytes = 0;
    while let Some(PeerEvent::Message { bytes: message, .. }) = liar.server.next_event() {
        bytes += message.len();
    }
    assert!((1_500_000..2_100_000).contains(&bytes), "{bytes}");
}

proptest! {
    #[test]
    fn any_bytes_from_a_stranger_are_counted_or_answered(
        all in prop::collection::vec((0..8_u8, prop::collection::vec(any::<u8>(), 0..60)), 1..20),
    ) {
        let network = MemoryNetwork::new(0);
        let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
        let mut stranger = network.transport();
        for (kind, rest) in all {
            let mut bytes = vec![kind];
            bytes.extend(&rest);
            stranger.send(server.address(), &bytes).unwrap();
            server.update(FRAME);
            prop_assert!(server.next_event().is_none());
            server.flush();
            let answers: usize = all_of(&mut stranger).iter().map(Vec::len).sum();
            prop_assert!(answers <= bytes.len(), "no answer is longer than its question");
        }
    }

    #[test]
    fn any_bytes_of_a_peer_are_messages_or_the_end(
        all in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..20),
    ) {
        let mut liar = Liar::new();
        for bytes in all {
            liar.lie(&bytes);
        }
    }

    #[test]
    fn a_damaged_datagram_is_messages_or_the_end(
        damage in prop::collection::vec((any::<u64>(), 0..1_200_usize, any::<u8>()), 1..10),
        delivery in 0..3_usize,
    ) {
        let deliveries = [Delivery::Unreliable, Delivery::Reliable, Delivery::Ordered];
        let datagrams = honest_datagrams(deliveries[delivery]);
        let mut liar = Liar::new();
        for (pick, at, byte) in damage {
            let mut bytes = datagrams[pick as usize % datagrams.len()][9..].to_vec();
            let length = bytes.len();
            bytes[at % length] ^= byte;
            liar.lie(&bytes);
        }
    }
}

/// Returns the datagrams that a client sends with messages of all sizes.
fn honest_datagrams(delivery: Delivery) -> Vec<Vec<u8>> {
    let network = MemoryNetwork::new(0);
    let mut server = network.transport();
    let mut client = Endpoint::new(network.transport(), PROTOCOL, settings());
    let peer = client.connect(server.address());
    client.flush();
    let ask = all_of(&mut server).remove(0);
    let to = client.address();
    let mut answer = vec![1];
    answer.extend(&ask[9..17]);
    answer.extend([1; 8]);
    server.send(to, &answer).unwrap();
    client.update(FRAME);
    answer[0] = 3;
    server.send(to, &answer).unwrap();
    client.update(FRAME);
    all_of(&mut server);
    for message in messages(16) {
        client.send(peer, delivery, message).unwrap();
    }
    client.update(ms(200));
    client.flush();
    let all = all_of(&mut server);
    assert!(all.len() > 10);
    all
}

#[test]
fn a_response_that_has_made_a_connection_makes_no_other_one() {
    let network = MemoryNetwork::new(0);
    let mut server = Endpoint::new(network.transport(), PROTOCOL, settings());
    let mut transport = network.transport();
    let (old, token) = shake_hands(&mut server, &mut transport, 5);
    let mut farewell = vec![6];
    farewell.extend(token);
    transport.send(server.address(), &farewell).unwrap();
    server.update(FRAME);
    while server.next_event().is_some() {}
    // A copy that was late, or that a machine on the path has kept.
    transport.send(server.address(), &old).unwrap();
    server.update(FRAME);
    assert_eq!(server.next_event(), None, "no ghost has come back");
    shake_hands(&mut server, &mut transport, 6);
    assert!(matches!(
        server.next_event(),
        Some(PeerEvent::Connected { .. })
    ));
    transport.send(server.address(), &old).unwrap();
    server.update(FRAME);
    assert_eq!(server.next_event(), None, "the connection stays");
    assert_eq!(server.strangers().0, 2);
}

#[test]
fn messages_without_bytes_to_a_peer_that_confirms_nothing_fill_the_backlog() {
    for length in [0, 1] {
        let mut pair = Pair::connected(1, LinkQuality::default());
        let peer = pair.to_client.unwrap();
        let sent = (0..200_000).take_while(|_| {
            let message = vec![0; length];
            pair.server.send(peer, Delivery::Reliable, message).is_ok()
        });
        // 4 MiB, and each message takes memory beside its bytes.
        assert!((1_000..100_000).contains(&sent.count()), "{length}");
    }
}

#[test]
fn no_time_is_too_long() {
    let mut pair = Pair::new(1, LinkQuality::default());
    let endless = settings().timeout(Duration::MAX);
    pair.server = Endpoint::new(pair.network.transport(), PROTOCOL, endless);
    pair.client = Endpoint::new(pair.network.transport(), PROTOCOL, endless);
    pair.client.connect(pair.server.address());
    for _ in 0..20 {
        pair.frame();
    }
    for time in [Duration::from_secs(1 << 40), Duration::MAX, Duration::MAX] {
        pair.network.advance(time);
        for end in [&mut pair.server, &mut pair.client] {
            end.update(time);
            end.flush();
        }
    }
    assert_eq!(pair.server.peers().count(), 1);
    assert_eq!(pair.client.peers().count(), 1);
}

#[test]
fn a_flood_from_many_addresses_leaves_the_connected_alone_and_ends_with_their_silence() {
    let mut pair = Pair::connected(1, LinkQuality::default());
    let server = pair.server.address();
    let mut flood: Vec<Endpoint> = (0..300)
        .map(|_| Endpoint::new(pair.network.transport(), PROTOCOL, settings()))
        .collect();
    for stranger in &mut flood {
        stranger.connect(server);
    }
    let (mut sent, mut arrived) = (0, 0);
    for frame in 0..60 {
        for stranger in &mut flood {
            stranger.update(FRAME);
            stranger.flush();
            // Each asks again when it is refused.
            if stranger.peers().count() == 0 && frame % 10 == 0 {
                stranger.connect(server);
            }
        }
        let message = vec![frame];
        sent += 1;
        pair.client
            .send(pair.to_server, Delivery::Ordered, message)
            .unwrap();
        let [at_server, at_client] = pair.frame();
        arrived += at_server
            .iter()
            .filter(|event| matches!(event, PeerEvent::Message { .. }))
            .count();
        assert_eq!(at_client, []);
        assert!(pair.server.peers().count() <= 4);
    }
    assert!(sent - arrived < 4, "{arrived} of {sent}");
    assert_eq!(pair.server.peers().count(), 4);
    // Those who have got a place and say nothing lose it.
    drop(flood);
    let mut late = Endpoint::new(pair.network.transport(), PROTOCOL, settings());
    for frame in 0..500 {
        if frame == 400 {
            late.connect(server);
        }
        late.update(FRAME);
        late.flush();
        pair.frame();
    }
    assert_eq!(late.peers().count(), 1);
    assert_eq!(pair.client.peers().count(), 1);
}
