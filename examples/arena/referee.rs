//! The recording of a match: `--record FILE` and `--replay FILE`.
//!
//! A server reads datagrams inside of its systems, and a recorder cannot see them. So a second world, without a network, is the referee: it gets
//! what the server has decided to be the inputs of each step, plays the same rules, and is recorded. At the end both agree.

use std::path::Path;

use ecs_core::net::{Owner, PlayerId};
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

use crate::game::{self, Steer, game, network};

/// The players of a frame, and the inputs that the server has used: the input of the referee.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "arena.moves")]
struct Moves(Vec<(u32, Steer)>);

/// Sets the inputs of a step.
#[system]
fn steer(mut players: Query<(&mut Steer, &Owner)>, moves: Res<Moves>) {
    for (steer, owner) in &mut players {
        let found = moves.0.iter().find(|(player, _)| *player == owner.0.0);
        *steer = found.map_or_else(Steer::default, |(_, steer)| *steer);
    }
}

/// Lets the same players come and go, in the same frames.
#[system]
fn seat(players: Query<(Entity, &Owner), With<Steer>>, moves: Res<Moves>, mut commands: Commands) {
    for (entity, owner) in players.iter() {
        // Also the player of this machine, whom a world without a network has from the start.
        if moves.0.iter().all(|(player, _)| *player != owner.0.0) {
            commands.despawn(entity);
        }
    }
    for &(player, _) in &moves.0 {
        if players.iter().all(|(_, owner)| owner.0.0 != player) {
            commands.spawn(game::player(PlayerId(player)));
        }
    }
}

/// Returns the referee's world.
pub(crate) fn referee() -> App {
    let mut app = App::new();
    app.init_resource::<Moves>()
        .add_plugin(game)
        .add_plugin(network().alone())
        .add_systems(FixedUpdate, steer.before(game::run))
        .add_systems(Update, seat.after(game::join));
    // The state of the network is not in the recording: a replay begins with the match.
    app.set_snapshotter(
        Snapshotter::new()
            .without_other_resources()
            .without_captured(),
    );
    app
}

/// Returns the referee's world, recorded.
pub(crate) fn recorded(file: &Path) -> App {
    let mut app = referee();
    app.add_plugin(Recorder::new(file).hash_every(1).snapshot_every(0));
    app
}

/// Tells the referee what the server's last frame was.
pub(crate) fn follow(server: &App, referee: &mut App) {
    let (steers, owners) = (
        server.world().view::<Steer>(),
        server.world().view::<Owner>(),
    );
    let moves = (&steers, &owners).iter();
    let mut moves: Vec<_> = moves.map(|(steer, owner)| (owner.0.0, *steer)).collect();
    moves.sort_by_key(|(player, _)| *player);
    // A value that stays the same is not written into each frame of the file.
    if referee.world().resource::<Moves>().0 != moves {
        referee.world_mut().resource_mut::<Moves>().0 = moves;
    }
}
