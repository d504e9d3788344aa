//! Dependencies between steps.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Does, Outcome, When, tracers};
use crate::bits::Bits;
use crate::meta::{
    Access, ConstTypeId, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, QueryAccess,
};
use crate::schedule::{IntoConfigs, Reason, Schedule, ThreadPlacement};
use crate::system::{ConditionSource, IntoCondition};
use crate::test_random::random_from;
use crate::world::{CommandQueue, World};

const fn resource(kind: Kind) -> Access {
    Access {
        domain: Domain::Resource,
        kind,
        ident: ConstTypeIdOf::<u32>::opaque().ident(),
    }
}

const OTHER: Access = Access {
    domain: Domain::Resource,
    kind: Kind::Write,
    ident: ConstTypeIdOf::<u64>::opaque().ident(),
};

const fn one(access: &'static ParamAccess) -> ParamInfo {
    ParamInfo::new("p", "P", access)
}

const NOTHING: &[ParamInfo] = &[];
const READS: &[ParamInfo] = &[one(&ParamAccess::Leaf(resource(Kind::Read)))];
const WRITES: &[ParamInfo] = &[one(&ParamAccess::Leaf(resource(Kind::Write)))];
const WRITES_OTHER: &[ParamInfo] = &[one(&ParamAccess::Leaf(OTHER))];
const DEFERS: &[ParamInfo] = &[one(&ParamAccess::Deferred)];
const SEES: &[ParamInfo] = &[one(&ParamAccess::Shape)];
const RESOURCES: &[ParamInfo] = &[one(&ParamAccess::ResourcesRef)];
const LOCAL: &[ParamInfo] = &[one(&ParamAccess::NonSend(OTHER))];
const WORLD: &[ParamInfo] = super::WORLD;
const READS_WORLD: &[ParamInfo] = &[one(&ParamAccess::World(Kind::Read))];
const READS_WORLD_IN_TURN: &[ParamInfo] = &[one(&ParamAccess::OneOf(&[
    &ParamAccess::Nothing,
    &ParamAccess::All(&[&ParamAccess::World(Kind::Read)]),
]))];
const WRITES_COMPONENT: &[ParamInfo] = &[one(&ParamAccess::Query {
    data: &QueryAccess::Optional(&[&QueryAccess::Write(ConstTypeIdOf::<u32>::opaque().ident())]),
    filter: &QueryAccess::Nothing,
})];

fn touching<F>(system: Does<F>, params: &'static [ParamInfo]) -> Does<F>
where
    F: FnMut(&World, &mut CommandQueue) -> Outcome,
{
    Does { params, ..system }
}

/// A condition that is always true.
#[derive(Clone, Copy)]
struct Always(&'static [ParamInfo]);

impl IntoCondition<()> for Always {
    type Out = bool;

    fn into_condition(self) -> ConditionSource {
        let mut source = When("watch", |_: &World, _: &mut CommandQueue| true).into_condition();
        source.meta.parts[0].params = self.0;
        source
    }
}

/// Lists each step with the steps that it waits for: `a; b: a; c: a b`.
fn waits(schedule: &mut Schedule) -> String {
    let steps = schedule.plan().unwrap().steps().map(|step| {
        let before: Vec<_> = step.waits_for().map(|before| before.name()).collect();
        match before.as_slice() {
            [] => step.name().to_owned(),
            _ => format!("{}: {}", step.name(), before.join(" ")),
        }
    });
    steps.collect::<Vec<_>>().join("; ")
}

/// Returns the reason why the last step waits for the first one.
fn reason(schedule: &mut Schedule) -> Option<String> {
    let plan = schedule.plan().unwrap();
    let mut steps = plan.steps();
    let first = steps.next().unwrap();
    let reason = steps.last().unwrap().reason(first);
    reason.map(|reason| reason.to_string())
}

#[test]
fn readers_wait_for_writers_and_not_for_each_other() {
    tracers!(a, b, c, d, e);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES),
        touching(b, READS),
        touching(c, READS),
        touching(d, WRITES_OTHER),
        touching(e, WRITES),
    ));
    assert_eq!(waits(&mut schedule), "a; b: a; c: a; d; e: b c");
}

