//! Prediction, correction, interpolation, clocks, and entities that are spawned ahead.

use super::*;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steers in a pattern that changes often.
fn drive(app: &mut App, frame: u32) {
    if online(app)
        .player()
        .is_some_and(|me| avatar(app, me.0).is_some())
    {
        let me = online(app).player().unwrap().0;
        let x = ((frame / 7 + me) % 3) as i8 - 1;
        steer(app, x, false);
    }
}

#[test]
fn the_own_player_moves_in_the_frame_of_the_input() {
    let mut game = Match::new(1, bad(), network);
    game.run(120);
    let before = place(&game.clients[0], 1);
    steer(&mut game.clients[0], 1, false);
    game.run(3);
    let after = place(&game.clients[0], 1);
    assert!(
        (200..=400).contains(&(after.x - before.x)),
        "{before:?} {after:?}"
    );
    assert_eq!(
        place(&game.server, 1),
        before,
        "the server does not know of it yet"
    );
}

#[test]
fn a_right_prediction_is_never_corrected_and_a_wrong_one_is() {
    // Without loss each input arrives in time.
    let quality = LinkQuality { loss: 0.0, ..bad() };
    let mut game = Match::new(2, quality, network);
    game.run(200);
    let before = *online(&game.clients[0]).prediction();
    for frame in 0..400 {
        game.clients
            .iter_mut()
            .for_each(|client| drive(client, frame));
        game.run(1);
    }
    let after = *online(&game.clients[0]).prediction();
    assert!(
        after.states > before.states + 150 && after.replayed > 1_000,
        "{after:?}"
    );
    assert_eq!(after.corrections, before.corrections, "{after:?}");

    // Something at the server that no client can know.
    let me = online(&game.clients[0]).player().unwrap().0;
    let entity = avatar(&game.server, me).unwrap();
    game.server.world_mut().get_mut::<Place>(entity).unwrap().y = 5_555;
    game.run(60);
    assert_eq!(place(&game.clients[0], me).y, 5_555);
    assert!(online(&game.clients[0]).prediction().corrections > after.corrections);
}

#[test]
fn all_ends_agree_after_a_match_over_a_bad_network() {
    let mut game = Match::new(
        4,
        LinkQuality {
            loss: 0.15,
            ..bad()
        },
        network,
    );
    game.run(60);
    for frame in 0..600 {
        game.clients
            .iter_mut()
            .for_each(|client| drive(client, frame));
        game.run(1);
    }
    for client in &mut game.clients {
        steer(client, 0, false);
    }
    game.run(120);
    for client in &game.clients {
        for player in 1..=4 {
            assert_eq!(place(client, player), place(&game.server, player));
        }
    }
    let missed: Vec<u64> = online(&game.server)
        .players()
        .iter()
        .map(|player| player.missed_inputs)
        .collect();
    assert!(missed.iter().all(|missed| *missed < 250), "{missed:?}");
}

#[test]
fn the_lead_of_a_client_follows_the_latency() {
    let mut game = Match::new(
        1,
        LinkQuality {
            latency: ms(20),
            ..LinkQuality::default()
        },
        network,
    );
    game.run(300);
    let lead =
        |game: &Match| online(&game.clients[0]).tick() as i64 - online(&game.server).tick() as i64;
    let near = lead(&game);
    assert!((2..9).contains(&near), "{near}");
    game.internet.set_quality(LinkQuality {
        latency: ms(120),
        ..LinkQuality::default()
    });
    game.run(400);
    let far = lead(&game);
    assert!((8..16).contains(&far), "{far}");
    game.internet.set_quality(LinkQuality {
        latency: ms(20),
        ..LinkQuality::default()
    });
    game.run(1_200);
    let near_again = lead(&game);
    assert!((2..9).contains(&near_again), "{near_again}");
    // While the latency stays, no input is late.
    let missed = online(&game.server).players()[0].missed_inputs;
    game.run(300);
    assert_eq!(online(&game.server).players()[0].missed_inputs, missed);
}

#[test]
fn others_move_evenly_however_unevenly_their_states_arrive() {
    let mut game = Match::new(2, bad(), network);
    game.run(200);
    steer(&mut game.clients[1], 1, false);
    let mover = online(&game.clients[1]).player().unwrap().0;
    game.run(60);
    let mut last = place(&game.clients[0], mover).x;
    let mut steps = Vec::new();
    for _ in 0..200 {
        game.run(1);
        let now = place(&game.clients[0], mover).x;
        steps.push(now - last);
        last = now;
    }
    assert!(
        steps.iter().all(|step| *step >= 0),
        "never backwards: {steps:?}"
    );
    let even = steps
        .iter()
        .filter(|step| (60..=140).contains(*step))
        .count();
    assert!(even > 185, "{even}: {steps:?}");
    let total: i32 = steps.iter().sum();
    assert!((19_000..=21_000).contains(&total), "{total}");
}

