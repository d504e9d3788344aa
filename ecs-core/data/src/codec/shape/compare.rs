//! Compares shapes: can values of one be read as values of another?

use std::collections::HashSet;

use super::{NamedShape, ShapeBody, ShapeFields, ShapeNode, ValueShape};

/// The role of the names of newtypes and of tuples with names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRole {
    /// They have to be equal.
    Matter,
    /// They may differ, like the names of types that read older versions.
    Ignored,
}

/// Returns true if values whose bytes were written in one shape can be read in another. The shapes may be equal, or differ by
/// aliases, by variants at the end of an enum, or by an unknown part of one of them.
pub(crate) fn fits(saved: &str, current: &str, names: NameRole) -> bool {
    if saved == current {
        return true;
    }
    let (Some(saved), Some(current)) = (ValueShape::of_text(saved), ValueShape::of_text(current))
    else {
        return false;
    };
    let mut comparing = Comparing {
        saved: &saved,
        current: &current,
        names,
        compared: HashSet::new(),
    };
    let [saved_value, current_value] = [&saved, &current].map(value_of_root);
    comparing.nodes(saved_value, current_value)
}

/// Returns the value of a newtype whose name does not matter, such as a component itself, which may also be `transparent`.
fn value_of_root(shape: &ValueShape) -> &ShapeNode {
    if let ShapeNode::Named(position) = shape.root
        && let NamedShape { name, body } = &shape.named[position]
        && name.is_empty()
        && let ShapeBody::Tuple(values) = body
        && let [value] = &values[..]
    {
        return value;
    }
    &shape.root
}

struct Comparing<'a> {
    saved: &'a ValueShape,
    current: &'a ValueShape,
    names: NameRole,
    /// The types that were compared, or are being compared.
    compared: HashSet<(usize, usize)>,
}

impl Comparing<'_> {
    fn nodes(&mut self, saved: &ShapeNode, current: &ShapeNode) -> bool {
        match (saved, current) {
            (ShapeNode::Unknown, _) | (_, ShapeNode::Unknown) => true,
            (ShapeNode::Plain(saved), ShapeNode::Plain(current)) => saved == current,
            (ShapeNode::Option(saved), ShapeNode::Option(current))
            | (ShapeNode::List(saved), ShapeNode::List(current)) => self.nodes(saved, current),
            (ShapeNode::Map(saved), ShapeNode::Map(current)) => {
                self.lists(&saved[..], &current[..])
            }
            (ShapeNode::Tuple(saved), ShapeNode::Tuple(current)) => self.lists(saved, current),
            (&ShapeNode::Named(saved), &ShapeNode::Named(current)) => self.types(saved, current),
            _ => false,
        }
    }

    fn lists(&mut self, saved: &[ShapeNode], current: &[ShapeNode]) -> bool {
        let mut pairs = saved.iter().zip(current);
        saved.len() == current.len() && pairs.all(|(saved, current)| self.nodes(saved, current))
    }

    fn types(&mut self, saved: usize, current: usize) -> bool {
        if !self.compared.insert((saved, current)) {
            return true;
        }
        let (saved, current) = (&self.saved.named[saved], &self.current.named[current]);
        let is_same_name = saved.name == current.name || self.names == NameRole::Ignored;
        is_same_name && self.bodies(&saved.body, &current.body)
    }

    fn bodies(&mut self, saved: &ShapeBody, current: &ShapeBody) -> bool {
        match (saved, current) {
            (ShapeBody::Unknown, _)
            | (_, ShapeBody::Unknown)
            | (ShapeBody::Unit, ShapeBody::Unit) => true,
            (ShapeBody::Tuple(saved), ShapeBody::Tuple(current)) => self.lists(saved, current),
            (ShapeBody::Struct(saved), ShapeBody::Struct(current)) => self.fields(saved, current),
            (ShapeBody::Enum(names, saved), ShapeBody::Enum(current_names, current)) => {
                saved.len() <= current.len()
                    && are_of(names, saved.len(), current_names, current.len())
                    && saved
                        .iter()
                        .zip(current)
                        .all(|(saved, current)| self.bodies(saved, current))
            }
            _ => false,
        }
    }

    fn fields(&mut self, saved: &ShapeFields, current: &ShapeFields) -> bool {
        let (count, current_count) = (saved.values.len(), current.values.len());
        count == current_count
            && are_of(&saved.names, count, &current.names, current_count)
            && self.lists(&saved.values, &current.values)
    }
}

/// Returns true if the first number of named things can be the beginning of the second. There may be more names than things;
/// the extra ones are aliases, which look like the others.
fn are_of(names: &[String], count: usize, others: &[String], other_count: usize) -> bool {
    if names.len() > count {
        return count == other_count && common(names, others) >= count;
    }
    let mut left = others.iter();
    let is_there = |name: &String| left.any(|other| other == name);
    names.iter().all(is_there) && left.len() >= other_count.saturating_sub(count)
}

/// Returns the length of the longest list that both lists have, in order, with gaps.
fn common(names: &[String], others: &[String]) -> usize {
    let mut lengths = vec![0; others.len() + 1];
    for name in names {
        let mut before = 0;
        for (position, other) in others.iter().enumerate() {
            let above = lengths[position + 1];
            lengths[position + 1] = match name == other {
                true => before + 1,
                false => above.max(lengths[position]),
            };
            before = above;
        }
    }
    lengths[others.len()]
}
