//! Clients and servers that send what no honest program sends, over connections that are in order.

use super::*;

use ecs_core::net::{Endpoint, PeerEvent, PeerId};
use proptest::prelude::*;

/// A server with one honest client, and a liar who is connected.
struct LyingClient {
    game: Match,
    liar: Endpoint,
    peer: PeerId,
}

impl LyingClient {
    fn new() -> Self {
        let mut game = Match::new(1, LinkQuality::default(), network);
        let transport = game.internet.transport();
        let mut liar = Endpoint::new(transport, network().id(), EndpointSettings::default());
        let peer = liar.connect(game.address);
        for _ in 0..20 {
            game.run(1);
            liar.update(FRAME);
            liar.flush();
        }
        assert_eq!(online(&game.server).players().len(), 2);
        Self { game, liar, peer }
    }

    fn say(&mut self, message: Vec<u8>) {
        _ = self.liar.send(self.peer, Delivery::Ordered, message);
        self.liar.flush();
        self.game.run(2);
        self.liar.update(FRAME);
        while self.liar.next_event().is_some() {}
    }
}

fn bytes(length: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..length),
        prop::collection::vec(0..4_u8, 0..length),
    ]
}

proptest! {
    #[test]
    fn no_message_of_a_client_harms_the_server_or_others(
        all in prop::collection::vec((0..5_u8, bytes(60)), 1..8),
    ) {
        let mut lying = LyingClient::new();
        for (kind, rest) in all {
            let mut message = vec![kind];
            message.extend(rest);
            lying.say(message);
        }
        let players = online(&lying.game.server).players().len();
        prop_assert!(players == 1 || players == 2);
        // The honest one plays on.
        let me = online(&lying.game.clients[0]).player().unwrap().0;
        steer(&mut lying.game.clients[0], 1, false);
        lying.game.run(30);
        prop_assert!(place(&lying.game.server, me).x > 1_000);
    }

    #[test]
    fn no_message_of_a_server_harms_a_client(
        all in prop::collection::vec((0..5_u8, bytes(80)), 1..8),
        welcomes in any::<bool>(),
    ) {
        let internet = MemoryNetwork::new(1);
        let settings = EndpointSettings::default().max_incoming(1);
        let mut liar = Endpoint::new(internet.transport(), network().id(), settings);
        let mut client = App::new();
        client.add_plugin(game).add_plugin(network().client(internet.transport(), liar.address()));
        let mut peer = None;
        let mut say = all.into_iter();
        for frame in 0..20 {
            liar.update(FRAME);
            while let Some(event) = liar.next_event() {
                if let PeerEvent::Connected { peer: new } = event {
                    peer = Some(new);
                    if welcomes {
                        liar.send(new, Delivery::Ordered, vec![1, 7]).unwrap();
                    }
                }
            }
            if frame > 5
                && let (Some(peer), Some((kind, rest))) = (peer, say.next())
            {
                let mut message = vec![kind];
                message.extend(rest);
                _ = liar.send(peer, Delivery::Ordered, message);
            }
            liar.flush();
            client.update_by(FRAME);
        }
        let own = client.world_mut().spawn(Place::default());
        prop_assert!(client.world().contains(own));
    }
}

#[test]
fn each_lie_of_a_client_ends_its_connection() {
    let lies: [&[u8]; 8] = [
        &[],
        &[1, 5],                   // a welcome
        &[2, 0, 9, 9],             // a text that is cut off
        &[77, 0],                  // a message that does not exist
        &[0, 5, 65],               // more confirmations than there are
        &[0, 5, 0, 200, 1],        // more inputs than allowed
        &[0, 2, 0, 5],             // inputs of steps before the first
        &[2, 3, 1, 1, 1, 0, 0, 0], // ids that are none
    ];
    for lie in lies {
        let mut lying = LyingClient::new();
        lying.say(lie.to_vec());
        assert_eq!(online(&lying.game.server).players().len(), 1, "{lie:?}");
    }
}

