//! Systems that declare their accesses at run time: the systems that they may run alongside, and their effects.

use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicComponent, DynamicQuery, Term};
use ecs_core::meta::{conflicts, systems_compatible};
use ecs_core::prelude::*;
use ecs_core::system::{DynamicParams, DynamicSystem, SystemValue};

#[derive(Component, Debug, PartialEq)]
#[component(name = "test.position")]
struct Position(u32);

#[derive(Component)]
#[component(name = "test.player")]
struct Player;

#[derive(Component)]
#[component(name = "test.lit", storage = "sparse", immediate)]
struct Lit;

fn ids() -> [ComponentId; 3] {
    [
        ComponentId::of::<Position>(),
        ComponentId::of::<Player>(),
        ComponentId::of::<Lit>(),
    ]
}

fn system(name: &str, queries: &[&[Term]]) -> DynamicSystem {
    queries
        .iter()
        .fold(DynamicSystem::new(name), |system, terms| {
            system.query(DynamicQuery::new(terms.iter().copied()).unwrap())
        })
}

fn idle(name: &str, queries: &[&[Term]]) -> SystemValue<(), ()> {
    system(name, queries).build(|_: DynamicParams<'_>| ())
}

#[system]
fn read(_: Comp<Position>) {}
#[system]
fn write(_: CompMut<Position>) {}
#[system]
fn write_players(_: Query<&mut Position, With<Player>>) {}
#[system]
fn light(_: CompMut<Lit>) {}

#[test]
fn accesses_are_compared_with_those_of_typed_systems() {
    let [position, player, lit] = ids();
    let [reader, writer] = [Term::Read(position), Term::Write(position)]
        .map(|term| idle("dynamic", &[&[term]]).meta());
    assert!(conflicts(&reader, &ecs_core::meta(&read)).is_none());
    assert_eq!(
        conflicts(&reader, &ecs_core::meta(&write))
            .unwrap()
            .to_string(),
        "`query_0: &test.position` reads and `_: CompMut<Position>` writes the component `test.position`"
    );
    assert!(conflicts(&writer, &ecs_core::meta(&read)).is_some());
    assert!(conflicts(&writer, &writer).is_some());
    let others = idle(
        "others",
        &[&[Term::OptionalWrite(position), Term::Without(player)]],
    )
    .meta();
    assert!(conflicts(&others, &ecs_core::meta(&write_players)).is_none());
    assert!(conflicts(&others, &ecs_core::meta(&write)).is_some());
    let lit = idle("lit", &[&[Term::With(lit)]]).meta();
    assert!(
        conflicts(&lit, &ecs_core::meta(&light)).is_some(),
        "testing an immediate component is a read"
    );
    assert!(conflicts(&lit, &lit).is_none());
}

#[test]
fn components_without_a_type_are_told_apart() {
    let [one, two] = ["test.one", "test.two"]
        .map(|name| DynamicComponent::new(name).sparse().register().unwrap());
    let [a, b] = [one, two].map(|id| idle("dynamic", &[&[Term::Write(id)]]).meta());
    assert!(conflicts(&a, &b).is_none());
    assert!(conflicts(&a, &ecs_core::meta(&write)).is_none());
    assert_eq!(
        conflicts(&a, &a).unwrap().to_string(),
        "`query_0: &mut test.one` writes and `query_0: &mut test.one` writes the component `test.one`"
    );
    assert_eq!(
        a.access()
            .map(|access| access.ident.type_name())
            .collect::<Vec<_>>(),
        ["test.one"]
    );
}

#[test]
fn queries_that_filters_keep_apart_run_in_one_system() {
    let [position, player, _] = ids();
    let mut world = World::new();
    let hero = world.spawn((Position(1), Player));
    let rock = world.spawn(Position(5));
    let apart = system(
        "apart",
        &[
            &[Term::Write(position), Term::With(player)],
            &[Term::Write(position), Term::Without(player)],
        ],
    );
    let mut frame = Schedule::new();
    frame.add(apart.build(|mut params| {
        let [players, others] = &mut *params.queries else {
            panic!("two queries")
        };
        // Items of both queries, side by side.
        let others: Vec<_> = others.iter_mut().collect();
        for (mut one, mut other) in players.iter_mut().zip(others) {
            let one = one.write(0).unwrap().downcast::<Position>().unwrap();
            let other = other.write(0).unwrap().downcast::<Position>().unwrap();
            core::mem::swap(one, other);
        }
    }));
    frame.run(&mut world).unwrap();
    assert_eq!(*world.get::<Position>(hero).unwrap(), Position(5));
    assert_eq!(*world.get::<Position>(rock).unwrap(), Position(1));
}

#[test]
fn conflicts_inside_are_refused_when_the_schedule_is_planned() {
    let [position, ..] = ids();
    let both: [&[Term]; 2] = [&[Term::Read(position)], &[Term::OptionalWrite(position)]];
    let mut frame = Schedule::new();
    frame.add(system("both", &both).build(|_| -> () { panic!("it never runs") }));
    let error = frame.run(&mut World::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "conflicting parameters in system `both`: `query_0: &test.position` reads and `query_1: ?&mut test.position` writes the component `test.position`; help: merge them, make them disjoint with `With` and `Without`, or take turns with a `ParamSet`"
    );
    let run = || World::new().run(idle("both", &both));
    let panic = std::panic::catch_unwind(run).unwrap_err();
    assert!(
        panic
            .downcast::<String>()
            .unwrap()
            .starts_with("conflicting parameters in system `both`")
    );
}

#[test]
fn a_schedule_orders_dynamic_systems_by_their_accesses() {
    let [position, ..] = ids();
    let mut frame = Schedule::new();
    let mut world = World::new();
    world.spawn(Position(3));
    frame.add((
        read,
        system("double", &[&[Term::Write(position)]]).build(|mut params| {
            for mut item in params.queries[0].iter_mut() {
                item.write(0).unwrap().downcast::<Position>().unwrap().0 *= 2;
            }
        }),
        system("add", &[&[Term::Write(position)]])
            .commands()
            .build(|mut params| {
                let mut commands = params.commands.take().unwrap();
                for mut item in params.queries[0].iter_mut() {
                    item.write(0).unwrap().downcast::<Position>().unwrap().0 += 1;
                    commands.spawn(Position(0));
                }
            }),
    ));
    for _ in 0..2 {
        frame.run(&mut world).unwrap();
    }
    let positions = world.view::<Position>();
    let mut values: Vec<u32> = positions.iter().map(|position| position.0).collect();
    values.sort_unstable();
    assert_eq!(values, [0, 0, 1, 15]);
    drop(positions);
    let plan = frame.plan().unwrap();
    let steps: Vec<_> = plan.steps().collect();
    let waits = |step: usize| {
        steps[step]
            .waits_for()
            .map(|step| step.name())
            .collect::<Vec<_>>()
    };
    assert_eq!((waits(0).len(), waits(2)), (0, vec!["double"]));
    let conflict = steps[1].conflict(steps[0]).unwrap().to_string();
    assert!(
        conflict.contains("`query_0: &mut test.position` writes"),
        "{conflict}"
    );
}

#[test]
fn descriptions_are_kept_once() {
    let [position, ..] = ids();
    let meta = || idle("kept", &[&[Term::Read(position)]]).meta();
    assert!(core::ptr::eq(meta().params, meta().params));
    let other = idle("kept", &[&[Term::Write(position)]]).meta();
    assert!(!core::ptr::eq(meta().params, other.params));
    let _ = systems_compatible(&meta(), &other);
}

#[test]
fn a_dynamic_system_is_a_value() {
    let [position, ..] = ids();
    let mut world = World::new();
    world.spawn_batch([1, 2, 3].map(Position));
    let sum = || {
        system("sum", &[&[Term::Read(position)]]).build(|params| {
            let found = params.queries[0].iter();
            let values = found.map(|item| item.read(0).unwrap().downcast::<Position>().unwrap().0);
            values.sum::<u32>()
        })
    };
    assert_eq!(world.run(sum()), 6);
    let handle = world.register_system(sum());
    assert_eq!(world.run_system(handle, ()).unwrap(), 6);
    assert!(world.run(sum().map(|sum| sum > 5)));
}
