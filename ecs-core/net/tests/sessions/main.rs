//! Matches without a server, over bad networks: players who leave, spectators, machines that run too fast.

use std::net::SocketAddr;
use std::time::Duration;

use ecs_core::data::{Rollback, RollbackFrame, WorldHasher};
use ecs_core::net::{
    Delivery, DisconnectReason, Endpoint, EndpointSettings, LinkQuality, MemoryNetwork,
    MemoryTransport, PeerEvent, PeerSession, SessionEvent, Transport,
};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

const STEP: Duration = Duration::from_millis(16);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.place")]
struct Place(i64);
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.player")]
struct Player(usize);
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "game.inputs")]
struct Inputs(Vec<i8>);

#[system(for_each)]
fn walk(place: &mut Place, player: &Player, inputs: Res<Inputs>) {
    // An order of inputs matters.
    place.0 = place.0.wrapping_mul(31) + i64::from(inputs.0[player.0]);
}

struct Machine {
    app: App,
    session: PeerSession<i8>,
    events: Vec<SessionEvent>,
    is_spectator: bool,
}

impl Machine {
    fn app(players: usize) -> App {
        let mut app = App::new();
        app.insert_resource(Inputs(vec![0; players]));
        app.add_systems(FixedUpdate, walk)
            .fixed_step(STEP)
            .fixed_by_hand();
        for player in 0..players {
            app.world_mut().spawn((Place(0), Player(player)));
        }
        app
    }

    fn rollback(players: usize) -> Rollback<i8> {
        Rollback::new(players, Snapshotter::new())
            .input_delay(2)
            .hashes(5, WorldHasher::new())
    }

    fn frame(&mut self, elapsed: Duration, input: i8, runs: bool) {
        self.session.update(elapsed);
        while let Some(event) = self.session.next_event() {
            self.events.push(event);
        }
        // A spectator only runs the frames that it can.
        let least = u64::from(!self.is_spectator);
        let mut left = self.session.behind().clamp(least, 20);
        while left > 0 && runs {
            left -= 1;
            let apply = |world: &mut World, frame: &RollbackFrame<'_, i8>| {
                world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
            };
            self.session
                .advance(&mut self.app.fixed_steps(), input, apply)
                .unwrap();
        }
    }

    fn left(&self) -> Vec<(usize, u64)> {
        let left = self.events.iter().filter_map(|event| match event {
            SessionEvent::PlayerLeft { player, frame } => Some((*player, *frame)),
            _ => None,
        });
        left.collect()
    }
}

struct Party {
    network: MemoryNetwork,
    addresses: Vec<SocketAddr>,
    machines: Vec<Machine>,
    frames: u32,
}

fn bad() -> LinkQuality {
    LinkQuality {
        latency: Duration::from_millis(40),
        jitter: Duration::from_millis(30),
        loss: 0.1,
        duplicates: 0.05,
        bandwidth: None,
    }
}

fn settings() -> EndpointSettings {
    EndpointSettings::default()
        .max_incoming(2)
        .timeout(Duration::from_secs(1))
}

impl Party {
    fn new(players: usize, seed: u64, quality: LinkQuality) -> Self {
        let network = MemoryNetwork::new(seed);
        network.set_quality(quality);
        let transports: Vec<MemoryTransport> = (0..players).map(|_| network.transport()).collect();
        let addresses: Vec<SocketAddr> = transports.iter().map(Transport::address).collect();
        let machine = |(me, transport)| Machine {
            app: Machine::app(players),
            session: PeerSession::new(
                transport,
                5,
                settings(),
                &addresses,
                me,
                Machine::rollback(players),
                STEP,
            ),
            events: Vec::new(),
            is_spectator: false,
        };
        let machines = (0..).zip(transports).map(machine).collect();
        Self {
            network,
            addresses,
            machines,
            frames: 0,
        }
    }

