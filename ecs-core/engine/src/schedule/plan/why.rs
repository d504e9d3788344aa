//! Plans in words: why two systems do not run at the same time.
//!
//! What is not generic is `#[inline]`, so that it is compiled where somebody asks, and by nobody else.

use core::fmt;

use super::{Flush, Place, Plan, Reason, Step};
use crate::meta::{
    Compatibility, Conflict, ConstTypeId, Domain, Overlap, SystemMeta, between, overlap,
};
use crate::system::IntoSystem;

impl Plan {
    /// Why two systems cannot run at the same time, or that they can: in words, to be printed.
    ///
    /// Takes system functions, and steps. A system that the plan has several times is named by its step.
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
    /// assert!(why.contains("by way of `") && why.contains("movement`"));
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    ///
    /// O(steps + edges), and the comparison of the two.
    pub fn why<A, B>(&self, one: impl InPlan<A>, other: impl InPlan<B>) -> Why<'_> {
        let found = [one.find(self), other.find(self)];
        let [one, other] = match found {
            [Ok(one), Ok(other)] => [one, other],
            [Err(error), _] | [_, Err(error)] => return Why { found: Err(error) },
        };
        let (first, second) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        Why {
            found: Ok(Pair {
                first: self.step(first),
                second: self.step(second),
                way: self.way(first, second),
            }),
        }
    }

    /// The shortest way by which the second step waits for the first one, both included; empty if it does not.
    #[inline]
    fn way(&self, first: usize, second: usize) -> Vec<Step<'_>> {
        // Who waits for the second one, directly or not, and who for whom.
        let mut next = vec![None; second + 1];
        let mut queue = std::collections::VecDeque::from([second]);
        while let Some(later) = queue.pop_front() {
            for earlier in self.step(later).waits_for().map(Step::number) {
                if next[earlier].is_none() {
                    next[earlier] = Some(later);
                    queue.push_back(earlier);
                }
            }
        }
        let mut way = Vec::new();
        if first < second && next[first].is_some() {
            let mut at = Some(first);
            while let Some(number) = at {
                way.push(self.step(number));
                at = next[number];
            }
        }
        way
    }
}

/// What [`Plan::why`] can be asked about: a system function, or a [`Step`] of the plan.
///
/// `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor a step of a plan",
    label = "cannot be asked about"
)]
pub trait InPlan<M> {
    /// The number of the step; how often it is there, and its name, if that is not once.
    #[doc(hidden)]
    fn find(self, plan: &Plan) -> Result<usize, NotOnce>;
}

/// A system that is not in the plan exactly once.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NotOnce {
    name: &'static str,
    count: usize,
}

/// Tells the implementation of [`InPlan`] for systems apart.
#[doc(hidden)]
pub struct ASystem<M>(M);

/// Tells the implementation of [`InPlan`] for steps apart.
#[doc(hidden)]
pub struct AStep;

impl<M, F: IntoSystem<M>> InPlan<ASystem<M>> for F {
    fn find(self, plan: &Plan) -> Result<usize, NotOnce> {
        let source = self.into_source();
        let mut found = plan.steps().filter(|step| step.id() == source.id);
        match (found.next(), found.count()) {
            (Some(step), 0) => Ok(step.number()),
            (first, others) => Err(NotOnce {
                name: source.meta.name,
                count: usize::from(first.is_some()) + others,
            }),
        }
    }
}

#[diagnostic::do_not_recommend]
impl InPlan<AStep> for Step<'_> {
    #[inline]
    fn find(self, plan: &Plan) -> Result<usize, NotOnce> {
        if core::ptr::eq(self.plan, plan) {
            Ok(self.number())
        } else {
            Err(NotOnce {
                name: self.name(),
                count: 0,
            })
        }
    }
}

/// The answer of [`Plan::why`]: print it.
#[derive(Clone)]
pub struct Why<'a> {
    found: Result<Pair<'a>, NotOnce>,
}

#[derive(Clone)]
struct Pair<'a> {
    first: Step<'a>,
    second: Step<'a>,
    /// From the first one to the second one, each waiting for the one before; empty if it does not wait.
    way: Vec<Step<'a>>,
}

impl<'a> Why<'a> {
    /// Whether the two systems can run at the same time.
    ///
    /// Also false if one of them is not in the plan, or if they are the same step.
    #[must_use]
    #[inline]
    pub fn may_overlap(&self) -> bool {
        self.found.as_ref().is_ok_and(|pair| {
            pair.way.is_empty()
                && pair.first.number() != pair.second.number()
                && pair.second.reason(pair.first).is_none()
                && !pair.one_thread()
        })
    }