#[test]
fn a_reader_of_the_whole_world_waits_for_all_writers_and_not_for_readers() {
    for reads in [READS_WORLD, READS_WORLD_IN_TURN] {
        tracers!(a, b, c, d, e, f);
        let mut schedule = Schedule::new();
        schedule.add((
            touching(a, WRITES),
            touching(b, WRITES_COMPONENT),
            touching(c, reads),
            touching(d, LOCAL),
            touching(e, READS),
            touching(f, WRITES_COMPONENT),
        ));
        // Later steps also wait because it can defer changes.
        assert_eq!(waits(&mut schedule), "a; b; c: a b; d: c; e: c; f: c");
        let mut schedule = Schedule::new();
        schedule.add((touching(e, READS), touching(d, NOTHING), touching(c, reads)));
        assert_eq!(waits(&mut schedule), "e; d; c");
    }
}

#[test]
fn constraints_are_dependencies_without_any_data() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, NOTHING),
        touching(b, NOTHING).after(a),
        touching(c, NOTHING),
        touching(d, NOTHING).before(c),
    ));
    assert_eq!(waits(&mut schedule), "a; b: a; d; c: d");
}

#[test]
fn systems_that_touch_nothing_wait_for_no_other_system() {
    tracers!(a, b, c, d, e);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, NOTHING),
        touching(b, DEFERS),
        touching(c, NOTHING),
        touching(d, WORLD),
        touching(e, NOTHING),
    ));
    assert_eq!(waits(&mut schedule), "a; b; c; d: b; e");
}

#[test]
fn all_later_systems_that_access_the_world_wait_for_commands_and_earlier_ones_do_not() {
    tracers!(a, b, c, d, e, f);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES),
        touching(b, DEFERS),
        touching(c, READS),
        touching(d, SEES),
        touching(e, DEFERS),
        touching(f, RESOURCES),
    ));
    // `f` waits for `b` through `e`, and for `a` through `c`.
    assert_eq!(waits(&mut schedule), "a; b; c: a b; d: b; e: b; f: c e");
    let mut schedule = Schedule::new();
    schedule.add((touching(b, DEFERS), touching(d, SEES)));
    assert_eq!(
        reason(&mut schedule).unwrap(),
        "the later one sees the effect of the earlier one's commands"
    );
}

#[test]
fn with_flush_later_only_systems_that_allocate_ids_wait() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, DEFERS).flush_later(),
        touching(b, READS),
        touching(c, DEFERS),
    ));
    schedule.add_flush().add(touching(d, READS));
    assert_eq!(waits(&mut schedule), "a; b; c: a; flush: b c; d: flush");
    let steps = schedule.plan().unwrap().steps();
    let later: Vec<_> = steps.map(|step| step.flushes_later()).collect();
    assert_eq!(later, [true, false, false, false, false]);
}

#[test]
fn the_resource_map_is_every_resource_and_no_component() {
    const COMPONENT: Access = Access {
        domain: Domain::Component,
        ..OTHER
    };
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, READS),
        touching(b, const { &[one(&ParamAccess::Leaf(COMPONENT))] }),
        touching(c, RESOURCES),
    ));
    assert_eq!(waits(&mut schedule), "a; b; c: a");
}

#[test]
fn queries_that_write_the_same_component_wait_for_each_other() {
    const U8: ConstTypeId = ConstTypeIdOf::<u8>::opaque().ident();
    const WRITE: &[ParamInfo] = &[one(&ParamAccess::Query {
        data: &QueryAccess::Write(U8),
        filter: &QueryAccess::Nothing,
    })];
    const READ: &[ParamInfo] = &[one(&ParamAccess::Query {
        data: &QueryAccess::Read(U8),
        filter: &QueryAccess::Nothing,
    })];
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((touching(a, WRITE), touching(b, READ), touching(c, READ)));
    assert_eq!(waits(&mut schedule), "a; b: a; c: a");
}

#[test]
fn systems_under_one_condition_do_not_wait_for_each_other() {
    tracers!(a, b, c, d);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES_OTHER),
        (touching(b, NOTHING), touching(c, NOTHING)).run_if(Always(READS)),
        touching(d, WRITES),
    ));
    // Only `b` evaluates the condition, so `d` waits for nothing else.
    assert_eq!(waits(&mut schedule), "a; b; c; d: b");
}

#[test]
fn a_system_waits_for_the_data_of_its_condition() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES),
        touching(b, NOTHING).run_if(Always(READS)),
    ));
    assert_eq!(waits(&mut schedule), "a; b: a");
}

