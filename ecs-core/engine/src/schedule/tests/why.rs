//! Plans in words.

use super::{Does, Outcome, When, alone, does, tracers};
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, QueryAccess};
use crate::schedule::{IntoConfigs, Plan, Schedule, Step};
use crate::world::{CommandQueue, World};

const fn resource(kind: Kind) -> ParamAccess {
    ParamAccess::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: ConstTypeIdOf::<u32>::opaque().ident(),
    })
}

const POSITION: QueryAccess = QueryAccess::Write(ConstTypeIdOf::<f32>::opaque().ident());
const TAG: crate::meta::ConstTypeId = ConstTypeIdOf::<u8>::opaque().ident();

const WRITES: &[ParamInfo] = &[ParamInfo::new("n", "ResMut<u32>", &resource(Kind::Write))];
const READS: &[ParamInfo] = &[ParamInfo::new("n", "Res<u32>", &resource(Kind::Read))];
const COMMANDS: &[ParamInfo] = &[ParamInfo::new("c", "Commands", &ParamAccess::Deferred)];
const WITH: &[ParamInfo] = &[ParamInfo::new(
    "q",
    "Query<&mut f32, With<u8>>",
    &ParamAccess::Query {
        data: &POSITION,
        filter: &QueryAccess::With(TAG),
    },
)];
const WITHOUT: &[ParamInfo] = &[ParamInfo::new(
    "q",
    "Query<&mut f32, Without<u8>>",
    &ParamAccess::Query {
        data: &POSITION,
        filter: &QueryAccess::Without(TAG),
    },
)];

fn touching<F>(system: Does<F>, params: &'static [ParamInfo]) -> Does<F>
where
    F: FnMut(&World, &mut CommandQueue) -> Outcome,
{
    Does { params, ..system }
}

fn step<'a>(plan: &'a Plan, name: &str) -> Step<'a> {
    plan.steps().find(|step| step.name() == name).unwrap()
}

/// The answer, and whether the two can run at the same time.
fn why(plan: &Plan, one: &str, other: &str) -> (String, bool) {
    let why = plan.why(step(plan, one), step(plan, other));
    let same = plan.why(step(plan, other), step(plan, one));
    assert_eq!(why.to_string(), same.to_string());
    (why.to_string(), why.may_overlap())
}

#[test]
fn systems_that_touch_the_same_data_wait_in_list_order() {
    tracers!(write, read, look);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(read, READS),
        touching(look, READS),
    ));
    let plan = schedule.plan().unwrap();
    let (words, overlap) = why(plan, "read", "write");
    assert_eq!(
        words,
        "`read` waits for `write`:\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`, in list order"
    );
    assert!(!overlap);
    let (words, overlap) = why(plan, "read", "look");
    assert_eq!(
        words,
        "nothing keeps `read` and `look` apart: they can run at the same time\n- both only read the resource `u32`"
    );
    assert!(overlap);
    assert!(plan.why(read, look).may_overlap());
}

#[test]
fn a_waived_order_is_told() {
    tracers!(write, read);
    let mut schedule = Schedule::new();
    schedule.add((touching(write, WRITES), touching(read, READS)));
    schedule.unordered(touching(write, WRITES), touching(read, READS));
    let (words, overlap) = why(schedule.plan().unwrap(), "read", "write");
    assert_eq!(
        words,
        "`read` waits for `write`:\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`, in the order that the plan chose, as list order was waived"
    );
    assert!(!overlap);
}

#[test]
fn constraints_and_conflicts_are_told_together() {
    tracers!(write, read);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(read, READS).after(touching(write, WRITES)),
        touching(write, WRITES),
    ));
    let (words, _) = why(schedule.plan().unwrap(), "read", "write");
    assert_eq!(
        words,
        "`read` waits for `write`:\n- somebody asked for it, by `after`, `before` or `chain`\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`"
    );
}

#[test]
fn the_shortest_way_is_told_with_the_reasons_on_it() {
    tracers!(a, b, c, d);
    let (a, b, c, d) = (
        touching(a, &[]),
        touching(b, &[]),
        touching(c, &[]),
        touching(d, &[]),
    );
    let mut schedule = Schedule::new();
    schedule.add((a, b.after(a), c.after(b), d.after(a)));
    let last = touching(does("last", |_, _| Ok(())), READS);
    schedule.add(last.after(c).after(d));
    let plan = schedule.plan().unwrap();
    let (words, overlap) = why(plan, "last", "a");
    assert_eq!(
        words,
        "`last` waits for `a`, by way of `d`:\n`d` waits for `a`:\n- somebody asked for it, by `after`, `before` or `chain`\n`last` waits for `d`:\n- somebody asked for it, by `after`, `before` or `chain`"
    );
    assert!(!overlap);
    let way = plan.why(a, step(plan, "last"));
    let way: Vec<_> = way.way().iter().map(|step| step.name()).collect();
    assert_eq!(way, ["a", "d", "last"]);
    assert!(plan.why(b, d).may_overlap());
}

