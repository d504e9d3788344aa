//! `#[system]`: a function stays a function, and can be scheduled.

use std::ptr::NonNull;

use ecs_core::meta::{Domain, Kind, SystemMeta};
use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::system::{BoxCondition, BoxError, IntoSystem, SystemInfo, SystemOutput};

#[derive(Resource, Debug, Default, PartialEq)]
struct Score(i32);

#[derive(Resource, Debug, Default, PartialEq)]
struct Step(i32);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.insert_resource(Step(2));
    world.insert_resource(3_usize);
    world.insert_resource(-4_isize);
    world
}

/// Adds the step to the score.
#[system]
fn advance(mut score: ResMut<'_, Score>, step: Res<'_, Step>) {
    score.0 += step.0;
}

#[system]
fn sum(a0: usize, a1: usize, r0: Res<usize>, r1: Res<isize>) -> isize {
    (a0 + a1 + *r0) as isize + *r1
}

#[system]
fn setup(world: &mut World) {
    world.insert_resource(Score(100));
}

fn score(world: &World) -> i32 {
    *read_score(world)
}

#[system]
fn read_score(score: Res<Score>) -> Box<i32> {
    Box::new(score.0)
}

/// Builds and runs a system like a schedule.
fn run<M>(
    world: &mut World,
    system: impl IntoSystem<M, Out: SystemOutput> + Send + 'static,
) -> Result<(), BoxError> {
    let mut system = system.into_source().build(world).system;
    // SAFETY: `world` is borrowed mutably, so no other code accesses it.
    unsafe { system.run(NonNull::from(world), ()) }
}

#[test]
#[allow(clippy::unnecessary_mut_passed, reason = "it is a handle that works")]
fn a_system_is_called_with_any_handle_to_a_world() {
    let mut w = world();
    advance(&w);
    advance(&mut w);
    let boxed = Box::new(w);
    advance(&boxed);
    let shared = std::sync::Arc::new(*boxed);
    advance(&shared);
    let function: fn(&World) = advance;
    function(&shared);
    assert_eq!(score(&shared), 11);
}

#[test]
fn a_system_is_scheduled_by_name() {
    let mut world = world();
    run(&mut world, advance).unwrap();
    assert_eq!(score(&world), 3);
}

#[test]
fn ordinary_arguments_come_first_and_the_value_is_returned() {
    assert_eq!(sum(10, 20, &world()), 29);
}

#[test]
fn the_function_as_written_runs_without_a_world() {
    assert_eq!(
        ecs_core::inner(&sum)(1, 2, Res::from(&3), Res::from(&4)),
        10
    );
    let mut score = Score(5);
    ecs_core::inner(&advance)(ResMut::from(&mut score), Res::from(&Step(6)));
    assert_eq!(score, Score(11));
}

#[test]
fn an_exclusive_system_is_called_and_scheduled() {
    let mut world = World::new();
    setup(&mut world);
    assert_eq!(score(&world), 100);
    let mut boxed = Box::new(World::new());
    setup(&mut boxed);
    assert_eq!(score(&boxed), 100);
    let mut world = World::new();
    run(&mut world, setup).unwrap();
    assert_eq!(score(&world), 100);
    assert_eq!(ecs_core::meta(&setup).world(), Some(Kind::Write));
}

#[system]
fn fill(score: i32, world: &mut World) -> bool {
    world.insert_resource(Score(score)).is_some()
}

#[test]
fn an_exclusive_system_takes_arguments_and_returns() {
    let mut world = World::new();
    assert!(!fill(1, &mut world));
    assert!(fill(2, &mut world));
    assert_eq!(score(&world), 2);
    ecs_core::inner(&fill)(3, &mut world);
    assert_eq!(score(&world), 3);
}

#[test]
fn metadata_is_a_constant_of_the_function() {
    const META: SystemMeta = ecs_core::meta(&advance);
    const SUM: SystemMeta = ecs_core::meta(&sum);
    assert_eq!(META.name, "systems::system_macro::advance");
    let params: Vec<_> = META.params.iter().map(|p| (p.name, p.ty)).collect();
    assert_eq!(
        params,
        [("score", "ResMut<'_, Score>"), ("step", "Res<'_, Step>")]
    );
    let access: Vec<_> = advance.access().collect();
    assert_eq!(access.len(), 2);
    assert_eq!(access[0].domain, Domain::Resource);
    assert_eq!(access[0].kind, Kind::Write);
    assert_eq!(access[0].ident.name(), "systems::system_macro::Score");
    assert_eq!(access[1].kind, Kind::Read);
    assert_eq!(SUM.params.len(), 2, "ordinary arguments are not listed");
}

