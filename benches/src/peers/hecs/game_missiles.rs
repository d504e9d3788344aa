//! Missiles. Entities are despawned and spawned after each loop, from lists.

use hecs::{Entity, World};

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_missiles::{
    self as missiles, Burst, DAMAGE, Explosion, Hull, LAUNCHERS, Launcher, MISSILES, Missile, SHIPS, Seen, Ship, Timer,
};

struct Target(Entity);

struct Game {
    world: World,
    fleet: missiles::Fleet<Entity>,
    /// Entities to despawn, places of explosions, the ships that were hit, and new missiles: lists that keep their memory.
    gone: Vec<Entity>,
    explosions: Vec<(Explosion, Place, Timer)>,
    hits: Vec<Entity>,
    sunk: Vec<(Entity, Ship, Place)>,
    fired: Vec<(Missile, Place, Heading, Timer, Target)>,
}

impl Game {
    fn new() -> Self {
        let mut world = World::new();
        let ships = world.spawn_batch((0..SHIPS).map(|number| missiles::ship(number, 0)));
        let fleet = missiles::Fleet::new(ships.collect());
        world.spawn_batch((0..LAUNCHERS).map(missiles::launcher));
        let flying = (0..MISSILES).map(missiles::missile);
        world.spawn_batch(flying.map(|missile| aimed(missile, &fleet)));
        Self {
            world,
            fleet,
            gone: Vec::new(),
            explosions: Vec::new(),
            hits: Vec::new(),
            sunk: Vec::new(),
            fired: Vec::new(),
        }
    }

    fn frame(&mut self) {
        self.fade();
        self.chase();
        self.fly();
        self.hurt();
        self.sink();
        self.launch();
    }

    fn despawn_gone(&mut self) {
        for entity in self.gone.drain(..) {
            self.world.despawn(entity).expect("it is alive");
        }
    }

    fn fade(&mut self) {
        for (entity, timer, _) in self.world.query_mut::<(Entity, &mut Timer, &Explosion)>() {
            if timer.ends() {
                self.gone.push(entity);
            }
        }
        self.despawn_gone();
    }

    fn chase(&mut self) {
        let Self { world, fleet, gone, explosions, hits, .. } = self;
        let mut flying = world.query::<(Entity, &Missile, &Place, &mut Heading, &mut Timer, &mut Target)>();
        let places = world.view::<&Place>();
        for (entity, &missile, &place, heading, timer, target) in flying.iter() {
            if timer.ends() {
                gone.push(entity);
            } else if let Some(&ship) = places.get(target.0) {
                if missiles::chase(place, heading, ship) {
                    hits.push(target.0);
                    gone.push(entity);
                    explosions.push(missiles::explosion(Burst::Missile, place));
                }
            } else {
                target.0 = fleet.target(missile);
            }
        }
        drop((flying, places));
        self.despawn_gone();
        self.world.spawn_batch(self.explosions.drain(..));
    }

    fn fly(&mut self) {
        let flying = self.world.query_mut::<(&mut Place, &Heading)>().into_iter();
        flying.for_each(|(place, &heading)| place.fly(heading));
    }

    fn hurt(&mut self) {
        let mut hulls = self.world.view_mut::<&mut Hull>();
        for ship in self.hits.drain(..) {
            if let Some(hull) = hulls.get_mut(ship) {
                hull.0 -= DAMAGE;
            }
        }
    }

    fn sink(&mut self) {
        for (entity, &ship, &hull, &place) in self.world.query_mut::<(Entity, &Ship, &Hull, &Place)>() {
            if hull.0 <= 0 {
                self.sunk.push((entity, ship, place));
            }
        }
        for (entity, ship, place) in self.sunk.drain(..) {
            self.world.despawn(entity).expect("it is alive");
            self.world.spawn(missiles::explosion(Burst::Ship, place));
            let successor = missiles::ship(ship.0, self.fleet.frame);
            self.fleet.ships[ship.0 as usize] = self.world.spawn(successor);
        }
    }

    fn launch(&mut self) {
        for (launcher, &place, timer) in self.world.query_mut::<(&mut Launcher, &Place, &mut Timer)>() {
            let missile = launcher.fire(place, timer);
            self.fired.extend(missile.map(|missile| aimed(missile, &self.fleet)));
        }
        self.world.spawn_batch(self.fired.drain(..));
        self.fleet.frame += 1;
    }

    fn digest(&mut self) -> u64 {
        let mut seen = Seen::default();
        for (&ship, &place, &heading, &hull) in self.world.query_mut::<(&Ship, &Place, &Heading, &Hull)>() {
            seen.ship(ship, place, heading, hull);
        }
        for (&missile, &place, &heading, &timer) in self.world.query_mut::<(&Missile, &Place, &Heading, &Timer)>() {
            seen.missile(missile, place, heading, timer);
        }
        for (&explosion, &place, &timer) in self.world.query_mut::<(&Explosion, &Place, &Timer)>() {
            seen.explosion(explosion, place, timer);
        }
        seen.finish()
    }
}

fn aimed(
    (missile, place, heading, timer): (Missile, Place, Heading, Timer),
    fleet: &missiles::Fleet<Entity>,
) -> (Missile, Place, Heading, Timer, Target) {
    (missile, place, heading, timer, Target(fleet.target(missile)))
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Hecs,
        "calls",
        Game::new,
        |game| (0..FRAMES).for_each(|_| game.frame()),
        Game::digest,
    );
}
