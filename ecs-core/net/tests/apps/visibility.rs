//! The entities and components that each player sees: rules, rooms, distances.

use super::*;

use ecs_core::net::{InRoom, Rooms};

/// Returns the places that a client has of entities without an owner.
fn seen(app: &App) -> Vec<i32> {
    let (places, owners) = (app.world().view::<Place>(), app.world().view::<Owner>());
    let mut all: Vec<i32> = (&places)
        .exclude(&owners)
        .iter()
        .map(|place| place.x)
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn a_component_for_the_owner_is_at_no_other_client() {
    let mut game = Match::new(3, bad(), network);
    game.run(100);
    let check = |game: &Match, owner_of: &dyn Fn(u32) -> u32| {
        for client in &game.clients {
            let me = online(client).player().unwrap().0;
            let cards = client.world().view::<Cards>();
            let cards: Vec<Vec<u8>> = cards.iter().map(|cards| cards.0.clone()).collect();
            let expected: Vec<Vec<u8>> = (1..=3_u32)
                .filter(|avatar| owner_of(*avatar) == me)
                .map(|avatar| vec![avatar as u8; 3])
                .collect();
            assert_eq!(cards, expected, "player {me}");
        }
    };
    check(&game, &|avatar| avatar);
    // The owners change: the cards go from one to the other.
    let (one, two) = (
        avatar(&game.server, 1).unwrap(),
        avatar(&game.server, 2).unwrap(),
    );
    game.server
        .world_mut()
        .insert(one, Owner(PlayerId(2)))
        .unwrap();
    game.server
        .world_mut()
        .insert(two, Owner(PlayerId(1)))
        .unwrap();
    game.run(60);
    check(&game, &|avatar| [1, 2, 3][[1, 0, 2][avatar as usize - 1]]);
}

#[test]
fn players_see_the_entities_of_their_rooms() {
    let mut game = Match::new(2, bad(), || network().see_by_rooms());
    for room in 0..3 {
        let place = Place {
            x: room as i32,
            y: 0,
        };
        game.server.world_mut().spawn((place, InRoom(room)));
    }
    game.server.world_mut().spawn(Place { x: 9, y: 0 });
    game.run(60);
    assert_eq!(
        seen(&game.clients[0]),
        [9],
        "what is in no room is everywhere"
    );
    let players: Vec<PlayerId> = game
        .clients
        .iter()
        .map(|client| online(client).player().unwrap())
        .collect();
    let mut rooms = game.server.world_mut().resource_mut::<Rooms>();
    rooms.enter(players[0], 1);
    rooms.enter(players[0], 2);
    rooms.enter(players[1], 0);
    drop(rooms);
    game.run(40);
    assert_eq!(seen(&game.clients[0]), [1, 2, 9]);
    assert_eq!(seen(&game.clients[1]), [0, 9]);
    game.server
        .world_mut()
        .resource_mut::<Rooms>()
        .leave(players[0], 1);
    game.run(40);
    assert_eq!(seen(&game.clients[0]), [2, 9]);
}

#[test]
fn players_see_what_is_near_one_of_their_own_entities() {
    fn near() -> Network {
        network().see_within::<Place>(5_000.0, |place| [place.x as f32, 0.0, 0.0])
    }
    let mut game = Match::new(1, bad(), near);
    for x in 0..20 {
        game.server.world_mut().spawn(Place { x: x * 1_000, y: 0 });
    }
    game.run(60);
    assert_eq!(
        seen(&game.clients[0]),
        [0, 1_000, 2_000, 3_000, 4_000, 5_000]
    );
    steer(&mut game.clients[0], 1, false);
    game.run(80);
    steer(&mut game.clients[0], 0, false);
    game.run(60);
    let at = place(&game.server, 1).x;
    let expected: Vec<i32> = (0..20)
        .map(|x| x * 1_000)
        .filter(|x| (x - at).abs() <= 5_000)
        .collect();
    assert!(at > 7_000 && expected.len() > 8, "{at}");
    assert_eq!(seen(&game.clients[0]), expected);
}

#[test]
fn own_rules_hide_entities_from_some_players() {
    fn odd() -> Network {
        network().see(|world, player, entity| {
            let place = world.get::<Place>(entity)?;
            (place.x as u32 % 2 == player.0 % 2).then_some(1.0)
        })
    }
    let mut game = Match::new(2, bad(), odd);
    for x in 0..6 {
        game.server.world_mut().spawn(Place { x, y: 0 });
    }
    game.run(60);
    for client in &game.clients {
        let odd = online(client).player().unwrap().0 % 2;
        let expected: Vec<i32> = (0..6).filter(|x| *x as u32 % 2 == odd).collect();
        assert_eq!(seen(client), expected);
    }
}

#[test]
fn a_large_world_arrives_at_a_small_rate_and_the_own_entity_comes_first() {
    fn slow() -> Network {
        let settings = EndpointSettings::default().max_incoming(8).rate(24_000);
        network().endpoint(settings)
    }
    let mut game = Match::new(
        1,
        LinkQuality {
            latency: ms(30),
            ..LinkQuality::default()
        },
        slow,
    );
    for x in 0..1_000 {
        game.server.world_mut().spawn(Place { x, y: 0 });
    }
    game.run(20);
    assert!(avatar(&game.clients[0], 1).is_some());
    let some = seen(&game.clients[0]).len();
    assert!(some < 700, "{some}");
    game.run(400);
    assert_eq!(seen(&game.clients[0]).len(), 1_000);
    let bytes = online(&game.clients[0]).stats().bytes_received;
    assert!(bytes < 24_000 * 8, "{bytes} bytes in 7 seconds");
}

#[test]
fn a_function_says_who_sees_a_component() {
    fn by_thirds() -> Network {
        Network::new()
            .replicate::<Place>()
            .replicate_to_owner::<Bullet>()
            .replicate_if::<Cards>(|world, player, entity| {
                let place = world.get::<Place>(entity);
                place.is_some_and(|place| place.x as u32 % 3 == player.0 % 3)
            })
    }
    let mut game = Match::new(2, bad(), by_thirds);
    let parts = |x| (Place { x, y: 0 }, Cards(vec![x as u8]), Bullet { speed: x });
    let entities: Vec<Entity> = (0..6)
        .map(|x| game.server.world_mut().spawn(parts(x)))
        .collect();
    let cards = |app: &App| {
        let cards = app.world().view::<Cards>();
        let mut cards: Vec<u8> = cards.iter().map(|cards| cards.0[0]).collect();
        cards.sort_unstable();
        cards
    };
    let expected = |app: &App, all: &[i32]| {
        let third = online(app).player().unwrap().0 as i32 % 3;
        let seen = all.iter().filter(|x| **x % 3 == third);
        let own = Some(online(app).player().unwrap().0 as u8).filter(|_| third == 0);
        own.into_iter()
            .chain(seen.map(|x| *x as u8))
            .collect::<Vec<u8>>()
    };
    game.run(90);
    for client in &game.clients {
        assert_eq!(cards(client), expected(client, &[0, 1, 2, 3, 4, 5]));
        let bullets = client.world().view::<Bullet>();
        assert_eq!(bullets.iter().count(), 0);
    }
    // Nothing but the answers changes for the second one.
    let mut place = game
        .server
        .world_mut()
        .get_mut::<Place>(entities[1])
        .unwrap();
    place.x = 2;
    game.run(90);
    for client in &game.clients {
        let mine = cards(client).contains(&1);
        assert_eq!(mine, online(client).player() == Some(PlayerId(2)));
    }
}
