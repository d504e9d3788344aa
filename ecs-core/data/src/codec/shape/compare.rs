//! Compares shapes: values of one can be read as values of another, or not.

use std::collections::HashSet;

use super::{Body, Fields, Named, Node, Shape};

/// The role of the names of newtypes and of tuples with names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// They have to be equal.
    Matter,
    /// They may differ, as those of types that read older versions do.
    Ignored,
}

/// Returns true if values whose bytes were written in one shape can be read in another: if they are equal, or differ by aliases, by
/// variants at the end of an enum, or by what is not known of one of them.
pub(crate) fn fits(saved: &str, current: &str, names: Names) -> bool {
    if saved == current {
        return true;
    }
    let (Some(saved), Some(current)) = (Shape::of_text(saved), Shape::of_text(current)) else {
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
fn value_of_root(shape: &Shape) -> &Node {
    if let Node::Named(position) = shape.root
        && let Named { name, body } = &shape.named[position]
        && name.is_empty()
        && let Body::Tuple(values) = body
        && let [value] = &values[..]
    {
        return value;
    }
    &shape.root
}

struct Comparing<'a> {
    saved: &'a Shape,
    current: &'a Shape,
    names: Names,
    /// The types that were compared, or are being compared.
    compared: HashSet<(usize, usize)>,
}

impl Comparing<'_> {
    fn nodes(&mut self, saved: &Node, current: &Node) -> bool {
        match (saved, current) {
            (Node::Unknown, _) | (_, Node::Unknown) => true,
            (Node::Plain(saved), Node::Plain(current)) => saved == current,
            (Node::Option(saved), Node::Option(current))
            | (Node::List(saved), Node::List(current)) => self.nodes(saved, current),
            (Node::Map(saved), Node::Map(current)) => self.lists(&saved[..], &current[..]),
            (Node::Tuple(saved), Node::Tuple(current)) => self.lists(saved, current),
            (&Node::Named(saved), &Node::Named(current)) => self.types(saved, current),
            _ => false,
        }
    }

    fn lists(&mut self, saved: &[Node], current: &[Node]) -> bool {
        let mut pairs = saved.iter().zip(current);
        saved.len() == current.len() && pairs.all(|(saved, current)| self.nodes(saved, current))
    }

    fn types(&mut self, saved: usize, current: usize) -> bool {
        if !self.compared.insert((saved, current)) {
            return true;
        }
        let (saved, current) = (&self.saved.named[saved], &self.current.named[current]);
        let is_same_name = saved.name == current.name || self.names == Names::Ignored;
        is_same_name && self.bodies(&saved.body, &current.body)
    }

    fn bodies(&mut self, saved: &Body, current: &Body) -> bool {
        match (saved, current) {
            (Body::Unknown, _) | (_, Body::Unknown) | (Body::Unit, Body::Unit) => true,
            (Body::Tuple(saved), Body::Tuple(current)) => self.lists(saved, current),
            (Body::Struct(saved), Body::Struct(current)) => self.fields(saved, current),
            (Body::Enum(names, saved), Body::Enum(current_names, current)) => {
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

    fn fields(&mut self, saved: &Fields, current: &Fields) -> bool {
        let (count, current_count) = (saved.values.len(), current.values.len());
        count == current_count
            && are_of(&saved.names, count, &current.names, current_count)
            && self.lists(&saved.values, &current.values)
    }
}

/// Returns true if so many things with names can be the first of so many others. There may be more names than things: those are
/// aliases, which nothing tells from the others.
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
