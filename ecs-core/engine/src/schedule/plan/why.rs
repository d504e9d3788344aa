//! Explanations of a plan: why two systems do not run at the same time.
//!
//! Functions that are not generic are `#[inline]`, so they are compiled only where they are called.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use super::{Flush, Reason, SchedulePlan, Step, ThreadPlacement};
use crate::meta::{
    Compatibility, Conflict, ConstTypeId, Domain, Overlap, SystemMeta, overlap, systems_compatible,
};
use crate::system::{IntoSystem, SystemOutput};

impl SchedulePlan {
    /// Explains why two systems cannot run at the same time, or states that they can. The result is text to print.
    ///
    /// Takes system functions and steps. If the plan has a system several times, pass its step.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Velocity(f32);
    ///
    /// #[system]
    /// fn gravity(mut velocities: CompMut<Velocity>) { velocities.iter_mut().for_each(|v| v.0 -= 9.81) }
    /// #[system]
    /// fn movement(mut positions: CompMut<Position>, velocities: Comp<Velocity>) {
    ///     (&mut positions, &velocities).for_each(|(p, v)| p.0 += v.0);
    /// }
    /// #[system]
    /// fn draw(positions: Comp<Position>) { println!("{} bodies", positions.len()) }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((gravity, movement, draw));
    /// let plan = frame.plan()?;
    ///
    /// let why = plan.why(movement, gravity);
    /// println!("{why}");
    /// // `game::movement` waits for `game::gravity`:
    /// // - `velocities: CompMut<Velocity>` writes and `velocities: Comp<Velocity>` reads the component
    /// //   `game::Velocity`, in list order
    /// assert!(!why.may_overlap());
    /// assert!(why.to_string().contains("`velocities: Comp<Velocity>` reads the component `"));
    ///
    /// let why = plan.why(gravity, draw).to_string();
    /// assert!(why.contains("through `") && why.contains("movement`"));
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    ///
    /// It also finds systems inside steps that are schedules. If both are in one schedule, it explains their order there. If
    /// not, it explains the order of the steps around them.
    ///
    /// O(steps + edges), plus the comparison of the two.
    pub fn why<A, B>(&self, one: impl InPlan<A>, other: impl InPlan<B>) -> Why<'_> {
        let found = [one.find(self), other.find(self)];
        let [one, other] = match found {
            [Ok(one), Ok(other)] => [one, other],
            [Err(error), _] | [_, Err(error)] => return Why { found: Err(error) },
        };
        // The innermost plan that contains both, or steps around them.
        let mut depth = 0;
        while one[depth] == other[depth]
            && let (Some(one), Some(other)) = (one.get(depth + 1), other.get(depth + 1))
            && core::ptr::eq(one.plan, other.plan)
        {
            depth += 1;
        }
        let (mut first, mut second) = (&one[depth..], &other[depth..]);
        if first[0].number() > second[0].number() {
            (first, second) = (second, first);
        }
        let plan = first[0].plan;
        Why {
            found: Ok(WhyPair {
                first: first[0],
                second: second[0],
                inside: [first, second].map(|steps| steps[1..].last().copied()),
                path: plan.path(first[0].number(), second[0].number()),
            }),
        }
    }

    /// Returns the shortest path of waiting steps from the first step to the second, both included. Empty if it does not wait.
    #[inline]
    fn path(&self, first: usize, second: usize) -> Vec<Step<'_>> {
        // By step: the next step on the path to the second one.
        let mut next = vec![None; second + 1];
        let mut queue = alloc::collections::VecDeque::from([second]);
        while let Some(later) = queue.pop_front() {
            for earlier in self.step(later).waits_for().map(Step::number) {
                if next[earlier].is_none() {
                    next[earlier] = Some(later);
                    queue.push_back(earlier);
                }
            }
        }
        let mut path = Vec::new();
        if first < second && next[first].is_some() {
            let mut at = Some(first);
            while let Some(number) = at {
                path.push(self.step(number));
                at = next[number];
            }
        }
        path
    }
}

/// Arguments of [`SchedulePlan::why`]: a system function, or a [`Step`] of the plan.
///
/// `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor a step of a plan",
    label = "neither a system nor a step"
)]
pub trait InPlan<M> {
    /// Returns the step, preceded by the steps around it. An error if the plan does not have it exactly once, at any depth.
    #[doc(hidden)]
    fn find(self, plan: &SchedulePlan) -> Result<Vec<Step<'_>>, NotOnce>;
}

/// Returns the only step that `is` accepts, preceded by the steps around it.
#[inline]
fn find_once<'p>(
    plan: &'p SchedulePlan,
    name: &'static str,
    is: &dyn Fn(Step<'p>) -> bool,
) -> Result<Vec<Step<'p>>, NotOnce> {
    let mut all = Vec::new();
    find_all(plan, is, &mut Vec::new(), &mut all);
    match all.len() {
        1 => Ok(all.remove(0)),
        count => Err(NotOnce { name, count }),
    }
}