#[system]
fn fails(step: Res<Step>) -> Result<(), std::num::ParseIntError> {
    if step.0 == 2 {
        "two".parse::<u8>().map(drop)
    } else {
        Ok(())
    }
}

#[test]
fn the_error_of_a_scheduled_system_is_returned() {
    let error = run(&mut world(), fails).unwrap_err();
    assert!(error.is::<std::num::ParseIntError>());
}

#[test]
fn a_missing_resource_is_an_error_that_names_system_and_parameter() {
    let error = run(&mut World::new(), advance).unwrap_err();
    assert_eq!(
        error.to_string(),
        "system `systems::system_macro::advance`, parameter `score: ResMut<'_, Score>`: \
         no resource `systems::system_macro::Score`; help: insert it with `insert_resource`"
    );
}

#[test]
fn the_error_names_the_parameter_that_is_missing_and_not_the_first_one() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let error = run(&mut world, advance).unwrap_err().to_string();
    assert!(
        error.contains("parameter `step: Res<'_, Step>`: no resource"),
        "{error}"
    );
    let closure = |_: Res<Score>, _: Res<Step>| {};
    let error = run(&mut world, closure).unwrap_err().to_string();
    assert!(
        error.contains("Step>`: no resource `systems::system_macro::Step`"),
        "{error}"
    );
}

#[test]
fn a_direct_call_that_cannot_borrow_panics_at_the_caller() {
    let caught = std::panic::catch_unwind(|| sum(1, 2, &World::new())).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with(
            "system `systems::system_macro::sum`, parameter `r0: Res<usize>`: no resource"
        ),
        "{message}"
    );
}

#[system]
fn is_high(score: Res<Score>) -> bool {
    score.0 > 1
}

#[test]
fn a_system_that_returns_bool_is_a_condition() {
    fn build<M>(world: &World, condition: impl IntoCondition<M, Out = bool>) -> BoxCondition {
        condition.into_condition().build(world)
    }
    let world = world();
    let mut condition = build(&world, is_high);
    // SAFETY: `world` is local, and no guard of it exists.
    assert!(!unsafe { condition.run(NonNull::from(&world), ()) }.unwrap());
    advance(&world);
    // SAFETY: `world` is local, and the call above has returned its guards.
    assert!(unsafe { condition.run(NonNull::from(&world), ()) }.unwrap());
}

#[system]
fn generic<T, const N: usize>(value: Res<T>) -> [T; N]
where
    T: Resource + Clone,
{
    std::array::from_fn(|_| T::clone(&value))
}

#[system]
fn store<T>(value: ResMut<T>)
where
    T: Resource + Default,
{
    *{ value } = T::default();
}

#[test]
fn generic_systems_are_named_with_their_arguments() {
    let mut world = world();
    assert_eq!(generic::<usize, 2>(&world), [3, 3]);
    run(&mut world, store::<Score>).unwrap();
    assert_eq!(score(&world), 0);
    const META: SystemMeta = ecs_core::meta(&store::<Score>);
    assert_eq!(META.access().count(), 1);
    let ids = [
        store::<Score>.into_source().id(),
        store::<Step>.into_source().id(),
    ];
    assert_ne!(ids[0], ids[1]);
}

