//! A roguelike. Entities are changed after each loop, by lists.

use hecs::{Entity, World};

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::game::FRAMES;
use crate::workloads::game_rogue::{
    self as rogue, Cell, Dungeon, Goal, Life, Loot, Monster, POISON, Player, STROKE, Seen,
};

/// Turns until the poison is gone.
struct Poison(u32);

struct Game {
    world: World,
    player: Entity,
    dungeon: Dungeon<Entity>,
    /// The targets of blows, and their damage.
    blows: Vec<(Entity, i32)>,
    /// The entities that a loop has found.
    found: Vec<(Entity, Cell)>,
}

impl Game {
    fn new() -> Self {
        let mut world = World::new();
        let player = world.spawn(rogue::player());
        let mut dungeon = Dungeon::new(player);
        dungeon.repopulate(|monster| world.spawn(monster));
        let (blows, found) = (Vec::new(), Vec::new());
        Self { world, player, dungeon, blows, found }
    }

    fn turn(&mut self) {
        self.rot();
        self.play();
        self.decide();
        self.step();
        self.suffer();
        self.breathe();
        self.hurt();
        self.bury();
        self.dungeon.repopulate(|monster| self.world.spawn(monster));
    }

    fn rot(&mut self) {
        for (entity, loot, &cell) in self.world.query_mut::<(Entity, &mut Loot, &Cell)>() {
            if loot.rots() {
                self.found.push((entity, cell));
            }
        }
        for (entity, _) in self.found.drain(..) {
            self.world.despawn(entity).expect("it is there");
        }
    }

    fn play(&mut self) {
        let query = self.world.query_one_mut::<(&mut Player, &mut Cell)>(self.player);
        let (player, cell) = query.expect("the player is alive");
        self.dungeon.walk(cell);
        for target in self.dungeon.struck(*cell) {
            player.0 += 1;
            self.blows.push((target, STROKE));
        }
    }

    fn decide(&mut self) {
        for (&monster, &cell, goal) in self.world.query_mut::<(&Monster, &Cell, &mut Goal)>() {
            if self.dungeon.decide(monster, cell, goal) {
                self.blows.push((self.player, monster.bite()));
            }
        }
    }

    fn step(&mut self) {
        for (entity, &monster, cell, &goal) in self.world.query_mut::<(Entity, &Monster, &mut Cell, &Goal)>() {
            self.dungeon.step(entity, monster, cell, goal);
        }
    }

    fn suffer(&mut self) {
        for (entity, poison, life, &cell) in self.world.query_mut::<(Entity, &mut Poison, &mut Life, &Cell)>() {
            if rogue::suffer(&mut poison.0, life) {
                self.found.push((entity, cell));
            }
        }
        for (entity, _) in self.found.drain(..) {
            self.world.remove_one::<Poison>(entity).expect("it is poisoned");
        }
    }

    fn breathe(&mut self) {
        for (entity, &cell, _) in self.world.query_mut::<(Entity, &Cell, &Monster)>() {
            if self.dungeon.is_foul(cell) {
                self.found.push((entity, cell));
            }
        }
        for (entity, _) in self.found.drain(..) {
            self.world.insert_one(entity, Poison(POISON)).expect("it is alive");
        }
    }

    fn hurt(&mut self) {
        let mut lives = self.world.view_mut::<&mut Life>();
        for (target, damage) in self.blows.drain(..) {
            if let Some(life) = lives.get_mut(target) {
                life.0 -= damage;
                self.dungeon.lines += 1;
            }
        }
    }

    fn bury(&mut self) {
        for (entity, &cell, &life, _) in self.world.query_mut::<(Entity, &Cell, &Life, &Monster)>() {
            if life.0 <= 0 {
                self.found.push((entity, cell));
            }
        }
        for (entity, cell) in self.found.drain(..) {
            self.world.despawn(entity).expect("it is there");
            self.world.spawn(rogue::loot(cell));
            self.dungeon.bury(cell);
        }
    }

    fn digest(&mut self) -> u64 {
        let mut seen = Seen::default();
        let world = &mut self.world;
        for (&monster, &cell, &life, poison) in world.query_mut::<(&Monster, &Cell, &Life, Option<&Poison>)>() {
            seen.monster(monster, cell, life, poison.map(|poison| poison.0));
        }
        for (&loot, &cell) in world.query_mut::<(&Loot, &Cell)>() {
            seen.loot(loot, cell);
        }
        for (&player, &cell, &life) in world.query_mut::<(&Player, &Cell, &Life)>() {
            seen.player(player, cell, life);
        }
        seen.finish(&self.dungeon)
    }
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Hecs,
        "calls",
        Game::new,
        |game| (0..FRAMES).for_each(|_| game.turn()),
        Game::digest,
    );
}