    fn watch(&mut self) {
        let players = self.addresses.len();
        let session = PeerSession::spectator(
            self.network.transport(),
            5,
            settings(),
            &self.addresses,
            self.addresses[0],
            Machine::rollback(players),
            STEP,
        );
        self.machines.push(Machine {
            app: Machine::app(players),
            session,
            events: Vec::new(),
            is_spectator: true,
        });
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frames += 1;
            self.network.advance(STEP);
            for (number, machine) in (0..).zip(&mut self.machines) {
                machine.frame(STEP, (self.frames / (3 + number) % 5) as i8, true);
            }
        }
    }

    /// Checks that all machines had the same world at the last frame that all have confirmed.
    fn agree(&self) -> u64 {
        let sessions = self
            .machines
            .iter()
            .map(|machine| machine.session.rollback());
        let frames = sessions
            .clone()
            .map(|rollback| rollback.confirmed().min(rollback.frame()));
        let frame = (frames.min().unwrap() - 1) / 5 * 5;
        let mut hashes: Vec<Option<u64>> = sessions
            .map(|rollback| rollback.confirmed_hash(frame))
            .collect();
        assert!(hashes[0].is_some(), "frame {frame} has no hash");
        hashes.dedup();
        assert_eq!(hashes.len(), 1, "frame {frame}");
        for machine in &self.machines {
            let desync = machine
                .events
                .iter()
                .find(|event| matches!(event, SessionEvent::Desync { .. }));
            assert_eq!(desync, None);
        }
        frame
    }
}

/// Returns the first `few` cases of a test, or all of them before a change lands, as random tests have it.
fn tried<T, const N: usize>(few: usize, all: [T; N]) -> impl Iterator<Item = T> {
    let count = match std::env::var_os("ECS_WORLDS") {
        Some(_) => N,
        None => few,
    };
    all.into_iter().take(count)
}

#[test]
fn all_machines_agree_after_a_match_over_a_bad_network() {
    for seed in 0..3 {
        let mut party = Party::new(2 + seed as usize % 3, seed, bad());
        party.run(600);
        assert!(party.agree() > 500);
        for machine in &party.machines {
            assert_eq!(machine.events, [SessionEvent::Started]);
            assert!(machine.session.rollback().stats().rollbacks > 20);
        }
    }
}

#[test]
fn the_others_agree_about_a_player_who_leaves_or_falls_silent() {
    let all = [
        (1, true),
        (2, false),
        (3, true),
        (4, false),
        (5, true),
        (6, false),
    ];
    for (seed, says_so) in tried(2, all) {
        let mut party = Party::new(4, seed, bad());
        party.run(200);
        let mut gone = party.machines.remove(2);
        if says_so {
            gone.session.leave();
        }
        drop(gone);
        party.run(400);
        assert!(party.agree() > 400, "they play on");
        let left = party.machines[0].left();
        assert!(
            matches!(left[..], [(2, frame)] if (150..260).contains(&frame)),
            "{left:?}"
        );
        assert!(party.machines.iter().all(|machine| machine.left() == left));
    }
}

#[test]
fn when_two_lose_each_other_one_of_them_goes_and_the_rest_agree() {
    let all = [
        (1, 3, [1, 2]),
        (3, 4, [0, 2]),
        (2, 3, [0, 1]),
        (4, 5, [3, 1]),
    ];
    for (seed, players, apart) in tried(2, all) {
        let mut party = Party::new(players, seed, bad());
        party.run(100);
        let [one, other] = apart.map(|player| party.addresses[player]);
        let broken = LinkQuality { loss: 1.0, ..bad() };
        party.network.set_path(one, other, broken);
        party.network.set_path(other, one, broken);
        party.run(400);
        let goes = apart[0].max(apart[1]);
        let loser = party.machines.remove(goes);
        assert!(party.agree() > 300, "{apart:?}");
        for machine in &party.machines {
            let left = machine.left();
            assert_eq!(left.iter().map(|left| left.0).collect::<Vec<_>>(), [goes]);
        }
        assert!(!loser.left().is_empty());
    }
}

#[test]
fn a_player_who_loses_several_others_is_the_one_who_goes() {
    let mut party = Party::new(4, 7, bad());
    party.run(100);
    // The first one would stay, if it had lost one alone.
    for player in [2, 3] {
        let broken = LinkQuality { loss: 1.0, ..bad() };
        let (first, other) = (party.addresses[0], party.addresses[player]);
        party.network.set_path(first, other, broken);
        party.network.set_path(other, first, broken);
    }
    party.run(400);
    party.machines.remove(0);
    assert!(party.agree() > 300);
    for machine in &party.machines {
        let left = machine.left();
        assert_eq!(left.iter().map(|left| left.0).collect::<Vec<_>>(), [0]);
    }
}

