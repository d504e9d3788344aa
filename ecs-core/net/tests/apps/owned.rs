//! Entities that change hands, components that come and go in steps, and steps that move entities of others.

use super::*;

/// Without [`Network::interpolate`].
fn plain() -> Network {
    Network::new()
        .replicate::<Place>()
        .replicate::<Bullet>()
        .replicate::<Dash>()
        .input::<Steer>()
        .predict::<Place>()
        .predict::<Dash>()
}

fn smooth() -> LinkQuality {
    LinkQuality { loss: 0.0, ..bad() }
}

fn places(app: &App) -> Vec<(u32, i32, i32)> {
    let places = app.world().query::<(&Owner, &Place)>();
    let all = places.iter();
    let mut all = Vec::from_iter(all.map(|(owner, place)| (owner.0.0, place.x, place.y)));
    all.sort_unstable();
    all
}

#[test]
fn an_entity_that_changes_hands_is_steered_by_its_new_owner_only() {
    let mut game = Match::new(2, smooth(), plain);
    game.run(100);
    let [old, new] = [0, 1].map(|client| online(&game.clients[client]).player().unwrap());
    steer(&mut game.clients[0], 1, false);
    game.run(30);
    let given = avatar(&game.server, old.0).unwrap();
    let here = avatar(&game.clients[0], old.0).unwrap();
    let world = game.server.world_mut();
    world.insert(given, Owner(new)).unwrap();
    game.run(60);
    assert!(!game.clients[0].world().has::<Steer>(here));
    let of_new = game.clients[1].world().query::<(&Owner, &Steer)>();
    assert_eq!(of_new.iter().count(), 2);
    drop(of_new);
    for client in &game.clients {
        assert_eq!(places(client), places(&game.server));
    }

    // It may also belong to no player.
    game.server.world_mut().remove::<Owner>(given).unwrap();
    game.run(60);
    let now = game.server.world().get::<Place>(given).map(|place| *place);
    for client in &game.clients {
        let all = client.world().query::<(&Place, Option<&Owner>)>();
        let free = all.iter().find(|(_, owner)| owner.is_none()).unwrap().0;
        assert_eq!(Some(*free), now);
    }
}

#[test]
fn steps_that_move_entities_of_others_leave_them_where_the_server_has_them() {
    let mut game = Match::new(2, LinkQuality::default(), plain);
    game.run(100);
    let shot = (Place::default(), Bullet { speed: 7 }, Owner(PlayerId(2)));
    let shot = game.server.world_mut().spawn(shot);
    game.run(60);
    // The last place has arrived before.
    game.server.world_mut().remove::<Bullet>(shot).unwrap();
    game.run(60);
    for client in &game.clients {
        assert_eq!(places(client), places(&game.server));
    }
}

/// The remaining steps of a dash.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.dash", track)]
struct Dash(u8);

#[system]
fn dash(
    resting: Query<(Entity, &Steer), Without<Dash>>,
    mut dashing: Query<(Entity, &mut Dash, &mut Place)>,
    mut commands: Commands,
) {
    for (entity, steer) in resting.iter() {
        if steer.x == 2 {
            commands.insert(entity, Dash(20));
        }
    }
    for (entity, mut dash, mut place) in &mut dashing {
        place.x += 10;
        dash.0 -= 1;
        if dash.0 == 0 {
            commands.remove::<Dash>(entity);
        }
    }
}

#[test]
fn a_predicted_component_that_steps_insert_and_remove_needs_no_correction() {
    let mut game = Match::new(1, smooth(), plain);
    for app in game.apps() {
        app.add_systems(FixedUpdate, dash);
    }
    game.run(200);
    let before = *online(&game.clients[0]).prediction();
    steer(&mut game.clients[0], 2, false);
    game.run(150);
    steer(&mut game.clients[0], 0, false);
    game.run(60);
    let after = *online(&game.clients[0]).prediction();
    assert_eq!(after.corrections, before.corrections, "{after:?}");
    assert_eq!(places(&game.clients[0]), places(&game.server));

    // What only the server inserts or removes is corrected.
    let entity = avatar(&game.server, 1).unwrap();
    game.server.world_mut().insert(entity, Dash(200)).unwrap();
    game.run(60);
    let here = avatar(&game.clients[0], 1).unwrap();
    assert!(game.clients[0].world().has::<Dash>(here));
    game.server.world_mut().remove::<Dash>(entity).unwrap();
    game.run(60);
    assert!(!game.clients[0].world().has::<Dash>(here));
    assert_eq!(places(&game.clients[0]), places(&game.server));
}

#[test]
fn entities_without_inputs_are_predicted() {
    fn network() -> Network {
        let network = Network::new().replicate::<Place>().replicate::<Bullet>();
        network.predict::<Place>()
    }
    let mut game = Match::new(1, smooth(), network);
    game.run(100);
    let ball = (Place::default(), Bullet { speed: 7 }, Owner(PlayerId(1)));
    let ball = game.server.world_mut().spawn(ball);
    game.run(60);
    let y = |app: &App| {
        let bullets = app.world().query::<(&Place, &Bullet)>();
        bullets.iter().next().unwrap().0.y
    };
    let lead = online(&game.clients[0]).tick() as i64 - online(&game.server).tick() as i64;
    let ahead = y(&game.clients[0]) - y(&game.server);
    assert_eq!(i64::from(ahead), lead * 7);
    assert!(lead > 3 && game.server.world().contains(ball), "{lead}");
}