#[test]
fn systems_that_share_a_condition_wait_for_what_its_evaluation_waits_for() {
    tracers!(clock, gravity, collide, land);
    let (clock, gravity, collide) = (
        touching(clock, WRITES),
        touching(gravity, NOTHING),
        touching(collide, NOTHING),
    );
    let mut schedule = Schedule::new();
    schedule.add((clock, (gravity, collide).run_if(Always(READS))));
    // Evaluated for `gravity`, but `collide` waits for the result, not for `gravity`.
    let all = "clock; gravity: clock; collide: clock";
    assert_eq!(waits(&mut schedule), all);
    let data = "`p: P` writes and `p: P` reads the resource `u32`";
    assert_eq!(reason(&mut schedule).unwrap(), data);
    // Constraints of the evaluating system count too, and pass from one shared result to the next.
    let mut schedule = Schedule::new();
    schedule.add(touching(clock, NOTHING));
    schedule.add(
        (
            gravity.after(clock),
            collide.run_if(Always(NOTHING)),
            touching(land, NOTHING),
        )
            .run_if(Always(READS)),
    );
    assert_eq!(
        waits(&mut schedule),
        "clock; gravity: clock; collide: clock; land: clock"
    );
    assert!(reason(&mut schedule).unwrap().contains("a condition"));
}

#[test]
fn a_system_waits_for_the_step_that_evaluates_a_condition_over_what_it_writes() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    let systems = (touching(a, NOTHING), touching(b, WRITES));
    // Both steps share the condition, so the second one waits for its evaluation anyway.
    schedule.add(systems.run_if(Always(READS)));
    assert_eq!(waits(&mut schedule), "a; b: a");
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, NOTHING).run_if(Always(READS)),
        touching(b, WRITES),
    ));
    assert_eq!(waits(&mut schedule), "a; b: a");
}

#[test]
fn dependencies_of_shared_conditions_do_not_multiply() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Own(usize);
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Shared;
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add(touching(a, WRITES));
    schedule.configure(Shared, |set| set.run_if(Always(READS)));
    // Each of them may be the first to evaluate the shared condition.
    for n in 0..64 {
        schedule.configure(Own(n), |set| set.run_if(Always(NOTHING)));
        schedule.add(touching(b, NOTHING).in_set(Own(n)).in_set(Shared));
    }
    let all = "a".to_owned() + &"; b: a".repeat(64);
    assert_eq!(waits(&mut schedule), all);
}

#[test]
fn where_a_system_can_run_depends_on_its_parameters() {
    tracers!(a, b, c, d, e);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES),
        touching(b, LOCAL),
        touching(c, WORLD),
        super::alone("alone", |_| Ok(())),
        touching(d, DEFERS),
        touching(e, READS).run_if(Always(LOCAL)),
    ));
    let steps = schedule.plan().unwrap().steps();
    let places: Vec<_> = steps.map(|step| step.placement()).collect();
    use ThreadPlacement::{Alone, Anywhere, CallingThread};
    assert_eq!(
        places,
        [Anywhere, CallingThread, Alone, Alone, Anywhere, Anywhere]
    );
}

#[test]
fn reasons_are_constraints_conflicts_and_allocated_ids() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((touching(a, WRITES), touching(b, READS).after(a)));
    let plan = schedule.plan().unwrap();
    let (first, second) = (plan.steps().next().unwrap(), plan.steps().nth(1).unwrap());
    assert!(matches!(second.reason(first), Some(Reason::Constraint)));

    let mut schedule = Schedule::new();
    schedule.add((touching(a, WRITES), touching(b, READS)));
    assert_eq!(
        reason(&mut schedule).unwrap(),
        "`p: P` writes and `p: P` reads the resource `u32`"
    );

    let mut schedule = Schedule::new();
    schedule.add((touching(a, READS), touching(b, READS)));
    assert_eq!(reason(&mut schedule), None);

    let mut schedule = Schedule::new();
    schedule.add((touching(a, DEFERS).flush_later(), touching(b, DEFERS)));
    assert_eq!(
        reason(&mut schedule).unwrap(),
        "`p: P` and `p: P` both allocate ids of entities"
    );

    // The changes of a condition are not applied later.
    let mut schedule = Schedule::new();
    let conditional = touching(a, NOTHING).run_if(Always(DEFERS));
    schedule.add((conditional.flush_later(), touching(b, READS)));
    assert_eq!(
        reason(&mut schedule).unwrap(),
        "the later one sees the effect of the earlier one's commands"
    );
}

/// Returns each pair whose order makes a difference, in the order of the plan.
fn ambiguities(schedule: &mut Schedule) -> Vec<(&'static str, &'static str)> {
    let plan = schedule.plan().unwrap();
    let pairs = plan.ambiguities();
    pairs.map(|(a, b, _)| (a.name(), b.name())).collect()
}