#[test]
fn inputs_for_the_entity_of_another_player_do_nothing() {
    let mut lying = LyingClient::new();
    let victim = online(&lying.game.clients[0]).player().unwrap().0;
    let entity = avatar(&lying.game.server, victim).unwrap();
    let own = avatar(&lying.game.server, 3 - victim).unwrap();
    for (entity, moves) in [(entity, false), (own, true)] {
        let player = lying.game.server.world().get::<Owner>(entity).unwrap().0.0;
        let before = place(&lying.game.server, player);
        // The newest step, no confirmations, and eight steps of one input, whose value has no ids.
        let newest = online(&lying.game.server).tick() + 10;
        let mut message = vec![0];
        put(&mut message, newest);
        message.extend([0, 8]);
        put(&mut message, entity.to_bits());
        message.extend([1, 8, 3, 0, 1, 0]);
        lying.say(message);
        lying.game.run(20);
        assert_eq!(
            place(&lying.game.server, player) != before,
            moves,
            "player {player}"
        );
    }
    let problems = lying
        .game
        .server
        .world_mut()
        .resource_mut::<Online>()
        .take_problems();
    assert!(
        matches!(problems[..], [NetworkProblem::NotOwner { .. }]),
        "{problems:?}"
    );
}

/// Inputs of the liar for an entity, in the steps around the present one.
fn inputs_for(lying: &LyingClient, entity: Entity) -> Vec<u8> {
    let mut message = vec![0];
    put(&mut message, online(&lying.game.server).tick() + 20);
    message.extend([0, 24]);
    put(&mut message, entity.to_bits());
    message.extend([1, 24, 3, 0, 1, 0]);
    message
}

#[test]
fn inputs_for_an_entity_that_takes_none_are_forgotten() {
    let mut lying = LyingClient::new();
    let victim = online(&lying.game.clients[0]).player().unwrap().0;
    let (liar, victim) = (PlayerId(3 - victim), PlayerId(victim));
    let world = lying.game.server.world_mut();
    let start = Place { x: 5, y: 5 };
    let shot = world.spawn((start, Steer::default(), Owner(liar), SpawnKey(1)));
    let given_away = world.spawn((start, Steer::default(), Owner(liar)));
    for entity in [shot, given_away] {
        let message = inputs_for(&lying, entity);
        lying.say(message);
    }
    let world = lying.game.server.world_mut();
    assert_eq!(*world.get::<Place>(shot).unwrap(), start);
    assert_ne!(*world.get::<Place>(given_away).unwrap(), start);
    world.insert(given_away, Owner(victim)).unwrap();
    lying.game.run(100);
    let world = lying.game.server.world_mut();
    for entity in [shot, given_away] {
        world
            .insert(entity, (start, Owner(liar), Steer::default()))
            .unwrap();
    }
    world.remove::<SpawnKey>(shot).unwrap();
    lying.game.run(5);
    for entity in [shot, given_away] {
        let place = *lying.game.server.world().get::<Place>(entity).unwrap();
        assert_eq!(place, start, "the inputs of then are gone");
    }
}

#[test]
fn no_step_of_an_input_is_too_far_away() {
    let mut lying = LyingClient::new();
    let liar = 3 - online(&lying.game.clients[0]).player().unwrap().0;
    let own = avatar(&lying.game.server, liar).unwrap();
    let before = place(&lying.game.server, liar);
    for newest in [8, u64::MAX / 2, u64::MAX / 2 - 1, 1 << 32] {
        let mut message = vec![0];
        put(&mut message, newest);
        message.extend([0, 8]);
        put(&mut message, own.to_bits());
        message.extend([1, 8, 3, 0, 1, 0]);
        lying.say(message);
    }
    assert_eq!(online(&lying.game.server).players().len(), 2);
    assert_eq!(place(&lying.game.server, liar), before);
}

#[test]
fn a_frame_of_any_length_leaves_a_game_that_goes_on() {
    let mut game = Match::new(2, bad(), network);
    game.run(60);
    for time in [Duration::ZERO, Duration::from_secs(1 << 40)] {
        for app in game.apps() {
            assert_eq!(app.update_by(time), None);
        }
    }
    game.run(5);
    for client in &mut game.clients {
        let address = game.address;
        client.world_mut().resource_mut::<Online>().connect(address);
    }
    game.run(200);
    assert_eq!(online(&game.server).players().len(), 2);
    let status = online(&game.clients[0]).status().clone();
    assert_eq!(status, ClientStatus::Connected);
    let me = online(&game.clients[0]).player().unwrap().0;
    let before = place(&game.server, me);
    steer(&mut game.clients[0], 1, false);
    game.run(60);
    assert!(place(&game.server, me).x > before.x);
    // More than the clock of an app has.
    for app in game.apps() {
        assert_eq!(app.update_by(Duration::MAX), None);
    }
    game.run(2);
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