    /// The steps by which the later system waits for the earlier one, both of them included; empty if it does not wait
    /// for it by others.
    #[must_use]
    #[inline]
    pub fn way(&self) -> &[Step<'a>] {
        self.found.as_ref().map_or(&[], |pair| &pair.way)
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
                "system `{name}` is in the plan {count} times; ask about one of its steps"
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

impl fmt::Display for Pair<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (self.first.name(), self.second.name());
        if self.first.number() == self.second.number() {
            return write!(f, "`{first}` is one step, which does not run beside itself");
        }
        if self.second.reason(self.first).is_some() {
            write!(f, "`{second}` waits for `{first}`:")?;
            reasons(f, self.first, self.second)?;
        } else if self.way.is_empty() {
            if self.one_thread() {
                write!(
                    f,
                    "`{first}` and `{second}` wait for nothing of each other, but both run on the calling thread"
                )?;
            } else {
                write!(
                    f,
                    "nothing keeps `{first}` and `{second}` apart: they can run at the same time"
                )?;
            }
            self.in_common(f)?;
        } else {
            write!(f, "`{second}` waits for `{first}`, by way of ")?;
            let between = &self.way[1..self.way.len() - 1];
            for (i, step) in between.iter().enumerate() {
                write!(f, "{}`{}`", if i > 0 { ", " } else { "" }, step.name())?;
            }
            f.write_str(":")?;
            for pair in self.way.windows(2) {
                write!(f, "\n`{}` waits for `{}`:", pair[1].name(), pair[0].name())?;
                reasons(f, pair[0], pair[1])?;
            }
        }
        self.flush_points(f)
    }
}

impl Pair<'_> {
    #[inline]
    fn one_thread(&self) -> bool {
        [self.first, self.second]
            .iter()
            .all(|step| step.place() == Place::CallingThread)
    }

    /// What both use without being in each other's way.
    #[inline]
    fn in_common(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told: Vec<(Domain, ConstTypeId)> = Vec::new();
        for one in parts(self.first) {
            for two in parts(self.second) {
                let apart = matches!(between(one.meta, two.meta), Compatibility::FilteredApart);
                for access in one.meta.access() {
                    let same = (access.domain, access.ident);
                    let mut others = two.meta.access();
                    let shared = others.any(|other| (other.domain, other.ident) == same);
                    if !shared || told.contains(&same) {
                        continue;
                    }
                    told.push(same);
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
                            "\n- both use the {word} `{name}`, but filters keep their entities apart"
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    /// When it is done what the first system puts off for later.
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
            "done at a flush point before"
        } else {
            "not done yet for"
        };
        write!(
            f,
            "\n- what `{}` puts off is {when} `{}`",
            first.name(),
            second.name()
        )
    }
}

/// A system, or a function that its conditions ask.
struct Part<'a> {
    meta: &'a SystemMeta,
    /// The name of the condition.
    condition: Option<&'a str>,
}

#[inline]
fn parts<'a>(step: Step<'a>) -> impl Iterator<Item = Part<'a>> {
    let system = Part {
        meta: step.system(),
        condition: None,
    };
    let conditions = step.conditions().flat_map(|condition| {
        condition.parts.iter().map(|meta| Part {
            meta,
            condition: Some(&condition.name),
        })
    });
    core::iter::once(system).chain(conditions)
}

/// All reasons why the second step waits for the first one, a line each.
#[inline]
fn reasons(f: &mut fmt::Formatter<'_>, first: Step<'_>, second: Step<'_>) -> fmt::Result {
    if let Some(Reason::Asked) = second.reason(first) {
        f.write_str("\n- somebody asked for it, by `after`, `before` or `chain`")?;
    }
    let asked = second.after().any(|step| step.number() == first.number());
    let pair = (first.number(), second.number());
    let mut waived = first.plan.ambiguities();
    let order = if asked {
        ""
    } else if waived.any(|(one, two, _)| (one.number(), two.number()) == pair) {
        ", in the order that the plan chose, as list order was waived"
    } else {
        ", in list order"
    };
    let mut found = false;
    for one in parts(first) {
        for two in parts(second) {
            for (conflict, is_first) in conflicts(&one, &two) {
                if !is_first && conflict.overlap == Overlap::World {
                    // Once is enough.
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
            "\n- `{}` has commands, which are done directly after it, and `{}` comes to see the world",
            first.name(),
            second.name()
        )?;
        found = true;
    }
    if let Some(reason @ Reason::Answer) = second.reason(first) {
        write!(f, "\n- {reason}")?;
        found = true;
    }
    if !found && !asked {
        f.write_str("\n- they are told in this order")?;
    }
    Ok(())
}

/// Every two parameters that are in each other's way.
#[inline]
fn conflicts<'a>(one: &Part<'a>, two: &Part<'a>) -> impl Iterator<Item = (Conflict, bool)> {
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
