//! A roguelike: a `Vec` of the monsters and one of the loot. A cell has the place of its monster in the list.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::game::FRAMES;
use crate::workloads::game_rogue::{
    self as rogue, Cell, Dungeon, Goal, Life, Loot, Monster, POISON, Player, STROKE, Seen,
};

#[derive(Clone, Copy)]
struct Living {
    monster: Monster,
    cell: Cell,
    goal: Goal,
    life: Life,
    poison: u32,
}

struct Game {
    player: (Player, Cell, Life),
    monsters: Vec<Living>,
    loot: Vec<(Loot, Cell)>,
    dungeon: Dungeon<u32>,
}

fn spawn(monsters: &mut Vec<Living>, (monster, cell, goal, life): (Monster, Cell, Goal, Life)) -> u32 {
    monsters.push(Living { monster, cell, goal, life, poison: 0 });
    monsters.len() as u32 - 1
}

impl Game {
    fn new() -> Self {
        // The player has no place in the list of monsters.
        let mut dungeon = Dungeon::new(u32::MAX);
        let mut monsters = Vec::new();
        dungeon.repopulate(|monster| spawn(&mut monsters, monster));
        Self { player: rogue::player(), monsters, loot: Vec::new(), dungeon }
    }

    fn turn(&mut self) {
        let Self { player: (player, at, health), monsters, loot, dungeon } = self;
        loot.retain_mut(|(loot, _)| !loot.rots());
        dungeon.walk(at);
        let mut lines = dungeon.lines;
        for target in dungeon.struck(*at) {
            player.0 += 1;
            monsters[target as usize].life.0 -= STROKE;
            lines += 1;
        }
        for Living { monster, cell, goal, .. } in monsters.iter_mut() {
            if dungeon.decide(*monster, *cell, goal) {
                lines += 1;
                health.0 -= monster.bite();
            }
        }
        for (number, one) in (0..).zip(monsters.iter_mut()) {
            dungeon.step(number, one.monster, &mut one.cell, one.goal);
            if one.poison > 0 {
                rogue::suffer(&mut one.poison, &mut one.life);
            }
            if dungeon.is_foul(one.cell) {
                one.poison = POISON;
            }
        }
        let mut number = 0;
        while let Some(&Living { cell, life, .. }) = monsters.get(number) {
            if life.0 > 0 {
                number += 1;
                continue;
            }
            dungeon.bury(cell);
            loot.push(rogue::loot(cell));
            monsters.swap_remove(number);
            if let Some(moved) = monsters.get(number) {
                dungeon.occupy(moved.cell, number as u32);
            }
        }
        dungeon.lines = lines;
        dungeon.repopulate(|monster| spawn(monsters, monster));
    }

    fn digest(&mut self) -> u64 {
        let mut seen = Seen::default();
        for one in &self.monsters {
            seen.monster(one.monster, one.cell, one.life, Some(one.poison));
        }
        for &(loot, cell) in &self.loot {
            seen.loot(loot, cell);
        }
        let (player, cell, life) = self.player;
        seen.player(player, cell, life);
        seen.finish(&self.dungeon)
    }
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Limit,
        "calls",
        Game::new,
        |game| (0..FRAMES).for_each(|_| game.turn()),
        Game::digest,
    );
    workload.mark_as_plain();
}
