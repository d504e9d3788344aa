//! Indexes as parameters of systems: in sets of parameters, in schedules, on several threads.

use ecs_core::index::Index;
use ecs_core::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[component(track)]
struct Team(u32);

#[derive(Resource, Default)]
struct Counts(Vec<usize>);

#[system]
fn count(teams: Index<Team>, mut counts: ResMut<Counts>) {
    counts.0.push(teams.get(&Team(1)).len());
}

#[system]
fn join(mut teams: CompMut<Team>) {
    for mut team in &mut teams {
        team.0 = 1;
    }
}

#[system]
fn turns(mut set: ParamSet<(Index<Team>, CompMut<Team>)>) -> (usize, usize) {
    let before = set.p0().get(&Team(7)).len();
    for mut team in &mut set.p1() {
        team.0 = 7;
    }
    (before, set.p0().get(&Team(7)).len())
}

#[test]
fn each_system_sees_what_earlier_ones_wrote() {
    let mut world = World::new();
    world.spawn_batch([Team(1), Team(2)]);
    world.insert_resource(Counts::default());
    let mut frame = Schedule::new();
    frame.add((count, join, count));
    frame.run(&mut world).unwrap();
    world.spawn(Team(1));
    frame.run(&mut world).unwrap();
    assert_eq!(world.resource::<Counts>().0, [1, 2, 3, 3]);
}

#[test]
fn an_index_in_a_set_of_parameters_catches_up_at_each_turn() {
    let mut world = World::new();
    world.spawn_batch([Team(1), Team(2)]);
    assert_eq!(turns(&world), (0, 2));
    Index::<Team>::forget(&mut world);
    assert_eq!(turns(&world), (2, 2));
}
