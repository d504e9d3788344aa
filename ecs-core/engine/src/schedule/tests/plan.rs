//! The data of plans.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Does, Outcome, When, run_traced, tracers};
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, ParamType};
use crate::schedule::{IntoConfigs, Schedule};
use crate::system::{ConditionSource, IntoCondition};
use crate::world::{CommandQueue, World};

const fn touch(kind: Kind) -> ParamAccess {
    ParamAccess::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: ConstTypeIdOf::<u32>::opaque().ident(),
    })
}

const WRITES: &[ParamInfo] = &[ParamInfo::new("n", "ResMut<u32>", &touch(Kind::Write))];
const READS: &[ParamInfo] = &[ParamInfo::new("n", "Res<u32>", &touch(Kind::Read))];

fn touching<F>(system: Does<F>, params: &'static [ParamInfo]) -> Does<F>
where
    F: FnMut(&World, &mut CommandQueue) -> Outcome,
{
    Does { params, ..system }
}

/// A condition that is always true.
#[derive(Clone, Copy)]
struct Always(&'static str, &'static [ParamInfo]);

impl IntoCondition<()> for Always {
    type Out = bool;

    fn into_condition(self) -> ConditionSource {
        let mut source = When(self.0, |_: &World, _: &mut CommandQueue| true).into_condition();
        source.meta.parts[0].params = self.1;
        source
    }
}

#[test]
fn a_plan_contains_order_list_positions_constraints_and_conditions() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    let always = |_: &World, _: &mut CommandQueue| true;
    schedule.add((a.after(c), b.run_if(When("always", always)), c));
    let plan = schedule.plan().unwrap();
    let found: Vec<_> = plan
        .steps()
        .map(|step| {
            let after: Vec<_> = step.after().map(|other| other.name()).collect();
            (step.number(), step.list_index(), step.name(), after)
        })
        .collect();
    assert_eq!(
        found,
        [
            (0, 1, "b", vec![]),
            (1, 2, "c", vec![]),
            (2, 0, "a", vec!["c"])
        ]
    );
    assert_eq!(format!("{plan:?}"), "[b if always, c, a]");
    assert_eq!(format!("{schedule:?}"), r#"Schedule ["a", "b", "c"]"#);
}

#[test]
fn conflicts_are_all_pairs_that_touch_the_same_data() {
    tracers!(write, read, look, apart, last);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(read, READS),
        touching(look, READS).after(touching(write, WRITES)),
        touching(apart, &[]).run_if(Always("always", &[])),
        touching(last, WRITES).after(touching(write, WRITES)),
    ));
    let conflicts: Vec<_> = schedule
        .plan()
        .unwrap()
        .conflicts()
        .map(|(first, second, _)| (first.number(), second.number()))
        .collect();
    assert_eq!(conflicts, [(0, 1), (0, 2), (0, 4), (1, 4), (2, 4)]);
}

#[test]
fn a_condition_conflicts_like_its_system() {
    tracers!(write, other);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(other, &[]).run_if(Always("watch", READS)),
    ));
    let plan = schedule.plan().unwrap();
    let (first, second, why) = plan.conflicts().next().unwrap();
    assert_eq!((first.name(), second.name()), ("write", "other"));
    assert_eq!(
        why.to_string(),
        "`n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`"
    );
}

#[test]
fn a_change_plans_only_the_schedule_that_changed() {
    tracers!(first, second, third, inside, deep);
    let mut schedule = Schedule::new();
    let (mut inner, mut innermost) = (Schedule::new(), Schedule::new());
    innermost.add(deep);
    inner.add((inside, innermost));
    schedule.add((first, inner.in_set("step"), second));
    // The addresses of the steps of the inner plans.
    let places = |schedule: &mut Schedule| {
        let plan = schedule.plan().unwrap();
        let step = plan.steps().find(|step| step.inner().len() > 0).unwrap();
        let (_, inner) = step.inner().next().unwrap();
        let (_, innermost) = inner.step(1).inner().next().unwrap();
        let numbers = (step.data.listed, inner.step(1).plan.id_of(1));
        (inner.steps.as_ptr(), innermost.steps.as_ptr(), numbers)
    };
    let (inner, innermost, numbers) = places(&mut schedule);
    assert_eq!(numbers, (1, 3));
    schedule.add(third);
    assert_eq!(places(&mut schedule), (inner, innermost, (1, 3)));
    schedule.replace(second, deep).unwrap();
    assert_eq!(places(&mut schedule), (inner, innermost, (1, 3)));
    assert_eq!(schedule.remove(first), 1);
    assert_eq!(places(&mut schedule), (inner, innermost, (0, 2)));
    // An error of the outer plan does not lose them.
    schedule.add(first.after(inside));
    assert!(schedule.plan().is_err());
    schedule.remove(first);
    assert_eq!(places(&mut schedule), (inner, innermost, (0, 2)));
    assert_eq!(schedule.remove_set("step"), 1);
    assert!(
        schedule
            .plan()
            .unwrap()
            .steps()
            .all(|step| step.inner().len() == 0)
    );
}

#[test]
fn a_plan_knows_at_all_depths_whether_there_are_readers() {
    const READER: &[ParamInfo] = &[ParamInfo {
        name: "events",
        ty: "EventReader<u32>",
        of: ParamType {
            access: &ParamAccess::Nothing,
            remembers: true,
            has_readers: true,
            is_row: false,
        },
    }];
    tracers!(reads, writes, other);
    let (mut schedule, mut inner) = (Schedule::new(), Schedule::new());
    inner.add(touching(reads, READER));
    schedule.add((touching(writes, WRITES), inner, touching(other, READER)));
    let readers = |schedule: &mut Schedule| {
        let plan = schedule.plan().unwrap();
        let steps: Vec<_> = plan.steps().map(|step| step.has_readers()).collect();
        (plan.has_readers, steps)
    };
    assert_eq!(readers(&mut schedule), (true, [false, true, true].into()));
    schedule.remove(other);
    assert_eq!(readers(&mut schedule), (true, [false, true].into()));
    let mut schedule = Schedule::new();
    schedule.add(touching(writes, WRITES));
    assert_eq!(readers(&mut schedule), (false, [false].into()));
}

#[test]
fn what_is_appended_inside_a_step_is_planned() {
    tracers!(first, second, third);
    let (mut schedule, mut inner, mut more) = (Schedule::new(), Schedule::new(), Schedule::new());
    inner.add(first);
    schedule.add((inner, second));
    assert_eq!(schedule.plan().unwrap().size, 3);
    more.add(third);
    // No step of that part has a schedule inside.
    let more = schedule.append_inside(1, more).unwrap();
    let rest = schedule.append_inside(0, more);
    assert!(rest.is_none());
    let plan = schedule.plan().unwrap();
    assert_eq!((plan.size, plan.id_of(1)), (4, 3));
    assert_eq!(run_traced(&mut schedule), "first third second");
}
