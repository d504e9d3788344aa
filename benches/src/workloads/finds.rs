//! Finds entities by their values: members of teams, and neighbours within a radius. Also loops that mark entities by
//! commands.

use crate::digest::Digest;

/// The number of teams.
pub(crate) const TEAMS: u32 = 1000;

/// The number of teams that are looked up in each round.
const LOOK_UPS: u32 = 100;

/// One of this many entities changes in each round.
const EVERY: u32 = 100;

/// Returns the first team of an entity.
pub(crate) fn team(number: u32) -> u32 {
    number.wrapping_mul(0x9e37_79b1) % TEAMS
}

/// Returns the team that follows.
pub(crate) fn next_team(team: u32) -> u32 {
    (team + 7) % TEAMS
}

/// Returns the entities that change in a round.
pub(crate) fn changed(entities: u32, round: u32) -> impl Iterator<Item = u32> {
    (round % EVERY..entities).step_by(EVERY as usize)
}

/// Returns the teams that are looked up in a round.
pub(crate) fn looked_up(round: u32) -> impl Iterator<Item = u32> {
    (0..LOOK_UPS).map(move |n| (round + n * 10) % TEAMS)
}

/// The side of the square that contains the points, and the radius of the look-ups. Coordinates are whole numbers, so that
/// distances are exact.
pub(crate) const SIDE: f32 = 1000.0;
pub(crate) const RADIUS: f32 = 10.0;

/// Returns the first place of a point.
pub(crate) fn place(number: u32) -> [f32; 2] {
    let mixed = number.wrapping_mul(0x9e37_79b1) ^ number;
    [(mixed % 1000) as f32, (mixed / 1000 % 1000) as f32]
}

/// Returns the place that a point moves to.
#[inline]
pub(crate) fn moved([x, y]: [f32; 2]) -> [f32; 2] {
    let step = |at: f32, by: f32| {
        if at + by < SIDE {
            at + by
        } else {
            at + by - SIDE
        }
    };
    [step(x, 1.0), step(y, 2.0)]
}

/// Returns the centres of the look-ups.
pub(crate) fn centres() -> impl Iterator<Item = [f32; 2]> {
    (0..1000).map(|n| place(n * 31))
}

/// Returns the digest of values and their marks.
pub(crate) fn digest(rows: impl IntoIterator<Item = (u32, bool)>) -> u64 {
    Digest::of(
        rows.into_iter()
            .map(|(value, is_marked)| [value as f32, f32::from(u8::from(is_marked))]),
    )
}
