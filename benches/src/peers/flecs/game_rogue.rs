//! A roguelike.

use std::cell::RefCell;
use std::rc::Rc;

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::game::FRAMES;
use crate::workloads::game_rogue::{
    self as rogue, Cell, Dungeon, Goal, Life, Loot, Monster, POISON, Player, STROKE, Seen,
};

/// Turns until the poison is gone.
#[derive(Clone, Copy, Component)]
struct Poison(u32);

/// The state that the systems share: the dungeon, and the blows.
struct Shared {
    player: Entity,
    dungeon: Dungeon<Entity>,
    blows: Vec<(Entity, i32)>,
}

fn spawn(world: &WorldRef<'_>, (monster, cell, goal, life): (Monster, Cell, Goal, Life)) -> Entity {
    world.entity().set(monster).set(cell).set(goal).set(life).id()
}

fn game() -> (World, Rc<RefCell<Shared>>) {
    let world = World::new();
    let (player, cell, life) = rogue::player();
    let player = world.entity().set(player).set(cell).set(life).id();
    let mut dungeon = Dungeon::new(player);
    let all = (&world).world();
    dungeon.repopulate(|monster| spawn(&all, monster));
    let shared = Rc::new(RefCell::new(Shared { player, dungeon, blows: Vec::new() }));
    let share = || Rc::clone(&shared);

    world.system::<&mut Loot>().each_entity(|entity, loot| {
        if loot.rots() {
            entity.destruct();
        }
    });

    let of_player = share();
    world.system::<(&mut Player, &mut Cell)>().each(move |(player, cell)| {
        let Shared { dungeon, blows, .. } = &mut *of_player.borrow_mut();
        dungeon.walk(cell);
        for target in dungeon.struck(*cell) {
            player.0 += 1;
            blows.push((target, STROKE));
        }
    });

    let deciding = share();
    world.system::<(&Monster, &Cell, &mut Goal)>().each(move |(&monster, &cell, goal)| {
        let shared = &mut *deciding.borrow_mut();
        if shared.dungeon.decide(monster, cell, goal) {
            shared.blows.push((shared.player, monster.bite()));
        }
    });

    let stepping = share();
    world.system::<(&Monster, &mut Cell, &Goal)>().each_entity(move |entity, (&monster, cell, &goal)| {
        stepping.borrow_mut().dungeon.step(entity.id(), monster, cell, goal);
    });

    world.system::<(&mut Poison, &mut Life)>().each_entity(|entity, (poison, life)| {
        if rogue::suffer(&mut poison.0, life) {
            entity.remove(Poison::id());
        }
    });

    let breathing = share();
    world.system::<&Cell>().with(Monster::id()).each_entity(move |entity, &cell| {
        if breathing.borrow().dungeon.is_foul(cell) {
            entity.set(Poison(POISON));
        }
    });

    let hurting = share();
    world.system::<()>().run(move |systems| {
        let world = systems.world();
        let Shared { dungeon, blows, .. } = &mut *hurting.borrow_mut();
        for (target, damage) in blows.drain(..) {
            world.entity_from_id(target).try_get::<&mut Life>(|life| {
                life.0 -= damage;
                dungeon.lines += 1;
            });
        }
    });

    let burying = share();
    world.system::<(&Cell, &Life)>().with(Monster::id()).each_entity(move |entity, (&cell, &life)| {
        if life.0 <= 0 {
            entity.destruct();
            let (loot, cell) = rogue::loot(cell);
            entity.world().entity().set(loot).set(cell);
            burying.borrow_mut().dungeon.bury(cell);
        }
    });

    let repopulating = share();
    world.system::<()>().run(move |systems| {
        let world = systems.world();
        repopulating.borrow_mut().dungeon.repopulate(|monster| spawn(&world, monster));
    });
    (world, shared)
}

fn digest(world: &World, shared: &Shared) -> u64 {
    let mut seen = Seen::default();
    let monsters = world.new_query::<(&Monster, &Cell, &Life, Option<&Poison>)>();
    monsters.each(|(&monster, &cell, &life, poison)| {
        seen.monster(monster, cell, life, poison.map(|poison| poison.0));
    });
    let loot = world.new_query::<(&Loot, &Cell)>();
    loot.each(|(&loot, &cell)| seen.loot(loot, cell));
    let player = world.new_query::<(&Player, &Cell, &Life)>();
    player.each(|(&player, &cell, &life)| seen.player(player, cell, life));
    seen.finish(&shared.dungeon)
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        game,
        |(world, _)| {
            for _ in 0..FRAMES {
                world.progress();
            }
        },
        |(world, shared)| digest(world, &shared.borrow()),
    );
}
