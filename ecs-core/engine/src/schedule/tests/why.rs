//! The texts of `SchedulePlan::why`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Does, Outcome, When, alone, does, tracers};
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, QueryAccess};
use crate::schedule::{IntoConfigs, Schedule, SchedulePlan, Step};
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

fn step<'a>(plan: &'a SchedulePlan, name: &str) -> Step<'a> {
    plan.steps().find(|step| step.name() == name).unwrap()
}

/// Returns the explanation, and true if the two systems can run at the same time.
fn why(plan: &SchedulePlan, one: &str, other: &str) -> (String, bool) {
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
        "`read` and `look` do not conflict: they can run at the same time\n- both only read the resource `u32`"
    );
    assert!(overlap);
    assert!(plan.why(read, look).may_overlap());
}

#[test]
fn a_waived_order_is_mentioned() {
    tracers!(write, read);
    let mut schedule = Schedule::new();
    schedule.add((touching(write, WRITES), touching(read, READS)));
    schedule.unordered(touching(write, WRITES), touching(read, READS));
    let (words, overlap) = why(schedule.plan().unwrap(), "read", "write");
    assert_eq!(
        words,
        "`read` waits for `write`:\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`, in the order that the plan chose, because they are `unordered`"
    );
    assert!(!overlap);
}

#[test]
fn constraints_and_conflicts_are_listed_together() {
    tracers!(write, read);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(read, READS).after(touching(write, WRITES)),
        touching(write, WRITES),
    ));
    let (words, _) = why(schedule.plan().unwrap(), "read", "write");
    assert_eq!(
        words,
        "`read` waits for `write`:\n- `after`, `before` or `chain` orders them\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`"
    );
}

#[test]
fn the_shortest_path_is_listed_with_its_reasons() {
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
        "`last` waits for `a`, through `d`:\n`d` waits for `a`:\n- `after`, `before` or `chain` orders them\n`last` waits for `d`:\n- `after`, `before` or `chain` orders them"
    );
    assert!(!overlap);
    let way = plan.why(a, step(plan, "last"));
    let path: Vec<_> = way.path().iter().map(|step| step.name()).collect();
    assert_eq!(path, ["a", "d", "last"]);
    assert!(plan.why(b, d).may_overlap());
}

#[test]
fn a_system_that_accesses_the_world_waits_for_commands() {
    tracers!(spawn, read, idle);
    let mut schedule = Schedule::new();
    schedule.add((touching(spawn, COMMANDS), touching(read, READS), idle));
    let plan = schedule.plan().unwrap();
    let (words, overlap) = why(plan, "spawn", "read");
    assert_eq!(
        words,
        "`read` waits for `spawn`:\n- `spawn` queues commands, applied directly after it, and `read` reads the world"
    );
    assert!(!overlap);
}

#[test]
fn flush_points_are_mentioned_for_systems_that_wait_for_one() {
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
        "`spawn` and `read` do not conflict: they can run at the same time\n- the deferred commands of `spawn` are not yet applied for `read`"
    );
    assert!(overlap);
    let (words, overlap) = why(plan, "spawn", "late");
    assert!(
        words.starts_with("`late` waits for `spawn`, through `flush`:\n"),
        "{words}"
    );
    assert!(
        words.ends_with(
            "\n- the deferred commands of `spawn` are applied at a flush point before `late`"
        ),
        "{words}"
    );
    assert!(!overlap);
}

#[test]
fn a_conflict_by_a_condition_names_it() {
    struct Always;
    impl crate::system::IntoCondition<()> for Always {
        type Out = bool;

        fn into_condition(self) -> crate::system::ConditionSource {
            let mut source = When("watch", |_: &World, _: &mut CommandQueue| true).into_condition();
            source.meta.parts[0].params = READS;
            source
        }
    }
    tracers!(write, other);
    let mut schedule = Schedule::new();
    schedule.add((touching(write, WRITES), touching(other, &[]).run_if(Always)));
    let (words, overlap) = why(schedule.plan().unwrap(), "write", "other");
    assert_eq!(
        words,
        "`other` waits for `write`:\n- `n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`, in list order (by the condition `watch` of `other`)"
    );
    assert!(!overlap);
}

#[test]
fn disjoint_filters_are_mentioned() {
    tracers!(with, without);
    let mut schedule = Schedule::new();
    schedule.add((touching(with, WITH), touching(without, WITHOUT)));
    let (words, overlap) = why(schedule.plan().unwrap(), "with", "without");
    assert_eq!(
        words,
        "`with` and `without` do not conflict: they can run at the same time\n- both use the component `f32`, but filters make their entities disjoint"
    );
    assert!(overlap);
}

#[test]
fn a_system_that_is_not_in_the_plan_exactly_once_is_reported() {
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
        "system `twice` is in the plan 2 times; help: ask about one of its steps"
    );
    let words = plan.why(once, once).to_string();
    assert_eq!(
        words,
        "`once` is one step, which cannot run at the same time as itself"
    );
    let other = plan.clone();
    let words = plan.why(once, step(&other, "once")).to_string();
    assert_eq!(words, "system `once` is not in the plan");
}

#[test]
fn exclusive_systems_conflict_with_every_system_that_touches_the_world() {
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
