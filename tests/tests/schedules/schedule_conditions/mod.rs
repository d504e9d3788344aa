//! Combined conditions, and the conditions of the crate.

mod consumed;
mod order;

use ecs_core::Disabled;
use ecs_core::prelude::*;
use ecs_core::schedule::ScheduleError;
use ecs_core::schedule::conditions::{
    component_changed, component_exists, every, not, on_event, resource_changed, resource_exists,
    run_once,
};
use ecs_core::system::ConditionSource;
use proptest::prelude::*;

#[derive(Resource)]
struct Score(u32);

/// The evaluated conditions and the systems that ran.
#[derive(Resource, Default)]
struct Trace(String);

#[system]
fn ran(mut trace: ResMut<Trace>) {
    trace.0.push('!');
}

#[system]
fn yes(mut trace: ResMut<Trace>) -> bool {
    trace.0.push('y');
    true
}

#[system]
fn no(mut trace: ResMut<Trace>) -> bool {
    trace.0.push('n');
    false
}

const NOTHING: &dyn Fn(&mut World) = &|_| ();

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Trace::default());
    world
}

fn run(schedule: &mut Schedule, world: &mut World) -> String {
    schedule.run(world).unwrap();
    std::mem::take(&mut world.resource_mut::<Trace>().0)
}

/// Evaluates a condition; returns the evaluated parts, and `!` if a system under the condition runs.
fn asked<M>(condition: impl IntoCondition<M, Out = bool>) -> String {
    let mut schedule = Schedule::new();
    schedule.add(ran.run_if(condition));
    run(&mut schedule, &mut traced_world())
}

/// Returns which of the first runs call a system under the condition. Each run is preceded by a function on the world.
fn runs<M>(condition: impl IntoCondition<M, Out = bool>, before: &[&dyn Fn(&mut World)]) -> String {
    let mut schedule = Schedule::new();
    schedule.add(ran.run_if(condition));
    let mut world = traced_world();
    let one = |before: &&dyn Fn(&mut World)| {
        before(&mut world);
        if run(&mut schedule, &mut world).contains('!') {
            '!'
        } else {
            '-'
        }
    };
    before.iter().map(one).collect()
}

#[test]
fn and_asks_both_conditions() {
    assert_eq!(asked(yes.and(yes)), "yy!");
    assert_eq!(asked(yes.and(no)), "yn");
    assert_eq!(asked(no.and(yes)), "ny");
}

#[test]
fn or_asks_both_conditions() {
    assert_eq!(asked(yes.or(no)), "yn!");
    assert_eq!(asked(no.or(yes)), "ny!");
    assert_eq!(asked(no.or(no)), "nn");
}

#[test]
fn not_inverts_the_result() {
    assert_eq!(asked(not(yes)), "y");
    assert_eq!(asked(not(no)), "n!");
    assert_eq!(asked(not(not(no.or(not(no))))), "nn!");
}

#[test]
fn all_conditions_of_a_system_are_asked() {
    let mut schedule = Schedule::new();
    schedule.add(ran.run_if(no).run_if(yes));
    assert_eq!(run(&mut schedule, &mut traced_world()), "ny");
}

#[test]
fn closures_and_conditions_of_several_are_combined_alike() {
    let mut turn = 0;
    let odd = ecs_core::from_fn(move || {
        turn += 1;
        turn % 2 == 1
    });
    assert_eq!(runs(yes.and(odd.or(every(2))), &[NOTHING; 6]), "!!!!!!");
}

#[test]
fn a_combined_condition_is_evaluated_once_for_a_tuple_and_for_a_set() {
    let mut schedule = Schedule::new();
    schedule.configure("set", |set| set.run_if(yes.and(not(no))));
    schedule.add(((ran, ran).run_if(no.or(yes)), (ran, ran).in_set("set")));
    assert_eq!(run(&mut schedule, &mut traced_world()), "ny!!yn!!");
}

