//! Missiles.

use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_missiles::{
    self as missiles, Burst, DAMAGE, Explosion, Hull, LAUNCHERS, Launcher, MISSILES, Missile, SHIPS, Seen, Ship, Timer,
};

#[derive(Component)]
struct Target(Entity);

#[derive(Resource)]
struct Fleet(missiles::Fleet<Entity>);

/// A ship was hit.
struct Hit(Entity);

#[system(for_each, with(Explosion))]
fn fade(entity: Entity, timer: &mut Timer, mut commands: Commands) {
    if timer.ends() {
        commands.despawn(entity);
    }
}

#[system]
fn chase(
    mut flying: Query<(Entity, &Missile, &Place, &mut Heading, &mut Timer, &mut Target)>,
    places: Comp<Place>,
    fleet: Res<Fleet>,
    mut hits: EventWriter<Hit>,
    mut commands: Commands,
) {
    for (entity, &missile, &place, heading, timer, target) in &mut flying {
        if timer.ends() {
            commands.despawn(entity);
        } else if let Some(&ship) = places.get(target.0) {
            if missiles::chase(place, heading, ship) {
                hits.send(Hit(target.0));
                commands.despawn(entity);
                commands.spawn(missiles::explosion(Burst::Missile, place));
            }
        } else {
            target.0 = fleet.0.target(missile);
        }
    }
}

#[system(for_each)]
fn fly(place: &mut Place, &heading: &Heading) {
    place.fly(heading);
}

#[system]
fn hurt(mut hits: EventReader<Hit>, mut hulls: CompMut<Hull>) {
    for hit in hits.read() {
        if let Some(hull) = hulls.get_mut(hit.0) {
            hull.0 -= DAMAGE;
        }
    }
}

#[system(for_each)]
fn sink(entity: Entity, &ship: &Ship, &hull: &Hull, &place: &Place, mut fleet: ResMut<Fleet>, mut commands: Commands) {
    if hull.0 <= 0 {
        commands.despawn(entity);
        commands.spawn(missiles::explosion(Burst::Ship, place));
        let successor = missiles::ship(ship.0, fleet.0.frame);
        fleet.0.ships[ship.0 as usize] = commands.spawn(successor).id();
    }
}

#[system]
fn launch(
    mut launchers: Query<(&mut Launcher, &Place, &mut Timer)>,
    mut fleet: ResMut<Fleet>,
    mut commands: Commands,
) {
    launchers.for_each(|(launcher, &place, timer)| {
        if let Some(missile) = launcher.fire(place, timer) {
            let target = Target(fleet.0.target(missile.0));
            commands.spawn((missile, target));
        }
    });
    fleet.0.frame += 1;
}

fn world() -> World {
    let mut world = World::new();
    world.add_event::<Hit>();
    let ships = world.spawn_batch((0..SHIPS).map(|number| missiles::ship(number, 0)));
    let fleet = missiles::Fleet::new(ships.to_vec());
    world.spawn_batch((0..LAUNCHERS).map(missiles::launcher));
    let flying = (0..MISSILES).map(missiles::missile);
    world.spawn_batch(flying.map(|missile| (missile, Target(fleet.target(missile.0)))));
    world.insert_resource(Fleet(fleet));
    world
}

fn digest(world: &World) -> u64 {
    let mut seen = Seen::default();
    for (&ship, &place, &heading, &hull) in &world.query::<(&Ship, &Place, &Heading, &Hull)>() {
        seen.ship(ship, place, heading, hull);
    }
    for (&missile, &place, &heading, &timer) in &world.query::<(&Missile, &Place, &Heading, &Timer)>() {
        seen.missile(missile, place, heading, timer);
    }
    for (&explosion, &place, &timer) in &world.query::<(&Explosion, &Place, &Timer)>() {
        seen.explosion(explosion, place, timer);
    }
    seen.finish()
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Ours,
        "run_seq",
        || {
            let mut frame = Schedule::new();
            frame.add((fade, chase, fly, hurt, sink, launch));
            (world(), frame)
        },
        |(world, frame)| {
            for _ in 0..FRAMES {
                frame.run_seq(world).expect("no system fails");
            }
        },
        |(world, _)| digest(world),
    );
}
