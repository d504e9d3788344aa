//! Missiles: a `Vec` of each kind of thing. A ship has its place in the list for good, and a life that its hunters remember.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_missiles::{
    self as missiles, Burst, DAMAGE, Explosion, Fleet, Hull, LAUNCHERS, Launcher, MISSILES, Missile, SHIPS, Seen, Ship, Timer,
};

/// The number of a ship, and how many it succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ShipId {
    number: u32,
    life: u32,
}

struct Flying {
    missile: Missile,
    place: Place,
    heading: Heading,
    timer: Timer,
    target: ShipId,
}

struct Game {
    ships: Vec<(Ship, Place, Heading, Hull)>,
    launchers: Vec<(Launcher, Place, Timer)>,
    flying: Vec<Flying>,
    explosions: Vec<(Explosion, Place, Timer)>,
    fleet: Fleet<ShipId>,
}

/// Keeps the values for which a function returns `true`; the last one takes the place of one that goes.
fn retain<T>(values: &mut Vec<T>, mut keep: impl FnMut(&mut T) -> bool) {
    let mut at = 0;
    while let Some(value) = values.get_mut(at) {
        if keep(value) {
            at += 1;
        } else {
            values.swap_remove(at);
        }
    }
}

fn aimed((missile, place, heading, timer): (Missile, Place, Heading, Timer), fleet: &Fleet<ShipId>) -> Flying {
    let target = fleet.target(missile);
    Flying { missile, place, heading, timer, target }
}

impl Game {
    fn new() -> Self {
        let fleet = Fleet::new((0..SHIPS).map(|number| ShipId { number, life: 0 }).collect());
        Self {
            ships: (0..SHIPS).map(|number| missiles::ship(number, 0)).collect(),
            launchers: (0..LAUNCHERS).map(missiles::launcher).collect(),
            flying: (0..MISSILES).map(|number| aimed(missiles::missile(number), &fleet)).collect(),
            explosions: Vec::new(),
            fleet,
        }
    }

    fn frame(&mut self) {
        let Self { ships, launchers, flying, explosions, fleet } = self;
        retain(explosions, |(_, _, timer)| !timer.ends());
        retain(flying, |one| {
            if one.timer.ends() {
                return false;
            }
            let (_, ship, _, hull) = &mut ships[one.target.number as usize];
            if fleet.ships[one.target.number as usize] != one.target {
                one.target = fleet.target(one.missile);
            } else if missiles::chase(one.place, &mut one.heading, *ship) {
                hull.0 -= DAMAGE;
                explosions.push(missiles::explosion(Burst::Missile, one.place));
                return false;
            }
            true
        });
        for one in flying.iter_mut() {
            one.place.fly(one.heading);
        }
        for (ship, id) in ships.iter_mut().zip(&mut fleet.ships) {
            ship.1.fly(ship.2);
            if ship.3.0 <= 0 {
                explosions.push(missiles::explosion(Burst::Ship, ship.1));
                *ship = missiles::ship(id.number, fleet.frame);
                id.life += 1;
            }
        }
        for (launcher, place, timer) in launchers {
            let missile = launcher.fire(*place, timer);
            flying.extend(missile.map(|missile| aimed(missile, fleet)));
        }
        fleet.frame += 1;
    }

    fn digest(&mut self) -> u64 {
        let mut seen = Seen::default();
        for &(ship, place, heading, hull) in &self.ships {
            seen.ship(ship, place, heading, hull);
        }
        for one in &self.flying {
            seen.missile(one.missile, one.place, one.heading, one.timer);
        }
        for &(explosion, place, timer) in &self.explosions {
            seen.explosion(explosion, place, timer);
        }
        seen.finish()
    }
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Limit,
        "calls",
        Game::new,
        |game| (0..FRAMES).for_each(|_| game.frame()),
        Game::digest,
    );
    workload.mark_as_plain();
}
