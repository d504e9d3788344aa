//! Players, messages, owners and ends.

use super::*;

/// Everything that was read.
#[derive(Resource, Default)]
struct Noted {
    said: Vec<(u32, Said)>,
    jumps: Vec<(u32, Entity, i32)>,
    shouts: Vec<Shout>,
    joined: Vec<u32>,
    left: Vec<(u32, DisconnectReason)>,
}

#[system]
fn hear(
    mut said: EventReader<FromClient<Said>>,
    mut jumps: EventReader<FromClient<ForEntity<Jump>>>,
    mut shouts: EventReader<Shout>,
    mut joined: EventReader<PlayerJoined>,
    mut left: EventReader<PlayerLeft>,
    mut noted: ResMut<Noted>,
) {
    let noted = &mut *noted;
    noted.said.extend(
        said.read()
            .map(|event| (event.player.0, event.message.clone())),
    );
    noted.jumps.extend(jumps.read().map(|event| {
        let ForEntity { entity, message } = &event.message;
        (event.player.0, *entity, message.0)
    }));
    noted.shouts.extend(shouts.read().cloned());
    noted
        .joined
        .extend(joined.read().map(|event| event.player.0));
    noted.left.extend(
        left.read()
            .map(|event| (event.player.0, event.reason.clone())),
    );
}

fn noted(app: &App) -> Res<'_, Noted> {
    app.world().resource::<Noted>()
}

fn with_ears(clients: usize, quality: LinkQuality) -> Match {
    let mut game = Match::new(clients, quality, network);
    for app in game.apps() {
        app.init_resource::<Noted>().add_systems(Update, hear);
    }
    game.run(60);
    game
}

#[test]
fn players_join_over_a_bad_network_and_get_numbers_and_entities() {
    let game = with_ears(3, bad());
    assert_eq!(noted(&game.server).joined, [1, 2, 3]);
    for (number, client) in (1..).zip(&game.clients) {
        assert_eq!(online(client).status(), &ClientStatus::Connected);
        let player = online(client).player().unwrap();
        assert!((1..=3).contains(&player.0), "{number}");
        assert!(online(client).is_connected() && !online(client).has_authority());
        for other in 1..=3 {
            assert_eq!(place(client, other), place(&game.server, other));
        }
        assert!(
            noted(client).joined.is_empty(),
            "joining is the server's business"
        );
    }
    assert_eq!(online(&game.server).players().len(), 3);
    assert_eq!(online(&game.server).player(), None);
}

#[test]
fn messages_go_both_ways_in_order_with_the_ids_of_each_machine() {
    let mut game = with_ears(2, bad());
    game.join(network);
    // Before it is connected, so that no id is the same as the server's.
    game.clients[2]
        .init_resource::<Noted>()
        .add_systems(Update, hear);
    (0..70).for_each(|_| _ = game.clients[2].world_mut().spawn(()));
    game.run(60);
    assert_ne!(avatar(&game.clients[2], 2), avatar(&game.server, 2));
    for number in 0..30 {
        for app in &mut game.clients {
            let me = online(app).player().unwrap().0;
            let about = avatar(app, me);
            let text = number.to_string();
            app.world_mut().send_event(Said { text, about });
        }
        let about = avatar(&game.server, 2);
        let to = if number % 2 == 0 {
            Receivers::All
        } else {
            Receivers::Except(PlayerId(1))
        };
        game.server.world_mut().send_event(ToClients {
            to,
            message: Shout(number, about),
        });
        game.run(1);
    }
    game.run(90);
    let said = &noted(&game.server).said;
    for player in 1..=3 {
        let of_player = said.iter().filter(|(of, _)| *of == player);
        let texts: Vec<String> = of_player
            .clone()
            .map(|(_, said)| said.text.clone())
            .collect();
        assert_eq!(
            texts,
            (0..30).map(|number| number.to_string()).collect::<Vec<_>>()
        );
        let entity = avatar(&game.server, player);
        assert!(
            of_player
                .clone()
                .all(|(_, said)| said.about == entity && entity.is_some())
        );
    }
    for client in &game.clients {
        let shouts = &noted(client).shouts;
        let is_one = online(client).player() == Some(PlayerId(1));
        let numbers: Vec<u32> = shouts.iter().map(|shout| shout.0).collect();
        let expected = (0..30).filter(|number| !is_one || number % 2 == 0);
        assert_eq!(numbers, expected.collect::<Vec<_>>());
        let about = avatar(client, 2);
        assert!(shouts.iter().all(|shout| shout.1 == about));
        assert!(noted(client).said.is_empty());
    }
}