#[system]
fn find<'a>(names: &'a [&'a str], prefix: &str, step: Res<Step>) -> Option<&'a str> {
    names
        .iter()
        .copied()
        .filter(|name| name.starts_with(prefix))
        .nth(step.0 as usize)
}

#[test]
fn references_are_arguments_of_direct_calls() {
    let names = ["a1", "b1", "a2", "a3"];
    assert_eq!(find(&names, "a", &world()), Some("a3"));
    assert_eq!(
        ecs_core::inner(&find)(&names, "a", (&Step(0)).into()),
        Some("a1")
    );
}

#[system]
fn add_to(target: &mut i32, (a, b): (i32, i32), _: u8, step: Res<Step>) {
    *target += a * b + step.0;
}

#[test]
fn arguments_may_be_patterns_and_mutable() {
    let mut target = 1;
    add_to(&mut target, (2, 3), 0, &world());
    assert_eq!(target, 9);
}

#[system]
fn count(mut calls: Local<u32>) -> u32 {
    *calls += 1;
    *calls
}

#[system]
fn count_score(mut calls: Local<i32>, mut score: ResMut<Score>) {
    *calls += 1;
    score.0 = *calls;
}

#[test]
fn a_local_remembers_per_world_and_per_schedule() {
    let mut world = world();
    assert_eq!((count(&world), count(&world)), (1, 2));
    assert_eq!(count(&World::new()), 1);
    assert_eq!(world.run(count), 3);
    let mut built = count_score.into_source().build(&world);
    assert!(!built.is_exclusive);
    for n in 1..=3 {
        // SAFETY: `world` is local, and no guard of it exists.
        unsafe { built.system.run(NonNull::from(&world), ()) }.unwrap();
        assert_eq!(score(&world), n);
    }
}

#[system]
fn optional(missing: Option<Res<String>>, there: Option<ResMut<Score>>) -> (bool, bool) {
    (missing.is_some(), there.is_some())
}

#[test]
fn optional_resources_may_be_missing() {
    assert_eq!(optional(&world()), (false, true));
}

#[system]
fn whole(world: &World, step: Res<Step>) -> i32 {
    score(world) + step.0
}

#[system]
fn resources(map: &ResourceMap) -> usize {
    map.len()
}

#[test]
fn the_world_and_the_resource_map_are_parameters() {
    assert_eq!(whole(&world()), 3);
    assert_eq!(resources(&world()), 4);
}

#[system]
fn tuples((mut score, (step, _)): (ResMut<Score>, (Res<Step>, Res<usize>)), _n: Local<u8>) {
    score.0 *= step.0 * 10;
}

#[test]
fn tuples_of_parameters_are_parameters() {
    let world = world();
    tuples(&world);
    assert_eq!(score(&world), 20);
    assert_eq!(tuples.access().count(), 3);
}

#[system]
fn nothing() {}

#[test]
fn a_system_may_take_nothing() {
    let mut world = World::new();
    nothing(&world);
    run(&mut world, nothing).unwrap();
    assert!(ecs_core::meta(&nothing).params.is_empty());
}

#[system]
fn configured(
    #[cfg(not(test))] never: Res<DoesNotExist>,
    #[cfg(test)] step: Res<Step>,
    #[cfg(not(test))] mut neither: ResMut<DoesNotExist>,
    mut score: ResMut<Score>,
) {
    score.0 = step.0;
}

#[system]
fn configured_argument(
    #[cfg(not(test))] never: DoesNotExist,
    #[cfg(test)] plus: i32,
    step: Res<Step>,
) -> i32 {
    step.0 + plus
}

#[test]
fn parameters_may_be_configured_away() {
    assert_eq!(configured_argument(1, &world()), 3);
    let mut world = world();
    configured(&world);
    assert_eq!(score(&world), 2);
    run(&mut world, configured).unwrap();
    assert_eq!(ecs_core::meta(&configured).params.len(), 2);
    let mut score = Score(0);
    ecs_core::inner(&configured)(Res::from(&Step(5)), ResMut::from(&mut score));
    assert_eq!(score.0, 5);
    assert_eq!(
        ecs_core::inner(&configured_argument)(1, Res::from(&Step(5))),
        6
    );
}

#[cfg(not(test))]
#[system]
fn absent(x: DoesNotExist) {}

#[system]
#[cfg(not(test))]
fn absent_too(x: DoesNotExist) {}

#[system]
fn r#type(r#match: Res<Step>) -> i32 {
    r#match.0
}

#[system]
fn r#loop<'r#fn>(r#in: &'r#fn str, r#ref: Res<'_, Step>) -> &'r#fn str {
    &r#in[..r#ref.0 as usize]
}