#[inline]
fn find_all<'p>(
    plan: &'p SchedulePlan,
    is: &dyn Fn(Step<'p>) -> bool,
    outer: &mut Vec<Step<'p>>,
    all: &mut Vec<Vec<Step<'p>>>,
) {
    for step in plan.steps() {
        outer.push(step);
        if is(step) {
            all.push(outer.clone());
        }
        for (_, inner) in step.inner() {
            find_all(inner, is, outer, all);
        }
        outer.pop();
    }
}

/// A system that is not in the plan exactly once.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NotOnce {
    name: &'static str,
    count: usize,
}

/// Marker of the implementation of [`InPlan`] for systems.
#[doc(hidden)]
pub struct ASystem<M>(M);

/// Marker of the implementation of [`InPlan`] for steps.
#[doc(hidden)]
pub struct AStep;

impl<M, F: IntoSystem<M, Out: SystemOutput>> InPlan<ASystem<M>> for F {
    fn find(self, plan: &SchedulePlan) -> Result<Vec<Step<'_>>, NotOnce> {
        let (id, name) = self.named();
        find_once(plan, name, &|step| step.id() == id)
    }
}

#[diagnostic::do_not_recommend]
impl InPlan<AStep> for Step<'_> {
    #[inline]
    fn find(self, plan: &SchedulePlan) -> Result<Vec<Step<'_>>, NotOnce> {
        find_once(plan, self.name(), &|step| step == self)
    }
}

/// The explanation that [`SchedulePlan::why`] returns; print it.
#[derive(Clone)]
pub struct Why<'a> {
    found: Result<WhyPair<'a>, NotOnce>,
}

#[derive(Clone)]
struct WhyPair<'a> {
    first: Step<'a>,
    second: Step<'a>,
    /// The requested steps, if they are inside the two steps of the plan.
    inside: [Option<Step<'a>>; 2],
    /// The path from the first step to the second one: each waits for the one before. Empty if the second does not wait.
    path: Vec<Step<'a>>,
}

impl<'a> Why<'a> {
    /// Returns true if the two systems can run at the same time.
    ///
    /// Also returns false if one of them is not in the plan, or if they are the same step.
    #[must_use]
    #[inline]
    pub fn may_overlap(&self) -> bool {
        self.found.as_ref().is_ok_and(|pair| {
            pair.path.is_empty()
                && pair.first.number() != pair.second.number()
                && pair.second.reason(pair.first).is_none()
                && !pair.one_thread()
        })
    }

    /// Returns true if each of the two systems is in the plan exactly once.
    #[must_use]
    #[inline]
    pub fn is_known(&self) -> bool {
        self.found.is_ok()
    }

    /// Returns the steps that make the later system wait for the earlier one, both included. Empty if it does not wait.
    #[must_use]
    #[inline]
    pub fn path(&self) -> &[Step<'a>] {
        self.found.as_ref().map_or(&[], |pair| &pair.path)
    }
}

impl fmt::Display for Why<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Ok(pair) => pair.fmt(f),
            Err(NotOnce { name, count: 0 }) => write!(f, "system `{name}` is not in the plan"),
            Err(NotOnce { name, count }) => write!(
                f,
                "system `{name}` is in the plan {count} times; help: ask about one of its steps"
            ),
        }
    }
}

impl fmt::Debug for Why<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Why({:?})", self.to_string())
    }
}

impl fmt::Display for WhyPair<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (inside, step) in self.inside.iter().zip([self.first, self.second]) {
            if let Some(inside) = inside {
                let (inside, step) = (inside.name(), step.name());
                writeln!(f, "`{inside}` runs inside the step `{step}`")?;
            }
        }
        let (first, second) = (self.first.name(), self.second.name());
        if self.first.number() == self.second.number() {
            return write!(
                f,
                "`{first}` is one step, which cannot run at the same time as itself"
            );
        }
        if self.second.reason(self.first).is_some() {
            write!(f, "`{second}` waits for `{first}`:")?;
            reasons(f, self.first, self.second)?;
        } else if self.path.is_empty() {
            if self.one_thread() {
                write!(
                    f,
                    "`{first}` and `{second}` do not wait for each other, but both run on the calling thread"
                )?;
            } else {
                write!(
                    f,
                    "`{first}` and `{second}` do not conflict: they can run at the same time"
                )?;
            }
            self.in_common(f)?;
        } else {
            write!(f, "`{second}` waits for `{first}`, through ")?;
            let between = &self.path[1..self.path.len() - 1];
            for (i, step) in between.iter().enumerate() {
                write!(f, "{}`{}`", if i > 0 { ", " } else { "" }, step.name())?;
            }
            f.write_str(":")?;
            for pair in self.path.windows(2) {
                write!(f, "\n`{}` waits for `{}`:", pair[1].name(), pair[0].name())?;
                reasons(f, pair[0], pair[1])?;
            }
        }
        self.flush_points(f)
    }
}

