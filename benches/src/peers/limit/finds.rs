//! Values that are found by a map and by a grid, both kept by hand.

use std::collections::HashMap;

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::finds::{self, RADIUS, SIDE, TEAMS};

/// The team of each entity, and the entities of each team.
struct Teams {
    of: Vec<u32>,
    members: HashMap<u32, Vec<u32>>,
    round: u32,
    sum: u64,
}

pub(super) fn index(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "HashMap, by hand",
        move || {
            let of: Vec<u32> = (0..entities).map(finds::team).collect();
            let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
            for (number, &team) in (0..).zip(&of) {
                members.entry(team).or_default().push(number);
            }
            Teams { of, members, round: 0, sum: 0 }
        },
        move |teams| {
            for number in finds::changed(entities, teams.round) {
                let team = &mut teams.of[number as usize];
                let old = teams.members.get_mut(team).expect("the team has a member");
                let position = old.iter().position(|&other| other == number);
                old.swap_remove(position.expect("it is a member"));
                *team = finds::next_team(*team);
                teams.members.entry(*team).or_default().push(number);
            }
            for team in finds::looked_up(teams.round) {
                let members = teams.members.get(&team).into_iter().flatten();
                teams.sum += members.map(|&number| u64::from(number)).sum::<u64>();
            }
            teams.round += 1;
        },
        |teams| teams.sum,
    );
    workload.add(
        Limit,
        "all values",
        move || {
            let of = (0..entities).map(finds::team).collect();
            Teams { of, members: HashMap::new(), round: 0, sum: 0 }
        },
        move |teams| {
            for number in finds::changed(entities, teams.round) {
                let team = &mut teams.of[number as usize];
                *team = finds::next_team(*team);
            }
            let mut wanted = vec![0_u64; TEAMS as usize];
            finds::looked_up(teams.round).for_each(|team| wanted[team as usize] += 1);
            for (number, &team) in (0_u64..).zip(&teams.of) {
                teams.sum += number * wanted[team as usize];
            }
            teams.round += 1;
        },
        |teams| teams.sum,
    );
    workload.mark_as_plain();
}

/// Points, and a grid of cells as long as the radius: the numbers of the points of each cell, side by side.
struct Points {
    places: Vec<[f32; 2]>,
    starts: Vec<u32>,
    numbers: Vec<u32>,
    sum: u64,
}

const CELLS: usize = (SIDE / RADIUS) as usize;

fn cell([x, y]: [f32; 2]) -> (usize, usize) {
    ((x / RADIUS) as usize, (y / RADIUS) as usize)
}

impl Points {
    /// Sorts the points by their cells, by counting.
    fn build(&mut self) {
        self.starts.clear();
        self.starts.resize(CELLS * CELLS + 1, 0);
        let cell_of = |place| {
            let (x, y) = cell(place);
            x * CELLS + y
        };
        for &place in &self.places {
            self.starts[cell_of(place) + 1] += 1;
        }
        for cell in 1..self.starts.len() {
            self.starts[cell] += self.starts[cell - 1];
        }
        let mut next = self.starts.clone();
        self.numbers.resize(self.places.len(), 0);
        for (number, &place) in (0..).zip(&self.places) {
            let at = &mut next[cell_of(place)];
            self.numbers[*at as usize] = number;
            *at += 1;
        }
    }

    fn sum_within(&self, centre: [f32; 2]) -> u64 {
        let (x, y) = cell(centre);
        let around = |at: usize| at.saturating_sub(1)..=(at + 1).min(CELLS - 1);
        let mut sum = 0;
        for x in around(x) {
            let (first, last) = (x * CELLS + around(y).start(), x * CELLS + around(y).end());
            let rows = self.starts[first] as usize..self.starts[last + 1] as usize;
            for &number in &self.numbers[rows] {
                let place = self.places[number as usize];
                let (dx, dy) = (place[0] - centre[0], place[1] - centre[1]);
                if dx * dx + dy * dy <= RADIUS * RADIUS {
                    sum += u64::from(number);
                }
            }
        }
        sum
    }
}

pub(super) fn grid(workload: &mut Workload) {
    let points = workload.elements();
    workload.add(
        Limit,
        "a sorted grid, made anew",
        move || Points {
            places: (0..points).map(finds::place).collect(),
            starts: Vec::new(),
            numbers: Vec::new(),
            sum: 0,
        },
        |points| {
            points.places.iter_mut().for_each(|place| *place = finds::moved(*place));
            points.build();
            let sums = finds::centres().map(|centre| points.sum_within(centre));
            points.sum += sums.sum::<u64>();
        },
        |points| points.sum,
    );
    workload.mark_as_plain();
    #[cfg(feature = "rstar")]
    tree(workload);
}

/// Points in a tree, which is made anew each time.
#[cfg(feature = "rstar")]
fn tree(workload: &mut Workload) {
    use rstar::RTree;
    use rstar::primitives::GeomWithData;

    let points = workload.elements();
    workload.add(
        Limit,
        "rstar, made anew",
        move || (Vec::from_iter((0..points).map(finds::place)), 0_u64),
        |(places, sum)| {
            places.iter_mut().for_each(|place| *place = finds::moved(*place));
            let points = places.iter().zip(0_u32..);
            let points = points.map(|(&place, number)| GeomWithData::new(place, number));
            let tree = RTree::bulk_load(points.collect());
            let found = finds::centres()
                .flat_map(|centre| tree.locate_within_distance(centre, RADIUS * RADIUS));
            *sum += found.map(|point| u64::from(point.data)).sum::<u64>();
        },
        |(_, sum)| *sum,
    );
}

/// The values, and true for those that are marked.
type Marked = (Vec<u32>, Vec<bool>);

pub(super) fn commands_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "for",
        move || -> Marked { ((0..entities).collect(), vec![false; entities as usize]) },
        |(values, marked)| {
            for (value, marked) in values.iter_mut().zip(marked) {
                *value += 1;
                *marked = *value % 100 == 0;
            }
        },
        |(values, marked)| finds::digest(values.iter().zip(marked).map(|(&v, &mut m)| (v, m))),
    );
    workload.mark_as_plain();
}
