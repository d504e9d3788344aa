//! Grids in three dimensions against a search of all values, and indexes on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use ecs_core::index::{Index, Spatial, SpatialGrid};
use ecs_core::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Place([f32; 3]);

impl Spatial<3> for Place {
    const CELL: f32 = 2.0;

    fn place(&self) -> [f32; 3] {
        self.0
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % limit
    }

    /// Halves from -8 to 8, so that many places are equal, or on the borders of cells.
    fn place(&mut self) -> [f32; 3] {
        std::array::from_fn(|_| self.below(33) as f32 / 2.0 - 8.0)
    }
}

fn square([a, b]: [[f32; 3]; 2]) -> f32 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum()
}

fn sorted(found: impl Iterator<Item = (Entity, [f32; 3])>) -> Vec<Entity> {
    let mut found: Vec<Entity> = found.map(|(entity, _)| entity).collect();
    found.sort_unstable();
    found
}

#[test]
fn a_grid_in_space_finds_what_a_search_of_all_values_finds() {
    let mut random = Random(1);
    let mut world = World::new();
    let mut places: Vec<(Entity, [f32; 3])> = Vec::new();
    for _ in 0..300 {
        let place = random.place();
        match random.below(4) {
            0 if !places.is_empty() => {
                let gone = places.swap_remove(random.below(places.len() as u64) as usize);
                world.despawn(gone.0).unwrap();
            }
            1 if !places.is_empty() => {
                let moved = random.below(places.len() as u64) as usize;
                places[moved].1 = place;
                world.get_mut::<Place>(places[moved].0).unwrap().0 = place;
            }
            _ => places.push((world.spawn(Place(place)), place)),
        }
        let mut borrowed = world.borrow::<SpatialGrid<Place, 3>>();
        let grid = borrowed.get();
        assert_eq!(grid.len(), places.len());
        let (centre, radius) = (random.place(), random.below(12) as f32 / 2.0);
        let all = || places.iter().copied();
        let near = all().filter(|&(_, place)| square([place, centre]) <= radius * radius);
        assert_eq!(sorted(grid.within(centre, radius)), sorted(near));
        let high = centre.map(|low| low + radius);
        let inside =
            all().filter(|(_, place)| (0..3).all(|i| centre[i] <= place[i] && place[i] <= high[i]));
        assert_eq!(sorted(grid.in_box(centre, high)), sorted(inside));
        let cell = |place: [f32; 3]| place.map(|x| (x / Place::CELL).floor());
        let same = all().filter(|&(_, place)| cell(place) == cell(centre));
        assert_eq!(sorted(grid.cell(centre)), sorted(same));
        let mut nearest = Vec::from_iter(all());
        nearest.sort_by(|a, b| {
            let squares = [a, b].map(|&(_, place)| square([place, centre]));
            squares[0].total_cmp(&squares[1]).then(a.0.cmp(&b.0))
        });
        assert_eq!(grid.nearest(centre), nearest.first().copied());
        let other = nearest
            .iter()
            .copied()
            .find(|&(entity, _)| entity.index() % 2 == 1);
        assert_eq!(
            grid.nearest_where(centre, |entity| entity.index() % 2 == 1),
            other
        );
        nearest.truncate(5);
        assert_eq!(grid.nearest_n(centre, 5), nearest);
    }
}

#[derive(Component, Clone, Copy, PartialEq, Eq, Hash)]
#[component(track)]
struct Team(u64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Mates(usize);

#[system]
fn read(team: u64, teams: Index<Team>) -> Vec<Entity> {
    teams.get(&Team(team)).to_vec()
}

#[system]
fn shuffle(mut teams: CompMut<Team>) {
    for mut team in &mut teams {
        team.0 = (team.0 * 5 + 1) % 4;
    }
}

#[system]
fn count(teams: Index<Team>, own: Comp<Team>, mut mates: CompMut<Mates>) {
    for (team, mates) in (&own, &mut mates).iter() {
        mates.0 = teams.get(team).len();
    }
}

#[test]
fn readers_share_an_index_on_several_threads() {
    let mut world = World::new();
    world.spawn_batch((0..200).map(|team| (Team(team % 7), Mates(0))));
    for _ in 0..50 {
        shuffle(&world);
        // The first one of them catches up.
        std::thread::scope(|scope| {
            for team in 0..4 {
                let world = &world;
                scope.spawn(move || {
                    let found = read(team, world);
                    let query = world.query::<(Entity, &Team)>();
                    let all = query.iter();
                    let mut own: Vec<Entity> = all
                        .filter(|found| found.1.0 == team)
                        .map(|found| found.0)
                        .collect();
                    own.sort_unstable();
                    assert_eq!(found, own);
                });
            }
        });
        count(&world);
        let query = world.query::<(&Team, &Mates)>();
        let teams: Vec<(u64, usize)> = query
            .iter()
            .map(|(team, mates)| (team.0, mates.0))
            .collect();
        for &(team, mates) in &teams {
            assert_eq!(mates, teams.iter().filter(|other| other.0 == team).count());
        }
    }
}

#[derive(Component, PartialEq, Eq, Hash)]
#[component(track)]
struct Fragile(u32);

static IS_ARMED: AtomicBool = AtomicBool::new(false);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!IS_ARMED.load(Ordering::Relaxed), "a clone panics");
        Self(self.0)
    }
}

#[system]
fn fragile(values: Index<Fragile>) -> usize {
    values.get(&Fragile(1)).len()
}

#[test]
fn after_a_panic_an_index_is_built_anew() {
    let mut world = World::new();
    world.spawn_batch([Fragile(1), Fragile(2)]);
    assert_eq!(fragile(&world), 1);
    let other = world.spawn(Fragile(3));
    IS_ARMED.store(true, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| fragile(&world))).expect_err("a clone panics");
    IS_ARMED.store(false, Ordering::Relaxed);
    world.get_mut::<Fragile>(other).unwrap().0 = 1;
    assert_eq!(fragile(&world), 2);
}
