//! Contracts about who may change some data are kept or name the systems that break them, and how.

use std::time::Duration;

use ecs_core::event::Events;
use ecs_core::meta::WriteEffect;
use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::schedule::{ContractError, SchedulePlan, Transitions, fixed};
use ecs_core::tree::Name;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Poison;
#[derive(Component)]
struct Ghost;
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Resource)]
struct Score(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Slots<T: Send + Sync + 'static, const N: usize>([T; N]);
#[derive(Component)]
#[component(toggle)]
struct Switch<T: Send + Sync + 'static>(T);

type Bytes = Tag<u8>;

struct Hit;
struct Heal;

#[derive(SystemParam)]
struct Spells<'w> {
    commands: Commands<'w, (Poison, Name)>,
    ids: Entities<'w>,
}

#[derive(SystemParam)]
struct Loot<'w> {
    commands: Commands<'w, (Slots<u8, 1>, (Tag<u32>,))>,
}

#[system]
fn by_alias(_: Commands<(Ghost, Bytes)>) {}
#[system]
fn by_path(_: Commands<(self::Tag<u32>, Switch<u32>)>) {}
#[system]
fn of_numbers(_: Commands<Slots<u8, 2>>) {}
#[system]
fn in_a_parameter(loot: Loot<'_>) {
    _ = &loot.commands;
}
#[system]
fn instance<T: Send + Sync + 'static>(_: Commands<(Ghost, Tag<T>)>) {}

#[derive(Component, Default)]
struct Armour;
#[derive(Component, Default)]
#[component(require(Armour))]
struct Body;
#[derive(Component)]
#[component(require(Body))]
struct Knight;
#[system]
fn knighting(_: Commands<(Ghost, Knight)>) {}

#[system(for_each)]
fn hurt(health: &mut Health) {
    health.0 -= 1;
}
#[system]
fn look(healths: Comp<Health>, _: Query<(&Health, Option<&Poison>), With<Ghost>>) {
    assert!(healths.len() < 9);
}
#[system(for_each, without(Ghost))]
fn hurt_living(health: &mut Health) {
    health.0 -= 1;
}
#[system]
fn by_view(_: CompMut<Health>) {}
#[system]
fn inserting(_: Commands<(Ghost, Health)>) {}
#[system]
fn spelling(spells: Spells<'_>) {
    _ = (&spells.commands, &spells.ids);
}
#[system]
fn undeclared(_: Commands) {}
#[system]
fn reserving(_: Entities) {}
#[system]
fn with_world(_: &mut World) {}
#[system]
fn with_world_ref(_: &World) {}
#[system]
fn with_resources(_: &ResourceMap) {}
#[system]
fn scoring(mut score: ResMut<Score>, _: Res<u32>) {
    score.0 += 1;
}
#[system]
fn tagging<T: Send + Sync + 'static>(_: CompMut<Tag<T>>) {}
#[system]
fn sending(_: EventWriter<Hit>, _: EventReader<Heal>) {}

/// Returns the systems in a result of a contract, each with the first letter of its effect.
fn others(result: Result<(), ContractError>) -> Vec<String> {
    let Err(error) = result else {
        return Vec::new();
    };
    assert!(error.unknown.is_empty(), "{error}");
    let text = |other: &ecs_core::schedule::EffectOf| {
        let letter = match other.effect {
            WriteEffect::Parameter(_) => 'p',
            WriteEffect::Commands(_) => 'c',
            WriteEffect::UndeclaredCommands(_) => 'u',
            WriteEffect::World(_) => 'w',
            _ => '?',
        };
        let name = other.system.rsplit("contracts::").next().unwrap();
        format!("{letter} {name}")
    };
    error.others.iter().map(text).collect()
}

fn with_plan<M>(systems: impl IntoConfigs<M>, check: impl FnOnce(&SchedulePlan)) {
    let mut schedule = Schedule::new();
    schedule.add(systems);
    check(schedule.plan().unwrap());
}

#[test]
fn a_contract_about_a_component_names_each_other_system_that_can_change_it() {
    let harmless = (look, spelling, reserving, with_resources, scoring, sending);
    with_plan((hurt, harmless), |plan| {
        plan.only_written_by::<Comp<Health>>(&["hurt"]).unwrap();
        plan.only_written_by::<Query<&Health, Without<Ghost>>>(&["contracts::hurt", "look"])
            .unwrap();
    });
    let all = (
        hurt,
        by_view,
        inserting,
        undeclared,
        with_world,
        with_world_ref,
        hurt_living,
        harmless,
    );
    with_plan(all, |plan| {
        let found = others(plan.only_written_by::<Comp<Health>>(&["hurt"]));
        let expected = [
            "p by_view",
            "c inserting",
            "u undeclared",
            "w with_world",
            "w with_world_ref",
            "p hurt_living",
        ];
        assert_eq!(found, expected);
        let writers = plan.writers_of::<Comp<Health>>();
        assert_eq!(writers.len(), 1 + expected.len());
        assert_eq!(writers[1].effect.param().ty, "CompMut<Health>");
    });
}