#[test]
fn only_the_owner_of_an_entity_sends_for_it() {
    let mut game = with_ears(2, LinkQuality::default());
    for app in &mut game.clients {
        for player in 1..=2 {
            let entity = avatar(app, player).unwrap();
            app.world_mut().send_event(ForEntity {
                entity,
                message: Jump(player as i32),
            });
            // An input for the other one's entity, too.
            app.world_mut()
                .insert(entity, Steer { x: 1, fires: false })
                .unwrap();
        }
        let own = app.world_mut().spawn(());
        app.world_mut().send_event(ForEntity {
            entity: own,
            message: Jump(9),
        });
    }
    game.run(30);
    let mut jumps = noted(&game.server).jumps.clone();
    jumps.sort_unstable_by_key(|jump| jump.0);
    let expected =
        [1, 2].map(|player| (player, avatar(&game.server, player).unwrap(), player as i32));
    assert_eq!(jumps, expected);
    let problems = game
        .server
        .world_mut()
        .resource_mut::<Online>()
        .take_problems();
    assert_eq!(problems.len(), 2);
    assert!(
        problems
            .iter()
            .all(|problem| matches!(problem, NetworkProblem::NotOwner { .. }))
    );
    assert!(
        online(&game.server)
            .players()
            .iter()
            .all(|player| player.refused == 1)
    );
    for app in &mut game.clients {
        let problems = app.world_mut().resource_mut::<Online>().take_problems();
        assert!(
            matches!(problems[..], [NetworkProblem::NotOnServer { .. }]),
            "{problems:?}"
        );
    }
}

#[test]
fn an_entity_that_is_gone_is_a_dead_id_at_the_server() {
    let mut game = with_ears(1, LinkQuality::default());
    let target = game.server.world_mut().spawn(Bullet { speed: 0 });
    game.run(10);
    let app = &mut game.clients[0];
    let bullets = app.world().query::<(Entity, &Bullet)>();
    let here = bullets.iter().next().unwrap().0;
    drop(bullets);
    game.server.world_mut().despawn(target).unwrap();
    game.run(10);

    let app = &mut game.clients[0];
    let text = "what was that?".to_owned();
    let about = Some(here);
    app.world_mut().send_event(Said { text, about });
    let message = Jump(1);
    let entity = here;
    app.world_mut().send_event(ForEntity { entity, message });
    game.run(10);
    let app = &mut game.clients[0];
    let problems = app.world_mut().resource_mut::<Online>().take_problems();
    assert_eq!(problems, []);
    let noted = noted(&game.server);
    let about = noted.said[0].1.about.unwrap();
    assert!(!game.server.world().contains(about));
    assert!(noted.jumps.is_empty());
    assert_eq!(online(&game.server).players()[0].refused, 0);
}

#[test]
fn the_same_game_runs_alone_and_as_a_listen_server() {
    for role in [NetworkRole::Alone, NetworkRole::Listen] {
        let internet = MemoryNetwork::new(1);
        let mut app = App::new();
        app.add_plugin(game)
            .init_resource::<Noted>()
            .add_systems(Update, hear);
        match role {
            NetworkRole::Alone => app.add_plugin(network().alone()),
            _ => app.add_plugin(network().listen(internet.transport())),
        };
        app.update_times(3, FRAME);
        assert_eq!(noted(&app).joined, [0]);
        steer(&mut app, 1, false);
        let entity = avatar(&app, 0).unwrap();
        app.world_mut().send_event(Said {
            text: "hello".into(),
            about: None,
        });
        app.world_mut().send_event(ForEntity {
            entity,
            message: Jump(4),
        });
        for to in [Receivers::All, Receivers::Only(PlayerId(7))] {
            app.world_mut().send_event(ToClients {
                to,
                message: Shout(3, None),
            });
        }
        app.update_times(10, FRAME);
        assert_eq!((online(&app).role(), place(&app, 0).x), (role, 1_000));
        assert_eq!(noted(&app).said.len(), 1);
        assert_eq!(noted(&app).jumps, [(0, entity, 4)]);
        assert_eq!(noted(&app).shouts, [Shout(3, None)]);
    }
}

