//! Missiles that follow ships: launchers fire them, ships explode and are replaced.

use crate::components::components;
use crate::digest::Digest;
use crate::workloads::game::{Heading, Place, noise};

/// The number of ships, which is constant, launchers, and the missiles at the beginning.
pub(crate) const SHIPS: u32 = 1_000;
pub(crate) const LAUNCHERS: u32 = 1_000;
pub(crate) const MISSILES: u32 = 5_000;

const SHIP_SPEED: i32 = 100;
const MISSILE_SPEED: i32 = 500;
/// The distance from which a missile hits, and its damage.
const REACH: i32 = 512;
pub(crate) const DAMAGE: i32 = 10;
/// The frames that a launcher loads, a missile burns, and an explosion is seen.
const LOAD: u32 = 10;
const FUEL: u32 = 90;
const FADE: u32 = 8;

components! {
    /// A ship's number: its place in the fleet, where another ship succeeds it.
    pub(crate) struct Ship(u32);
    /// The damage that a ship withstands.
    pub(crate) struct Hull(i32);
    /// A number, and the missiles fired.
    pub(crate) struct Launcher([u32; 2]);
    /// Frames until something happens: a launcher fires, a missile has no fuel, an explosion ends.
    pub(crate) struct Timer(u32);
    /// A missile's number.
    pub(crate) struct Missile(u32);
    /// An explosion of a size.
    pub(crate) struct Explosion(u32);
}

/// Returns the components of the explosion of a missile or of a ship.
pub(crate) const fn explosion(of: Burst, place: Place) -> (Explosion, Place, Timer) {
    (Explosion(of as u32), place, Timer(FADE))
}

/// The kinds of explosions.
#[derive(Clone, Copy)]
pub(crate) enum Burst {
    Missile = 3,
    Ship = 4,
}

impl Timer {
    /// Counts a frame, and returns whether it was the last one.
    #[inline]
    pub(crate) const fn ends(&mut self) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

/// Returns the components of a ship that begins in a frame.
pub(crate) fn ship(number: u32, frame: u32) -> (Ship, Place, Heading, Hull) {
    let place = Place::random(noise(number, frame));
    let heading = Heading::random(noise(frame, number), SHIP_SPEED);
    (Ship(number), place, heading, Hull(100))
}

/// Returns the components of a launcher.
pub(crate) fn launcher(number: u32) -> (Launcher, Place, Timer) {
    let place = Place::random(noise(number, u32::MAX));
    (
        Launcher([number, MISSILES / LAUNCHERS]),
        place,
        Timer(number % LOAD + 1),
    )
}

/// Returns the components of a missile that is in the air at the beginning.
pub(crate) fn missile(number: u32) -> (Missile, Place, Heading, Timer) {
    let place = Place::random(noise(number, u32::MAX - 1));
    (
        Missile(number),
        place,
        Heading::default(),
        Timer(number % FUEL + 1),
    )
}

impl Launcher {
    /// Waits for a frame, and returns the missile if one is fired.
    #[inline]
    pub(crate) const fn fire(
        &mut self,
        place: Place,
        timer: &mut Timer,
    ) -> Option<(Missile, Place, Heading, Timer)> {
        if !timer.ends() {
            return None;
        }
        *timer = Timer(LOAD);
        let [number, fired] = &mut self.0;
        let missile = Missile(*number + *fired * LAUNCHERS);
        *fired += 1;
        Some((missile, place, Heading([0, 0]), Timer(FUEL)))
    }
}

/// Turns a missile to its target; returns whether it hits.
#[inline]
pub(crate) fn chase(place: Place, heading: &mut Heading, target: Place) -> bool {
    let way = target.way_from(place);
    let distance = way[0].abs().max(way[1].abs());
    if distance < REACH {
        return true;
    }
    let turned = [0, 1].map(|part| {
        let own = i32::from(heading.0[part]);
        own + (way[part] * MISSILE_SPEED / distance - own) / 4
    });
    *heading = Heading::limited(turned, MISSILE_SPEED);
    false
}

/// The ids of all ships by their numbers, and the frame.
pub(crate) struct Fleet<I> {
    pub(crate) ships: Vec<I>,
    pub(crate) frame: u32,
}

impl<I: Copy> Fleet<I> {
    pub(crate) fn new(ships: Vec<I>) -> Self {
        Self { ships, frame: 1 }
    }

    /// Returns the ship that a missile follows next.
    #[inline]
    pub(crate) fn target(&self, missile: Missile) -> I {
        self.ships[noise(missile.0, self.frame) as usize % self.ships.len()]
    }
}

/// The digest of a world.
#[derive(Default)]
pub(crate) struct Seen(Digest);

impl Seen {
    pub(crate) fn ship(&mut self, ship: Ship, place: Place, heading: Heading, hull: Hull) {
        let values = [1.0, ship.0 as f32, hull.0 as f32];
        self.row(&values, place, heading);
    }

    pub(crate) fn missile(
        &mut self,
        missile: Missile,
        place: Place,
        heading: Heading,
        timer: Timer,
    ) {
        let values = [2.0, missile.0 as f32, timer.0 as f32];
        self.row(&values, place, heading);
    }

    pub(crate) fn explosion(&mut self, explosion: Explosion, place: Place, timer: Timer) {
        self.row(
            &[explosion.0 as f32, timer.0 as f32],
            place,
            Heading::default(),
        );
    }

    fn row(&mut self, values: &[f32], place: Place, heading: Heading) {
        let values = values.iter().copied();
        self.0
            .row(values.chain(place.values()).chain(heading.values()));
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }
}