#[test]
fn with_a_waived_order_the_system_that_can_start_sooner_runs_first_and_is_reported() {
    const BOTH: &[ParamInfo] = &[READS[0], WRITES_OTHER[0]];
    tracers!(a, b, c);
    let (a, b, c) = (
        touching(a, WRITES),
        touching(b, BOTH),
        touching(c, WRITES_OTHER),
    );
    let mut schedule = Schedule::new();
    schedule.add((a, b, c));
    assert_eq!(waits(&mut schedule), "a; b: a; c: b");
    assert_eq!(ambiguities(&mut schedule), []);
    schedule.unordered(b, c);
    assert_eq!(waits(&mut schedule), "a; c; b: a c");
    assert_eq!(ambiguities(&mut schedule), [("c", "b")]);
    let plan = schedule.plan().unwrap();
    let (_, _, reason) = plan.ambiguities().next().unwrap();
    assert_eq!(
        reason.to_string(),
        "`p: P` writes and `p: P` writes the resource `u64`"
    );
    // If both can start at the same time, list order holds.
    let mut schedule = Schedule::new();
    schedule.add((c, b)).unordered(b, c);
    assert_eq!(waits(&mut schedule), "c; b: c");
    assert_eq!(ambiguities(&mut schedule), [("c", "b")]);
}

#[test]
fn a_waiver_without_a_choice_is_not_reported() {
    tracers!(a, b, c);
    let (a, b, c) = (touching(a, WRITES), touching(b, READS), touching(c, READS));
    let mut schedule = Schedule::new();
    // Different data, a constraint, and an order that follows from others.
    schedule.add((a, b, c)).unordered(b, c);
    assert_eq!(ambiguities(&mut schedule), []);
    let mut schedule = Schedule::new();
    schedule.add((a, b.after(a))).unordered(a, b);
    assert_eq!(ambiguities(&mut schedule), []);
    let mut schedule = Schedule::new();
    schedule.add((a, b)).add(touching(c, WRITES).after(b));
    schedule.unordered(a, c);
    assert_eq!(ambiguities(&mut schedule), []);
}

#[test]
fn a_waiver_may_let_a_system_run_before_it_sees_commands() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(a, WRITES),
        touching(b, const { &[DEFERS[0], READS[0]] }),
        touching(c, SEES),
    ));
    schedule.unordered(b, c);
    assert_eq!(waits(&mut schedule), "a; c; b: a");
    assert_eq!(ambiguities(&mut schedule), [("c", "b")]);
}

#[test]
fn whether_two_systems_wait_for_each_other_does_not_depend_on_those_around_them() {
    const KINDS: [&[ParamInfo]; 12] = [
        NOTHING,
        READS,
        WRITES,
        WRITES_OTHER,
        DEFERS,
        SEES,
        RESOURCES,
        LOCAL,
        WORLD,
        READS_WORLD,
        READS_WORLD_IN_TURN,
        WRITES_COMPONENT,
    ];
    let plan = |kinds: &[&'static [ParamInfo]]| {
        let mut schedule = Schedule::new();
        for &params in kinds {
            tracers!(a);
            schedule.add(touching(a, params));
        }
        let plan = schedule.plan().unwrap();
        let waits = plan.steps().map(|step| {
            let before = step.waits_for().map(|before| before.number());
            before.collect::<Vec<_>>()
        });
        waits.collect::<Vec<_>>()
    };
    let pairs = KINDS.map(|first| KINDS.map(|second| !plan(&[first, second])[1].is_empty()));
    let mut random = random_from(1);
    for _ in 0..300 {
        let kinds: Vec<usize> = (0..2 + random(8)).map(|_| random(KINDS.len())).collect();
        let params: Vec<_> = kinds.iter().map(|&kind| KINDS[kind]).collect();
        let mut reached: Vec<Bits> = Vec::new();
        for (second, before) in plan(&params).iter().enumerate() {
            let waits = |first: usize| pairs[kinds[first]][kinds[second]];
            let mut all = Bits::default();
            for &first in before {
                assert!(waits(first), "{kinds:?}: {first}, {second}");
                all.insert(first);
                all.union_with(&reached[first]);
            }
            for first in 0..second {
                let is_reached = all.contains(first);
                assert!(is_reached || !waits(first), "{kinds:?}: {first}, {second}");
            }
            reached.push(all);
        }
    }
}