#[test]
fn raw_identifiers_are_names_like_others() {
    assert_eq!(r#loop("abc", &world()), "ab");
    assert_eq!(r#type(&world()), 2);
    assert_eq!(ecs_core::meta(&r#type).name, "systems::system_macro::type");
    assert_eq!(ecs_core::meta(&r#type).params[0].name, "match");
}

#[system]
fn shadows(world: i32, state: i32, g0: i32, s0: i32, queue: Res<Step>) -> i32 {
    world + state * 10 + g0 * 100 + s0 * 1000 + queue.0 * 10_000
}

#[test]
fn argument_names_do_not_meet_generated_ones() {
    assert_eq!(shadows(1, 2, 3, 4, &world()), 24321);
}

macro_rules! make_system {
    ($name:ident, $ty:ty, $value:expr) => {
        #[system]
        fn $name(by: i32, mut target: ResMut<$ty>) {
            target.0 += by * $value;
        }
    };
}

make_system!(made_score, Score, 2);
make_system!(made_step, Step, 3);

#[test]
fn a_macro_can_make_systems() {
    let world = world();
    made_score(10, &world);
    made_step(10, &world);
    assert_eq!(score(&world), 21);
    assert_eq!(whole(&world), 21 + 32);
}

#[test]
fn a_system_may_be_inside_a_function() {
    #[system]
    fn local(mut score: ResMut<Score>) {
        score.0 = 7;
    }
    let mut world = world();
    local(&world);
    run(&mut world, local).unwrap();
    assert_eq!(score(&world), 7);
}

#[test]
fn a_systems_name_is_free_for_variables() {
    let advance = 5;
    let closure = |sum: i32| sum + advance;
    assert_eq!(closure(1), 6);
}

type Phys<'a> = (Res<'a, Step>, ResMut<'a, Score>);

#[system]
fn decided(
    #[param] (step, mut score): Phys,
    #[allow(unused, reason = "to see it here")] unused: Local<u8>,
) {
    score.0 = step.0;
}

#[system]
fn lent(#[arg] step: Res<'_, Step>, score: Res<Score>) -> i32 {
    step.0 + score.0
}

#[test]
fn attributes_override_the_inferred_kind_of_an_argument() {
    let world = world();
    decided(&world);
    assert_eq!(score(&world), 2);
    assert_eq!(lent(Res::from(&Step(40)), &world), 42);
}

#[system]
fn many(
    a: Local<u8>,
    b: Local<u8>,
    c: Local<u8>,
    d: Local<u8>,
    e: Local<u8>,
    f: Local<u8>,
    g: Local<u8>,
    h: Local<u8>,
    i: Local<u8>,
    j: Local<u8>,
    k: Local<u8>,
    l: Local<u8>,
    m: Local<u8>,
    n: Local<u8>,
    o: Local<u8>,
    p: Local<u8>,
    q: Local<u8>,
    mut r: Local<u8>,
) -> u8 {
    *r += 1;
    *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o + *p + *q + *r
}

#[test]
fn the_number_of_parameters_has_no_limit() {
    let world = World::new();
    assert_eq!((many(&world), many(&world)), (1, 2));
}

#[test]
fn run_applies_deferred_commands_and_returns_the_value() {
    let mut world = world();
    assert_eq!(*world.run(read_score), 1);
    world.run(setup);
    assert_eq!(score(&world), 100);
}

#[system]
fn bounded<'n, I, T>(names: I, step: Res<'_, Step>, _value: Option<Res<T>>) -> usize
where
    T: Resource,
    for<'x> &'x T: Sized,
    I: 'n + Clone + Iterator<Item = &'n str>,
{
    names.count() + step.0 as usize
}

#[test]
fn bounds_are_kept_where_they_belong() {
    assert_eq!(bounded::<_, Score>(["a", "b"].into_iter(), &world()), 4);
}

#[system]
fn borrowing<'s, 'w>(name: &'s str, score: Res<'w, Score>) -> &'s str
where
    's: 'w,
{
    if score.0 > 0 { &name[1..] } else { name }
}

#[test]
fn lifetimes_of_arguments_reach_the_return_value() {
    let name = String::from("name");
    let rest = {
        let world = world();
        borrowing(&name, &world)
    };
    assert_eq!(rest, "ame");
}