#[test]
fn who_sees_the_world_waits_for_commands() {
    tracers!(spawn, read, idle);
    let mut schedule = Schedule::new();
    schedule.add((touching(spawn, COMMANDS), touching(read, READS), idle));
    let plan = schedule.plan().unwrap();
    let (words, overlap) = why(plan, "spawn", "read");
    assert_eq!(
        words,
        "`read` waits for `spawn`:\n- `spawn` has commands, which are done directly after it, and `read` comes to see the world"
    );
    assert!(!overlap);
}

#[test]
fn flush_points_are_told_of_those_who_wait_for_one() {
    tracers!(spawn, read, late);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(spawn, COMMANDS).flush_later(),
        touching(read, READS),
    ));
    schedule.add_flush();
    schedule.add(touching(late, READS));
    let plan = schedule.plan().unwrap();
    let (words, overlap) = why(plan, "spawn", "read");
    assert_eq!(
        words,
        "nothing keeps `spawn` and `read` apart: they can run at the same time\n- what `spawn` puts off is not done yet for `read`"
    );
    assert!(overlap);
    let (words, overlap) = why(plan, "spawn", "late");
    assert!(
        words.starts_with("`late` waits for `spawn`, by way of `flush`:\n"),
        "{words}"
    );
    assert!(
        words.ends_with("\n- what `spawn` puts off is done at a flush point before `late`"),
        "{words}"
    );
    assert!(!overlap);
}

#[test]
fn a_conflict_by_a_condition_names_it() {
    struct Watch;
    impl crate::system::IntoCondition<()> for Watch {
        fn into_condition(self) -> crate::system::ConditionSource {
            let mut source = When("watch", |_: &World, _: &mut CommandQueue| true).into_condition();
            source.meta.parts[0].params = READS;
            source
        }
    }
    tracers!(write, other);
    let mut schedule = Schedule::new();
    schedule.add((touching(write, WRITES), touching(other, &[]).run_if(Watch)));
    let (words, overlap) = why(schedule.plan().unwrap(), "write", "other");
    assert_eq!(
        words,
        "`other` waits for `write`:\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`, in list order (by the condition `watch` of `other`)"
    );
    assert!(!overlap);
}

#[test]
fn filters_that_keep_entities_apart_are_told() {
    tracers!(with, without);
    let mut schedule = Schedule::new();
    schedule.add((touching(with, WITH), touching(without, WITHOUT)));
    let (words, overlap) = why(schedule.plan().unwrap(), "with", "without");
    assert_eq!(
        words,
        "nothing keeps `with` and `without` apart: they can run at the same time\n- both use the component `f32`, but filters keep their entities apart"
    );
    assert!(overlap);
}

#[test]
fn a_system_that_is_not_there_once_is_told() {
    tracers!(once, twice, never);
    let mut schedule = Schedule::new();
    schedule.add((once, twice, twice));
    let plan = schedule.plan().unwrap();
    let words = plan.why(once, never);
    assert_eq!(words.to_string(), "system `never` is not in the plan");
    assert!(!words.may_overlap());
    let words = plan.why(twice, once).to_string();
    assert_eq!(
        words,
        "system `twice` is in the plan 2 times; ask about one of its steps"
    );
    let words = plan.why(once, once).to_string();
    assert_eq!(
        words,
        "`once` is one step, which does not run beside itself"
    );
    let other = plan.clone();
    let words = plan.why(once, step(&other, "once")).to_string();
    assert_eq!(words, "system `once` is not in the plan");
}

#[test]
fn exclusive_systems_are_in_everybody_s_way_who_touches_the_world() {
    tracers!(read, idle);
    let mut schedule = Schedule::new();
    schedule.add(touching(read, READS));
    schedule.add_flush();
    schedule.add((alone("nothing", |_| Ok(())), idle));
    let (words, overlap) = why(schedule.plan().unwrap(), "flush", "read");
    assert_eq!(
        words,
        "`flush` waits for `read`:\n- `n: Res<u32>` and `world: &mut World` share the world, in list order"
    );
    assert!(!overlap);
}
