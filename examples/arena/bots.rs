//! Players without people: each runs to the nearest of the others, around it, and shoots.

use ecs_core::net::{Online, Owner};
use ecs_core::prelude::*;

use crate::game::{Bullet, Hit, Place, SIZE, Steer};

/// What a machine has seen of its player.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Diary {
    /// True if the bot plays.
    pub(crate) plays: bool,
    /// Frames after which the player had to move, apart from those with a correction.
    pub(crate) asked: u32,
    /// The ones among them when it did not move.
    pub(crate) waited: u32,
    pub(crate) hits: u32,
    /// The place and the input of the last frame, with the number of the step, and of corrections so far.
    last: Option<(Place, Steer, u64, u64)>,
}

pub(crate) fn bot(app: &mut App) {
    app.init_resource::<Diary>()
        .add_systems(Update, (watch, think, note, count).chain());
}

/// Compares the player's place with the last frame's.
#[system]
fn watch(
    players: Query<(&Place, &Owner), Without<Bullet>>,
    online: Res<Online>,
    mut diary: ResMut<Diary>,
) {
    let own = players.iter().find(|(_, owner)| online.is_mine(owner));
    if let Some((place, _)) = own
        && let Some((before, steered, tick, corrections)) = diary.last
        && online.tick() > tick
        // A correction may lead back to the same place.
        && online.prediction().corrections == corrections
        && (steered.x, steered.y) != (0, 0)
        && is_free(before.x, steered.x)
        && is_free(before.y, steered.y)
    {
        diary.asked += 1;
        diary.waited += u32::from(before == *place);
    }
}

/// Remembers the player's place, and where it has to go.
#[system]
fn note(
    players: Query<(&Place, &Steer, &Owner), Without<Bullet>>,
    online: Res<Online>,
    mut diary: ResMut<Diary>,
) {
    let own = players.iter().find(|(_, _, owner)| online.is_mine(owner));
    let corrections = online.prediction().corrections;
    diary.last = own.map(|(place, steer, _)| (*place, *steer, online.tick(), corrections));
}

/// Returns true if no wall is in the way.
fn is_free(at: i32, by: i8) -> bool {
    (200..SIZE - 200).contains(&(at + i32::from(by) * 200))
}

#[system]
fn think(
    mut players: Query<(&Place, &mut Steer, &Owner), Without<Bullet>>,
    places: Query<(&Place, &Owner), Without<Bullet>>,
    online: Res<Online>,
    diary: Res<Diary>,
) {
    let others = places.iter().filter(|(_, owner)| !online.is_mine(owner));
    let others: Vec<Place> = others.map(|(place, _)| *place).collect();
    for (place, steer, owner) in &mut players {
        if !online.is_mine(owner) {
            continue;
        }
        let apart = |other: &&Place| (other.x - place.x).abs() + (other.y - place.y).abs();
        let nearest = others.iter().min_by_key(apart);
        // It runs in an arc, so that it is not easy to predict.
        let turns = (online.tick() / 40 + u64::from(owner.0.0)) % 4;
        let aim = nearest.map_or((0, 0), |at| {
            ((at.x - place.x).signum(), (at.y - place.y).signum())
        });
        let (x, y) = match turns {
            0 => (aim.0, 0),
            1 => (0, aim.1),
            _ => aim,
        };
        *steer = match diary.plays {
            true => Steer {
                x: x as i8,
                y: y as i8,
                fires: true,
            },
            false => Steer::default(),
        };
    }
}

#[system]
fn count(mut hits: EventReader<Hit>, owners: Comp<Owner>, mut diary: ResMut<Diary>) {
    for hit in hits.read() {
        // Messages have the ids of this machine.
        let is_known = owners.get(hit.by).is_some() && owners.get(hit.victim).is_some();
        diary.hits += u32::from(is_known);
    }
}
