//! Changes worlds at random, and compares each index with a search of all values.

use ecs_core::Disabled;
use ecs_core::index::{Index, OrderedIndex, Spatial, SpatialGrid};
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::snapshot::Snapshotter;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[component(track)]
struct Team(u32);

#[derive(Component, Clone, Copy, Debug)]
#[component(track, storage = "sparse")]
struct Place([f32; 2]);

impl Spatial<2> for Place {
    const CELL: f32 = 3.0;
    fn place(&self) -> [f32; 2] {
        self.0
    }
}

/// Disables too.
#[derive(Component, Clone, Copy)]
#[component(disables)]
struct Asleep;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn place(&mut self) -> Place {
        let mut coordinate = || match self.below(40) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => f32::MAX,
            3 => -f32::MAX,
            _ => self.below(4000) as f32 / 100.0 - 20.0,
        };
        Place([coordinate(), coordinate()])
    }
}

fn check(world: &World, random: &mut Random) {
    let teams: Vec<(Team, Entity)> = {
        let view = world.view::<Team>();
        let all = view.and_disabled().with_entity().iter();
        all.map(|(e, t)| (*t, e)).collect()
    };
    let mut sorted = teams.clone();
    sorted.sort_unstable();
    let mut borrowed = world.borrow::<(Index<Team>, OrderedIndex<Team>, SpatialGrid<Place, 2>)>();
    let (index, ordered, grid) = borrowed.get();
    assert_eq!(index.len(), teams.len());
    assert!(
        ordered
            .iter()
            .map(|(t, e)| (*t, e))
            .eq(sorted.iter().copied())
    );
    for n in 0..6 {
        let expected: Vec<_> = sorted
            .iter()
            .filter(|(t, _)| t.0 == n)
            .map(|&(_, e)| e)
            .collect();
        assert_eq!(index.get(&Team(n)), expected);
        assert_eq!(ordered.get(&Team(n)), expected);
        let in_range = sorted.iter().filter(|(t, _)| (n..4).contains(&t.0));
        let found = ordered.range(Team(n)..Team(4)).map(|(t, e)| (*t, e));
        assert!(found.eq(in_range.copied()));
    }
    let places: Vec<(Entity, [f32; 2])> = {
        let view = world.view::<Place>();
        let all = view.and_disabled().with_entity().iter();
        let all = all.map(|(e, p)| (e, p.0));
        all.filter(|(_, p)| p.iter().all(|x| x.is_finite()))
            .collect()
    };
    let centre = random.place().0;
    let distance = |p: [f32; 2]| {
        let d = [0, 1].map(|i| f64::from(p[i]) - f64::from(centre[i]));
        d[0] * d[0] + d[1] * d[1]
    };
    for radius in [0.0, 0.7, 3.0, 12.5, 1e30, f32::INFINITY, -1.0, f32::NAN] {
        let limit = f64::from(radius) * f64::from(radius);
        let is_in =
            |p| radius >= 0.0 && centre.iter().all(|x| x.is_finite()) && distance(p) <= limit;
        let mut expected: Vec<_> = places
            .iter()
            .filter(|(_, p)| is_in(*p))
            .map(|&(e, _)| e)
            .collect();
        let mut found: Vec<_> = grid.within(centre, radius).map(|(e, _)| e).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{centre:?} {radius}");
    }
    if centre.iter().all(|x| x.is_finite()) {
        let mut expected = places.clone();
        expected.sort_by(|a, b| distance(a.1).total_cmp(&distance(b.1)).then(a.0.cmp(&b.0)));
        expected.truncate(3);
        assert_eq!(grid.nearest_n(centre, 3), expected);
    }
}

#[test]
fn indexes_find_what_a_search_of_all_values_finds() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let mut worlds = [World::new(), World::new()];
        let snapshotter = Snapshotter::new()
            .component::<Team>()
            .component::<Place>()
            .component::<Disabled>()
            .component::<Asleep>();
        let mut snapshots = worlds
            .each_mut()
            .map(|world| snapshotter.take(world).unwrap());
        for _ in 0..300 {
            let which = random.below(2) as usize;
            let world = &mut worlds[which];
            let all: Vec<Entity> = world
                .query_filtered::<Entity, AndDisabled>()
                .iter()
                .collect();
            let any = (!all.is_empty()).then(|| all[random.below(all.len() as u32) as usize]);
            match (random.below(17), any) {
                (0..=2, _) => drop(world.spawn((Team(random.below(6)), random.place()))),
                (3, _) => drop(world.spawn(random.place())),
                (4, Some(e)) => drop(world.despawn(e)),
                (5, Some(e)) => drop(world.insert(e, Team(random.below(6)))),
                (6, Some(e)) => drop(world.remove::<Team>(e)),
                (7, Some(e)) => drop(world.remove::<Place>(e)),
                (8, Some(e)) => drop(world.insert(e, random.place())),
                (9, _) => {
                    for place in &mut world.view_mut::<Place>() {
                        let mut place = place;
                        place.0[0] += 0.5;
                    }
                }
                (10, _) if random.below(4) == 0 => {
                    snapshotter.restore(world, &mut snapshots[which]).unwrap();
                }
                (11, _) if random.below(3) == 0 => {
                    snapshots[which] = snapshotter.take(world).unwrap();
                }
                (10, _) => {
                    worlds.swap(0, 1);
                    snapshots.swap(0, 1);
                }
                (12, Some(e)) => drop(world.insert(e, Disabled)),
                (13, Some(e)) => drop(world.remove::<Disabled>(e)),
                (14, Some(e)) if random.below(2) == 0 => drop(world.insert(e, Asleep)),
                (14, Some(e)) => drop(world.remove::<Asleep>(e)),
                (15, _) => drop(world.spawn((Team(random.below(6)), random.place(), Disabled))),
                (16, Some(e)) => drop(world.insert(e, (Team(random.below(6)), Asleep))),
                _ => {}
            }
            if random.below(3) == 0 {
                // Snapshots stay with their worlds.
                check(&worlds[0], &mut random);
                check(&worlds[1], &mut random);
            }
        }
    }
}

/// More than the 1,048,576 removals that a world remembers.
#[test]
fn an_index_forgets_entities_whose_removals_it_missed() {
    let mut world = World::new();
    let kept = world.spawn(Team(1));
    let find = |world: &World| world.borrow::<Index<Team>>().get().get(&Team(1)).to_vec();
    let gone = world
        .spawn_batch((0..(1 << 20) + 5).map(|_| Team(1)))
        .to_vec();
    assert_eq!(find(&world).len(), gone.len() + 1);
    world.despawn_batch(gone);
    assert_eq!(find(&world), [kept]);
}
