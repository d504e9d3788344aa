use alloc::string::{String, ToString};
use std::sync::Mutex;

use super::{Does, Outcome, When, does, run_traced, take_trace, traced_world, tracers};
use crate::schedule::{IntoConfigs, OrderKind, PlanError, Schedule, ScheduleError, Subject};
use crate::world::{CommandQueue, World};

#[test]
fn systems_run_in_list_order() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add(b).add((a, d)).add((c,));
    assert_eq!(run_traced(&mut schedule), "b a d c");
}

#[test]
fn tuples_nest() {
    tracers!(a, b, c, d, e);
    let mut schedule = Schedule::new();
    schedule.add(((a, (b,)), (c, (d, e))));
    assert_eq!(run_traced(&mut schedule), "a b c d e");
}

#[test]
fn sixteen_systems_fit_a_tuple() {
    tracers!(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    let mut schedule = Schedule::new();
    schedule.add((a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p));
    assert_eq!(schedule.len(), 16);
    assert_eq!(run_traced(&mut schedule), "a b c d e f g h i j k l m n o p");
}

#[test]
fn after_moves_only_the_system_that_has_to_wait() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((a.after(c), b, c, d));
    assert_eq!(run_traced(&mut schedule), "b c a d");
}

#[test]
fn before_lets_the_later_one_go_first() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((a, b, c, d.before(b)));
    assert_eq!(run_traced(&mut schedule), "a c d b");
}

#[test]
fn systems_that_defer_nothing_run_in_the_planned_order() {
    static LOG: Mutex<String> = Mutex::new(String::new());
    macro_rules! plain {
        ($($name:ident)*) => { $(
            let $name = Does {
                name: stringify!($name),
                params: &[],
                run: |_: &World, _: &mut CommandQueue| -> Outcome {
                    LOG.lock().unwrap().push_str(stringify!($name));
                    Ok(())
                },
            };
        )* };
    }
    plain!(a b c d e f);
    let mut schedule = Schedule::new();
    let never = When("never", |_: &World, _: &mut CommandQueue| false);
    schedule.add((a, b.run_if(never), c, d, e.before(c), f));
    schedule.run_seq(&mut World::new()).unwrap();
    assert_eq!(*LOG.lock().unwrap(), "adecf");
}

#[test]
fn constraints_that_hold_already_change_nothing() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((a.before(c), b.after(a), c.after(b)));
    assert_eq!(run_traced(&mut schedule), "a b c");
}

#[test]
fn a_constraint_on_a_tuple_is_one_on_each_system() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((a, b).after(d)).add((c, d));
    assert_eq!(run_traced(&mut schedule), "c d a b");
}

#[test]
fn constraints_reach_systems_that_are_added_later() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add(a.after(b));
    schedule.add(b);
    assert_eq!(run_traced(&mut schedule), "b a");
}

#[test]
fn without_chain_list_order_gives_way_and_with_it_everything_waits() {
    tracers!(a, b, c, z);
    let mut schedule = Schedule::new();
    schedule.add((a.after(z), b, c)).add(z);
    assert_eq!(run_traced(&mut schedule), "b c z a");

    let mut schedule = Schedule::new();
    schedule.add((a.after(z), b, c).chain()).add(z);
    assert_eq!(run_traced(&mut schedule), "z a b c");
}

#[test]
fn chain_orders_groups_and_not_the_systems_inside_of_them() {
    tracers!(a, b, c, d, z);
    let mut schedule = Schedule::new();
    schedule.add(((a.after(z), b), (c, d)).chain()).add(z);
    assert_eq!(run_traced(&mut schedule), "b z a c d");

    // Positions inside chained tuples stay right when the tuples become members of others.
    let mut schedule = Schedule::new();
    schedule.add((d, (a.after(z), b).chain(), c)).add(z);
    assert_eq!(run_traced(&mut schedule), "d c z a b");

    // They also stay right when the tuples are added after others.
    let mut schedule = Schedule::new();
    schedule.add((c, d)).add((a.after(z), b).chain()).add(z);
    assert_eq!(run_traced(&mut schedule), "c d z a b");
}

#[test]
fn a_cycle_is_an_error_that_names_it_and_nothing_runs() {
    tracers!(first, a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((first, a.after(c), b.after(a), c.after(b)));
    let mut world = traced_world();
    let error = schedule.run(&mut world).unwrap_err();
    assert!(matches!(
        &error,
        ScheduleError::Plan(PlanError::Cycle { systems, sets })
            if systems == &["a", "b", "c"] && sets.is_empty()
    ));
    assert_eq!(
        error.to_string(),
        "systems wait for each other: `a` before `b` before `c` before `a`; help: remove one of these `before`, `after` or `chain`"
    );
    assert_eq!(take_trace(&world), "");
}

#[test]
fn a_system_cannot_wait_for_itself() {
    tracers!(a);
    let mut schedule = Schedule::new();
    schedule.add(a.after(a));
    let error = schedule.plan().unwrap_err();
    let (systems, sets) = (vec!["a"], vec![]);
    assert_eq!(error, PlanError::Cycle { systems, sets });
}

#[test]
fn a_chain_against_a_constraint_is_a_cycle() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((a, b.before(a)).chain());
    assert!(matches!(schedule.plan(), Err(PlanError::Cycle { .. })));
}

#[test]
fn a_missing_system_is_named_until_it_is_added() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add(a.before(b));
    let error = schedule.plan().unwrap_err();
    assert_eq!(
        error,
        PlanError::UnknownSystem {
            subject: Subject::System("a"),
            kind: OrderKind::Before,
            system: "b"
        }
    );
    assert_eq!(
        error.to_string(),
        "system `a` must run before `b`, which is not in the schedule; help: add it, or remove the constraint"
    );
    schedule.add(b);
    assert_eq!(run_traced(&mut schedule), "a b");
}

#[test]
fn a_system_runs_as_often_as_it_was_added() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((a, b, a, a.after(b)));
    assert_eq!(run_traced(&mut schedule), "a b a a");
}

#[test]
fn a_system_that_was_added_twice_cannot_be_a_target() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((a, b.after(a), a));
    let error = schedule.plan().unwrap_err();
    assert_eq!(
        error,
        PlanError::AmbiguousSystem {
            subject: Subject::System("b"),
            kind: OrderKind::After,
            system: "a"
        }
    );
}

#[test]
fn systems_can_be_added_after_a_run_and_the_others_keep_their_state() {
    let mut schedule = Schedule::new();
    let (mut runs, mut world) = (0, World::new());
    schedule.add(does("count", move |world: &World, _: &mut CommandQueue| {
        runs += 1;
        *world.resource_mut::<u32>() += runs;
        Ok(())
    }));
    world.insert_resource(0_u32);
    schedule.run(&mut world).unwrap();
    schedule.add(does("double", |world: &World, _: &mut CommandQueue| {
        *world.resource_mut::<u32>() *= 10;
        Ok(())
    }));
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.resource::<u32>(), 30);
}

#[test]
fn an_empty_schedule_does_nothing() {
    assert!(Schedule::new().is_empty());
    Schedule::new().run(&mut World::new()).unwrap();
}
