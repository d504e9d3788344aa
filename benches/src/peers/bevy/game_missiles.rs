//! Missiles.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageReader, MessageRegistry, MessageWriter, message_update_system};
use bevy_ecs::query::With;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor};
use bevy_ecs::system::{Commands, Query, Res, ResMut};
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
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
#[derive(Message)]
struct Hit(Entity);

fn fade(mut explosions: Query<(Entity, &mut Timer), With<Explosion>>, mut commands: Commands) {
    for (entity, mut timer) in &mut explosions {
        if timer.ends() {
            commands.entity(entity).despawn();
        }
    }
}

fn chase(
    mut flying: Query<(Entity, &Missile, &Place, &mut Heading, &mut Timer, &mut Target)>,
    places: Query<&Place>,
    fleet: Res<Fleet>,
    mut hits: MessageWriter<Hit>,
    mut commands: Commands,
) {
    for (entity, &missile, &place, mut heading, mut timer, mut target) in &mut flying {
        if timer.ends() {
            commands.entity(entity).despawn();
        } else if let Ok(&ship) = places.get(target.0) {
            if missiles::chase(place, &mut heading, ship) {
                hits.write(Hit(target.0));
                commands.entity(entity).despawn();
                commands.spawn(missiles::explosion(Burst::Missile, place));
            }
        } else {
            target.0 = fleet.0.target(missile);
        }
    }
}

fn fly(mut flying: Query<(&mut Place, &Heading)>) {
    flying.iter_mut().for_each(|(mut place, &heading)| place.fly(heading));
}

fn hurt(mut hits: MessageReader<Hit>, mut hulls: Query<&mut Hull>) {
    for hit in hits.read() {
        if let Ok(mut hull) = hulls.get_mut(hit.0) {
            hull.0 -= DAMAGE;
        }
    }
}

fn sink(ships: Query<(Entity, &Ship, &Hull, &Place)>, mut fleet: ResMut<Fleet>, mut commands: Commands) {
    for (entity, &ship, &hull, &place) in &ships {
        if hull.0 <= 0 {
            commands.entity(entity).despawn();
            commands.spawn(missiles::explosion(Burst::Ship, place));
            let successor = missiles::ship(ship.0, fleet.0.frame);
            fleet.0.ships[ship.0 as usize] = commands.spawn(successor).id();
        }
    }
}

fn launch(
    mut launchers: Query<(&mut Launcher, &Place, &mut Timer)>,
    mut fleet: ResMut<Fleet>,
    mut commands: Commands,
) {
    for (mut launcher, &place, mut timer) in &mut launchers {
        if let Some(missile) = launcher.fire(place, &mut timer) {
            let target = Target(fleet.0.target(missile.0));
            commands.spawn((missile, target));
        }
    }
    fleet.0.frame += 1;
}

fn world() -> World {
    let mut world = World::new();
    MessageRegistry::register_message::<Hit>(&mut world);
    let ships = world.spawn_batch((0..SHIPS).map(|number| missiles::ship(number, 0)));
    let fleet = missiles::Fleet::new(ships.collect());
    world.spawn_batch((0..LAUNCHERS).map(missiles::launcher));
    let flying = (0..MISSILES).map(missiles::missile);
    world.spawn_batch(flying.map(|missile| (missile, Target(fleet.target(missile.0)))));
    world.insert_resource(Fleet(fleet));
    world
}

fn digest(world: &mut World) -> u64 {
    let mut seen = Seen::default();
    let mut ships = world.query::<(&Ship, &Place, &Heading, &Hull)>();
    for (&ship, &place, &heading, &hull) in ships.iter(world) {
        seen.ship(ship, place, heading, hull);
    }
    let mut flying = world.query::<(&Missile, &Place, &Heading, &Timer)>();
    for (&missile, &place, &heading, &timer) in flying.iter(world) {
        seen.missile(missile, place, heading, timer);
    }
    let mut explosions = world.query::<(&Explosion, &Place, &Timer)>();
    for (&explosion, &place, &timer) in explosions.iter(world) {
        seen.explosion(explosion, place, timer);
    }
    seen.finish()
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Bevy,
        "Schedule",
        || {
            let mut frame = Schedule::default();
            frame.set_executor(SingleThreadedExecutor::new());
            frame.add_systems((message_update_system, fade, chase, fly, hurt, sink, launch).chain());
            (world(), frame)
        },
        |(world, frame)| {
            for _ in 0..FRAMES {
                frame.run(world);
            }
        },
        |(world, _)| digest(world),
    );
}
