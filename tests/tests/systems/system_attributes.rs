//! Attributes, visibilities and documentation of `#[system]` functions, and calls that overlap.
#![deny(missing_docs, unsafe_code)]

use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::world::FromWorld;

/// Systems that other modules use.
pub mod inner {
    use ecs_core::prelude::*;

    /// Returns the number.
    #[system]
    #[must_use]
    pub fn number(number: Res<u32>) -> u32 {
        *number
    }

    #[system]
    pub(crate) fn in_crate(number: Res<u32>) -> u32 {
        *number + 1
    }

    #[system]
    pub(in crate::system_attributes::inner) fn in_module(number: Res<u32>) -> u32 {
        *number + 2
    }

    /// Calls a sibling.
    #[system]
    pub fn through(world: &World) -> u32 {
        in_module(world)
    }
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(1_u32);
    world
}

#[test]
fn visibility_is_that_of_the_function() {
    let world = world();
    assert_eq!(inner::number(&world), 1);
    assert_eq!(inner::in_crate(&world), 2);
    assert_eq!(inner::through(&world), 3);
}

#[system]
#[inline(always)]
#[track_caller]
#[expect(unused_variables, reason = "to see it here")]
fn attributed(#[allow(unused_mut, reason = "to see it here")] mut number: Res<u32>) -> u32 {
    let unused = 1;
    *number
}

#[system]
#[deprecated = "on purpose"]
fn old(_number: Res<u32>) {}

#[system]
#[deny(unused_must_use)]
#[cfg_attr(test, allow(clippy::let_and_return, reason = "to see it here"))]
fn denied(number: Res<u32>) -> u32 {
    let value = *number;
    value
}

#[test]
fn attributes_go_where_they_mean_something() {
    let world = world();
    assert_eq!(attributed(&world), 1);
    assert_eq!(denied(&world), 1);
    #[expect(deprecated, reason = "to see it fulfilled")]
    old(&world);
}

/// Lint levels apply to all code that a function expands to.
mod levels {
    #![deny(warnings)]
    use ecs_core::prelude::*;

    #[deprecated]
    #[derive(Resource)]
    pub(crate) struct Old(pub(crate) u32);

    #[deprecated]
    #[derive(Component)]
    #[component(track)]
    pub(crate) struct Worn;

    #[deprecated]
    #[derive(Bundle)]
    pub(crate) struct Rags(pub(crate) super::Part);

    #[derive(SystemParam)]
    #[allow(deprecated, reason = "to see it here")]
    pub(crate) struct Past<'w> {
        old: Res<'w, Old>,
        worn: CompMut<'w, Worn>,
    }

    #[derive(QueryData)]
    #[expect(deprecated, reason = "to see it here")]
    pub(crate) struct Wearer<'a>(&'a mut Worn, Entity);

    #[system]
    #[allow(deprecated, reason = "to see it here")]
    pub(crate) fn remembers(old: Res<Old>, worn: Query<&Worn>) -> u32 {
        old.0 + u32::from(worn.is_empty())
    }

    #[system]
    #[expect(deprecated, reason = "to see it here")]
    pub(crate) fn more(past: Past<'_>) -> u32 {
        past.old.0 + u32::from(past.worn.is_empty())
    }

    #[system(for_each)]
    #[expect(deprecated, reason = "to see it here")]
    pub(crate) fn wears(_: &mut Worn, #[item] other: Entity) {
        let _ = other;
    }

    #[system]
    #[expect(dead_code, reason = "never called")]
    fn forgotten(_number: Res<u32>) {}

    #[systems]
    impl Number {
        #[system]
        #[expect(deprecated, reason = "to see it here")]
        pub(crate) fn sum(&self, old: Res<Old>) -> u32 {
            self.0 + old.0
        }

        #[system]
        #[expect(dead_code, reason = "never called")]
        fn forgotten(&self) {}
    }

    #[derive(Resource)]
    pub(crate) struct Number(pub(crate) u32);
}

#[test]
#[expect(deprecated, reason = "that is the point")]
fn levels_of_lints_hold_for_all_code_of_a_system() {
    let mut world = world();
    world.insert_resource(levels::Old(2));
    world.insert_resource(levels::Number(3));
    world.spawn((levels::Rags(Part), levels::Worn));
    assert_eq!(levels::remembers(&world), 2);
    assert_eq!(levels::more(&world), 2);
    assert_eq!(levels::Number::sum(&world), 5);
    levels::wears(&world);
    let seen = world.query::<levels::Wearer>().iter().count();
    assert_eq!(seen, 1);
}

#[derive(Component)]
struct Part;

/// Long types, on which clippy must not comment in a system (this file is linted).
#[system]
fn long(
    query: Query<(Entity, &Part, Option<&Part>, Option<&Part>), (With<Part>, With<Part>)>,
    set: ParamSet<(
        Query<(&Part, Entity), (With<Part>, With<Part>)>,
        Query<(&Part, Entity)>,
    )>,
) -> usize {
    let _ = set;
    query.count()
}

#[test]
fn long_types_cause_no_lint() {
    assert_eq!(long(&World::new()), 0);
}

#[system]
fn needs_text(_text: Res<String>) {}

#[test]
fn a_refused_call_panics_at_the_caller() {
    let place = std::sync::Arc::new(std::sync::Mutex::new(None));
    let seen = place.clone();
    let old = std::panic::take_hook();
    let this = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        // Other tests panic deliberately at the same time.
        if std::thread::current().id() == this {
            *seen.lock().unwrap() = info.location().map(|l| (l.file().to_owned(), l.line()));
        }
    }));
    let here = Location::caller().line() + 1;
    let result = catch_unwind(|| needs_text(&World::new()));
    std::panic::set_hook(old);
    assert!(result.is_err());
    let (file, line) = place.lock().unwrap().clone().unwrap();
    assert!(file.ends_with("system_attributes.rs"), "{file}");
    assert_eq!(line, here);
}