#[test]
fn the_filter_of_a_query_keeps_its_writes_from_the_data_of_a_contract_and_a_view_has_none() {
    with_plan((hurt_living, look), |plan| {
        let of_ghosts = plan.only_written_by::<Query<&Health, With<Ghost>>>(&[]);
        assert!(of_ghosts.is_ok());
        assert_eq!(
            others(plan.only_written_by::<Query<&Health>>(&[])),
            ["p hurt_living"]
        );
    });
    with_plan((hurt, by_view), |plan| {
        let of_ghosts = plan.only_written_by::<Query<&Health, With<Ghost>>>(&[]);
        assert_eq!(others(of_ghosts), ["p hurt", "p by_view"]);
    });
}

#[test]
fn the_help_for_a_view_is_the_query_that_keeps_to_the_contract() {
    with_plan(by_view, |plan| {
        let help = |checked: Result<(), ContractError>| {
            let error = checked.unwrap_err().to_string();
            let (_, help) = error
                .split_once("`, which has all entities; help: take a `")
                .unwrap();
            help.split_once('`').unwrap().0.to_owned()
        };
        assert_eq!(
            help(plan.only_written_by::<Query<&Health, With<Ghost>>>(&[])),
            "Query<&mut Health, Without<Ghost>>"
        );
        assert_eq!(
            help(plan.only_written_by::<Query<&Health, (Without<Ghost>, With<Poison>)>>(&[])),
            "Query<&mut Health, With<Ghost>>"
        );
        let error = plan.only_written_by::<Comp<Health>>(&[]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("Health>`; help: name the system"),
            "{error}"
        );
    });
}

#[test]
fn declared_commands_change_only_what_they_declare_also_in_a_derived_parameter() {
    with_plan((spelling, inserting, reserving), |plan| {
        assert_eq!(
            others(plan.only_written_by::<Comp<Poison>>(&[])),
            ["c spelling"]
        );
        assert_eq!(
            others(plan.only_written_by::<Query<&Name>>(&[])),
            ["c spelling"]
        );
        assert_eq!(
            others(plan.only_written_by::<Comp<Health>>(&[])),
            ["c inserting"]
        );
        // A marker that a filter only tests is not data of the contract.
        let of_ghosts = plan.only_written_by::<Query<&Poison, With<Ghost>>>(&["spelling"]);
        assert!(of_ghosts.is_ok());
        plan.only_written_by::<Res<Score>>(&[]).unwrap();
        plan.only_sent_by::<Hit>(&[]).unwrap();
    });
    assert!(ecs_core::meta(&undeclared).undeclared_commands().is_some());
    for declared in [
        ecs_core::meta(&spelling),
        ecs_core::meta(&reserving),
        ecs_core::meta(&look),
    ] {
        assert!(
            declared.undeclared_commands().is_none(),
            "{}",
            declared.name
        );
    }
}

#[test]
fn declared_commands_change_what_the_declared_components_require() {
    with_plan((knighting, inserting), |plan| {
        assert_eq!(
            others(plan.only_written_by::<Comp<Body>>(&[])),
            ["c knighting"]
        );
        assert_eq!(
            others(plan.only_written_by::<Query<&Armour>>(&[])),
            ["c knighting"]
        );
        plan.only_written_by::<Comp<Poison>>(&[]).unwrap();
    });
}

/// All of these instances have one layout, or none that differs from another's.
#[test]
fn declared_instances_of_a_generic_component_are_told_apart_by_all_of_their_arguments() {
    fn writers<T: Component>(plan: &SchedulePlan) -> String {
        others(plan.only_written_by::<Comp<T>>(&[])).join(", ")
    }
    let closure = |_: Commands<Tag<i8>>| {};
    let all = (
        by_alias,
        by_path,
        of_numbers,
        in_a_parameter,
        instance::<i32>,
        instance::<f32>,
        closure,
    );
    with_plan(all, |plan| {
        assert_eq!(writers::<Tag<u8>>(plan), "c by_alias");
        assert_eq!(writers::<Tag<u32>>(plan), "c by_path, c in_a_parameter");
        assert_eq!(writers::<Tag<i32>>(plan), "c instance<i32>");
        assert_eq!(writers::<Tag<f32>>(plan), "c instance<f32>");
        assert_eq!(writers::<Tag<u16>>(plan), "");
        assert!(writers::<Tag<i8>>(plan).contains("closure"));
        assert_eq!(writers::<Slots<u8, 1>>(plan), "c in_a_parameter");
        assert_eq!(writers::<Slots<u8, 2>>(plan), "c of_numbers");
        assert_eq!(writers::<Slots<i8, 2>>(plan), "");
        assert_eq!(writers::<Switch<u32>>(plan), "c by_path");
        assert_eq!(writers::<Switch<i32>>(plan), "");
    });
}

