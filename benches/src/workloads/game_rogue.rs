//! A turn of a roguelike: monsters smell the player, walk, bite and are poisoned; the dead leave loot.

use crate::components::components;
use crate::digest::Digest;
use crate::workloads::game::noise;

/// The number of monsters.
pub(crate) const MONSTERS: u32 = 2_000;

/// The cells of the dungeon in each direction.
const SIDE: u32 = 128;
const CELLS: u32 = SIDE * SIDE;
/// The steps to a neighbour in each direction.
const STEPS: [i32; 4] = [1, -1, SIDE as i32, -(SIDE as i32)];
/// The distances from which monsters smell the player and the player strikes them, and the damage.
const SMELL: u32 = 32;
const ARM: i32 = 2;
pub(crate) const STROKE: i32 = 12;
/// One of so many cells is foul in each turn; the turns that poison lasts, and that loot lies there.
const FOUL: u32 = 32;
pub(crate) const POISON: u32 = 8;
const LOOT: u32 = 20;
/// The claim of a cell that no monster wants to be in.
const UNCLAIMED: u32 = u32::MAX;

components! {
    /// A monster's number.
    pub(crate) struct Monster(u32);
    /// The cell that a monster, the player or loot is in.
    pub(crate) struct Cell(u32);
    /// The cell that a monster wants to be in.
    pub(crate) struct Goal(u32);
    /// The life that is left.
    pub(crate) struct Life(i32);
    /// Turns until loot is gone.
    pub(crate) struct Loot(u32);
    /// The monsters that the player has struck.
    pub(crate) struct Player(u32);
}

/// Returns the components of the player.
pub(crate) fn player() -> (Player, Cell, Life) {
    (Player(0), Cell(START), Life(1_000_000))
}

/// Returns the components of a monster.
#[inline]
pub(crate) fn monster(number: u32, cell: Cell) -> (Monster, Cell, Goal, Life) {
    (
        Monster(number),
        cell,
        Goal(cell.0),
        Life(12 + (number % 16) as i32),
    )
}

/// Returns the components of the loot that a monster leaves.
#[inline]
pub(crate) fn loot(cell: Cell) -> (Loot, Cell) {
    (Loot(LOOT), cell)
}

/// Suffers from poison for a turn; returns whether that was the last one.
#[inline]
pub(crate) fn suffer(turns: &mut u32, life: &mut Life) -> bool {
    life.0 -= 1;
    *turns -= 1;
    *turns == 0
}

impl Loot {
    /// Lies there for a turn; returns whether that was the last one.
    #[inline]
    pub(crate) const fn rots(&mut self) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

impl Monster {
    /// Returns the damage of its bite.
    pub(crate) const fn bite(self) -> i32 {
        1 + (self.0 % 3) as i32
    }
}

/// The cells, and those who are in them.
pub(crate) struct Dungeon<I> {
    walls: Vec<bool>,
    occupants: Vec<Option<I>>,
    /// The least number of the monsters that want to be in a cell.
    claims: Vec<u32>,
    /// The steps to the player from the cells in `smelled`, plus one.
    scent: Vec<u32>,
    smelled: Vec<u32>,
    pub(crate) turn: u32,
    /// The number of the next monster.
    next: u32,
    /// Monsters that died and have no successor.
    pub(crate) missing: u32,
    /// Lines of the log.
    pub(crate) lines: u32,
}

const START: u32 = CELLS / 2 + SIDE / 2;

impl<I: Copy> Dungeon<I> {
    /// Makes an empty dungeon with the player in it.
    pub(crate) fn new(player: I) -> Self {
        let at_edge = |part: u32| part == 0 || part == SIDE - 1;
        let wall =
            |cell| at_edge(cell % SIDE) || at_edge(cell / SIDE) || noise(cell, 7).is_multiple_of(8);
        let mut dungeon = Self {
            walls: (0..CELLS).map(|cell| cell != START && wall(cell)).collect(),
            occupants: vec![None; CELLS as usize],
            claims: vec![UNCLAIMED; CELLS as usize],
            scent: vec![0; CELLS as usize],
            smelled: Vec::new(),
            turn: 0,
            next: 0,
            missing: MONSTERS,
            lines: 0,
        };
        dungeon.occupants[START as usize] = Some(player);
        dungeon
    }

    fn is_free(&self, cell: u32) -> bool {
        !self.walls[cell as usize] && self.occupants[cell as usize].is_none()
    }

    /// Begins a turn: the player takes a step, and monsters smell where it goes.
    pub(crate) fn walk(&mut self, player: &mut Cell) {
        self.turn += 1;
        let first = noise(self.turn, 1);
        let steps = (0..4).map(|step| STEPS[((first + step) % 4) as usize]);
        let mut cells = steps.map(|step| player.0.wrapping_add_signed(step));
        if let Some(cell) = cells.find(|&cell| self.is_free(cell)) {
            let id = self.occupants[player.0 as usize].take();
            self.occupants[cell as usize] = id;
            player.0 = cell;
        }
        self.smell(player.0);
    }