#[system]
fn nested(depth: u32, mut calls: Local<u32>, world: &World) -> u32 {
    *calls += 1;
    if depth > 0 {
        *calls * 10 + nested(depth - 1, world)
    } else {
        *calls
    }
}

#[test]
fn an_overlapping_call_starts_with_a_fresh_local() {
    let world = World::new();
    assert_eq!(nested(0, &world), 1);
    assert_eq!(
        nested(1, &world),
        21,
        "the inner call has a value of its own"
    );
    assert_eq!(
        nested(0, &world),
        3,
        "the outer call's value was kept, being the last to end"
    );
}

#[system]
fn fails_second_time(mut calls: Local<u32>) -> u32 {
    *calls += 1;
    assert!(*calls != 2, "on purpose");
    *calls
}

#[test]
fn a_call_that_panics_leaves_no_local_behind() {
    let world = World::new();
    assert_eq!(fails_second_time(&world), 1);
    assert!(catch_unwind(AssertUnwindSafe(|| fails_second_time(&world))).is_err());
    assert_eq!(fails_second_time(&world), 1);
}

#[system]
fn shared_by_threads(by: u32, number: Res<u32>, mut calls: Local<u32>) -> u32 {
    *calls += 1;
    by + *number
}

#[test]
fn a_system_is_called_from_many_threads() {
    let world = world();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|by| {
                let world = &world;
                scope.spawn(move || (0..100).all(|_| shared_by_threads(by, world) == by + 1))
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    });
}

struct FromNumber(u32);

impl FromWorld for FromNumber {
    fn from_world(world: &World) -> Self {
        Self(*world.resource::<u32>() * 100)
    }
}

#[system]
fn starts_from_world(mut value: Local<FromNumber>) -> u32 {
    value.0 += 1;
    value.0
}

#[test]
fn the_first_value_of_a_local_may_depend_on_the_world() {
    let world = world();
    assert_eq!(starts_from_world(&world), 101);
    assert_eq!(starts_from_world(&world), 102);
}

/// Parameters, items, fields and entries of a schedule that are configured in or out.
mod configured {
    use ecs_core::prelude::*;

    #[derive(Component)]
    struct Weight(u32);

    #[derive(Resource, Default)]
    struct Sum(u32, Vec<&'static str>);

    /// Three items: one exists, one does not, and the type of one does not exist.
    #[system(for_each)]
    fn sum(
        #[cfg(not(test))] gone: &Gone,
        #[cfg(test)] weight: &Weight,
        #[cfg_attr(test, cfg(not(test)))] other: Gone,
        #[cfg_attr(test, cfg(test))] mut sum: ResMut<Sum>,
        #[cfg(not(test))] again: ResMut<Sum>,
    ) {
        sum.0 += weight.0;
    }

    #[systems]
    impl Sum {
        #[cfg(not(test))]
        #[system]
        fn gone(&self, other: Res<Gone>) {}

        #[system(for_each)]
        fn of(&mut self, #[cfg(test)] weight: &Weight, #[cfg(not(test))] weight: &Gone) {
            self.0 += weight.0;
        }
    }

    #[system]
    fn first(mut sum: ResMut<Sum>) {
        sum.1.push("first");
    }

    #[system]
    fn second(mut sum: ResMut<Sum>) {
        sum.1.push("second");
    }

    schedule! {
        static STEPS = [
            #[cfg(not(test))]
            gone,
            (second, #[cfg(test)] first, #[cfg_attr(test, cfg(not(test)))] gone::too).chain(),
            /// Conditions and sets are entries too.
            #[cfg(not(test))]
            configure(Gone, |set| set.run_if(gone)),
            #[cfg(test)]
            sum.after(first),
        ];
    }

    #[test]
    fn what_is_configured_out_is_not_there() {
        let mut world = World::new();
        world.insert_resource(Sum::default());
        world.spawn_batch([Weight(1), Weight(2)]);
        sum(&world);
        assert_eq!(world.resource::<Sum>().0, 3);
        Sum::of(&world);
        assert_eq!(world.resource::<Sum>().0, 6);
        STEPS.run(&mut world).unwrap();
        assert_eq!(world.resource::<Sum>().0, 9);
        assert_eq!(world.resource::<Sum>().1, ["second", "first"]);
        assert_eq!(ecs_core::meta(&sum).params.len(), 2);
    }
}

/// Adds.
#[system]
fn documented(
    /// Any number.
    ///
    /// Small ones are added faster.
    by: u32,
    /// The place of the result.
    mut number: ResMut<u32>,
) {
    *number += by;
}

#[test]
fn parameters_are_documented() {
    let world = world();
    documented(4, &world);
    assert_eq!(inner::number(&world), 5);
}

#[system]
fn never(number: Res<u32>) -> ! {
    panic!("never with {}", *number)
}

#[system]
fn never_with(by: u32, _number: Res<u32>) -> ! {
    panic!("never with {by}")
}

#[system(for_each)]
fn never_each(of: Entity) -> ! {
    panic!("never of {of:?}")
}

#[test]
fn a_system_may_not_return() {
    let mut world = world();
    let mut schedule = Schedule::new();
    schedule.add((never, never_each));
    let calls: [&mut dyn FnMut(&mut World); 4] = [
        &mut |world| never(world),
        &mut |world| never_with(1, world),
        &mut |world| world.run(never),
        &mut |world| schedule.run(world).unwrap(),
    ];
    for call in calls {
        let panic = catch_unwind(AssertUnwindSafe(|| call(&mut world)));
        assert!(panic.is_err());
    }
    never_each(&world);
}