#[test]
fn two_who_leave_one_after_the_other_leave_the_rest_in_agreement() {
    let all = [(0, 0), (3, 32), (5, 120), (1, 1), (2, 8), (4, 70)];
    for (seed, apart) in tried(3, all) {
        let mut party = Party::new(4, seed, bad());
        party.run(200);
        drop(party.machines.remove(3));
        party.run(apart);
        drop(party.machines.remove(1));
        party.run(500);
        assert!(party.agree() > 400, "they play on after {apart} frames");
        for machine in &party.machines {
            let mut left: Vec<usize> = machine.left().iter().map(|left| left.0).collect();
            left.sort_unstable();
            assert_eq!(left, [1, 3]);
        }
    }
}

#[test]
fn spectators_see_the_same_match_from_the_start_or_later_and_after_a_player_has_left() {
    let mut party = Party::new(3, 1, bad());
    party.watch();
    party.run(300);
    party.watch();
    party.run(200);
    drop(party.machines.remove(1));
    party.run(300);
    assert!(party.agree() > 600);
    let joined = &party.machines[0].events;
    let joined = joined
        .iter()
        .filter(|event| matches!(event, SessionEvent::SpectatorJoined { .. }));
    assert_eq!(joined.count(), 2);
}

#[test]
fn a_machine_that_is_ahead_is_advised_to_wait_until_it_is_not() {
    let quality = LinkQuality {
        latency: Duration::from_millis(30),
        ..LinkQuality::default()
    };
    let mut party = Party::new(2, 1, quality);
    party.run(60);
    // The other one sleeps for some frames.
    let mut waits = Vec::new();
    for frame in 0..400 {
        party.network.advance(STEP);
        for number in 0..2 {
            let sleeps = number == 1 && (100..106).contains(&frame);
            let machine = &mut party.machines[number];
            let waits_now = number == 0 && machine.session.wait_advice() > 0 && frame % 8 == 0;
            if waits_now {
                waits.push(frame);
            }
            machine.frame(STEP, 1, !sleeps && !waits_now);
        }
    }
    assert!((1..=4).contains(&waits.len()), "{waits:?}");
    assert!(
        waits.iter().all(|frame| (100..250).contains(frame)),
        "{waits:?}"
    );
    let frames: Vec<u64> = party
        .machines
        .iter()
        .map(|machine| machine.session.rollback().frame())
        .collect();
    assert!(frames[0].abs_diff(frames[1]) <= 2, "{frames:?}");
}

#[test]
fn machines_that_leave_out_as_many_frames_as_advised_leave_out_few() {
    let mut party = Party::new(3, 1, bad());
    party.run(60);
    let mut waits = [0; 3];
    let mut left_out = 0;
    for frame in 0..600 {
        party.network.advance(STEP);
        for (number, machine) in party.machines.iter_mut().enumerate() {
            let sleeps = number == 1 && (100..116).contains(&frame);
            let waits_now = waits[number] > 0;
            if waits_now {
                waits[number] -= 1;
                left_out += 1;
            }
            machine.frame(STEP, 1, !sleeps && !waits_now);
            if waits[number] == 0 {
                waits[number] = machine.session.wait_advice();
            }
        }
    }
    // The two others were ahead by at most 16 frames, which half as many catch up.
    assert!((2..=20).contains(&left_out), "{left_out}");
}

#[test]
fn a_desync_is_reported_with_its_frame() {
    let mut party = Party::new(2, 1, bad());
    party.run(100);
    let world = party.machines[1].app.world_mut();
    for place in &mut world.query::<&mut Place>() {
        place.0 += 1;
    }
    party.run(100);
    let found = party.machines[0]
        .events
        .iter()
        .find_map(|event| match event {
            SessionEvent::Desync { player, frame } => Some((*player, *frame)),
            _ => None,
        });
    assert!(
        matches!(found, Some((1, frame)) if (80..130).contains(&frame)),
        "{found:?}"
    );
}

