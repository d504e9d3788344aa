//! The sets of a list. The way a set is written identifies it.

use core::ops::Range;

use super::parse::Modifier;
use crate::prelude::*;

#[derive(Default)]
pub(super) struct Sets<'a> {
    list: Vec<Set<'a>>,
    /// Sets that were configured a second time.
    twice: Vec<&'a TokenStream>,
}

struct Set<'a> {
    label: &'a TokenStream,
    text: String,
    /// Its direct members.
    systems: Vec<usize>,
    /// The indices of the sets that contain it directly.
    outer: Vec<usize>,
    is_configured: bool,
}

impl<'a> Sets<'a> {
    /// Returns the index of the set that is written like this.
    pub(super) fn find(&self, label: &TokenStream) -> Option<usize> {
        let text = pretty::line(label);
        self.list.iter().position(|set| set.text == text)
    }

    fn get(&mut self, label: &'a TokenStream) -> usize {
        self.find(label).unwrap_or_else(|| {
            self.list.push(Set {
                label,
                text: pretty::line(label),
                systems: Vec::new(),
                outer: Vec::new(),
                is_configured: false,
            });
            self.list.len() - 1
        })
    }

    /// Makes the sets known.
    pub(super) fn mention(&mut self, labels: &'a [TokenStream]) {
        for label in labels {
            self.get(label);
        }
    }

    pub(super) fn add(&mut self, label: &'a TokenStream, systems: Range<usize>) {
        let set = self.get(label);
        self.list[set].systems.extend(systems);
    }

    /// Adds a set to the sets that its configuration names.
    pub(super) fn configure(&mut self, label: &'a TokenStream, modifiers: &'a [Modifier]) {
        let set = self.get(label);
        if core::mem::replace(&mut self.list[set].is_configured, true) {
            self.twice.push(label);
        }
        for modifier in modifiers {
            if let Modifier::InSet(outer) = modifier {
                let outer = self.get(outer);
                self.list[set].outer.push(outer);
            }
        }
    }

    /// Reports sets that are configured twice or for no system, or inside of each other, and removes their nesting.
    pub(super) fn finish(&mut self, errors: &mut Errors) {
        for label in &self.twice {
            let text = pretty::line(label);
            reject!(errors, label => "the set `{text}` is configured twice\nhelp: write it as one `configure`");
        }
        let mut is_circular = false;
        for set in 0..self.list.len() {
            if self.inside(set).contains(&set) {
                let Set { label, text, .. } = &self.list[set];
                reject!(errors, label => "the set `{text}` is in itself\nhelp: remove an `in_set`");
                self.list[set].outer.clear();
                is_circular = true;
            }
        }
        for set in self.list.iter().filter(|set| set.is_configured) {
            if !is_circular && self.members(set.label).is_empty() {
                reject_empty(set.label, errors);
            }
        }
    }

    /// Returns the sets that contain this one, directly or through others.
    fn inside(&self, set: usize) -> Vec<usize> {
        let mut all = self.list[set].outer.clone();
        let mut next = 0;
        while next < all.len() {
            for &outer in &self.list[all[next]].outer {
                if !all.contains(&outer) {
                    all.push(outer);
                }
            }
            next += 1;
        }
        all
    }

    /// Returns the systems of a set, in list order.
    pub(super) fn members(&self, label: &TokenStream) -> Vec<usize> {
        let Some(wanted) = self.find(label) else {
            return Vec::new();
        };
        let mut members = Vec::new();
        for (index, set) in self.list.iter().enumerate() {
            if index == wanted || self.inside(index).contains(&wanted) {
                members.extend_from_slice(&set.systems);
            }
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Returns whether the target of a constraint is a set and not a system. A set without systems is an error.
    pub(super) fn is_set(&self, target: &TokenStream, errors: &mut Errors) -> bool {
        let set = self.find(target);
        if set.is_none() && is_path_of_system(target) {
            return false;
        }
        // A configured one was reported there.
        if self.members(target).is_empty() && set.is_none_or(|set| !self.list[set].is_configured) {
            reject_empty(target, errors);
        }
        true
    }

    /// Returns all sets, in the order of their first use.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = &'a TokenStream> {
        self.list.iter().map(|set| set.label)
    }
}

/// Reports a set without systems.
fn reject_empty(label: &TokenStream, errors: &mut Errors) {
    let text = pretty::line(label);
    reject!(errors, label =>
        "no system of this schedule is in the set `{text}`\nhelp: add one, `system.in_set({text})`; a set is written in the same way everywhere");
}

/// Returns whether the tokens are written like the path of a function: the last name is in lower case.
fn is_path_of_system(target: &TokenStream) -> bool {
    let text = pretty::line(target);
    let path = text.split('<').next().unwrap_or_default();
    let path = path.trim_end_matches(':');
    let name = path.rsplit("::").next().unwrap_or_default();
    let name = name.strip_prefix("r#").unwrap_or(name);
    !name.contains('(')
        && !name.starts_with(|c: char| c.is_uppercase() || !(c.is_alphabetic() || c == '_'))
}