#[test]
fn what_a_client_spawns_ahead_becomes_the_servers_entity() {
    let mut game = Match::new(2, bad(), network);
    game.run(120);
    let me = online(&game.clients[0]).player().unwrap();
    // A picture, which only this machine has.
    #[derive(Component)]
    struct Sprite;
    let mut seen = 0;
    steer(&mut game.clients[0], 0, true);
    for _ in 0..200 {
        game.run(1);
        let world = game.clients[0].world_mut();
        let bullets = world.view::<Bullet>();
        let sprites = world.view::<Sprite>();
        let new: Vec<Entity> = (&bullets)
            .exclude(&sprites)
            .with_entity()
            .iter()
            .map(|(entity, _)| entity)
            .collect();
        drop((bullets, sprites));
        for entity in new {
            seen += 1;
            world.insert(entity, Sprite).unwrap();
        }
    }
    steer(&mut game.clients[0], 0, false);
    game.run(90);
    let stats = *online(&game.clients[0]).prediction();
    let at_server = game.server.world().view::<Bullet>().iter().count();
    let here = game.clients[0].world().view::<Bullet>().iter().count();
    assert!(at_server >= 9, "{at_server}");
    assert_eq!(
        (here, stats.adopted),
        (at_server, at_server as u64),
        "{stats:?}"
    );
    assert_eq!(
        seen as usize, at_server,
        "each has had one picture from the start"
    );
    assert_eq!(stats.withdrawn, 0);
    // They are predicted: ahead of the server, and on the same way.
    let height = |app: &App| {
        let (places, bullets) = (app.world().view::<Place>(), app.world().view::<Bullet>());
        let mut all: Vec<i32> = (&places, &bullets)
            .iter()
            .map(|(place, _)| place.y)
            .collect();
        all.sort_unstable();
        all
    };
    let ahead = online(&game.clients[0]).tick() - online(&game.server).tick();
    let lead = 7 * ahead as i32;
    let expected: Vec<i32> = height(&game.server).iter().map(|y| y + lead).collect();
    assert_eq!(height(&game.clients[0]), expected);
    assert_eq!(
        height(&game.clients[1]).len(),
        at_server,
        "others see them, too"
    );
    assert_eq!(me, online(&game.clients[0]).player().unwrap());
}

#[test]
fn what_only_a_client_spawns_ahead_is_withdrawn() {
    let mut game = Match::new(1, bad(), network);
    game.run(120);
    let me = online(&game.clients[0]).player().unwrap();
    let ghost = (
        Place::default(),
        Bullet { speed: 1 },
        Owner(me),
        SpawnKey(77),
    );
    let ghost = game.clients[0].world_mut().spawn(ghost);
    game.run(30);
    assert!(game.clients[0].world().contains(ghost));
    game.run(90);
    assert!(!game.clients[0].world().contains(ghost));
    assert_eq!(online(&game.clients[0]).prediction().withdrawn, 1);
}

#[test]
fn a_client_waits_when_the_server_falls_silent_and_goes_on_when_it_is_back() {
    let mut game = Match::new(
        1,
        LinkQuality {
            latency: ms(40),
            ..LinkQuality::default()
        },
        network,
    );
    game.run(120);
    game.internet.set_quality(LinkQuality {
        loss: 1.0,
        ..LinkQuality::default()
    });
    game.run(200);
    let ahead = online(&game.clients[0]).prediction().ahead;
    assert!(ahead <= 64, "{ahead}");
    game.internet.set_quality(LinkQuality {
        latency: ms(40),
        ..LinkQuality::default()
    });
    game.run(400);
    steer(&mut game.clients[0], 1, false);
    game.run(100);
    steer(&mut game.clients[0], 0, false);
    game.run(60);
    assert_eq!(place(&game.clients[0], 1), place(&game.server, 1));
    assert!((9_000..=11_000).contains(&place(&game.server, 1).x));
}

/// The number of the last step, in a resource.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Tide(i32);

/// The number of steps until the next push.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cooldown(u8);

#[system]
fn rise(mut tide: ResMut<Tide>, online: Res<Online>) {
    if *tide == Tide::default() {
        tide.0 = online.tick() as i32 - 1;
    }
    tide.0 += 1;
}

/// Pushes the player if the tide is right, and not more often than each fifth step.
#[system]
fn push(
    mut players: Query<(&mut Place, &Steer, &Owner)>,
    tide: Res<Tide>,
    online: Res<Online>,
    mut cooldown: Local<Cooldown>,
) {
    cooldown.0 = cooldown.0.saturating_sub(1);
    for (mut place, steer, owner) in &mut players {
        // Each machine has one cooldown: it is player 1's.
        if owner.0 == PlayerId(1) && steer.x != 0 && cooldown.0 == 0 {
            place.y += 1_000 + tide.0 - online.tick() as i32;
            cooldown.0 = 5;
        }
    }
}