#[test]
fn all_parts_of_a_condition_count_in_the_plan_and_are_named() {
    #[system]
    fn rich(score: Res<Score>) -> bool {
        score.0 > 9
    }
    #[system]
    fn earn(mut score: ResMut<Score>) {
        score.0 += 1;
    }
    #[system]
    fn nothing() {}
    let mut schedule = Schedule::new();
    let condition = not(every(2)).or(run_once().and(rich));
    schedule.add((earn, nothing.run_if(condition)));
    let plan = schedule.plan().unwrap();
    let (first, second, conflict) = plan.conflicts().next().expect("`rich` reads the score");
    assert_eq!((first.number(), second.number()), (0, 1));
    assert!(conflict.to_string().contains("Score"), "{conflict}");
    let name = &second.conditions().next().unwrap().name;
    assert!(
        name.starts_with("not every(2) or (run_once and schedules::schedule_conditions::")
            && name.ends_with("rich)"),
        "{name}"
    );
}

#[test]
fn commands_of_all_evaluated_conditions_are_applied_before_the_system() {
    #[system]
    fn spawns(mut commands: Commands) -> bool {
        commands.spawn(());
        false
    }
    #[system]
    fn count(entities: Entities, mut trace: ResMut<Trace>) {
        trace.0 = entities.len().to_string();
    }
    let mut schedule = Schedule::new();
    schedule.add(count.run_if(spawns.or(not(spawns)).and(yes.or(spawns))));
    assert_eq!(run(&mut schedule, &mut traced_world()), "3");
}

#[test]
fn a_missing_resource_names_its_part_of_a_combined_condition() {
    #[system]
    fn rich(score: Res<Score>) -> bool {
        score.0 > 9
    }
    let mut schedule = Schedule::new();
    schedule.add(ran.run_if(yes.and(rich)));
    let mut world = traced_world();
    let error = schedule.run(&mut world).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "a condition of system `schedules::schedule_conditions::ran`: system `schedules::schedule_conditions::rich`, parameter `score: Res<Score>`: no resource"
        ),
        "{error}"
    );
}

#[test]
fn resource_exists_looks_for_the_resource() {
    let insert = |world: &mut World| _ = world.insert_resource(Score(0));
    let remove = |world: &mut World| _ = world.remove_resource::<Score>();
    assert_eq!(
        runs(
            resource_exists::<Score>(),
            &[&|_| (), &insert, &|_| (), &remove]
        ),
        "-!!-"
    );
}

#[test]
fn component_exists_looks_for_an_entity_with_it() {
    #[derive(Component)]
    struct Enemy;
    let spawn = |world: &mut World| _ = world.spawn(Enemy);
    let despawn = |world: &mut World| world.despawn_all::<With<Enemy>>();
    assert_eq!(
        runs(
            component_exists::<Enemy>(),
            &[NOTHING, &spawn, NOTHING, &despawn]
        ),
        "-!!-"
    );
}

#[test]
fn component_exists_only_where_a_query_would_visit_it() {
    #[derive(Component)]
    struct Table;
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Sparse;
    #[derive(Component)]
    #[component(storage = "sparse", immediate)]
    struct Immediate;
    #[derive(Component)]
    #[component(disables)]
    struct Asleep;
    fn check<T: Component>(make: fn() -> T) {
        let spawn = |world: &mut World| _ = world.spawn((make(), Disabled));
        let sleep = |world: &mut World| world.insert_all_with::<With<T>, _>(|_| Asleep);
        let enable = |world: &mut World| world.remove_all::<Disabled, With<Disabled>>();
        let wake = |world: &mut World| world.remove_all::<Asleep, With<Asleep>>();
        let another = |world: &mut World| _ = world.spawn(make());
        assert_eq!(
            runs(
                component_exists::<T>(),
                &[NOTHING, &spawn, &enable, &sleep, &wake, &sleep, &another]
            ),
            "--!-!-!"
        );
    }
    check(|| Table);
    check(|| Sparse);
    check(|| Immediate);
    let spawn = |world: &mut World| _ = world.spawn(Disabled);
    let exists = component_exists::<Disabled>();
    assert_eq!(
        runs(exists, &[NOTHING, &spawn]),
        "-!",
        "a query of it visits it"
    );
}

