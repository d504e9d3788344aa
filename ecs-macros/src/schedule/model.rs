//! A list with tuples taken apart: systems with their places, and what is said about them.
//!
//! The rules are those of `IntoConfigs`.

use proc_macro2::{Ident, TokenStream};

use super::parse::{Entry, Said, What};

/// A list.
#[derive(Default)]
pub(super) struct List<'a> {
    pub(super) systems: Vec<System<'a>>,
    /// The paths of conditions.
    pub(super) conditions: Vec<&'a TokenStream>,
    pub(super) links: Vec<Link<'a>>,
}

pub(super) struct System<'a> {
    pub(super) path: &'a TokenStream,
    /// The places of its conditions, in the order in which they are asked.
    pub(super) conditions: Vec<usize>,
}

pub(super) enum Link<'a> {
    Chained(usize, usize),
    Placed(usize, &'a Ident, &'a TokenStream),
    Waived(&'a TokenStream, &'a TokenStream),
}

impl<'a> List<'a> {
    pub(super) fn new(entries: &'a [Entry]) -> Self {
        let mut list = Self::default();
        for entry in entries {
            list.add(entry);
        }
        list
    }

    fn add(&mut self, entry: &'a Entry) {
        let (what, said) = match entry {
            Entry::Systems { what, said } => (what, said),
            Entry::Unordered(one, other) => {
                self.links.push(Link::Waived(one, other));
                return;
            }
        };
        let start = self.systems.len();
        let mut members = Vec::new();
        match what {
            What::One(path) => {
                members.push(start);
                self.systems.push(System {
                    path,
                    conditions: Vec::new(),
                });
            }
            What::Several(entries) => {
                for entry in entries {
                    members.push(self.systems.len());
                    self.add(entry);
                }
            }
        }
        members.push(self.systems.len());
        // How many conditions were put on the group as a whole; each system has them first.
        let mut on_group = 0;
        for said in said {
            match said {
                Said::Placed(word, other) => {
                    let systems = start..self.systems.len();
                    self.links
                        .extend(systems.map(|system| Link::Placed(system, word, other)));
                }
                Said::RunIf(condition) => {
                    let index = self.conditions.len();
                    self.conditions.push(condition);
                    for system in &mut self.systems[start..] {
                        system.conditions.insert(on_group, index);
                    }
                    on_group += 1;
                }
                Said::Chain => {
                    for bounds in members.windows(3) {
                        for first in bounds[0]..bounds[1] {
                            let later = bounds[1]..bounds[2];
                            self.links
                                .extend(later.map(|second| Link::Chained(first, second)));
                        }
                    }
                }
            }
        }
    }
}