#[test]
fn nothing_that_a_player_sends_harms_the_others() {
    // Bytes of all kinds, reports that the others have left, and the beginning of an input of another player.
    let lies: [Vec<u8>; 8] = [
        vec![],
        vec![9],
        vec![1, 255, 1],
        vec![1, 4, 0],
        vec![1, 2, 0],
        vec![1, 1, 0],
        vec![1, 3, 0, 0],
        vec![0],
    ];
    for (seed, lie) in (0..).zip(lies) {
        let network = MemoryNetwork::new(seed);
        let transports = [0; 3].map(|_| network.transport());
        let addresses = transports.each_ref().map(Transport::address);
        let [one, two, three] = transports;
        let mut machines = [(0, one), (1, two)].map(|(me, transport)| Machine {
            app: Machine::app(3),
            session: PeerSession::new(
                transport,
                5,
                settings(),
                &addresses,
                me,
                Machine::rollback(3),
                STEP,
            ),
            events: Vec::new(),
            is_spectator: false,
        });
        let mut liar = Endpoint::new(three, 5, settings());
        let mut peers = Vec::new();
        for frame in 0..400 {
            network.advance(STEP);
            liar.update(STEP);
            while let Some(event) = liar.next_event() {
                if let PeerEvent::Connected { peer } = event {
                    peers.push(peer);
                }
            }
            if frame == 20 {
                let mut lies = vec![lie.clone()];
                if lie == [0] {
                    // Inputs of the first player for the second one: one of them is exactly the one that it waits for.
                    let next = machines[1].session.rollback().next_input(0).unwrap();
                    assert!(next < 120);
                    let forged = |frame| {
                        let mut bytes = vec![0, 5, 128, 0, 0];
                        bytes.extend([0; 11]);
                        // The player, the frame, and one input: no ids and the value.
                        bytes.extend([0, frame as u8, 1, 2, 0, 99]);
                        bytes
                    };
                    lies = [next + 2, next + 1, next].map(forged).to_vec();
                }
                let is_forged = lie == [0];
                for &peer in &peers {
                    if is_forged && liar.address_of(peer) != Some(addresses[1]) {
                        continue;
                    }
                    for lie in &lies {
                        liar.send(peer, Delivery::Ordered, lie.clone()).unwrap();
                    }
                }
            }
            if frame < 40 {
                liar.flush();
            }
            for machine in &mut machines {
                machine.frame(STEP, 3, true);
            }
        }
        assert_eq!(peers.len(), 2);
        let frames = machines
            .each_ref()
            .map(|machine| machine.session.rollback().frame());
        assert!(
            frames.iter().all(|frame| *frame > 200),
            "{lie:?}: {frames:?}"
        );
        let world = |machine: &Machine| {
            let (places, players) = (
                machine.app.world().view::<Place>(),
                machine.app.world().view::<Player>(),
            );
            (&places, &players)
                .iter()
                .filter(|(_, player)| player.0 == 2)
                .map(|(place, _)| place.0)
                .sum::<i64>()
        };
        assert_eq!(
            machines.each_ref().map(world),
            [0, 0],
            "the liar did nothing"
        );
        for machine in &machines {
            let is_other = |event: &&SessionEvent| {
                !matches!(
                    event,
                    SessionEvent::Started | SessionEvent::PlayerLeft { player: 2, .. }
                )
            };
            assert_eq!(machine.events.iter().find(is_other), None, "{lie:?}");
        }
    }
}

#[test]
fn a_spectator_who_leaves_has_its_own_address() {
    let mut party = Party::new(2, 1, LinkQuality::default());
    let mut spectator = Endpoint::new(party.network.transport(), 5, settings());
    let peer = spectator.connect(party.addresses[0]);
    for frame in 0..40 {
        spectator.update(STEP);
        if frame == 20 {
            spectator.disconnect(peer, "bye");
        }
        spectator.flush();
        party.run(1);
    }
    let address = spectator.address();
    let events = &party.machines[0].events;
    assert!(events.contains(&SessionEvent::SpectatorJoined { address }));
    let reason = DisconnectReason::ByPeer("bye".into());
    assert!(events.contains(&SessionEvent::SpectatorLeft { address, reason }));
}

