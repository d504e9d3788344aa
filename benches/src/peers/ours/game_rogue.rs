//! A roguelike.

use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::game::FRAMES;
use crate::workloads::game_rogue::{
    self as rogue, Cell, Goal, Life, Loot, Monster, POISON, Player, STROKE, Seen,
};

/// Turns until the poison is gone.
#[derive(Component)]
#[component(storage = "sparse")]
struct Poison(u32);

#[derive(Resource)]
struct Dungeon(rogue::Dungeon<Entity>);

/// The blow of the player, or the bite of a monster.
struct Blow {
    target: Entity,
    damage: i32,
}

#[system(for_each)]
fn rot(entity: Entity, loot: &mut Loot, mut commands: Commands) {
    if loot.rots() {
        commands.despawn(entity);
    }
}

#[system(for_each)]
fn play(player: &mut Player, cell: &mut Cell, mut dungeon: ResMut<Dungeon>, mut blows: EventWriter<Blow>) {
    dungeon.0.walk(cell);
    for target in dungeon.0.struck(*cell) {
        player.0 += 1;
        blows.send(Blow { target, damage: STROKE });
    }
}

#[system]
fn decide(
    mut monsters: Query<(&Monster, &Cell, &mut Goal)>,
    player: Single<Entity, With<Player>>,
    mut dungeon: ResMut<Dungeon>,
    mut blows: EventWriter<Blow>,
) {
    let dungeon = &mut dungeon.0;
    for (&monster, &cell, goal) in &mut monsters {
        if dungeon.decide(monster, cell, goal) {
            blows.send(Blow {
                target: *player,
                damage: monster.bite(),
            });
        }
    }
}

#[system(for_each)]
fn step(entity: Entity, &monster: &Monster, cell: &mut Cell, &goal: &Goal, mut dungeon: ResMut<Dungeon>) {
    dungeon.0.step(entity, monster, cell, goal);
}

#[system(for_each)]
fn suffer(entity: Entity, poison: &mut Poison, life: &mut Life, mut commands: Commands) {
    if rogue::suffer(&mut poison.0, life) {
        commands.remove::<Poison>(entity);
    }
}

#[system(for_each, with(Monster))]
fn breathe(entity: Entity, &cell: &Cell, dungeon: Res<Dungeon>, mut commands: Commands) {
    if dungeon.0.is_foul(cell) {
        commands.insert(entity, Poison(POISON));
    }
}

#[system]
fn hurt(mut blows: EventReader<Blow>, mut lives: CompMut<Life>, mut dungeon: ResMut<Dungeon>) {
    for blow in blows.read() {
        if let Some(life) = lives.get_mut(blow.target) {
            life.0 -= blow.damage;
            dungeon.0.lines += 1;
        }
    }
}

#[system(for_each, with(Monster))]
fn bury(entity: Entity, &cell: &Cell, &life: &Life, mut dungeon: ResMut<Dungeon>, mut commands: Commands) {
    if life.0 <= 0 {
        commands.despawn(entity);
        commands.spawn(rogue::loot(cell));
        dungeon.0.bury(cell);
    }
}

#[system]
fn repopulate(mut dungeon: ResMut<Dungeon>, mut commands: Commands) {
    dungeon.0.repopulate(|monster| commands.spawn(monster).id());
}

fn world() -> World {
    let mut world = World::new();
    world.add_event::<Blow>();
    let player = world.spawn(rogue::player());
    let mut dungeon = rogue::Dungeon::new(player);
    dungeon.repopulate(|monster| world.spawn(monster));
    world.insert_resource(Dungeon(dungeon));
    world
}

fn digest(world: &World) -> u64 {
    let mut seen = Seen::default();
    for (&monster, &cell, &life, poison) in &world.query::<(&Monster, &Cell, &Life, Option<&Poison>)>() {
        seen.monster(monster, cell, life, poison.map(|poison| poison.0));
    }
    for (&loot, &cell) in &world.query::<(&Loot, &Cell)>() {
        seen.loot(loot, cell);
    }
    for (&player, &cell, &life) in &world.query::<(&Player, &Cell, &Life)>() {
        seen.player(player, cell, life);
    }
    seen.finish(&world.resource::<Dungeon>().0)
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Ours,
        "run_seq",
        || {
            let mut turn = Schedule::new();
            turn.add((rot, play, decide, step, suffer, breathe, hurt, bury, repopulate));
            (world(), turn)
        },
        |(world, turn)| {
            for _ in 0..FRAMES {
                turn.run_seq(world).expect("no system fails");
            }
        },
        |(world, _)| digest(world),
    );
}