#[test]
fn resource_changed_is_true_once_for_each_change() {
    let insert = |world: &mut World| _ = world.insert_resource(Score(0));
    let write = |world: &mut World| world.resource_mut::<Score>().0 = 7;
    let look = |world: &mut World| assert_eq!(world.resource_mut::<Score>().0, 7);
    let remove = |world: &mut World| _ = world.remove_resource::<Score>();
    assert_eq!(
        runs(
            resource_changed::<Score>(),
            &[
                &|_| (),
                &insert,
                &|_| (),
                &write,
                &write,
                &look,
                &remove,
                &insert
            ]
        ),
        "-!-!!--!"
    );
}

#[test]
fn component_changed_is_true_once_for_each_addition_or_change() {
    #[derive(Component)]
    #[component(track)]
    struct Table(u8);
    #[derive(Component)]
    #[component(track, storage = "sparse")]
    struct Sparse(u8);

    fn check<T: ecs_core::component::TrackedComponent>(make: fn(u8) -> T, write: fn(&mut World)) {
        let spawn = |world: &mut World| _ = world.spawn(make(0));
        let look = |world: &mut World| {
            world.run(|mut all: Query<&mut T>| assert!(all.iter_mut().count() > 0));
        };
        let remove = |world: &mut World| world.remove_all::<T, With<T>>();
        let disable = |world: &mut World| world.insert_all_with::<With<T>, _>(|_| Disabled);
        let enable = |world: &mut World| world.remove_all::<Disabled, With<Disabled>>();
        assert_eq!(
            runs(
                component_changed::<T>(),
                &[
                    NOTHING, &spawn, NOTHING, &write, &look, &spawn, &disable, &write, &enable,
                    &remove, &spawn,
                ]
            ),
            "-!-!-!--!-!"
        );
    }
    check(Table, |world| {
        for mut table in &mut world.query_filtered::<&mut Table, ecs_core::query::AndDisabled>() {
            table.0 += 1;
        }
    });
    check(Sparse, |world| {
        for mut sparse in &mut world.query_filtered::<&mut Sparse, ecs_core::query::AndDisabled>() {
            sparse.0 += 1;
        }
    });
}

#[test]
fn on_event_is_true_once_for_new_events() {
    struct Hit;
    let add = |world: &mut World| world.add_event::<Hit>();
    let send = |world: &mut World| {
        world.send_event(Hit);
        world.send_event(Hit);
    };
    assert_eq!(
        runs(on_event::<Hit>(), &[&add, &send, &|_| (), &send, &send]),
        "-!-!!"
    );
}

#[test]
fn run_once_is_once_for_each_use() {
    assert_eq!(runs(run_once(), &[NOTHING; 3]), "!--");
    let mut schedule = Schedule::new();
    schedule.add((ran.run_if(run_once()), (ran, ran).run_if(run_once())));
    let mut world = traced_world();
    assert_eq!(run(&mut schedule, &mut world), "!!!");
    assert_eq!(run(&mut schedule, &mut world), "");
}

#[test]
fn every_counts_its_evaluations() {
    assert_eq!(runs(every(1), &[NOTHING; 3]), "!!!");
    assert_eq!(runs(every(3), &[NOTHING; 7]), "--!--!-");
}

#[test]
#[should_panic(expected = "would never be true")]
fn every_zero_is_refused() {
    drop(every(0));
}

