//! A list with its tuples flattened: systems with their indices, and constraints between them.
//!
//! The rules are those of `IntoConfigs`.

use proc_macro2::{Ident, TokenStream};

use super::parse::{Entry, Modifier, Systems};

/// A list without tuples.
#[derive(Default)]
pub(super) struct FlatList<'a> {
    pub(super) systems: Vec<System<'a>>,
    /// The paths of conditions.
    pub(super) conditions: Vec<&'a TokenStream>,
    pub(super) constraints: Vec<Constraint<'a>>,
}

pub(super) struct System<'a> {
    pub(super) path: &'a TokenStream,
    /// The indices of its conditions, in the order in which they are evaluated.
    pub(super) conditions: Vec<usize>,
}

/// A constraint between systems, by index or path.
pub(super) enum Constraint<'a> {
    Chained(usize, usize),
    /// The method is `after` or `before`.
    Ordered(usize, &'a Ident, &'a TokenStream),
    Unordered(&'a TokenStream, &'a TokenStream),
}

impl<'a> FlatList<'a> {
    pub(super) fn new(entries: &'a [Entry]) -> Self {
        let mut list = Self::default();
        for entry in entries {
            list.add(entry);
        }
        list
    }

    fn add(&mut self, entry: &'a Entry) {
        let (systems, modifiers) = match entry {
            Entry::Systems(systems, modifiers) => (systems, modifiers),
            Entry::Unordered(one, other) => {
                self.constraints.push(Constraint::Unordered(one, other));
                return;
            }
        };
        let start = self.systems.len();
        // The bounds of the members of the tuple.
        let mut bounds = Vec::new();
        match systems {
            Systems::One(path) => {
                bounds.push(start);
                self.systems.push(System {
                    path,
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
        // The number of conditions of the tuple as a whole, which are the first ones of each system.
        let mut of_tuple = 0;
        for modifier in modifiers {
            match modifier {
                Modifier::Ordered(word, other) => {
                    let systems = start..self.systems.len();
                    self.constraints
                        .extend(systems.map(|system| Constraint::Ordered(system, word, other)));
                }
                Modifier::RunIf(condition) => {
                    let index = self.conditions.len();
                    self.conditions.push(condition);
                    for system in &mut self.systems[start..] {
                        system.conditions.insert(of_tuple, index);
                    }
                    of_tuple += 1;
                }
                Modifier::Chain => {
                    for bounds in bounds.windows(3) {
                        for first in bounds[0]..bounds[1] {
                            let later = bounds[1]..bounds[2];
                            self.constraints
                                .extend(later.map(|second| Constraint::Chained(first, second)));
                        }
                    }
                }
            }
        }
    }
}