    /// Spreads the scent from a cell.
    fn smell(&mut self, from: u32) {
        for cell in self.smelled.drain(..) {
            self.scent[cell as usize] = 0;
        }
        self.scent[from as usize] = 1;
        self.smelled.push(from);
        let mut done = 0;
        while let Some(&cell) = self.smelled.get(done) {
            done += 1;
            let next = self.scent[cell as usize] + 1;
            if next > SMELL {
                break;
            }
            for step in STEPS {
                let cell = cell.wrapping_add_signed(step);
                let scent = &mut self.scent[cell as usize];
                if *scent == 0 && !self.walls[cell as usize] {
                    *scent = next;
                    self.smelled.push(cell);
                }
            }
        }
    }

    /// Returns the monsters that the player strikes.
    pub(crate) fn struck(&self, player: Cell) -> impl Iterator<Item = I> {
        let reach = move |middle: u32, by: i32| middle.wrapping_add_signed(by);
        let rows = (-ARM..=ARM).map(move |row| reach(player.0, row * SIDE as i32));
        let cells = rows.flat_map(move |row| (-ARM..=ARM).map(move |column| reach(row, column)));
        let others = cells.filter(move |&cell| cell != player.0 && cell < CELLS);
        others.filter_map(|cell| self.occupants[cell as usize])
    }

    /// Sets the goal of a monster, and claims it; returns whether the monster bites the player instead.
    #[inline]
    pub(crate) fn decide(&mut self, monster: Monster, cell: Cell, goal: &mut Goal) -> bool {
        goal.0 = cell.0;
        let scent = self.scent[cell.0 as usize];
        if scent == 2 {
            return true;
        }
        let cells = STEPS.map(|step| cell.0.wrapping_add_signed(step));
        let chosen = if scent == 0 {
            let cell = cells.get(noise(monster.0, self.turn) as usize % 8).copied();
            cell.filter(|&cell| self.is_free(cell))
        } else {
            let is_nearer = |cell| (1..scent).contains(&self.scent[cell as usize]);
            cells
                .into_iter()
                .find(|&cell| is_nearer(cell) && self.is_free(cell))
        };
        if let Some(chosen) = chosen {
            goal.0 = chosen;
            let claim = &mut self.claims[chosen as usize];
            *claim = monster.0.min(*claim);
        }
        false
    }

    /// Moves a monster to its goal if no other one moves there.
    #[inline]
    pub(crate) fn step(&mut self, id: I, monster: Monster, cell: &mut Cell, goal: Goal) {
        let claim = &mut self.claims[goal.0 as usize];
        if *claim == monster.0 {
            *claim = UNCLAIMED;
            self.occupants[cell.0 as usize] = None;
            self.occupants[goal.0 as usize] = Some(id);
            cell.0 = goal.0;
        }
    }

    /// Returns whether the air in a cell is poisonous in this turn.
    #[inline]
    pub(crate) const fn is_foul(&self, cell: Cell) -> bool {
        noise(cell.0, self.turn).is_multiple_of(FOUL)
    }

    /// Notes a death.
    pub(crate) fn bury(&mut self, cell: Cell) {
        self.occupants[cell.0 as usize] = None;
        self.missing += 1;
    }

    /// Notes another id of the one in a cell.
    pub(crate) fn occupy(&mut self, cell: Cell, id: I) {
        self.occupants[cell.0 as usize] = Some(id);
    }

    /// Spawns as many monsters as are missing, by a function that returns the id of each.
    pub(crate) fn repopulate(&mut self, mut spawn: impl FnMut((Monster, Cell, Goal, Life)) -> I) {
        for _ in 0..std::mem::take(&mut self.missing) {
            let tries = (0..).map(|time| noise(self.next, time) % CELLS);
            let mut free = tries.filter(|&cell| self.is_free(cell));
            let cell = free.next().expect("some cells are free");
            let id = spawn(monster(self.next, Cell(cell)));
            self.occupants[cell as usize] = Some(id);
            self.next += 1;
        }
    }
}

/// The digest of a world.
#[derive(Default)]
pub(crate) struct Seen(Digest);

impl Seen {
    pub(crate) fn monster(
        &mut self,
        monster: Monster,
        cell: Cell,
        life: Life,
        poison: Option<u32>,
    ) {
        let poison = poison.unwrap_or(0) as f32;
        self.0
            .row([1.0, monster.0 as f32, cell.0 as f32, life.0 as f32, poison]);
    }

    pub(crate) fn loot(&mut self, loot: Loot, cell: Cell) {
        self.0.row([2.0, loot.0 as f32, cell.0 as f32]);
    }

    pub(crate) fn player(&mut self, player: Player, cell: Cell, life: Life) {
        self.0
            .row([3.0, player.0 as f32, cell.0 as f32, life.0 as f32]);
    }

    pub(crate) fn finish<I>(mut self, dungeon: &Dungeon<I>) -> u64 {
        self.0.row([4.0, dungeon.turn as f32, dungeon.lines as f32]);
        self.0.finish()
    }
}
