//! A list with its tuples flattened: systems with their indices, and constraints between them.
//!
//! Follows the rules of `IntoConfigs` and `Schedule::configure`.

use core::ops::Range;

use super::condition::Condition;
use super::parse::{ListEntry, Modifier, Systems};
use super::sets::Sets;
use crate::prelude::*;

/// A list without tuples and sets.
#[derive(Default)]
pub(super) struct FlatList<'a> {
    pub(super) systems: Vec<ListedSystem<'a>>,
    /// The paths of the systems that conditions call.
    pub(super) conditions: Vec<&'a TokenStream>,
    pub(super) constraints: Vec<Constraint<'a>>,
    pub(super) sets: Sets<'a>,
    /// Constraints can name sets that the list uses later, so they are resolved last.
    ordered: Vec<(Range<usize>, &'a Ident, &'a TokenStream)>,
    /// The errors about sets.
    pub(super) errors: Errors,
}

pub(super) struct ListedSystem<'a> {
    pub(super) path: &'a TokenStream,
    /// The indices of the systems that its conditions call.
    pub(super) asked: Vec<usize>,
    /// Its conditions, in the order of their evaluation.
    pub(super) conditions: Vec<&'a Condition>,
}

/// A constraint between systems, by index or path.
pub(super) enum Constraint<'a> {
    Chained(usize, usize),
    /// The method is `after` or `before`.
    Ordered(usize, &'a Ident, &'a TokenStream),
    Unordered {
        one: &'a TokenStream,
        other: &'a TokenStream,
        /// The first one as written: itself, or its set.
        at: &'a TokenStream,
    },
}

impl<'a> FlatList<'a> {
    pub(super) fn new(entries: &'a [ListEntry]) -> Self {
        let mut list = Self::default();
        for entry in entries {
            list.add(entry);
        }
        list.sets.finish(&mut list.errors);
        for (systems, word, other) in core::mem::take(&mut list.ordered) {
            list.order(&to_vec(systems), word, other);
        }
        for entry in entries {
            list.apply(entry);
        }
        list
    }

    /// Returns the index of the system that is written like this.
    pub(super) fn position(&self, path: &TokenStream) -> Option<usize> {
        let text = pretty::line(path);
        let mut systems = self.systems.iter();
        systems.position(|system| pretty::line(system.path) == text)
    }

    fn add(&mut self, entry: &'a ListEntry) {
        let (systems, modifiers) = match entry {
            ListEntry::Systems(systems, modifiers) => (systems, modifiers),
            ListEntry::Configure(set, modifiers) => return self.sets.configure(set, modifiers),
            ListEntry::ChainSets(chained) => return self.sets.mention(chained),
            ListEntry::Unordered(..) => return,
        };
        let start = self.systems.len();
        // The bounds of the members of the tuple.
        let mut bounds = Vec::new();
        match systems {
            Systems::One(path) => {
                bounds.push(start);
                self.systems.push(ListedSystem {
                    path,
                    asked: Vec::new(),
                    conditions: Vec::new(),
                });
            }
            Systems::Tuple(entries) => {
                for entry in entries {
                    bounds.push(self.systems.len());
                    self.add(entry);
                }
            }
        }
        bounds.push(self.systems.len());
        // The number of conditions of the tuple itself; they come first for each system.
        let mut of_tuple = 0;
        for modifier in modifiers {
            let systems = start..self.systems.len();
            match modifier {
                Modifier::Ordered(word, other) => self.ordered.push((systems, word, other)),
                Modifier::InSet(set) => self.sets.add(set, systems),
                Modifier::RunIf(condition) => {
                    self.restrict(&to_vec(systems), of_tuple, condition);
                    of_tuple += 1;
                }
                Modifier::Chain => {
                    for bounds in bounds.windows(3) {
                        let first = to_vec(bounds[0]..bounds[1]);
                        self.chain(&first, &to_vec(bounds[1]..bounds[2]));
                    }
                }
            }
        }
    }

    /// Adds the constraints and conditions of sets.
    fn apply(&mut self, entry: &'a ListEntry) {
        match entry {
            ListEntry::Systems(..) => {}
            ListEntry::Configure(set, modifiers) => {
                let systems = self.sets.members(set);
                let mut of_set = 0;
                for modifier in modifiers {
                    match modifier {
                        Modifier::Ordered(word, other) => self.order(&systems, word, other),
                        Modifier::RunIf(condition) => {
                            self.restrict(&systems, of_set, condition);
                            of_set += 1;
                        }
                        Modifier::InSet(_) | Modifier::Chain => {}
                    }
                }
            }
            ListEntry::ChainSets(chained) => {
                let systems = chained.iter().map(|set| self.sets.members(set));
                let systems = to_vec(systems.filter(|systems| !systems.is_empty()));
                for pair in systems.windows(2) {
                    self.chain(&pair[0], &pair[1]);
                }
            }
            ListEntry::Unordered(at, second) => {
                let firsts = self.named(at);
                let seconds = self.named(second);
                for one in firsts {
                    let pairs = seconds.iter();
                    let pairs = pairs.map(|other| Constraint::Unordered { one, other, at });
                    self.constraints.extend(pairs);
                }
            }
        }
    }

    /// Returns the paths of the systems of a set, or the path itself.
    fn named(&mut self, target: &'a TokenStream) -> Vec<&'a TokenStream> {
        if !self.sets.is_set(target, &mut self.errors) {
            return vec![target];
        }
        let members = self.sets.members(target).into_iter();
        to_vec(members.map(|system| self.systems[system].path))
    }

    fn order(&mut self, systems: &[usize], word: &'a Ident, other: &'a TokenStream) {
        let members = self.sets.members(other);
        if !self.sets.is_set(other, &mut self.errors) {
            let systems = systems.iter();
            let ordered = systems.map(|&system| Constraint::Ordered(system, word, other));
            self.constraints.extend(ordered);
        } else if word == "after" {
            self.chain(&members, systems);
        } else {
            self.chain(systems, &members);
        }
    }

    fn chain(&mut self, first: &[usize], later: &[usize]) {
        for &first in first {
            let later = later.iter();
            let links = later.map(|&second| Constraint::Chained(first, second));
            self.constraints.extend(links);
        }
    }

    /// Adds a condition to the systems, at this position of their lists.
    fn restrict(&mut self, systems: &[usize], position: usize, condition: &'a Condition) {
        let start = self.conditions.len();
        condition.collect(&mut self.conditions);
        for &system in systems {
            let system = &mut self.systems[system];
            system.asked.extend(start..self.conditions.len());
            let position = position.min(system.conditions.len());
            system.conditions.insert(position, condition);
        }
    }
}
