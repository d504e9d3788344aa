//! Compile-time errors about lists.

use super::list::{ConstLink, ListPosition, ListedFunction, WrittenCondition, find};
use crate::meta::{Message, Overlap, SystemMeta, conflict_in_const, kind_word};
use crate::schedule::declare::OrderKind;

/// Fails compilation at the caller if a link names a system that is not in the list exactly once.
///
/// # Panics
/// If it does.
#[doc(hidden)]
#[track_caller]
#[inline]
pub const fn refuse_unknown(systems: &[ListedFunction], link: &ConstLink) {
    let mut text = Message::new();
    match link {
        ConstLink::Chained(..) => return,
        ConstLink::Placed(system, relation, other) => {
            text.push("system `");
            systems[*system].write_name(&mut text);
            text.push("` must run ");
            text.push(match relation {
                OrderKind::After => "after `",
                OrderKind::Before => "before `",
                OrderKind::Unordered => "before or after `",
            });
            other.write_name(&mut text);
            match find(systems, other) {
                ListPosition::At(_) => return,
                ListPosition::Nowhere => {
                    text.push("`, which is not in the schedule; help: add it, or remove the constraint");
                }
                ListPosition::Twice => text.push(
                    "`, which is in the schedule more than once; help: place it by list order or `chain`",
                ),
            }
        }
        ConstLink::Waived(one, two) => {
            let missing = match (find(systems, one), find(systems, two)) {
                (ListPosition::Nowhere, _) => one,
                (_, ListPosition::Nowhere) => two,
                _ => return,
            };
            text.push("`unordered` names system `");
            missing.write_name(&mut text);
            text.push("`, which is not in the schedule; help: add it, or remove the `unordered`");
        }
    }
    panic!("{}", text.as_str());
}

/// Fails compilation at the caller if two systems whose order is waived, or their conditions, conflict.
///
/// # Panics
/// If they do.
#[doc(hidden)]
#[track_caller]
#[inline]
pub const fn refuse_waived(
    systems: &[ListedFunction],
    condition_indices: &[&[usize]],
    conditions: &[WrittenCondition],
    link: &ConstLink,
) {
    let ConstLink::Waived(one, two) = link else {
        return;
    };
    let mut i = 0;
    while i < systems.len() {
        let mut j = 0;
        while j < systems.len() {
            if i != j && systems[i].is(one) && systems[j].is(two) {
                let first = SystemAndConditions::of(systems, condition_indices, conditions, i);
                let second = SystemAndConditions::of(systems, condition_indices, conditions, j);
                first.refuse_conflict(&second);
            }
            j += 1;
        }
        i += 1;
    }
}

/// Fails compilation at the caller if the system at this position of the list cannot be in a deterministic schedule.
///
/// # Panics
/// If it cannot.
#[doc(hidden)]
#[track_caller]
#[inline]
pub const fn refuse_undetermined(systems: &[ListedFunction], position: usize) {
    let (name, arguments) = systems[position].name_in_messages();
    let refusal = systems[position].meta.determinism_refusal(name, arguments);
    if let Some(text) = refusal {
        panic!("{}", text.as_str());
    }
}

/// Fails compilation at the caller if the condition function at this position cannot be in a deterministic schedule.
///
/// # Panics
/// If it cannot.
#[doc(hidden)]
#[track_caller]
#[inline]
pub const fn refuse_undetermined_condition(conditions: &[WrittenCondition], position: usize) {
    let meta = &conditions[position].meta;
    if let Some(text) = meta.determinism_refusal(meta.name, "") {
        panic!("{}", text.as_str());
    }
}

/// A system with the functions that its conditions call.
pub(super) struct SystemAndConditions<'a> {
    system: &'a ListedFunction,
    conditions: &'a [WrittenCondition],
    condition_indices: &'a [usize],
}

impl<'a> SystemAndConditions<'a> {
    #[inline]
    pub(super) const fn of(
        systems: &'a [ListedFunction],
        condition_indices: &'a [&'a [usize]],
        conditions: &'a [WrittenCondition],
        place: usize,
    ) -> Self {
        Self {
            system: &systems[place],
            conditions,
            condition_indices: condition_indices[place],
        }
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        1 + self.condition_indices.len()
    }

    /// Returns the metadata of a part; the system is the first one.
    #[inline]
    pub(super) const fn get(&self, part: usize) -> &'a SystemMeta {
        if part == 0 {
            &self.system.meta
        } else {
            &self.conditions[self.condition_indices[part - 1]].meta
        }
    }

    /// Fails if this system defers changes and the other one accesses the world: their order decides whether the other one
    /// sees the changes.
    #[track_caller]
    #[inline]
    const fn refuse_commands(&self, other: &Self) {
        let (mut defers, mut sees) = (false, false);
        let mut i = 0;
        while i < self.len() {
            defers |= self.get(i).defers();
            i += 1;
        }
        i = 0;
        while i < other.len() {
            sees |= other.get(i).touches_world();
            i += 1;
        }
        if defers && sees {
            let mut text = Message::new();
            text.push("`");
            self.system.write_name(&mut text);
            text.push("` and `");
            other.system.write_name(&mut text);
            text.push("` are `unordered`, but the first one can change the world by commands, and the second one reads it; help: remove the `unordered`, so that list order holds");
            panic!("{}", text.as_str());
        }
    }

    #[track_caller]
    #[inline]
    const fn refuse_conflict(&self, other: &Self) {
        self.refuse_commands(other);
        other.refuse_commands(self);
        let mut i = 0;
        while i < self.len() {
            let mut j = 0;
            while j < other.len() {
                let (one, two) = (self.get(i), other.get(j));
                if let Some((first, second, overlap)) = conflict_in_const(one, two) {
                    let mut text = Message::new();
                    text.push("`");
                    self.system.write_name(&mut text);
                    text.push("` and `");
                    other.system.write_name(&mut text);
                    text.push("` are `unordered`, but they conflict: ");
                    let (first, second) = (&one.params[first], &two.params[second]);
                    text.parameter(first);
                    if let Some(Overlap::Data { first, .. }) = overlap {
                        text.push(kind_word(first));
                    }
                    text.push(" and ");
                    text.parameter(second);
                    match overlap {
                        Some(Overlap::Data {
                            domain,
                            ident,
                            second,
                            ..
                        }) => {
                            text.push(kind_word(second));
                            text.push(" ");
                            text.data(domain, ident.name());
                        }
                        Some(Overlap::World) => text.push(" share the world"),
                        Some(Overlap::Ids) => text.push(" both allocate ids of entities"),
                        None => {
                            text.push(" may touch the same data, which is only known at run time");
                        }
                    }
                    text.push("; help: remove the `unordered`, so that list order holds");
                    panic!("{}", text.as_str());
                }
                j += 1;
            }
            i += 1;
        }
    }
}

/// Reports systems that wait for each other: each one runs before the next, and the last one before the first.
#[track_caller]
#[inline]
pub(super) const fn cycle(systems: &[ListedFunction], cycle: &[usize]) {
    let mut text = Message::new();
    text.push("systems wait for each other: ");
    let mut i = 0;
    while i < cycle.len() {
        text.push("`");
        systems[cycle[i]].write_name(&mut text);
        text.push("` before ");
        i += 1;
    }
    text.push("`");
    systems[cycle[0]].write_name(&mut text);
    text.push("`; help: remove one of these `before`, `after` or `chain`");
    panic!("{}", text.as_str());
}