#[test]
fn a_listen_servers_player_and_clients_see_each_other() {
    let internet = MemoryNetwork::new(1);
    let transport = internet.transport();
    let address = transport.address();
    let (mut host, mut client) = (App::new(), App::new());
    host.add_plugin(game)
        .add_plugin(network().listen(transport));
    client
        .add_plugin(game)
        .add_plugin(network().client(internet.transport(), address));
    for frame in 0..120 {
        internet.advance(FRAME);
        host.update_by(FRAME);
        client.update_by(FRAME);
        if frame == 30 {
            steer(&mut host, 1, false);
            steer(&mut client, -1, false);
        }
        if frame == 90 {
            steer(&mut host, 0, false);
            steer(&mut client, 0, false);
        }
    }
    for app in [&host, &client] {
        assert_eq!(place(app, 0).x, 6_000);
        assert!(place(app, 2).x <= -5_500, "{:?}", place(app, 2));
    }
    assert_eq!(place(&host, 2), place(&client, 2));
}

#[test]
fn players_leave_are_kicked_time_out_and_come_back() {
    let mut game = with_ears(3, bad());
    let player = |game: &Match, client: usize| online(&game.clients[client]).player().unwrap();
    let (leaver, kicked) = (player(&game, 0), player(&game, 1));
    game.clients[0]
        .world_mut()
        .resource_mut::<Online>()
        .leave("dinner");
    game.server
        .world_mut()
        .resource_mut::<Online>()
        .kick(kicked, "cheater");
    game.run(60);
    let by = |text: &str| DisconnectReason::ByPeer(text.to_owned());
    let mut left = noted(&game.server).left.clone();
    left.sort_by_key(|left| left.0 != leaver.0);
    assert_eq!(left, [(leaver.0, by("dinner")), (kicked.0, by("cheater"))]);
    assert_eq!(
        online(&game.clients[1]).status(),
        &ClientStatus::Ended(by("cheater"))
    );
    assert!(matches!(
        online(&game.clients[0]).status(),
        ClientStatus::Ended(_)
    ));
    assert!(
        avatar(&game.clients[2], leaver.0).is_none(),
        "goodbye has despawned it"
    );

    let address = game.address;
    game.clients[0]
        .world_mut()
        .resource_mut::<Online>()
        .connect(address);
    game.run(60);
    let back = player(&game, 0);
    assert!(back.0 > 3, "numbers are not given twice");
    assert_eq!(online(&game.clients[0]).status(), &ClientStatus::Connected);
    assert!(avatar(&game.clients[0], back.0).is_some());
    assert!(avatar(&game.clients[0], leaver.0).is_none());
    let dead = LinkQuality {
        loss: 1.0,
        ..LinkQuality::default()
    };
    game.internet.set_quality(dead);
    game.run(400);
    assert_eq!(online(&game.server).players().len(), 0);
    assert_eq!(noted(&game.server).left.len(), 4);
    assert_eq!(
        online(&game.clients[2]).status(),
        &ClientStatus::Ended(DisconnectReason::TimedOut)
    );
}

#[test]
fn programs_with_other_messages_do_not_connect() {
    let mut game = with_ears(0, LinkQuality::default());
    let others: [fn() -> Network; 4] = [
        || network().to_clients::<Jump>(Delivery::Ordered),
        || network().replicate::<Steer>(),
        || network().steps_per_second(30),
        || network().steps_per_state(3),
    ];
    for other in others {
        game.join(other);
    }
    game.run(20);
    for client in &game.clients {
        let ended = matches!(
            online(client).status(),
            ClientStatus::Ended(DisconnectReason::OtherProtocol { .. })
        );
        assert!(ended, "{:?}", online(client).status());
    }
    assert!(noted(&game.server).joined.is_empty());
}

