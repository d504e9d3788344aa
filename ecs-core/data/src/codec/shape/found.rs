//! Shapes from the requests of a `Deserialize`, in several runs.

use std::collections::HashMap;

use super::{NamedShape, ShapeBody, ShapeFields, ShapeNode, ValueShape};

/// A request of a `Deserialize`. If it has parts, their values follow.
#[derive(Clone, Copy, Debug)]
pub(in crate::codec) enum Event {
    Plain(&'static str),
    /// True if a value follows.
    Option(bool),
    /// This many elements follow.
    List(usize),
    /// This many keys and values follow.
    Map(usize),
    /// At most this many values follow, and then the end.
    Tuple(usize),
    /// A value follows.
    Newtype(FoundType),
    /// A tuple follows.
    TupleStruct(FoundType),
    /// Values of these fields follow, and then the end. The name is empty if they belong to a variant.
    Struct(FoundType, &'static [&'static str]),
    /// One of these variants follows, and then the end.
    Enum(FoundType, &'static [&'static str], u32),
    /// There is such a variant. Its values follow.
    Variant,
    /// The number of a variant, if the enum is not read as one.
    Index {
        visitor: &'static str,
        index: u32,
    },
    End,
}

/// The kind of a part that looks at what it gets. It is not known in shapes.
pub(in crate::codec) const ANY: &str = "any";

/// A type, by the visitor that reads it.
#[derive(Clone, Copy, Debug)]
pub(in crate::codec) struct FoundType {
    pub(in crate::codec) visitor: &'static str,
    pub(in crate::codec) name: &'static str,
}

/// The knowledge about a type after some runs.
#[derive(Default)]
pub(in crate::codec) struct FoundShape {
    shape: ValueShape,
    /// Positions in the list of types with names.
    by_visitor: HashMap<&'static str, usize>,
    /// The names of variants of enums that are not read as such, by the visitor of these names.
    names: HashMap<&'static str, Vec<String>>,
}

impl FoundShape {
    /// Adds the requests of a run.
    pub(in crate::codec) fn add(&mut self, run: &[Event]) {
        let mut run = ShapeRun {
            found: self,
            events: run.iter().copied(),
            has_ended: false,
        };
        let root = run.value();
        merge(&mut self.shape.root, root);
    }

    /// Notes the names of variants.
    pub(in crate::codec) fn note_names(&mut self, visitor: &'static str, names: Vec<String>) {
        self.names.insert(visitor, names);
    }

    /// Returns the number of variants of a visitor of names; 0 if it is not known.
    pub(in crate::codec) fn count_of(&self, visitor: &str) -> u32 {
        self.names
            .get(visitor)
            .map_or(0, |names| names.len() as u32)
    }

    /// Returns true if something in the type is not known.
    pub(in crate::codec) fn is_partial(&self) -> bool {
        self.shape.is_partial()
    }

    /// Returns the shape as text. For events, the name of their type is not part of it either.
    pub(in crate::codec) fn text(&mut self, is_events: bool) -> String {
        let mut nameless = Vec::new();
        if let ShapeNode::Named(root) = self.shape.root {
            nameless.push(root);
            if let ShapeBody::Struct(events) = &self.shape.named[root].body
                && let Some(ShapeNode::List(event)) = events.values.last()
                && let ShapeNode::Named(event) = **event
                && is_events
            {
                nameless.push(event);
            }
        }
        for position in nameless {
            self.shape.named[position].name.clear();
        }
        self.shape.to_text()
    }

    /// Returns the position of a type.
    fn named(&mut self, ty: FoundType) -> usize {
        let named = &mut self.shape.named;
        *self.by_visitor.entry(ty.visitor).or_insert_with(|| {
            named.push(NamedShape {
                name: ty.name.to_owned(),
                body: ShapeBody::Unknown,
            });
            named.len() - 1
        })
    }
}

/// A run that is being read.
struct ShapeRun<'a> {
    found: &'a mut FoundShape,
    events: std::iter::Copied<std::slice::Iter<'a, Event>>,
    /// True if the run failed before its end.
    has_ended: bool,
}

