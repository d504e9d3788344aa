//! A roguelike.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageReader, MessageRegistry, MessageWriter, message_update_system};
use bevy_ecs::query::With;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor};
use bevy_ecs::system::{Commands, Query, Res, ResMut, Single};
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::game::FRAMES;
use crate::workloads::game_rogue::{
    self as rogue, Cell, Goal, Life, Loot, Monster, POISON, Player, STROKE, Seen,
};

/// Turns until the poison is gone.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Poison(u32);

#[derive(Resource)]
struct Dungeon(rogue::Dungeon<Entity>);

/// The blow of the player, or the bite of a monster.
#[derive(Message)]
struct Blow {
    target: Entity,
    damage: i32,
}

fn rot(mut loot: Query<(Entity, &mut Loot)>, mut commands: Commands) {
    for (entity, mut loot) in &mut loot {
        if loot.rots() {
            commands.entity(entity).despawn();
        }
    }
}

fn play(
    player: Single<(&mut Player, &mut Cell)>,
    mut dungeon: ResMut<Dungeon>,
    mut blows: MessageWriter<Blow>,
) {
    let (mut player, mut cell) = player.into_inner();
    dungeon.0.walk(&mut cell);
    for target in dungeon.0.struck(*cell) {
        player.0 += 1;
        blows.write(Blow { target, damage: STROKE });
    }
}

fn decide(
    mut monsters: Query<(&Monster, &Cell, &mut Goal)>,
    player: Single<Entity, With<Player>>,
    mut dungeon: ResMut<Dungeon>,
    mut blows: MessageWriter<Blow>,
) {
    let dungeon = &mut dungeon.0;
    for (&monster, &cell, mut goal) in &mut monsters {
        if dungeon.decide(monster, cell, &mut goal) {
            blows.write(Blow { target: *player, damage: monster.bite() });
        }
    }
}

fn step(mut monsters: Query<(Entity, &Monster, &mut Cell, &Goal)>, mut dungeon: ResMut<Dungeon>) {
    let dungeon = &mut dungeon.0;
    for (entity, &monster, mut cell, &goal) in &mut monsters {
        dungeon.step(entity, monster, &mut cell, goal);
    }
}

fn suffer(mut poisoned: Query<(Entity, &mut Poison, &mut Life)>, mut commands: Commands) {
    for (entity, mut poison, mut life) in &mut poisoned {
        if rogue::suffer(&mut poison.0, &mut life) {
            commands.entity(entity).remove::<Poison>();
        }
    }
}

fn breathe(monsters: Query<(Entity, &Cell), With<Monster>>, dungeon: Res<Dungeon>, mut commands: Commands) {
    for (entity, &cell) in &monsters {
        if dungeon.0.is_foul(cell) {
            commands.entity(entity).insert(Poison(POISON));
        }
    }
}

fn hurt(mut blows: MessageReader<Blow>, mut lives: Query<&mut Life>, mut dungeon: ResMut<Dungeon>) {
    for blow in blows.read() {
        if let Ok(mut life) = lives.get_mut(blow.target) {
            life.0 -= blow.damage;
            dungeon.0.lines += 1;
        }
    }
}

fn bury(
    monsters: Query<(Entity, &Cell, &Life), With<Monster>>,
    mut dungeon: ResMut<Dungeon>,
    mut commands: Commands,
) {
    for (entity, &cell, &life) in &monsters {
        if life.0 <= 0 {
            commands.entity(entity).despawn();
            commands.spawn(rogue::loot(cell));
            dungeon.0.bury(cell);
        }
    }
}

fn repopulate(mut dungeon: ResMut<Dungeon>, mut commands: Commands) {
    dungeon.0.repopulate(|monster| commands.spawn(monster).id());
}

fn world() -> World {
    let mut world = World::new();
    MessageRegistry::register_message::<Blow>(&mut world);
    let player = world.spawn(rogue::player()).id();
    let mut dungeon = rogue::Dungeon::new(player);
    dungeon.repopulate(|monster| world.spawn(monster).id());
    world.insert_resource(Dungeon(dungeon));
    world
}

fn digest(world: &mut World) -> u64 {
    let mut seen = Seen::default();
    let mut monsters = world.query::<(&Monster, &Cell, &Life, Option<&Poison>)>();
    for (&monster, &cell, &life, poison) in monsters.iter(world) {
        seen.monster(monster, cell, life, poison.map(|poison| poison.0));
    }
    let mut loot = world.query::<(&Loot, &Cell)>();
    for (&loot, &cell) in loot.iter(world) {
        seen.loot(loot, cell);
    }
    let mut player = world.query::<(&Player, &Cell, &Life)>();
    for (&player, &cell, &life) in player.iter(world) {
        seen.player(player, cell, life);
    }
    seen.finish(&world.resource::<Dungeon>().0)
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Bevy,
        "Schedule",
        || {
            let mut turn = Schedule::default();
            turn.set_executor(SingleThreadedExecutor::new());
            let first = (message_update_system, rot, play, decide, step).chain();
            turn.add_systems((first, suffer, breathe, hurt, bury, repopulate).chain());
            (world(), turn)
        },
        |(world, turn)| {
            for _ in 0..FRAMES {
                turn.run(world);
            }
        },
        |(world, _)| digest(world),
    );
}