#[test]
fn a_spectator_changes_no_input_and_reports_no_desync() {
    let mut party = Party::new(3, 1, bad());
    let mut liar = Endpoint::new(party.network.transport(), 5, settings());
    let peer = liar.connect(party.addresses[0]);
    party.run(100);
    drop(party.machines.remove(2));
    for _ in 0..300 {
        liar.update(STEP);
        while liar.next_event().is_some() {}
        let rollback = party.machines[0].session.rollback();
        let next = rollback.next_input(2).unwrap();
        let hashed = rollback.last_confirmed_hash().map_or(0, |hash| hash.0);
        let mut bytes = vec![0];
        let put = |bytes: &mut Vec<u8>, mut number: u64| {
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
        };
        put(&mut bytes, 5);
        bytes.extend([128, 1]);
        put(&mut bytes, hashed);
        bytes.extend([9; 8]);
        bytes.extend([0, 0, 0, 2]);
        put(&mut bytes, next);
        // One input: no ids, and the value.
        bytes.extend([1, 2, 0, 99]);
        _ = liar.send(peer, Delivery::Unreliable, bytes);
        liar.flush();
        party.run(1);
        for machine in &party.machines {
            let mut inputs = machine.session.rollback().inputs_from(2, next);
            assert!(inputs.all(|(_, input)| *input != 99), "from {next}");
        }
    }
    assert_eq!(liar.peers().count(), 1, "it is still there");
    assert!(party.agree() > 200);
    for machine in &party.machines {
        let desync = |event: &&SessionEvent| matches!(event, SessionEvent::Desync { .. });
        assert_eq!(machine.events.iter().find(desync), None);
    }
}

#[test]
fn strangers_take_no_place_of_a_player() {
    let network = MemoryNetwork::new(1);
    let transports = [0; 2].map(|_| network.transport());
    let addresses = transports.each_ref().map(Transport::address);
    let settings = settings().max_incoming(0);
    let [one, two] = transports;
    let machine = |me, transport| Machine {
        app: Machine::app(2),
        session: PeerSession::new(
            transport,
            5,
            settings,
            &addresses,
            me,
            Machine::rollback(2),
            STEP,
        ),
        events: Vec::new(),
        is_spectator: false,
    };
    let mut second = machine(1, two);
    let mut stranger = Endpoint::new(network.transport(), 5, settings);
    stranger.connect(addresses[1]);
    for _ in 0..20 {
        network.advance(STEP);
        stranger.update(STEP);
        stranger.flush();
        second.frame(STEP, 1, true);
    }
    let mut first = machine(0, one);
    for _ in 0..60 {
        network.advance(STEP);
        stranger.update(STEP);
        stranger.flush();
        first.frame(STEP, 1, true);
        second.frame(STEP, 1, true);
    }
    assert_eq!(first.events, [SessionEvent::Started]);
    assert_eq!(second.events, [SessionEvent::Started]);
    assert!(second.session.rollback().frame() > 40);
}

#[test]
fn a_player_who_has_left_and_comes_back_is_refused_and_delays_no_one() {
    let network = MemoryNetwork::new(3);
    let transports = [0; 4].map(|_| network.transport());
    let addresses = transports.each_ref().map(Transport::address);
    let [one, two, three, four] = transports;
    let mut number = 0;
    let mut machines = Vec::from([one, two, three].map(|transport| {
        number += 1;
        let session = PeerSession::new(
            transport,
            5,
            settings(),
            &addresses,
            number - 1,
            Machine::rollback(4),
            STEP,
        );
        Machine {
            app: Machine::app(4),
            session,
            events: Vec::new(),
            is_spectator: false,
        }
    }));
    let mut leaver = Endpoint::new(four, 5, settings());
    let mut refusals = 0;
    for frame in 0..500 {
        network.advance(STEP);
        leaver.update(STEP);
        while let Some(event) = leaver.next_event() {
            if frame > 40 && matches!(event, PeerEvent::Disconnected { .. }) {
                refusals += 1;
            }
        }
        if frame == 40 {
            for peer in Vec::from_iter(leaver.peers()) {
                leaver.disconnect(peer, "");
            }
        }
        if frame == 60 {
            for address in &addresses[..3] {
                leaver.connect(*address);
            }
        }
        if frame == 200 {
            drop(machines.pop());
        }
        leaver.flush();
        for machine in &mut machines {
            machine.frame(STEP, 1, true);
        }
    }
    assert_eq!(refusals, 3);
    for machine in &machines {
        let left: Vec<usize> = machine.left().iter().map(|left| left.0).collect();
        assert_eq!(left, [3, 2]);
        assert!(machine.session.rollback().frame() > 300, "they play on");
    }
}