#[test]
fn a_contract_about_a_resource_counts_maps_of_resources_and_undeclared_commands() {
    let systems = (
        scoring,
        hurt,
        with_resources,
        undeclared,
        inserting,
        with_world_ref,
    );
    with_plan(systems, |plan| {
        let found = others(plan.only_written_by::<Res<Score>>(&["scoring"]));
        assert_eq!(
            found,
            ["w with_resources", "u undeclared", "w with_world_ref"]
        );
    });
}

#[test]
fn a_contract_about_events_counts_writers_and_the_resource_itself() {
    #[system]
    fn draining(mut hits: ResMut<Events<Hit>>) {
        hits.clear();
    }
    #[system]
    fn healing(_: EventWriter<Heal>) {}
    with_plan((sending, draining, healing, hurt, inserting), |plan| {
        let found = others(plan.only_sent_by::<Hit>(&["sending"]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("draining"), "{found:?}");
        assert_eq!(plan.senders_of::<Heal>().len(), 1);
    });
    with_plan((with_resources, undeclared, with_world, look), |plan| {
        let found = others(plan.only_sent_by::<Hit>(&[]));
        assert_eq!(found, ["w with_resources", "u undeclared", "w with_world"]);
    });
}

#[test]
fn conditions_and_systems_in_schedules_of_any_depth_count() {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    enum Mode {
        Play,
    }
    #[system]
    fn is_alive(mut healths: CompMut<Health>) -> bool {
        healths.iter_mut().count() > 0
    }
    let nested = |systems: fn(&mut Schedule)| {
        let mut inner = Schedule::named("inner");
        systems(&mut inner);
        inner
    };
    let steps = fixed(
        Duration::from_millis(10),
        nested(|inner| _ = inner.add(hurt)),
    );
    let mut transitions = Transitions::new();
    transitions.add_state(Mode::Play);
    transitions.on_enter(Mode::Play, by_view);
    let schedules = (nested(|inner| _ = inner.add(look)), steps, transitions);
    with_plan((schedules, scoring.run_if(is_alive)), |plan| {
        plan.only_written_by::<Comp<Health>>(&["hurt", "by_view", "is_alive"])
            .unwrap();
        let found = others(plan.only_written_by::<Comp<Health>>(&["scoring"]));
        assert_eq!(found[..2], ["p hurt", "p by_view"]);
        assert!(found[2].ends_with("is_alive"), "{found:?}");
        plan.only_written_by::<Comp<Poison>>(&[]).unwrap();
    });
}

#[test]
fn a_generic_system_is_named_with_or_without_its_arguments() {
    with_plan((tagging::<u8>, tagging::<u16>), |plan| {
        let of_bytes = |names: &[&str]| plan.only_written_by::<Comp<Tag<u8>>>(names);
        of_bytes(&["tagging"]).unwrap();
        of_bytes(&["tagging<u8>"]).unwrap();
        assert_eq!(others(of_bytes(&["tagging<u16>"])), ["p tagging<u8>"]);
    });
}

#[test]
fn the_error_says_how_and_what_to_write() {
    with_plan((hurt, undeclared, with_world, inserting), |plan| {
        let error = plan.only_written_by::<Comp<Health>>(&["hrut"]).unwrap_err();
        assert_eq!(error.unknown.len(), 1);
        let text = error.to_string().replace(concat!(module_path!(), "::"), "");
        assert_eq!(
            text,
            "the contract about `Health` does not hold:
`hurt` writes it by `health: Query<&mut Health>`; help: name the system in the contract, or let another one do it
`undeclared` may change it by `_: Commands`; help: declare the components that the commands insert and remove, `Commands<(A, B)>`, or name the system in the contract
`with_world` may write it by `_: &mut World`; help: take the data as parameters, or name the system in the contract
`inserting` inserts or removes it by `_: Commands<(Ghost, Health)>`; help: name the system in the contract, or let another one do it
`hrut` is not a system of the plan; help: write `hurt`, or remove it"
        );
    });
}

#[test]
#[should_panic(expected = "writes data, but a contract is about data that is read; help: write")]
fn a_contract_is_about_data_that_is_read() {
    with_plan(hurt, |plan| _ = plan.writers_of::<CompMut<Health>>());
}
