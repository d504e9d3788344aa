//! Missiles.

use std::cell::RefCell;
use std::rc::Rc;

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_missiles::{
    self as missiles, Burst, DAMAGE, Explosion, Hull, LAUNCHERS, Launcher, MISSILES, Missile, SHIPS, Seen, Ship, Timer,
};

#[derive(Clone, Copy, Component)]
struct Target(Entity);

/// The state that the systems share: the fleet, and the ships that were hit.
struct Shared {
    fleet: missiles::Fleet<Entity>,
    hits: Vec<Entity>,
}

fn spawn_ship(world: &WorldRef<'_>, number: u32, frame: u32) -> Entity {
    let (ship, place, heading, hull) = missiles::ship(number, frame);
    world.entity().set(ship).set(place).set(heading).set(hull).id()
}

fn spawn_missile(
    world: &WorldRef<'_>,
    (missile, place, heading, timer): (Missile, Place, Heading, Timer),
    fleet: &missiles::Fleet<Entity>,
) {
    let target = Target(fleet.target(missile));
    world.entity().set(missile).set(place).set(heading).set(timer).set(target);
}

fn spawn_explosion(world: &WorldRef<'_>, of: Burst, place: Place) {
    let (explosion, place, timer) = missiles::explosion(of, place);
    world.entity().set(explosion).set(place).set(timer);
}

fn world() -> World {
    let world = World::new();
    let all = (&world).world();
    let ships = (0..SHIPS).map(|number| spawn_ship(&all, number, 0)).collect();
    let fleet = missiles::Fleet::new(ships);
    for (launcher, place, timer) in (0..LAUNCHERS).map(missiles::launcher) {
        world.entity().set(launcher).set(place).set(timer);
    }
    for missile in (0..MISSILES).map(missiles::missile) {
        spawn_missile(&all, missile, &fleet);
    }
    let shared = Rc::new(RefCell::new(Shared { fleet, hits: Vec::new() }));

    world.system::<&mut Timer>().with(Explosion::id()).each_entity(|entity, timer| {
        if timer.ends() {
            entity.destruct();
        }
    });

    let chased = Rc::clone(&shared);
    world.system::<(&Missile, &Place, &mut Heading, &mut Timer, &mut Target)>().each_entity(
        move |entity, (&missile, &place, heading, timer, target)| {
            if timer.ends() {
                entity.destruct();
                return;
            }
            let world = entity.world();
            let ship = world.entity_from_id(target.0);
            let found = if ship.is_alive() { ship.try_get::<&Place>(|&place| place) } else { None };
            let Some(ship) = found else {
                target.0 = chased.borrow().fleet.target(missile);
                return;
            };
            if missiles::chase(place, heading, ship) {
                chased.borrow_mut().hits.push(target.0);
                entity.destruct();
                spawn_explosion(&world, Burst::Missile, place);
            }
        },
    );

    world.system::<(&mut Place, &Heading)>().each(|(place, &heading)| place.fly(heading));

    let hit = Rc::clone(&shared);
    world.system::<()>().run(move |systems| {
        let world = systems.world();
        for ship in hit.borrow_mut().hits.drain(..) {
            world.entity_from_id(ship).try_get::<&mut Hull>(|hull| hull.0 -= DAMAGE);
        }
    });

    let sunk = Rc::clone(&shared);
    world.system::<(&Ship, &Hull, &Place)>().each_entity(move |entity, (&ship, &hull, &place)| {
        if hull.0 <= 0 {
            let world = entity.world();
            entity.destruct();
            spawn_explosion(&world, Burst::Ship, place);
            let fleet = &mut sunk.borrow_mut().fleet;
            fleet.ships[ship.0 as usize] = spawn_ship(&world, ship.0, fleet.frame);
        }
    });

    world.system::<(&mut Launcher, &Place, &mut Timer)>().run(move |mut launchers| {
        let fleet = &mut shared.borrow_mut().fleet;
        while launchers.next() {
            let world = launchers.world();
            let (mut all, places) = (launchers.field_mut::<Launcher>(0), launchers.field::<Place>(1));
            let mut timers = launchers.field_mut::<Timer>(2);
            for row in launchers.iter() {
                if let Some(missile) = all[row].fire(places[row], &mut timers[row]) {
                    spawn_missile(&world, missile, fleet);
                }
            }
        }
        fleet.frame += 1;
    });
    world
}

fn digest(world: &World) -> u64 {
    let mut seen = Seen::default();
    let ships = world.new_query::<(&Ship, &Place, &Heading, &Hull)>();
    ships.each(|(&ship, &place, &heading, &hull)| seen.ship(ship, place, heading, hull));
    let flying = world.new_query::<(&Missile, &Place, &Heading, &Timer)>();
    flying.each(|(&missile, &place, &heading, &timer)| seen.missile(missile, place, heading, timer));
    let explosions = world.new_query::<(&Explosion, &Place, &Timer)>();
    explosions.each(|(&explosion, &place, &timer)| seen.explosion(explosion, place, timer));
    seen.finish()
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        world,
        |world| {
            for _ in 0..FRAMES {
                world.progress();
            }
        },
        |world| digest(world),
    );
}
