//! Indexes, the spatial grid, and commands of parallel loops.

use ecs_core::index::{Index, Spatial, SpatialGrid};
use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::finds::{self, RADIUS};

#[derive(Component, Clone, PartialEq, Eq, Hash)]
#[component(track)]
struct Team(u32);

/// A world, its entities, the number of the round, and the sum of the found values.
type Found = (World, Vec<Entity>, u32, u64);

#[system]
fn change_teams(changed: &[Entity], mut teams: CompMut<Team>) {
    for &entity in changed {
        if let Some(mut team) = teams.get_mut(entity) {
            team.0 = finds::next_team(team.0);
        }
    }
}

#[system]
fn sum_members(round: u32, teams: Index<Team>) -> u64 {
    let members = finds::looked_up(round).map(|team| teams.get(&Team(team)));
    members.flatten().map(|entity| u64::from(entity.index())).sum()
}

pub(super) fn index(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "Index",
        move || -> Found {
            let mut world = World::new();
            let ids = world.spawn_batch((0..entities).map(|number| Team(finds::team(number)))).to_vec();
            (world, ids, 0, 0)
        },
        move |(world, ids, round, sum)| {
            let changed = finds::changed(entities, *round).map(|number| ids[number as usize]);
            let changed: Vec<Entity> = changed.collect();
            change_teams(&changed, world);
            *sum += sum_members(*round, world);
            *round += 1;
        },
        |found| found.3,
    );
}

#[derive(Component)]
#[component(track)]
struct Point([f32; 2]);

impl Spatial<2> for Point {
    const CELL: f32 = RADIUS;

    fn place(&self) -> [f32; 2] {
        self.0
    }
}

#[system]
fn move_points(mut points: Query<&mut Point>) {
    points.for_each(|mut point| point.0 = finds::moved(point.0));
}

#[system]
fn sum_within(points: SpatialGrid<Point, 2>) -> u64 {
    let found = finds::centres().flat_map(|centre| points.within(centre, RADIUS));
    found.map(|(entity, _)| u64::from(entity.index())).sum()
}

pub(super) fn grid(workload: &mut Workload) {
    let points = workload.elements();
    workload.add(
        Ours,
        "SpatialGrid",
        move || {
            let mut world = World::new();
            world.spawn_batch((0..points).map(|number| Point(finds::place(number))));
            (world, 0_u64)
        },
        |(world, sum)| {
            move_points(world);
            *sum += sum_within(world);
        },
        |(_, sum)| *sum,
    );
}

#[derive(Component)]
struct Value(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Marked;

fn values(entities: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..entities).map(Value));
    world
}

fn digest(world: &mut World) -> u64 {
    let values = world.query::<(&Value, Option<&Marked>)>();
    finds::digest(values.iter().map(|(value, marked)| (value.0, marked.is_some())))
}

#[system]
fn unmark(mut marked: Query<Entity, With<Marked>>, mut commands: Commands) {
    marked.for_each(|entity| commands.remove::<Marked>(entity));
}

#[system]
fn mark(mut values: Query<(Entity, &mut Value)>, mut commands: Commands) {
    values.for_each(|(entity, value)| {
        value.0 += 1;
        if value.0 % 100 == 0 {
            commands.insert(entity, Marked);
        }
    });
}

#[system]
fn mark_in_parallel(mut values: Query<(Entity, &mut Value)>, mut commands: Commands) {
    values.par_for_each_commands(&mut commands, |commands, (entity, value)| {
        value.0 += 1;
        if value.0 % 100 == 0 {
            commands.insert(entity, Marked);
        }
    });
}

pub(super) fn commands_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "par_for_each_commands",
        move || values(entities),
        |world| {
            world.run(unmark);
            world.run(mark_in_parallel);
        },
        digest,
    );
    workload.add(
        Ours,
        "for_each",
        move || values(entities),
        |world| {
            world.run(unmark);
            world.run(mark);
        },
        digest,
    );
}