/// A condition as an expression tree.
#[derive(Clone, Debug)]
enum Expression {
    Leaf(bool),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

impl Expression {
    fn condition(&self) -> ConditionSource {
        match self {
            Self::Leaf(true) => yes.into_condition(),
            Self::Leaf(false) => no.into_condition(),
            Self::Not(expression) => not(expression.condition()),
            Self::And(a, b) => a.condition().and(b.condition()),
            Self::Or(a, b) => a.condition().or(b.condition()),
        }
    }

    /// Evaluates by the operators of the language that evaluate both sides, and records the leaves.
    fn answer(&self, asked: &mut String) -> bool {
        match self {
            Self::Leaf(answer) => {
                asked.push(if *answer { 'y' } else { 'n' });
                *answer
            }
            Self::Not(expression) => !expression.answer(asked),
            Self::And(a, b) => a.answer(asked) & b.answer(asked),
            Self::Or(a, b) => a.answer(asked) | b.answer(asked),
        }
    }
}

fn expressions() -> impl Strategy<Value = Expression> {
    any::<bool>()
        .prop_map(Expression::Leaf)
        .prop_recursive(4, 16, 2, |expression| {
            let expression = expression.prop_map(Box::new);
            prop_oneof![
                expression.clone().prop_map(Expression::Not),
                (expression.clone(), expression.clone()).prop_map(|(a, b)| Expression::And(a, b)),
                (expression.clone(), expression).prop_map(|(a, b)| Expression::Or(a, b)),
            ]
        })
}

proptest! {
    #[test]
    fn any_combination_evaluates_like_the_operators_of_rust(expression in expressions()) {
        let mut expected = String::new();
        if expression.answer(&mut expected) {
            expected.push('!');
        }
        prop_assert_eq!(asked(expression.condition()), expected);
    }
}

#[test]
fn a_parameter_that_is_missing_is_the_same_error_in_a_condition_as_in_a_system() {
    #[system]
    fn awake(hours: Res<u16>) -> bool {
        *hours > 6
    }
    #[system]
    fn count(mut trace: ResMut<Vec<usize>>) {
        trace.push(1);
    }
    #[system]
    fn needs(hours: Res<u16>) {
        let _ = hours;
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    for threads in [false, true] {
        let mut schedule = Schedule::new();
        schedule.add((count, count, count).run_if(awake));
        schedule.add((count.run_if(not(awake)), needs));
        schedule.add(count.run_if(|hours: Res<u16>| *hours > 6));
        let mut world = World::new();
        world.insert_resource(Vec::<usize>::new());
        let mut run = |world: &mut World| {
            if threads {
                schedule.run_par(world, &pool)
            } else {
                schedule.run_seq(world)
            }
        };
        let error = run(&mut world).unwrap_err();
        let ScheduleError::Systems(errors) = &error else {
            panic!("{error}");
        };
        // Once for the tuple: the first of its systems evaluates the condition.
        let systems = errors
            .iter()
            .map(|error| error.system.rsplit(':').next().unwrap());
        assert_eq!(
            systems.collect::<Vec<_>>(),
            ["count", "count", "needs", "count"]
        );
        for error in errors {
            let text = error.to_string();
            assert!(
                text.contains("no resource `u16`; help: insert it"),
                "{text}"
            );
        }
        assert!(
            errors[0]
                .to_string()
                .contains("::awake`, parameter `hours: Res<u16>`")
        );
        assert_eq!(world.resource::<Vec<usize>>().len(), 0);
        world.insert_resource(7_u16);
        run(&mut world).unwrap();
        assert_eq!(world.resource::<Vec<usize>>().len(), 4);
    }
}

#[test]
fn the_error_of_a_closure_as_a_condition_is_not_that_of_its_system() {
    #[derive(Resource)]
    struct Missing;
    let mut schedule = Schedule::new();
    schedule.add((|| {}).run_if(|_: Res<Missing>| true));
    let error = schedule.run(&mut World::new()).unwrap_err().to_string();
    assert!(error.starts_with("a condition of system `"), "{error}");
    assert!(error.contains("no resource"), "{error}");
}
