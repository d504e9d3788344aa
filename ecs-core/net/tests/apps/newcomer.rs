//! A game that was written from the guide alone: sparse components, tags, a tree, and a client that goes and comes back.

use super::*;

use ecs_core::net::{InRoom, Rooms};
use ecs_core::relation::Target;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "camp.at", track)]
struct At(i32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "camp.poison", storage = "sparse", track)]
struct Poison(String);

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "camp.asleep")]
struct Asleep;

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "camp.marked", storage = "sparse")]
struct Marked;

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "camp.carried_by", tree)]
struct CarriedBy;

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "camp.go", storage = "sparse")]
struct Go(i32);

fn camp_network() -> Network {
    Network::new()
        .replicate::<At>()
        .replicate::<Poison>()
        .replicate::<Asleep>()
        .replicate::<Marked>()
        .replicate_relation::<CarriedBy>()
        .see_by_rooms()
        .input::<Go>()
        .predict::<At>()
        .predict::<Poison>()
}

#[system(for_each)]
fn march(at: &mut At, go: &Go) {
    at.0 += go.0;
}

#[system]
fn arrive(
    mut joined: EventReader<PlayerJoined>,
    mut left: EventReader<PlayerLeft>,
    mut rooms: ResMut<Rooms>,
    owners: Comp<Owner>,
    mut commands: Commands,
) {
    for event in joined.read() {
        commands.spawn((At(0), Owner(event.player), Poison("none".into())));
        rooms.enter(event.player, 1);
    }
    for event in left.read() {
        for (entity, owner) in (&owners).with_entity().iter() {
            if owner.0 == event.player {
                commands.despawn(entity);
            }
        }
    }
}

fn camp(app: &mut App) {
    app.add_systems(FixedUpdate, march)
        .add_systems(Update, arrive);
    app.single_threaded(true);
}

/// Each entity without an owner: its place, poison, tags and the place of the one that carries it.
type Seen = (i32, Option<String>, bool, bool, Option<i32>);

fn look(app: &App, all: bool) -> Vec<Seen> {
    let world = app.world();
    let (ats, owners) = (world.view::<At>(), world.view::<Owner>());
    // A relation to an entity that a player does not see is not there.
    let is_seen =
        |entity: Entity| all || world.get::<InRoom>(entity).is_none_or(|room| room.0 == 1);
    let mut seen = Vec::new();
    for (entity, at) in (&ats).exclude(&owners).with_entity().iter() {
        if !is_seen(entity) {
            continue;
        }
        seen.push((
            at.0,
            world.get::<Poison>(entity).map(|poison| poison.0.clone()),
            world.has::<Asleep>(entity),
            world.has::<Marked>(entity),
            world
                .get::<Target<CarriedBy>>(entity)
                .filter(|by| is_seen(by.entity()))
                .and_then(|by| world.get::<At>(by.entity()).map(|at| at.0)),
        ));
    }
    seen.sort();
    seen
}

#[test]
fn every_storage_arrives_through_loss_rooms_and_reconnections() {
    let internet = MemoryNetwork::new(5);
    internet.set_quality(bad());
    let transport = internet.transport();
    let address = transport.address();
    let mut server = App::new();
    server
        .add_plugin(camp)
        .add_plugin(camp_network().server(transport));
    let mut game = Match {
        internet,
        address,
        server,
        clients: Vec::new(),
    };
    for _ in 0..2 {
        let mut client = App::new();
        let plugin = camp_network().client(game.internet.transport(), address);
        client.add_plugin(camp).add_plugin(plugin);
        game.clients.push(client);
    }
    let world = game.server.world_mut();
    let cart = world.spawn((At(10), InRoom(1)));
    let sack = world.spawn((At(11), InRoom(1), Asleep));
    let coin = world.spawn((At(12), InRoom(1), Marked, Poison("green".into())));
    world.relate(sack, CarriedBy, cart).unwrap();
    world.relate(coin, CarriedBy, sack).unwrap();
    let agree = |game: &mut Match, what: &str| {
        game.run(120);
        let expected = look(&game.server, false);
        for client in &game.clients {
            assert_eq!(look(client, true), expected, "{what}");
        }
    };
    agree(&mut game, "at first");
    assert_eq!(look(&game.server, false).len(), 3);
    let change = |game: &mut Match, what: &str, change: &dyn Fn(&mut World)| {
        change(game.server.world_mut());
        agree(game, what);
    };
    change(&mut game, "tags and sparse values go", &|world| {
        world.remove::<Poison>(coin).unwrap();
        world.remove::<Marked>(coin).unwrap();
        world.remove::<Asleep>(sack).unwrap();
    });
    change(&mut game, "they come again", &|world| {
        world
            .insert(coin, (Poison("red".into()), Marked, Asleep))
            .unwrap();
    });
    for _ in 0..3 {
        // Twice between two states: only the last one counts.
        change(&mut game, "removed and inserted at once", &|world| {
            world.remove::<Poison>(coin).unwrap();
            world.insert(coin, Poison("blue".into())).unwrap();
            world.remove::<Asleep>(coin).unwrap();
            world.insert(coin, Asleep).unwrap();
        });
    }
    change(
        &mut game,
        "the middle of the tree leaves the room",
        &|world| {
            world.insert(sack, InRoom(2)).unwrap();
        },
    );
    change(&mut game, "it changes out of sight", &|world| {
        world.insert(sack, (At(99), Marked)).unwrap();
        world.relate(coin, CarriedBy, cart).unwrap();
    });
    change(&mut game, "it comes back", &|world| {
        world.insert(sack, InRoom(1)).unwrap();
    });
    change(&mut game, "and is carried by what it carried", &|world| {
        world.relate(sack, CarriedBy, coin).unwrap();
    });
    // One goes while the world changes, and comes back.
    let gone = online(&game.clients[0]).player().unwrap();
    let leave = game.clients[0].world_mut();
    leave.resource_mut::<Online>().leave("bye");
    game.run(60);
    assert_eq!(online(&game.server).players().len(), 1);
    let world = game.server.world_mut();
    world.despawn(cart).unwrap();
    world.insert(coin, At(7)).unwrap();
    game.run(30);
    let again = game.clients[0].world_mut();
    again.resource_mut::<Online>().connect(address);
    agree(&mut game, "after the reconnection");
    let me = online(&game.clients[0]).player().unwrap();
    assert_ne!(me, gone);
    // Its own entity moves at once there, and as far everywhere.
    let own = |app: &App, player: PlayerId| {
        let (ats, owners) = (app.world().view::<At>(), app.world().view::<Owner>());
        let mut all = (&ats, &owners).with_entity().iter();
        all.find(|(_, (_, owner))| owner.0 == player)
            .map(|(entity, (at, _))| (entity, at.0))
            .unwrap()
    };
    let (entity, at) = own(&game.clients[0], me);
    assert_eq!(at, 0);
    game.clients[0].world_mut().insert(entity, Go(1)).unwrap();
    game.run(2);
    assert_eq!(own(&game.clients[0], me).1, 2, "no wait");
    game.run(60);
    game.clients[0].world_mut().insert(entity, Go(0)).unwrap();
    game.run(60);
    let places = game.apps().map(|app| own(app, me).1).collect::<Vec<_>>();
    assert!((58..70).contains(&places[0]), "{places:?}");
    assert_eq!(places, [places[0]; 3]);
    assert_eq!(online(&game.clients[0]).prediction().corrections, 0);
}