impl ShapeRun<'_> {
    fn next(&mut self) -> Option<Event> {
        let event = self.events.next();
        self.has_ended |= event.is_none();
        event
    }

    /// Returns the next event, without taking it.
    fn peek(&self) -> Option<Event> {
        self.events.clone().next()
    }

    fn value(&mut self) -> ShapeNode {
        let Some(event) = self.next() else {
            return ShapeNode::Unknown;
        };
        match event {
            Event::Plain(ANY) => ShapeNode::Unknown,
            Event::Plain(kind) => ShapeNode::Plain(kind.to_owned()),
            Event::Option(true) => ShapeNode::Option(Box::new(self.value())),
            Event::Option(false) => ShapeNode::Option(Box::default()),
            Event::List(count) => {
                let mut element = ShapeNode::Unknown;
                for _ in 0..count {
                    merge(&mut element, self.value());
                }
                ShapeNode::List(Box::new(element))
            }
            Event::Map(count) => {
                let mut entry = Box::<[ShapeNode; 2]>::default();
                for _ in 0..count {
                    merge(&mut entry[0], self.value());
                    merge(&mut entry[1], self.value());
                }
                ShapeNode::Map(entry)
            }
            Event::Tuple(len) => ShapeNode::Tuple(self.tuple(len)),
            Event::Newtype(FoundType {
                name: "ecs.Entity", ..
            }) => {
                self.value();
                ShapeNode::Plain("id".to_owned())
            }
            Event::Newtype(ty) => {
                let position = self.found.named(ty);
                let body = ShapeBody::Tuple(vec![self.value()]);
                self.merge_body(position, body)
            }
            Event::TupleStruct(ty) => {
                let position = self.found.named(ty);
                match self.value() {
                    ShapeNode::Tuple(values) => self.merge_body(position, ShapeBody::Tuple(values)),
                    _ => ShapeNode::Named(position),
                }
            }
            Event::Struct(ty, names) => {
                let position = self.found.named(ty);
                let body = match self.peek() {
                    Some(Event::Index { visitor, index }) => self.tagged(visitor, index),
                    _ => ShapeBody::Struct(self.fields(names)),
                };
                self.merge_body(position, body)
            }
            Event::Enum(ty, names, index) => {
                let position = self.found.named(ty);
                let body = self.variant(names, index);
                self.merge_body(position, body)
            }
            Event::Index { .. } => ShapeNode::Plain("index".to_owned()),
            // The events of a `Deserialize` that ignores errors.
            Event::Variant | Event::End => ShapeNode::Unknown,
        }
    }

    fn merge_body(&mut self, position: usize, body: ShapeBody) -> ShapeNode {
        merge_bodies(&mut self.found.shape.named[position].body, body);
        ShapeNode::Named(position)
    }

    /// Reads values up to the end, and returns them with whether that came.
    fn values(&mut self) -> (Vec<ShapeNode>, bool) {
        let mut values = Vec::new();
        loop {
            match self.peek() {
                None => return (values, false),
                Some(Event::End) => {
                    self.next();
                    return (values, !self.has_ended);
                }
                Some(_) => values.push(self.value()),
            }
        }
    }

    fn tuple(&mut self, len: usize) -> Vec<ShapeNode> {
        let (mut values, is_complete) = self.values();
        if !is_complete {
            // A length may come from the type, and no type has that many values.
            values.resize(len.clamp(values.len(), 1 << 10), ShapeNode::Unknown);
        }
        values
    }

    fn fields(&mut self, names: &[&str]) -> ShapeFields {
        let (values, is_complete) = self.values();
        ShapeFields {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            values,
            is_complete,
        }
    }

    fn variant(&mut self, names: &[&str], index: u32) -> ShapeBody {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let mut variants = Vec::new();
        if let Some(Event::Variant) = self.peek() {
            self.next();
            variants.resize(index as usize + 1, ShapeBody::Unknown);
            let body = match self.peek() {
                None => ShapeBody::Unknown,
                Some(Event::End) => ShapeBody::Unit,
                Some(Event::Tuple(len)) => {
                    self.next();
                    ShapeBody::Tuple(self.tuple(len))
                }
                Some(Event::Struct(FoundType { name: "", .. }, names)) => {
                    self.next();
                    ShapeBody::Struct(self.fields(names))
                }
                Some(_) => ShapeBody::Tuple(vec![self.value()]),
            };
            variants[index as usize] = body;
        }
        if let Some(Event::End) = self.peek() {
            self.next();
        }
        ShapeBody::Enum(names, variants)
    }

    /// Reads an enum that is a struct of the number of the variant and its values.
    fn tagged(&mut self, visitor: &'static str, index: u32) -> ShapeBody {
        self.next();
        let names = self.found.names.get(visitor);
        let names = names.cloned().unwrap_or_default();
        let mut variants = Vec::new();
        let (values, is_complete) = self.values();
        if is_complete || !values.is_empty() {
            variants.resize(index as usize + 1, ShapeBody::Unknown);
            variants[index as usize] = ShapeBody::Tuple(values);
        }
        ShapeBody::Enum(names, variants)
    }
}

/// Adds the results of another run.
fn merge(known: &mut ShapeNode, new: ShapeNode) {
    match (known, new) {
        (_, ShapeNode::Unknown) => {}
        (ShapeNode::Option(known), ShapeNode::Option(new))
        | (ShapeNode::List(known), ShapeNode::List(new)) => {
            merge(known, *new);
        }
        (ShapeNode::Map(known), ShapeNode::Map(new)) => merge_all(&mut known[..], *new),
        (ShapeNode::Tuple(known), ShapeNode::Tuple(new)) => merge_lists(known, new),
        (known @ ShapeNode::Unknown, new) => *known = new,
        // The first counts.
        _ => {}
    }
}

fn merge_all(known: &mut [ShapeNode], new: impl IntoIterator<Item = ShapeNode>) {
    for (known, new) in known.iter_mut().zip(new) {
        merge(known, new);
    }
}

fn merge_lists(known: &mut Vec<ShapeNode>, new: Vec<ShapeNode>) {
    known.resize(known.len().max(new.len()), ShapeNode::Unknown);
    merge_all(known, new);
}

fn merge_bodies(known: &mut ShapeBody, new: ShapeBody) {
    match (known, new) {
        (_, ShapeBody::Unknown) => {}
        (ShapeBody::Tuple(known), ShapeBody::Tuple(new)) => merge_lists(known, new),
        (ShapeBody::Struct(known), ShapeBody::Struct(new)) => {
            known.is_complete |= new.is_complete;
            merge_lists(&mut known.values, new.values);
        }
        (ShapeBody::Enum(names, known), ShapeBody::Enum(new_names, new)) => {
            if names.is_empty() {
                *names = new_names;
            }
            known.resize(known.len().max(new.len()), ShapeBody::Unknown);
            for (known, new) in known.iter_mut().zip(new) {
                merge_bodies(known, new);
            }
        }
        (known @ ShapeBody::Unknown, new) => *known = new,
        _ => {}
    }
}