fn pushing(app: &mut App) {
    app.init_resource::<Tide>();
    app.add_systems(FixedUpdate, (rise, push).chain());
}

/// Returns a match after some time: the corrections while the player plays, and the places at both ends.
fn pushed(network: fn() -> Network, loss: f32) -> (u64, Place, Place) {
    let quality = LinkQuality { loss, ..bad() };
    let mut game = Match::new(0, quality, network);
    game.server.add_plugin(pushing);
    let mut client = App::new();
    let plugin = network().client(game.internet.transport(), game.address);
    client.add_plugin(game_of_pushes).add_plugin(plugin);
    game.clients.push(client);
    game.run(200);
    let before = online(&game.clients[0]).prediction().corrections;
    for frame in 0..300 {
        drive(&mut game.clients[0], frame);
        game.run(1);
    }
    let after = online(&game.clients[0]).prediction().corrections;
    steer(&mut game.clients[0], 0, false);
    game.run(60);
    let ends = (place(&game.clients[0], 1), place(&game.server, 1));
    (after - before, ends.0, ends.1)
}

fn game_of_pushes(app: &mut App) {
    app.add_plugin(game).add_plugin(pushing);
}

#[test]
fn predicted_resources_and_locals_return_for_a_replay_and_others_do_not() {
    let (corrections, here, there) = pushed(network, 0.0);
    assert!(corrections > 100, "{corrections}");
    assert_eq!(here, there, "the server corrects it");
    let only_one = || network().predict_local::<Cooldown>();
    assert!(pushed(only_one, 0.0).0 > 100);
    let only_other = || network().predict_resource::<Tide>();
    assert!(pushed(only_other, 0.0).0 > 5);
    let both = || {
        network()
            .predict_resource::<Tide>()
            .predict_local::<Cooldown>()
    };
    let (corrections, here, there) = pushed(both, 0.0);
    assert_eq!(corrections, 0, "the prediction is right");
    assert_eq!(here, there);
    // Inputs that come too late are mistakes of any prediction.
    let (corrections, here, there) = pushed(both, 0.1);
    assert!(corrections < 60, "{corrections}");
    assert_eq!(here, there);
}

#[test]
fn a_player_steers_any_number_of_entities() {
    let mut game = Match::new(1, LinkQuality::default(), network);
    game.run(60);
    let world = game.server.world_mut();
    for y in 1..=100 {
        world.spawn((Place { x: 0, y }, Owner(PlayerId(1))));
    }
    game.run(60);
    for client in &mut game.clients {
        let mut query = client.world_mut().query::<&mut Steer>();
        query.iter_mut().for_each(|steer| steer.x = 1);
    }
    game.run(120);
    assert!(online(&game.clients[0]).is_connected());
    let places = game.server.world().view::<Place>();
    assert_eq!(places.iter().filter(|place| place.x > 5_000).count(), 101);
}

#[test]
fn a_lost_datagram_has_the_inputs_of_few_entities() {
    fn fast() -> Network {
        let settings = EndpointSettings::default().max_incoming(8);
        network().endpoint(settings.rate(4_000_000))
    }
    let quality = LinkQuality {
        loss: 0.2,
        ..LinkQuality::default()
    };
    let mut game = Match::new(1, quality, fast);
    game.run(60);
    let world = game.server.world_mut();
    for y in 1..=300 {
        world.spawn((Place { x: 0, y }, Owner(PlayerId(1))));
    }
    game.run(60);
    let missed = |game: &Match| online(&game.server).players()[0].missed_inputs;
    let before = missed(&game);
    for frame in 0..120 {
        // Each step has another input than the last one.
        let mut query = game.clients[0].world_mut().query::<&mut Steer>();
        query.iter_mut().for_each(|steer| steer.x = frame % 7);
        drop(query);
        game.run(1);
    }
    // Each input comes with twelve messages, some of them in time.
    let missed = missed(&game) - before;
    assert!(missed < 301 * 120 / 20, "{missed} of {}", 301 * 120);
}

#[test]
fn a_component_that_is_shown_and_not_replicated_is_refused_with_its_name() {
    let message = |network: Network| {
        let plugin = catch_unwind(AssertUnwindSafe(|| drop(network.alone())));
        *plugin.unwrap_err().downcast::<String>().unwrap()
    };
    let predicted = message(Network::new().predict::<Place>());
    assert!(
        predicted.contains("`game.place` is predicted, and not replicated; help: "),
        "{predicted}"
    );
    let interpolated = message(Network::new().interpolate::<Place>(|from, _, _| *from));
    assert!(
        interpolated.contains("`game.place` is interpolated, and"),
        "{interpolated}"
    );
}