impl WhyPair<'_> {
    #[inline]
    fn one_thread(&self) -> bool {
        [self.first, self.second]
            .iter()
            .all(|step| step.placement() == ThreadPlacement::CallingThread)
    }

    /// Writes the data that both systems use without a conflict.
    #[inline]
    fn in_common(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut seen: Vec<(Domain, ConstTypeId)> = Vec::new();
        for one in parts(self.first) {
            for two in parts(self.second) {
                let apart = matches!(
                    systems_compatible(one.meta, two.meta),
                    Compatibility::FilteredApart
                );
                for access in one.meta.access() {
                    let same = (access.domain, access.ident);
                    let mut others = two.meta.access();
                    let shared = others.any(|other| (other.domain, other.ident) == same);
                    if !shared || seen.contains(&same) {
                        continue;
                    }
                    seen.push(same);
                    let name = access.ident.type_name();
                    let word = access.domain.word();
                    let writes = [one.meta, two.meta].into_iter().any(|meta| {
                        let mut all = meta.access();
                        all.any(|a| (a.domain, a.ident) == same && a.kind.writes())
                    });
                    if !writes {
                        write!(f, "\n- both only read the {word} `{name}`")?;
                    } else if apart {
                        write!(
                            f,
                            "\n- both use the {word} `{name}`, but filters make their entities disjoint"
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes when the deferred commands of the first system are applied.
    #[inline]
    fn flush_points(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (self.first, self.second);
        if !first.flushes_later() || !first.defers() {
            return Ok(());
        }
        let mut between = first
            .plan
            .steps()
            .take(second.number())
            .skip(first.number());
        let when = if between.any(|step| step.flush() == Flush::Point) {
            "applied at a flush point before"
        } else {
            "not yet applied for"
        };
        write!(
            f,
            "\n- the deferred commands of `{}` are {when} `{}`",
            first.name(),
            second.name()
        )
    }
}

/// A system, or a function that one of its conditions calls.
struct WhyPart<'a> {
    meta: &'a SystemMeta,
    /// The name of the condition.
    condition: Option<&'a str>,
}

#[inline]
fn parts<'a>(step: Step<'a>) -> impl Iterator<Item = WhyPart<'a>> {
    let system = WhyPart {
        meta: step.system(),
        condition: None,
    };
    let conditions = step.conditions().flat_map(|condition| {
        condition.parts.iter().map(|meta| WhyPart {
            meta,
            condition: Some(&condition.name),
        })
    });
    core::iter::once(system).chain(conditions)
}

/// Writes all reasons why the second step waits for the first one, one per line.
#[inline]
fn reasons(f: &mut fmt::Formatter<'_>, first: Step<'_>, second: Step<'_>) -> fmt::Result {
    if let Some(Reason::Constraint) = second.reason(first) {
        f.write_str("\n- `after`, `before` or `chain` orders them")?;
    }
    let constrained = second.after().any(|step| step.number() == first.number());
    let pair = (first.number(), second.number());
    let mut waived = first.plan.ambiguities();
    let order = if constrained {
        ""
    } else if waived.any(|(one, two, _)| (one.number(), two.number()) == pair) {
        ", in the order that the plan chose, because they are `unordered`"
    } else {
        ", in list order"
    };
    let mut found = false;
    for one in parts(first) {
        for two in parts(second) {
            for (conflict, is_first) in conflicts(&one, &two) {
                if !is_first && conflict.overlap == Overlap::World {
                    // `&World` or `&mut World` conflicts with every parameter, so the first pair is enough.
                    continue;
                }
                found = true;
                write!(f, "\n- {conflict}{order}")?;
                for (part, whose) in [(&one, first), (&two, second)] {
                    if let Some(condition) = part.condition {
                        write!(f, " (by the condition `{condition}` of `{}`)", whose.name())?;
                    }
                }
            }
        }
    }
    if first.defers() && !first.flushes_later() && second.meta().touches_world() {
        write!(
            f,
            "\n- `{}` queues commands, applied directly after it, and `{}` reads the world",
            first.name(),
            second.name()
        )?;
        found = true;
    }
    if let Some(reason @ Reason::SharedCondition) = second.reason(first) {
        write!(f, "\n- {reason}")?;
        found = true;
    }
    if !found && !constrained {
        f.write_str("\n- `after`, `before` or `chain` orders them")?;
    }
    Ok(())
}

/// Returns all pairs of conflicting parameters. The flag marks the first pair.
#[inline]
fn conflicts<'a>(one: &WhyPart<'a>, two: &WhyPart<'a>) -> impl Iterator<Item = (Conflict, bool)> {
    let pairs = one.meta.params.iter().flat_map(|first| {
        let others = two.meta.params.iter();
        others.map(move |second| (first, second))
    });
    let found = pairs.filter_map(|(first, second)| {
        overlap(first.of.access, second.of.access).map(|overlap| Conflict {
            first: *first,
            second: *second,
            overlap,
        })
    });
    found.enumerate().map(|(n, conflict)| (conflict, n == 0))
}