#[test]
fn a_message_about_a_new_entity_comes_when_the_entity_is_there() {
    for quality in [LinkQuality::default(), bad()] {
        let mut game = with_ears(1, quality);
        for number in 0..40 {
            let new = game.server.world_mut().spawn(Place::default());
            game.server.world_mut().send_event(ToClients {
                to: Receivers::All,
                message: Shout(number, Some(new)),
            });
            game.run(1 + number % 3);
        }
        game.run(60);
        let client = &game.clients[0];
        let shouts = &noted(client).shouts;
        let numbers = shouts.iter().map(|shout| shout.0);
        assert_eq!(Vec::from_iter(numbers), Vec::from_iter(0..40));
        let places = client.world().view::<Place>();
        let is_there = |shout: &Shout| places.get(shout.1.unwrap()).is_some();
        assert!(shouts.iter().all(is_there));
    }
}

#[test]
fn a_message_waits_neither_for_hidden_entities_nor_for_ever() {
    fn hiding() -> Network {
        network().see(|world, _, entity| (world.get::<Place>(entity)?.x >= 0).then_some(1.0))
    }
    let mut game = Match::new(1, LinkQuality::default(), hiding);
    for app in game.apps() {
        app.init_resource::<Noted>().add_systems(Update, hear);
    }
    game.run(60);
    let shout = |game: &mut Match, number, about| {
        game.server.world_mut().send_event(ToClients {
            to: Receivers::All,
            message: Shout(number, about),
        });
    };
    let hidden = game.server.world_mut().spawn(Place { x: -1, y: 0 });
    shout(&mut game, 0, Some(hidden));
    game.run(3);
    let shouts = noted(&game.clients[0]).shouts.clone();
    assert_eq!(shouts.len(), 1);
    assert!(!game.clients[0].world().contains(shouts[0].1.unwrap()));
    // It is gone before any state has it, and the next one is ordered behind it.
    let brief = game.server.world_mut().spawn(Place::default());
    shout(&mut game, 1, Some(brief));
    shout(&mut game, 2, None);
    game.internet.advance(FRAME);
    game.server.update_by(ms(1));
    game.server.world_mut().despawn(brief).unwrap();
    game.run(30);
    assert_eq!(noted(&game.clients[0]).shouts.len(), 1);
    game.run(60);
    let numbers = noted(&game.clients[0]).shouts.clone();
    let numbers = numbers.iter().map(|shout| shout.0);
    assert_eq!(Vec::from_iter(numbers), [0, 1, 2]);
}

#[test]
fn a_type_of_messages_may_go_both_ways() {
    fn both() -> Network {
        network().to_clients::<Said>(Delivery::Ordered)
    }
    let said = |text: &str| Said {
        text: text.into(),
        about: None,
    };
    #[derive(Resource, Default)]
    struct Texts(Vec<String>);
    let listen = |app: &mut App| {
        app.init_resource::<Texts>();
        app.add_systems(
            Update,
            |mut said: EventReader<Said>, mut texts: ResMut<Texts>| {
                texts.0.extend(said.read().map(|said| said.text.clone()));
            },
        );
    };
    let mut game = Match::new(2, LinkQuality::default(), both);
    for app in game.apps() {
        app.init_resource::<Noted>().add_systems(Update, hear);
        app.add_plugin(listen);
    }
    game.run(60);
    for number in 0..3 {
        game.server.world_mut().send_event(ToClients {
            to: Receivers::All,
            message: said(&format!("to all {number}")),
        });
        game.clients[0]
            .world_mut()
            .send_event(said("to the server"));
        game.run(4);
    }
    game.run(20);
    let at_server = &noted(&game.server).said;
    assert_eq!(at_server.len(), 3);
    assert!(
        at_server
            .iter()
            .all(|(_, said)| said.text == "to the server")
    );
    let texts = &game.clients[1].world().resource::<Texts>().0;
    assert_eq!(*texts, ["to all 0", "to all 1", "to all 2"]);

    // A player at the server, too.
    let mut host = App::new();
    host.add_plugin(game_of_host).add_plugin(both().alone());
    host.update_times(3, FRAME);
    host.world_mut().send_event(said("to the server"));
    host.world_mut().send_event(ToClients {
        to: Receivers::All,
        message: said("to all"),
    });
    host.update_times(5, FRAME);
    let at_host = &noted(&host).said;
    assert_eq!(at_host.len(), 1);
    assert_eq!(at_host[0].1.text, "to the server");
}

fn game_of_host(app: &mut App) {
    app.add_plugin(game).init_resource::<Noted>();
    app.add_systems(Update, hear);
}
